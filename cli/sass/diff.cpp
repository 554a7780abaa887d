#include "analysis/compare/diff_report.h"
#include "cli/commands.h"
#include "core/base/nearest.h"

#include <cstdio>
#include <optional>

namespace phasebit {
namespace {

// "schedule" and others; nothing when it was not asked for.
Result<std::optional<Change>> parse_fail_on(const std::string& word) {
  if (word.empty()) return std::optional<Change>();
  std::vector<std::string> words;
  for (const Change change :
       {Change::schedule, Change::operands, Change::instructions, Change::data}) {
    if (word == to_string(change)) return change;
    words.push_back(to_string(change));
  }
  return with_hint(fail(Step::usage, "--fail-on {}: no such class of change", word),
                   nearest_word_hint(word, words));
}

}  // namespace

Result<bool> run_sass_diff(const SassDiffOptions& options) {
  PHASEBIT_TRY_ASSIGN(fail_on, parse_fail_on(options.fail_on));
  PHASEBIT_TRY_ASSIGN(made, sass_diff(options));
  const DiffView view{options.all, options.context};
  fmt::print("{}", options.json ? diff_as_json(made.left, made.right, made.diff)
                                : diff_as_text(made.left, made.right, made.diff, view));
  // Equal instructions with other data are never taken for the same, asked for or not; data is the
  // last of the changes, so that each --fail-on covers it.
  if (made.diff.change == Change::data) return true;
  return fail_on && (made.diff.change >= *fail_on || !made.diff.beside.empty());
}

}  // namespace phasebit
