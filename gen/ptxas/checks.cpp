#include "gen/ptxas/assemble.h"

#include <algorithm>

namespace phasebit::ptxas {
namespace {

Status check(const char* what, int figure, int limit, const std::string& whose) {
  if (figure <= limit) return {};
  return fail(Step::assemble, "uses {} {}, the limit{} is {}", figure, what, whose, limit);
}

}  // namespace

Status check_ptx_target(const std::string& ptx_target, const std::string& target) {
  PHASEBIT_TRY_ASSIGN(from, isa::parse_target(ptx_target));
  PHASEBIT_TRY_ASSIGN(to, isa::parse_target(target));
  constexpr int decade = 10;
  const bool later = to.sm >= from.sm;
  bool fits = later;
  if (from.suffix == "a") fits = ptx_target == target;
  if (from.suffix == "f") fits = later && from.sm / decade == to.sm / decade;
  if (fits) return {};
  return fail(Step::assemble, "needs {}, the target is {}", ptx_target, target);
}

Status check_takes(const Toolchain& toolchain, const Kernel& kernel, const std::string& target) {
  PHASEBIT_TRY(check_target(toolchain, target));
  PHASEBIT_TRY(check_ptx_target(kernel.ptx_target, target));
  PHASEBIT_TRY_ASSIGN(needed, isa::parse_version(kernel.ptx_version));
  if (toolchain.ptx.parts.empty() || needed <= toolchain.ptx) return {};
  return fail(Step::assemble, "needs PTX {}, ptxas {} reads up to {}", kernel.ptx_version,
              toolchain.version.text(), toolchain.ptx.text());
}

Status check_resources(const image::Resources& resources, int dynamic_shared_bytes,
                       const ResourceLimits& limits, const isa::Target& target) {
  const std::string of_target = " of " + target.name;
  const int shared = resources.static_shared_bytes + dynamic_shared_bytes;
  const int spilled = resources.spill_store_bytes + resources.spill_load_bytes;
  constexpr const char* shared_words = "bytes of shared memory";
  if (limits.max_registers)
    PHASEBIT_TRY(check("registers", resources.registers, *limits.max_registers, ""));
  if (target.max_registers_per_thread > 0)
    PHASEBIT_TRY(
        check("registers", resources.registers, target.max_registers_per_thread, of_target));
  if (limits.max_shared_bytes)
    PHASEBIT_TRY(check(shared_words, shared, *limits.max_shared_bytes, ""));
  if (target.max_shared_bytes_per_cta > 0)
    PHASEBIT_TRY(check(shared_words, shared, target.max_shared_bytes_per_cta, of_target));
  if (limits.max_spill_bytes)
    PHASEBIT_TRY(check("bytes of spills", spilled, *limits.max_spill_bytes, ""));
  return {};
}

}  // namespace phasebit::ptxas
