#include "core/ptx/flow/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::ptx::flow {
namespace {

std::size_t index(int block) {
  return static_cast<std::size_t>(block);
}

// What reaches `from` without passing `header`.
void collect(const PtxFlow& flow, int header, int from, std::set<int>& body) {
  std::vector<int> open = {from};
  body.insert(header);
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (!body.insert(block).second) continue;
    for (const int before : flow.blocks[index(block)].predecessors) open.push_back(before);
  }
}

// Ways back to where they came by that are no loop's.
class EntryFinder {
 public:
  explicit EntryFinder(const PtxFlow& flow)
      : flow_(flow), dominators_(dominators_of(flow)), states_(flow.blocks.size()) {}

  std::set<int> find() {
    open(0);
    while (!stack_.empty()) {
      auto& [block, way] = stack_.back();
      const std::vector<int>& ways = flow_.blocks[index(block)].successors;
      if (way == ways.size()) {
        states_[index(block)] = State::done;
        stack_.pop_back();
        continue;
      }
      const int next = ways[way++];
      if (states_[index(next)] == State::open && !dominators_[index(block)][index(next)])
        entries_.insert(next);
      if (states_[index(next)] == State::fresh) open(next);
    }
    return std::move(entries_);
  }

 private:
  enum class State { fresh, open, done };
  void open(int block) {
    states_[index(block)] = State::open;
    stack_.emplace_back(block, 0);
  }

  const PtxFlow& flow_;
  std::vector<std::vector<bool>> dominators_;
  std::vector<State> states_;
  std::vector<std::pair<int, std::size_t>> stack_;  // and the way that is next
  std::set<int> entries_;
};

}  // namespace

bool PtxLoop::holds(int block) const {
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

std::vector<std::size_t> statements_of(const PtxFlow& flow, const PtxLoop& loop) {
  std::vector<std::size_t> found;
  for (const int block : loop.blocks) {
    const auto& own = statements_of(flow, block);
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

std::vector<std::vector<bool>> dominators_of(const PtxFlow& flow) {
  const std::size_t n = flow.blocks.size();
  std::vector<std::vector<bool>> dominators(n, std::vector<bool>(n, true));
  dominators[0].assign(n, false);
  dominators[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 1; b < n; ++b) {
      std::vector<bool> now(n, !flow.blocks[b].predecessors.empty());
      for (const int before : flow.blocks[b].predecessors)
        for (std::size_t d = 0; d < n; ++d) now[d] = now[d] && dominators[index(before)][d];
      now[b] = true;
      if (now == dominators[b]) continue;
      dominators[b] = std::move(now);
      changed = true;
    }
  }
  return dominators;
}

std::vector<PtxLoop> loops_within(const PtxFlow& flow, const PtxLoop& loop) {
  std::vector<std::set<int>> bodies;
  for (const int back : flow.blocks[index(loop.header)].predecessors)
    if (loop.holds(back)) collect(flow, loop.header, back, bodies.emplace_back());
  std::stable_sort(bodies.begin(), bodies.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<PtxLoop> found;
  std::set<int> joined;
  for (const std::set<int>& body : bodies) {
    joined.insert(body.begin(), body.end());
    const bool more = found.empty() || joined.size() > found.front().blocks.size();
    if (more && joined.size() < loop.blocks.size())
      found.insert(found.begin(), {loop.header, {joined.begin(), joined.end()}});
  }
  return found;
}

std::vector<std::size_t> second_entries_of(const PtxFlow& flow) {
  std::vector<std::size_t> statements;
  for (const int block : EntryFinder(flow).find())
    statements.push_back(flow.blocks[index(block)].statements.front());
  return statements;
}

std::vector<PtxLoop> loops_of(const PtxFlow& flow) {
  const auto dominators = dominators_of(flow);
  std::map<int, std::set<int>> bodies;  // by header
  for (std::size_t b = 0; b < flow.blocks.size(); ++b)
    for (const int header : flow.blocks[b].successors)
      if (dominators[b][index(header)]) collect(flow, header, static_cast<int>(b), bodies[header]);
  std::vector<PtxLoop> loops;
  for (const auto& [header, body] : bodies) loops.push_back({header, {body.begin(), body.end()}});
  std::stable_sort(loops.begin(), loops.end(), [](const PtxLoop& a, const PtxLoop& b) {
    return a.blocks.size() < b.blocks.size();
  });
  return loops;
}

}  // namespace phasebit::ptx::flow
