#include "analysis/reading/waits.h"

#include <algorithm>

namespace phasebit::reading {

using cubin::Instruction;
using cubin::SassKernel;
using flow::FlowGraph;

namespace {

constexpr int scoreboards = 6;

// The scoreboard that DEPBAR names: 0 of "SB0,0x1"; -1 of other instructions.
int named_scoreboard(const Instruction& one) {
  if (flow::opcode_stem(one) != "DEPBAR" || !one.operands.starts_with("SB")) return -1;
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

  // The last setter in front of `end`; where there is none, what leads to the block.
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

}  // namespace phasebit::reading
