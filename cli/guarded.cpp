#include "cli/guarded.h"

#include "gen/guard/guard.h"
#include "gen/guard/kernel_guard.h"
#include "gen/kernel_file.h"

namespace phasebit {
namespace {

// A whole file is guarded as a file: its functions may wait too.
Result<Rendered> guarded_file(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(text, read_file(timed.path));
  const std::string& name = timed.kernel.source.front().file;
  PHASEBIT_TRY_ASSIGN(file, read_ptx(text, name));
  PHASEBIT_TRY_ASSIGN(guarded, guard(file));
  PHASEBIT_TRY_ASSIGN(kernels, read_kernels(write_ptx(guarded.file), name));
  for (Rendered& one : kernels) {
    if (one.kernel.entry != timed.kernel.entry) continue;
    one.sites = std::move(guarded.sites);
    return std::move(one);
  }
  bug("the guard lost an entry");
}

Result<Rendered> guarded_statements(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(guarded,
                      guard_kernel(timed.kernel, entry_name(timed.head.key, Build::guarded)));
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

}  // namespace phasebit
