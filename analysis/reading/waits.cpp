#include "analysis/reading/waits.h"

#include "core/isa/opcodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace phasebit::reading {

using cubin::Instruction;
using cubin::SassKernel;
using flow::FlowGraph;
using isa::SassFact;

namespace {

constexpr int scoreboards = 6;

// The scoreboard that DEPBAR names: 0 of "SB0,0x1"; -1 of other instructions.
int named_scoreboard(const Instruction& one) {
  if (!flow::is(one, SassFact::scoreboard) || !one.operands.starts_with("SB")) return -1;
  return one.operands.size() > 2 ? one.operands[2] - '0' : -1;
}

bool waits_for(const Instruction& one, int scoreboard) {
  return (one.control.wait_mask >> scoreboard & 1) != 0 || named_scoreboard(one) == scoreboard;
}

bool sets(const Instruction& one, int scoreboard) {
  return one.control.write_scoreboard == scoreboard || one.control.read_scoreboard == scoreboard;
}

// Goes backwards from one wait, over each block once.
class Search {
 public:
  Search(const SassKernel& kernel, const FlowGraph& graph, int scoreboard)
      : kernel_(kernel),
        graph_(graph),
        scoreboard_(scoreboard),
        seen_(graph.blocks.size(), false) {}

  std::vector<WaitSource> from(int wait) {
    look(graph_.block_of[static_cast<std::size_t>(wait)], wait);
    while (!work_.empty()) {
      const int block = work_.back();
      work_.pop_back();
      look(block, graph_.blocks[static_cast<std::size_t>(block)].end);
    }
    const auto by_address = [](const WaitSource& a, const WaitSource& b) {
      return a.instruction < b.instruction;
    };
    std::sort(found_.begin(), found_.end(), by_address);
    const auto same = [](const WaitSource& a, const WaitSource& b) {
      return a.instruction == b.instruction;
    };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    return std::move(found_);
  }

 private:
  const Instruction& at(int i) const { return kernel_.instructions[static_cast<std::size_t>(i)]; }

  // The last setter before `end`; where there is none, what leads to the block.
  void look(int block, int end) {
    const flow::BasicBlock& here = graph_.blocks[static_cast<std::size_t>(block)];
    for (int i = end - 1; i >= here.begin; --i) {
      if (sets(at(i), scoreboard_)) return add(i, here.begin);
      if (waits_for(at(i), scoreboard_)) return;
    }
    for (const int before : here.predecessors) {
      if (seen_[static_cast<std::size_t>(before)]) continue;
      seen_[static_cast<std::size_t>(before)] = true;
      work_.push_back(before);
    }
  }

  void add(int setter, int begin) {
    WaitSource source{scoreboard_, setter, at(setter).control.write_scoreboard != scoreboard_, 0};
    for (int i = setter; i > begin && !waits_for(at(i), scoreboard_); --i)
      source.more += sets(at(i - 1), scoreboard_) ? 1 : 0;
    found_.push_back(source);
  }

  const SassKernel& kernel_;
  const FlowGraph& graph_;
  int scoreboard_;
  std::vector<bool> seen_;
  std::vector<int> work_;
  std::vector<WaitSource> found_;
};

}  // namespace

std::vector<std::vector<WaitSource>> find_wait_sources(const SassKernel& kernel,
                                                       const FlowGraph& graph) {
  std::vector<std::vector<WaitSource>> sources(kernel.instructions.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (int scoreboard = 0; scoreboard < scoreboards; ++scoreboard)
      if (waits_for(kernel.instructions[i], scoreboard)) {
        const auto found = Search(kernel, graph, scoreboard).from(static_cast<int>(i));
        sources[i].insert(sources[i].end(), found.begin(), found.end());
      }
  return sources;
}

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

// Nothing where no instruction waits for it within a turn.
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

std::vector<Slack> slack_of(const cubin::SassKernel& kernel, const launch::SourceMap& source,
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
