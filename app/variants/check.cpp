#include "analysis/protocol/check.h"

#include "app/commands.h"
#include "core/base/text.h"

#include <algorithm>
#include <map>

namespace phasebit::app {

using protocol::Checked;
using protocol::Verdict;

namespace {

// "46 proved, 2 explored"
std::string counts_of(const std::vector<Checked>& all) {
  std::map<Verdict, int> counts;
  for (const Checked& one : all) ++counts[one.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  return text;
}

}  // namespace

Result<int> run_check(const CheckCommand& command) {
  if (!command.accept.empty() && command.accept != "explored")
    return with_hint(fail(Step::usage, "--accept {}: no such word", command.accept),
                     base::nearest_word_hint(command.accept, {"explored"}));
  PHASEBIT_TRY_ASSIGN(all, join::protocol::check_variants(command));
  Verdict worst = Verdict::proved;
  for (const Checked& one : all) worst = std::max(worst, one.verdict);
  if (command.json) {
    fmt::print("{}", protocol::json_of(all));
  } else {
    for (const Checked& one : all) fmt::print("{}", protocol::text_of(one));
    if (all.size() > 1) fmt::print("{}\n", counts_of(all));
  }
  if (worst == Verdict::explored && command.accept == "explored") return 0;
  return protocol::exit_code(worst);
}

}  // namespace phasebit::app
