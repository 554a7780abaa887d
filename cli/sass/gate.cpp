#include "pipeline/sass/gate.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Result<bool> run_sass_gate(const SassGateOptions& options) {
  PHASEBIT_TRY_ASSIGN(report, sass_gate(options));
  fmt::print("{}", options.json ? gate_as_json(report) : gate_as_text(report));
  return !report.broken.empty();
}

}  // namespace phasebit
