#include "pipeline/sass/cells.h"

#include "core/base/parallel.h"
#include "pipeline/images/progress.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

namespace phasebit {
namespace {

using Places = std::vector<std::size_t>;

// Of one SM each, as far as that goes, for a run of nvdisasm reads one.
std::vector<Places> split(const std::vector<CodeKernel>& kernels, unsigned threads) {
  constexpr std::size_t least = std::size_t{256} << 10U, most = std::size_t{4} << 20U;
  Places order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sm = [&](std::size_t i) { return kernels[i].image->cubin.sm; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sm(a) < sm(b); });
  std::size_t total = 0;
  for (const CodeKernel& one : kernels) total += one.kernel->text.size();
  const std::size_t share = std::clamp(total / threads + 1, least, most);
  std::vector<Places> parts;
  std::size_t bytes = share;
  for (const std::size_t i : order) {
    const bool full = bytes >= share || sm(parts.back().back()) != sm(i);
    if (full) parts.emplace_back(), bytes = 0;
    parts.back().push_back(i);
    bytes += kernels[i].kernel->text.size();
  }
  return parts;
}

}  // namespace

std::string kernel_name(const CodeKernel& kernel) {
  const std::string text = demangled(kernel.kernel->entry);
  return text.empty() ? kernel.kernel->entry : text;
}

Result<std::vector<CodeCell>> read_cells(
    const Disassembler& disassembler, const std::vector<CodeKernel>& kernels,
    const std::function<std::string(const CodeKernel&)>& column, unsigned threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<Places> parts = split(kernels, threads);
  const auto progress = progress_on_terminal("reading kernels");
  std::vector<CodeCell> cells(kernels.size());
  std::vector<std::optional<Error>> problems(kernels.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(parts.size(), threads, [&](std::size_t p) {
    std::vector<CodeKernel> those;
    for (const std::size_t i : parts[p]) those.push_back(kernels[i]);
    const auto read = read_code_kernels(disassembler, those);
    if (!read) problems[parts[p].front()] = read.error();
    for (std::size_t n = 0; read && n < those.size(); ++n)
      cells[parts[p][n]] = {
          kernel_name(those[n]), column(those[n]),
          summarise(those[n].image->cubin.sm, (*read)[n].kernel, (*read)[n].source, {}),
          (*read)[n].loops.loops.size()};
    const std::lock_guard guard(mutex);
    done += those.size();
    if (progress) progress(done, kernels.size());
  });
  for (const std::optional<Error>& problem : problems)
    if (problem) return tl::unexpected<Error>(*problem);
  return cells;
}

}  // namespace phasebit
