#include "join/comparison/compare.h"

#include "app/arguments.h"
#include "app/commands.h"

namespace phasebit::app {

Result<bool> run_compare(const CompareOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(all, join::comparison::compare(options));
  // Programs get every pair; so does a reader of a few.
  constexpr std::size_t few = 3;
  const bool every = options.every || format == base::TableFormat::csv || all.pairs.size() <= few;
  fmt::print("{}", format == base::TableFormat::json
                       ? join::comparison::comparison_json(all)
                       : base::render(join::comparison::comparison_table(all, every), format));
  return options.fail_over && join::comparison::is_worse(all, *options.fail_over);
}

}  // namespace phasebit::app
