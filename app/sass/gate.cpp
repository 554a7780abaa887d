#include "join/sass/gate.h"

#include "app/commands.h"

#include <cstdio>

namespace phasebit::app {

// 1 for a broken rule; else, where something could not be judged, the step that failed.
Result<int> run_sass_gate(const SassGateOptions& options) {
  PHASEBIT_TRY_ASSIGN(report, join::sass::sass_gate(options));
  fmt::print("{}", options.json ? gate::gate_as_json(report) : gate::gate_as_text(report));
  if (!report.broken.empty()) return 1;
  return report.unjudged.empty() ? 0 : base::exit_code(report.unjudged.front().why.step);
}

}  // namespace phasebit::app
