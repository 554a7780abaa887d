#include "join/advise/advise.h"

#include "app/commands.h"
#include "core/base/table.h"

namespace phasebit::app {

namespace {

constexpr std::size_t whole_ranking = 1000;

}  // namespace

Status run_advise(const AdviseOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, base::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(advice, join::advise::advise(options));
  if (format == base::TableFormat::text)
    fmt::print("{}", join::advise::advice_text(advice));
  else if (format == base::TableFormat::json)
    fmt::print("{}", join::advise::advice_json(advice));
  else
    fmt::print("{}", base::render(join::advise::ranking(advice, whole_ranking), format));
  return {};
}

}  // namespace phasebit::app
