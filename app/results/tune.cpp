#include "join/advise/tune.h"

#include "app/commands.h"

namespace phasebit::app {

Status run_tune(const TuneOptions& options) {
  PHASEBIT_TRY_ASSIGN(tuning, join::advise::tune(options));
  fmt::print("{}",
             options.json ? join::advise::tuning_json(tuning) : join::advise::tuning_text(tuning));
  return {};
}

}  // namespace phasebit::app
