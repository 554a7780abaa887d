#include "pipeline/images/guarded.h"

#include "gen/guard/guard.h"
#include "gen/guard/kernel_guard.h"
#include "gen/render/kernel_file.h"

#include <algorithm>

namespace phasebit::pipeline::images {

using image::Build;
using render::Rendered;

namespace {

// A placement may put warps in front of the shape's own.
constexpr int most_first_warps = 8;

guard::GuardBounds bounds_of(const image::LaunchShape& launch) {
  const int idle_warps = launch.fixed_warps ? 0 : most_first_warps;
  return {std::min(image::most_threads_of_cta, launch.threads + 32 * idle_warps),
          launch.ctas_per_sm + launch.load_ctas};
}

// A line of the guarded text leads to that of the file which it is or stands beside, so that what
// ptxas says of both builds is the same. What the guard adds at the end has no other place.
Status lead_back(ptxas::Kernel& kernel, std::string_view text, const ptx::PtxFile& file,
                 const guard::GuardedPtx& guarded) {
  PHASEBIT_TRY_ASSIGN(written, ptx::read_ptx(text, file.name));
  const std::size_t known = std::min(written.statements.size(), guarded.origins.size());
  for (std::size_t n = known; n-- > 0;) {
    if (guarded.origins[n] < 0) continue;
    const auto origin = static_cast<std::size_t>(guarded.origins[n]);
    const auto line = static_cast<std::size_t>(written.statements[n].line - 1);
    kernel.source[line].line = file.statements[origin].line;
  }
  return {};
}

// A whole file is guarded as a file: its functions may wait too.
Result<Rendered> guarded_file(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(timed.path));
  const std::string& name = timed.kernel.source.front().file;
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  PHASEBIT_TRY_ASSIGN(guarded, guard::guard(file));
  const std::string written = ptx::write_ptx(guarded.file);
  PHASEBIT_TRY_ASSIGN(kernels, render::read_kernels(written, name));
  for (Rendered& one : kernels) {
    if (one.kernel.entry != timed.kernel.entry) continue;
    PHASEBIT_TRY(lead_back(one.kernel, written, file, guarded));
    one.sites = std::move(guarded.sites);
    return std::move(one);
  }
  bug("the guard lost an entry");
}

Result<Rendered> guarded_statements(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(
      guarded, guard::guard_kernel(timed.kernel, render::entry_name(timed.head.key, Build::guarded),
                                   bounds_of(timed.head.launch), timed.head.registers));
  Rendered out;
  out.kernel = std::move(guarded.kernel);
  out.sites = std::move(guarded.sites);
  for (std::size_t n = 0; n < out.kernel.statements.size(); ++n)
    out.listing.push_back({out.kernel.statements[n], out.kernel.source[n]});
  return out;
}

}  // namespace

Result<Rendered> guarded_kernel(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(out, timed.kernel.as_is ? guarded_file(timed) : guarded_statements(timed));
  out.kernel.build = Build::guarded;
  out.head = timed.head;
  out.head.build = Build::guarded;
  out.has_head = timed.has_head;
  return std::move(out);
}

}  // namespace phasebit::pipeline::images
