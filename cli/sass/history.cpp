#include "pipeline/explain/history.h"

#include "cli/commands.h"
#include "core/base/file.h"

#include <cstdio>

namespace phasebit {
namespace {

Status print_change(const VersionHistory& history, const SassHistoryOptions& options) {
  const HistoryEntry &before = *history.change.first, &after = *history.change.second;
  fmt::print("{} changed most from ptxas {} to {}{}{}\n", options.bisect, before.ptxas, after.ptxas,
             history.counted.empty() ? "" : ": ", history.counted);
  for (const std::string& line : after.changes) fmt::print("  {}\n", line);
  if (!history.smallest) {
    fmt::print("the smallest PTX that shows it: the same with -o FILE\n");
    return {};
  }
  const Reduction& made = *history.smallest;
  PHASEBIT_TRY(write_file(options.out, made.text));
  fmt::print("{}: {} in {} statements of {}\n", options.out, made.opcode, made.last_statements,
             made.first_statements);
  return {};
}

}  // namespace

Status run_sass_history(const SassHistoryOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(history, version_history(options));
  if (!options.bisect.empty()) return print_change(history, options);
  if (format == TableFormat::text) fmt::print("{} for {}\n", history.text, history.target);
  fmt::print("{}", render(history_table(history.entries), format));
  return {};
}

}  // namespace phasebit
