#include "pipeline/sass/gate.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Result<bool> run_sass_gate(const SassGateOptions& options) {
  PHASEBIT_TRY_ASSIGN(report, pipeline::sass::sass_gate(options));
  fmt::print("{}", options.json ? gate::gate_as_json(report) : gate::gate_as_text(report));
  return !report.broken.empty();
}

}  // namespace phasebit::cli
