#include "join/explain/history.h"

#include "app/arguments.h"
#include "app/commands.h"
#include "core/base/file.h"

#include <cstdio>

namespace phasebit::app {
namespace {

Status print_change(const join::explain::VersionHistory& history,
                    const SassHistoryOptions& options) {
  const join::explain::HistoryEntry &before = *history.change.first,
                                    &after = *history.change.second;
  fmt::print("{} changed most from ptxas {} to {}{}{}\n", options.bisect, before.ptxas, after.ptxas,
             history.counted.empty() ? "" : ": ", history.counted);
  for (const std::string& line : after.changes) fmt::print("  {}\n", line);
  if (!history.smallest) {
    fmt::print("the smallest PTX that shows it: the same with -o FILE\n");
    return {};
  }
  const join::reduce::Reduction& made = *history.smallest;
  PHASEBIT_TRY(base::write_file(options.out, made.text));
  fmt::print("{}: {} in {} statements of {}\n", options.out, made.opcode, made.last_statements,
             made.first_statements);
  return {};
}

}  // namespace

Status run_sass_history(const SassHistoryOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(history, join::explain::version_history(options));
  if (!options.bisect.empty()) return print_change(history, options);
  if (format == base::TableFormat::text) fmt::print("{} for {}\n", history.text, history.target);
  fmt::print("{}", base::render(join::explain::history_table(history.entries), format));
  return {};
}

}  // namespace phasebit::app
