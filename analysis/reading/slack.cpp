#include "analysis/reading/slack.h"

#include <map>
#include <optional>
#include <utility>

namespace phasebit::reading {

namespace {

constexpr int no_scoreboard = 7;

using Instructions = std::vector<const cubin::Instruction*>;

// The path of a turn, in the order of the code.
Instructions hot_path(const cubin::SassKernel& kernel, const flow::RoleWindow& window) {
  Instructions path;
  for (std::size_t n = 0; n < window.heat.size() && n < kernel.instructions.size(); ++n)
    if (window.heat[n] == flow::Heat::hot) path.push_back(&kernel.instructions[n]);
  return path;
}

// Nothing where nobody waits for it within a turn.
std::optional<int> slack_at(const Instructions& path, std::size_t at) {
  const int scoreboard = path[at]->control.write_scoreboard;
  int cycles = path[at]->control.stall_cycles;
  for (std::size_t step = 1; step <= path.size(); ++step) {
    const cubin::Control& control = path[(at + step) % path.size()]->control;
    if ((control.wait_mask >> scoreboard & 1) != 0) return cycles;
    cycles += control.stall_cycles;
  }
  return std::nullopt;
}

using Name = std::pair<std::string, std::string>;  // verb, opcode

}  // namespace

std::vector<Slack> slack_of(const cubin::SassKernel& kernel, const image::SourceMap& source,
                            const std::vector<flow::RoleWindow>& windows) {
  std::map<Name, Slack> all;
  for (const flow::RoleWindow& window : windows) {
    const Instructions path = hot_path(kernel, window);
    for (std::size_t at = 0; at < path.size(); ++at) {
      if (path[at]->control.write_scoreboard == no_scoreboard) continue;
      const std::optional<int> cycles = slack_at(path, at);
      if (!cycles) continue;
      const std::string verb = flow::verb_name(flow::source_line(source, *path[at]));
      Slack& slack = all[{verb, path[at]->opcode}];
      slack.verb = verb;
      slack.opcode = path[at]->opcode;
      ++slack.count;
      slack.issue_cycles += *cycles;
    }
  }
  std::vector<Slack> list;
  for (auto& [name, slack] : all) list.push_back(std::move(slack));
  return list;
}

}  // namespace phasebit::reading
