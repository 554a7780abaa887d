#include "analysis/disassembly/disassembler.h"

#include "analysis/disassembly/raw_listing.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/isa/version.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>

namespace phasebit::disassembly {

using cubin::CubinKernel;

namespace {

constexpr const char* install_hint = "tools/toolchain installs nvdisasm";

// The tool's own first words, for a message.
std::string first_line(const base::ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<Disassembler> Disassembler::open(const fs::path& nvdisasm, const fs::path& cache) {
  base::ProcessOptions options;
  options.timeout = std::chrono::seconds(20);
  auto output = base::run_process({nvdisasm.string(), "--version"}, options);
  if (!output) return with_hint(fail(Step::toolchain, "{}", output.error().message), install_hint);
  if (!output->ok())
    return with_hint(fail(Step::toolchain, "{} --version {}: {}", nvdisasm.string(),
                          output->how_it_ended(), first_line(*output)),
                     install_hint);
  std::string version = isa::version_in_banner(output->out);
  if (version.empty())
    return fail(Step::toolchain, "{} --version names no version: {}", nvdisasm.string(),
                first_line(*output));
  Disassembler disassembler(nvdisasm, std::move(version));
  if (!cache.empty()) {
    PHASEBIT_TRY_ASSIGN(opened, DisassemblyCache::open(cache, disassembler.version()));
    disassembler.cache_ = std::move(opened);
  }
  return disassembler;
}

Result<std::string> Disassembler::print(const std::vector<std::string>& options,
                                        std::string_view bytes) const {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path file = folder.path() / "code";
  PHASEBIT_TRY(base::write_file(file, bytes));
  std::vector<std::string> arguments = {path_.string(), "-json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(file.string());
  base::ProcessOptions process;
  process.timeout = timeout_;
  auto output = base::run_process(arguments, process);
  if (!output) return fail(Step::toolchain, "{}", output.error().message);
  if (output->ok()) return std::move(output->out);
  const std::string words = first_line(*output);
  if (words.find("is not defined for option 'binary'") != std::string::npos)
    return with_hint(
        fail(Step::toolchain, "nvdisasm {} does not know {}", version_, options.back()),
        "that of the release whose ptxas made the code does; tools/toolchain installs "
        "a newer one, --nvdisasm names it");
  return fail(Step::disassemble, "nvdisasm {}: {}", output->how_it_ended(), words);
}

Result<Disassembly> Disassembler::checked(const std::string& json) const {
  auto disassembly = parse_nvdisasm_json(json);
  if (disassembly && isa::version_in_banner(disassembly->producer) != version_)
    return fail(Step::disassemble, "nvdisasm {} printed a listing of '{}'", version_,
                disassembly->producer);
  return disassembly;
}

Result<Disassembly> Disassembler::run(std::string_view cubin) const {
  PHASEBIT_TRY_ASSIGN(json, print({}, cubin));
  return checked(json);
}

// One code that nvdisasm refuses fails all of a run: the halves say which.
std::vector<Disassembler::Listing> Disassembler::read_raw(int sm, const Codes& codes) const {
  std::string bytes;
  std::vector<std::size_t> sizes;
  for (const std::string_view code : codes) bytes += code, sizes.push_back(code.size());
  const auto json = print({"-b", fmt::format("SM{}", sm)}, bytes);
  auto raw = json ? checked(*json) : tl::unexpected<Error>(json.error());
  auto split = raw ? split_raw(std::move(*raw), sizes) : tl::unexpected<Error>(raw.error());
  if (split) {
    const auto begin = std::make_move_iterator(split->begin());
    return {begin, std::make_move_iterator(split->end())};
  }
  if (codes.size() == 1 || split.error().step != Step::disassemble)
    return std::vector<Listing>(codes.size(), tl::unexpected<Error>(split.error()));
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(codes.size() / 2);
  std::vector<Listing> all = read_raw(sm, Codes(codes.begin(), middle));
  std::vector<Listing> rest = read_raw(sm, Codes(middle, codes.end()));
  std::move(rest.begin(), rest.end(), std::back_inserter(all));
  return all;
}

void Disassembler::read_all(int sm, const Codes& codes, unsigned threads, Listings& found) const {
  // What is printed of more than this would take too much memory at a time.
  constexpr std::size_t most_bytes = std::size_t{4} << 20U;
  std::size_t total = 0;
  for (const std::string_view code : codes) total += code.size();
  const std::size_t share = std::min(most_bytes, total / std::max(1U, threads) + 1);
  std::vector<Codes> runs;
  for (std::size_t i = 0, bytes = share; i < codes.size(); ++i) {
    if (bytes >= share) runs.emplace_back(), bytes = 0;
    runs.back().push_back(codes[i]);
    bytes += codes[i].size();
  }
  std::vector<std::vector<Listing>> made(runs.size());
  std::mutex mutex;
  std::size_t done = 0;
  base::parallel_for(runs.size(), std::max(1U, threads), [&](std::size_t i) {
    made[i] = read_raw(sm, runs[i]);
    // A cache that cannot be written costs time, not the result.
    for (std::size_t n = 0; cache_ && n < runs[i].size(); ++n)
      if (made[i][n]) static_cast<void>(cache_->add(sm, runs[i][n], *made[i][n]));
    if (!progress_) return;
    const std::lock_guard guard(mutex);
    progress_(++done, runs.size());
  });
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t n = 0; n < runs[i].size(); ++n)
      found.emplace(runs[i][n], std::move(made[i][n]));
}

std::vector<Disassembler::Listing> Disassembler::listings(
    int sm, const std::vector<const CubinKernel*>& kernels, unsigned threads) const {
  Listings found;
  std::set<std::string_view> asked;
  Codes missing;
  Codes codes;
  for (const CubinKernel* kernel : kernels)
    if (asked.insert(kernel->text).second) codes.push_back(kernel->text);
  std::vector<std::optional<DisassembledFunction>> kept(codes.size());
  if (cache_)
    base::parallel_for(codes.size(), std::max(1U, threads),
                       [&](std::size_t i) { kept[i] = cache_->find(sm, codes[i]); });
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (kept[i])
      found.emplace(codes[i], std::move(*kept[i]));
    else
      missing.push_back(codes[i]);
  read_all(sm, missing, threads, found);
  std::vector<Listing> all;
  all.reserve(kernels.size());
  for (const CubinKernel* kernel : kernels) {
    all.push_back(found.at(kernel->text));
    if (all.back()) name_operands(*all.back(), *kernel);
  }
  return all;
}

Disassembler::Listing Disassembler::listing(int sm, const CubinKernel& kernel) const {
  return std::move(listings(sm, {&kernel}).front());
}

}  // namespace phasebit::disassembly
