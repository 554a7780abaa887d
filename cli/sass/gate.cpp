#include "pipeline/sass/gate.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

// 1 for a broken rule; else, where something could not be judged, the step that failed.
Result<int> run_sass_gate(const SassGateOptions& options) {
  PHASEBIT_TRY_ASSIGN(report, pipeline::sass::sass_gate(options));
  fmt::print("{}", options.json ? gate::gate_as_json(report) : gate::gate_as_text(report));
  if (!report.broken.empty()) return 1;
  return report.unjudged.empty() ? 0 : base::exit_code(report.unjudged.front().why.step);
}

}  // namespace phasebit::cli
