#include "analysis/flow/window.h"

#include "analysis/flow/flow.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <map>
#include <optional>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::SassKernel;
using isa::SassFact;
using launch::SourceLine;
using launch::SourceMap;

namespace {

// Roles that read the clock, in the order of the source.
std::vector<std::string> timed_roles(const SourceMap& source) {
  std::vector<std::string> roles;
  for (const SourceLine& line : source)
    if ((line.verb == "clock_start" || line.verb == "clock_end") &&
        std::count(roles.begin(), roles.end(), line.role) == 0)
      roles.push_back(line.role);
  return roles;
}

std::vector<int> clock_reads(const SassKernel& kernel, const SourceMap& source,
                             const std::string& role, const char* verb) {
  std::vector<int> found;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const SourceLine* line = source_line(source, kernel.instructions[i]);
    if (line == nullptr || line->verb != verb || line->role != role) continue;
    if (reads_clock(kernel.instructions[i])) found.push_back(static_cast<int>(i));
  }
  return found;
}

// The only read, or -1 and the reason.
int single_read(const SassKernel& kernel, const std::vector<int>& reads, const char* verb,
                std::string& problem) {
  if (reads.size() == 1) return reads.front();
  std::string addresses;
  for (const int read : reads)
    addresses += fmt::format("{}{:#x}", addresses.empty() ? "" : ", ",
                             kernel.instructions[index_of(read)].address);
  problem = reads.empty()
                ? fmt::format("no instruction of {} reads the clock", verb)
                : fmt::format("{} reads the clock {} times ({})", verb, reads.size(), addresses);
  return -1;
}

enum class Direction { forward, backward };

// Blocks reachable from `from` without passing `stop`; neither is in the set.
std::vector<bool> reach(const FlowGraph& graph, int from, int stop, Direction direction) {
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<int> work = {from};
  while (!work.empty()) {
    const BasicBlock& block = graph.blocks[index_of(work.back())];
    work.pop_back();
    for (const int next : direction == Direction::forward ? block.successors : block.predecessors) {
      if (seen[index_of(next)] || next == stop || next == from) continue;
      seen[index_of(next)] = true;
      work.push_back(next);
    }
  }
  return seen;
}

class WindowFinder {
 public:
  WindowFinder(const SassKernel& kernel, const SourceMap& source, RoleWindow& window)
      : kernel_(kernel), source_(source), window_(window) {}

  void find() {
    std::string& problem = window_.problem;
    window_.heat.assign(kernel_.instructions.size(), Heat::outside);
    window_.depth.assign(kernel_.instructions.size(), 0);
    window_.block.assign(kernel_.instructions.size(), -1);
    window_.start = single_read(kernel_, reads("clock_start"), "clock_start", problem);
    if (window_.start < 0) return;
    window_.end = single_read(kernel_, reads("clock_end"), "clock_end", problem);
    if (window_.end < 0) return;
    auto graph = build_flow_graph(kernel_, {window_.start, window_.end});
    if (!graph) return void(problem = graph.error().message);
    graph_ = std::move(*graph);
    if (!find_blocks()) return;
    nest_ = find_loops(graph_);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b] && nest_.irreducible[b])
        return void(problem = fmt::format("the loop at {:#x} is entered in two places",
                                          address(graph_.blocks[b].begin)));
    const Loop* loop = timed_loop();
    if (loop == nullptr) return void(problem = "no loop between the clock reads");
    problem = timer_problem("clock_start", window_.start);
    if (problem.empty()) problem = timer_problem("clock_end", window_.end);
    if (problem.empty()) mark(*loop);
  }

 private:
  std::vector<int> reads(const char* verb) const {
    return clock_reads(kernel_, source_, window_.role, verb);
  }
  std::uint32_t address(int instruction) const {
    return kernel_.instructions[index_of(instruction)].address;
  }

  // The figure of a grid is made of %globaltimer: nothing of another verb is between a read of it
  // and the clock read.
  std::string timer_problem(const char* verb, int clock) const {
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      const Instruction& timer = kernel_.instructions[i];
      const SourceLine* line = source_line(source_, timer);
      if (line == nullptr || line->verb != verb || line->role != window_.role ||
          timer.operands.find("SR_GLOBALTIMERLO") == std::string::npos)
        continue;
      const auto [first, last] = std::minmax({index_of(clock), i});
      const bool together =
          std::all_of(kernel_.instructions.begin() + static_cast<std::ptrdiff_t>(first),
                      kernel_.instructions.begin() + static_cast<std::ptrdiff_t>(last),
                      [&](const Instruction& one) {
                        const SourceLine* of = source_line(source_, one);
                        return of != nullptr && of->verb == verb;
                      });
      if (!together)
        return fmt::format("{} reads %globaltimer at {:#x}, not next to the clock at {:#x}", verb,
                           timer.address, address(clock));
    }
    return "";
  }

  bool find_blocks() {
    const int start = graph_.block_of[index_of(window_.start)],
              end = graph_.block_of[index_of(window_.end)];
    const auto after = reach(graph_, start, end, Direction::forward);
    const auto before = reach(graph_, end, start, Direction::backward);
    blocks_.assign(graph_.blocks.size(), false);
    bool any = false;
    for (std::size_t b = 0; b < blocks_.size(); ++b) any |= blocks_[b] = after[b] && before[b];
    if (!any)
      window_.problem = fmt::format("no code between clock_start at {:#x} and clock_end at {:#x}",
                                    address(window_.start), address(window_.end));
    return any;
  }

  // Verbs of the role in a loop, each with its instructions there.
  std::map<std::string_view, int> verbs_of(const Loop& loop) const {
    std::map<std::string_view, int> verbs;
    for (std::size_t b = 0; b < loop.contains.size(); ++b) {
      if (!loop.contains[b]) continue;
      for (int i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
        const SourceLine* line = source_line(source_, kernel_.instructions[index_of(i)]);
        if (line == nullptr || line->verb.empty() || line->role != window_.role) continue;
        ++verbs[line->verb];
      }
    }
    return verbs;
  }

  std::pair<std::size_t, int> weight(const Loop& loop) const {
    const std::map<std::string_view, int> verbs = verbs_of(loop);
    int count = 0;
    for (const auto& verb : verbs) count += verb.second;
    return {verbs.size(), count};
  }

  // Whether all slots that the outer loop waits for are waited for in this one, and handed on.
  bool has_all_items(const Loop& loop, const Loop& outer) const {
    std::map<std::string_view, int> own = verbs_of(loop), all = verbs_of(outer);
    return own["wait"] > 0 && own["wait"] == all["wait"] && own["release"] > 0 &&
           all["use_words"] > own["use_words"];
  }

  bool in_window(const Loop& loop) const {
    for (std::size_t b = 0; b < loop.contains.size(); ++b)
      if (loop.contains[b] && !blocks_[b]) return false;
    return true;
  }

  const Loop* timed_loop() const {
    const Loop* best = nullptr;
    std::vector<const Loop*> outermost;
    for (const Loop& loop : nest_.loops) {
      if (!in_window(loop)) continue;
      const bool nested = std::any_of(outermost.begin(), outermost.end(), [&](const Loop* outer) {
        return outer->contains[index_of(loop.header)];
      });
      if (nested) continue;
      outermost.push_back(&loop);
      const auto first = [&](const Loop& a, const Loop& b) { return a.header < b.header; };
      if (best == nullptr || weight(loop) > weight(*best) ||
          (weight(loop) == weight(*best) && first(loop, *best)))
        best = &loop;
    }
    // A loop over tiles has that over the items of a tile in it.
    for (const Loop& loop : nest_.loops)
      if (best != nullptr && loop.depth > best->depth && best->contains[index_of(loop.header)] &&
          in_window(loop) && has_all_items(loop, *best))
        best = &loop;
    return best;
  }

  // Code of the loop that is laid out after its end: after a branch back to the header, with an
  // unconditional exit or the closing read in between.
  bool out_of_line(const Loop& loop, int block) const {
    const int header = graph_.blocks[index_of(loop.header)].begin;
    bool closed = false, left = false;
    for (int i = header; i < graph_.blocks[index_of(block)].begin; ++i) {
      const int here = graph_.block_of[index_of(i)];
      const std::vector<int>& next = graph_.blocks[index_of(here)].successors;
      if (loop.contains[index_of(here)]) {
        closed = closed || std::count(next.begin(), next.end(), loop.header) > 0;
        continue;
      }
      const Instruction& instruction = kernel_.instructions[index_of(i)];
      left =
          left || i == window_.end || (leaves_kernel(instruction) && !falls_through(instruction));
    }
    return closed && left;
  }

  // Blocks that only a diverged warp comes to: every way in leads over the branch of a BRA.DIV.
  std::vector<bool> find_diverged() const {
    std::vector<bool> diverged(graph_.blocks.size(), false);
    const auto leads_in = [&](int from, const BasicBlock& to) {
      const BasicBlock& block = graph_.blocks[index_of(from)];
      const bool taken = block.end != to.begin;
      return diverged[index_of(from)] ||
             (taken && is(kernel_.instructions[index_of(block.end - 1)], SassFact::diverged));
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < diverged.size(); ++b) {
        const BasicBlock& block = graph_.blocks[b];
        if (diverged[b] || block.predecessors.empty()) continue;
        diverged[b] = std::all_of(block.predecessors.begin(), block.predecessors.end(),
                                  [&](int from) { return leads_in(from, block); });
        changed = changed || diverged[b];
      }
    }
    return diverged;
  }

  void mark(const Loop& loop) {
    window_.loop_header = graph_.blocks[index_of(loop.header)].begin;
    const std::vector<bool> diverged = find_diverged();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b]) continue;
      const int depth = loop.contains[b] ? nest_.depth[b] - loop.depth : 0;
      const bool cold = depth > 0 || diverged[b] || out_of_line(loop, static_cast<int>(b));
      const Heat heat = !loop.contains[b] ? Heat::beside : cold ? Heat::cold : Heat::hot;
      for (int i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i)
        window_.heat[index_of(i)] = heat, window_.depth[index_of(i)] = depth,
        window_.block[index_of(i)] = static_cast<int>(b);
    }
  }

  const SassKernel& kernel_;
  const SourceMap& source_;
  RoleWindow& window_;
  FlowGraph graph_;
  LoopNest nest_;
  std::vector<bool> blocks_;  // of the window
};

}  // namespace

std::vector<RoleWindow> find_windows(const SassKernel& kernel, const SourceMap& source) {
  std::vector<RoleWindow> windows;
  for (const std::string& role : timed_roles(source)) {
    windows.push_back({role, "", -1, -1, -1, {}, {}, {}});
    WindowFinder(kernel, source, windows.back()).find();
  }
  if (windows.empty())
    windows.push_back({"", "the source has no clock_start", -1, -1, -1, {}, {}, {}});
  return windows;
}

const SourceLine* source_line(const SourceMap& source, const Instruction& instruction) {
  if (instruction.line < 1 || index_of(instruction.line) > source.size()) return nullptr;
  return &source[index_of(instruction.line) - 1];
}

std::string verb_name(const SourceLine* line) {
  if (line == nullptr) return {};
  if (line->role.empty() || line->verb.empty()) return line->role + line->verb;
  return line->role + "." + line->verb;
}

bool reads_clock(const Instruction& instruction) {
  return instruction.operands.find("SR_CLOCKLO") != std::string::npos;
}

}  // namespace phasebit::flow
