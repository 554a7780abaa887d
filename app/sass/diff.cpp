#include "analysis/compare/diff.h"

#include "app/commands.h"
#include "core/base/text.h"

#include <cstdio>
#include <optional>

namespace phasebit::app {

using compare::Change;

namespace {

// "schedule" and others; nothing when it was not asked for.
Result<std::optional<Change>> parse_fail_on(const std::string& word) {
  if (word.empty()) return std::optional<Change>();
  std::vector<std::string> words;
  for (const Change change :
       {Change::schedule, Change::renamed, Change::operands, Change::instructions, Change::data}) {
    if (word == compare::to_string(change)) return change;
    words.push_back(compare::to_string(change));
  }
  return with_hint(fail(Step::usage, "--fail-on {}: no such class of change", word),
                   base::nearest_word_hint(word, words));
}

// Equal instructions with other data are never taken for the same, asked for or not; data is the
// last of the changes, so that each --fail-on covers it.
bool fails(const join::sass::SassDiff& made, const std::optional<Change>& fail_on) {
  if (made.diff.change == Change::data) return true;
  return fail_on && (made.diff.change >= *fail_on || !made.diff.outside_text.empty());
}
bool fails(const foreign::LibraryDiff& made, const std::optional<Change>& fail_on) {
  return made.change == Change::data || (fail_on && made.change >= *fail_on);
}

std::string text_of(const join::sass::SassDiff& made, const SassDiffOptions& options) {
  if (options.json) return compare::diff_as_json(made.left, made.right, made.diff);
  return compare::diff_as_text(made.left, made.right, made.diff, {options.all, options.context});
}
std::string text_of(const foreign::LibraryDiff& made, const SassDiffOptions& options) {
  return options.json ? foreign::library_as_json(made)
                      : foreign::library_as_text(made, options.all, options.full_names);
}

}  // namespace

Result<bool> run_sass_diff(const SassDiffOptions& options) {
  PHASEBIT_TRY_ASSIGN(fail_on, parse_fail_on(options.fail_on));
  join::sass::DiffRequest request = options;
  request.in_json = options.json;
  PHASEBIT_TRY_ASSIGN(made, join::sass::sass_diff(request));
  return std::visit(
      [&](const auto& one) {
        fmt::print("{}", text_of(one, options));
        return fails(one, fail_on);
      },
      made);
}

}  // namespace phasebit::app
