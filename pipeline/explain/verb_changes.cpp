#include "pipeline/explain/verb_changes.h"

#include "analysis/compare/diff_report.h"
#include "analysis/reading/slack.h"

#include <cmath>
#include <map>
#include <utility>

namespace phasebit::pipeline::explain {

using compare::DiffSide;
using reading::Slack;

namespace {

using Name = std::pair<std::string, std::string>;  // verb, opcode

std::map<Name, Slack> slack_by_name(const DiffSide& side) {
  std::map<Name, Slack> all;
  for (const Slack& one : reading::slack_of(side.kernel, side.source, side.windows))
    all[{one.verb, one.opcode}] = one;
  return all;
}

std::vector<std::string> opcode_lines(const compare::KernelDiff& diff) {
  std::vector<std::string> lines;
  for (const flow::VerbFeatures& one : diff.left.verbs)
    for (const flow::VerbFeatures& other : diff.right.verbs) {
      if (one.role != other.role || one.verb != other.verb) continue;
      const std::string changes = compare::opcode_changes(one.hot, other.hot);
      if (changes.empty()) continue;
      const std::string dot = one.role.empty() || one.verb.empty() ? "" : ".";
      lines.push_back(fmt::format("{}{}{}: {}", one.role, dot, one.verb, changes));
    }
  return lines;
}

}  // namespace

std::vector<std::string> verb_changes(const DiffSide& left, const DiffSide& right,
                                      const compare::KernelDiff& diff) {
  std::vector<std::string> lines = opcode_lines(diff);
  const std::map<Name, Slack> before = slack_by_name(left);
  for (const auto& [name, after] : slack_by_name(right)) {
    const auto found = before.find(name);
    if (found == before.end() || std::abs(found->second.mean() - after.mean()) < 1) continue;
    lines.push_back(
        fmt::format("{} {} x{}: {:.1f} -> {:.1f} issue cycles until somebody waits for it",
                    after.verb, after.opcode, after.count, found->second.mean(), after.mean()));
  }
  return lines;
}

}  // namespace phasebit::pipeline::explain
