#include "analysis/flow/loops.h"

#include "analysis/flow/flow.h"

#include <algorithm>
#include <map>

namespace phasebit::flow {

namespace {

// Blocks reachable from the entry, in reverse postorder.
std::vector<int> reverse_postorder(const FlowGraph& graph) {
  std::vector<int> order;
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::pair<int, std::size_t>> stack;  // block, next successor
  if (!graph.blocks.empty()) stack.emplace_back(0, 0), seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const std::vector<int>& successors = graph.blocks[index_of(block)].successors;
    if (next == successors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const int successor = successors[next++];
    if (seen[index_of(successor)]) continue;
    seen[index_of(successor)] = true;
    stack.emplace_back(successor, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

bool dominates(const std::vector<int>& dominator, int a, int b) {
  while (b != a && b != -1) b = dominator[index_of(b)];
  return b == a;
}

// The natural loop of the edge latch -> header: what reaches the latch without the header.
Loop natural_loop(const FlowGraph& graph, const std::vector<bool>& reachable, int latch,
                  int header) {
  Loop loop{header, std::vector<bool>(graph.blocks.size(), false), 1, 1, false};
  loop.contains[index_of(header)] = true;
  std::vector<int> work = {latch};
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    if (loop.contains[index_of(block)] || !reachable[index_of(block)]) continue;
    loop.contains[index_of(block)] = true;
    ++loop.size;
    for (const int predecessor : graph.blocks[index_of(block)].predecessors)
      work.push_back(predecessor);
  }
  return loop;
}

bool inside(const Loop& inner, const Loop& outer) {
  for (std::size_t b = 0; b < inner.contains.size(); ++b)
    if (inner.contains[b] && !outer.contains[b]) return false;
  return true;
}

void merge_into(Loop& loop, const Loop& other) {
  for (std::size_t b = 0; b < loop.contains.size(); ++b)
    loop.contains[b] = loop.contains[b] || other.contains[b];
  loop.side_entry = loop.side_entry || other.side_entry;
  loop.size = static_cast<int>(std::count(loop.contains.begin(), loop.contains.end(), true));
}

// Adds a loop to those of its header.
void add_loop(std::vector<Loop>& same_header, const Loop& loop) {
  for (Loop& other : same_header) {
    if (inside(loop, other) != inside(other, loop)) continue;  // one lies in the other: both stay
    return merge_into(other, loop);
  }
  same_header.push_back(loop);
}

// What lies on a way from `target` to `latch`, which leads back to it.
Loop cycle(const FlowGraph& graph, const std::vector<bool>& reachable, int latch, int target) {
  const Loop leads_to_latch = natural_loop(graph, reachable, latch, target);
  Loop loop{target, std::vector<bool>(graph.blocks.size(), false), 0, 1, true};
  std::vector<int> work = {target};
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    if (loop.contains[index_of(block)] || !leads_to_latch.contains[index_of(block)]) continue;
    loop.contains[index_of(block)] = true;
    ++loop.size;
    for (const int successor : graph.blocks[index_of(block)].successors) work.push_back(successor);
  }
  return loop;
}

bool overlap(const Loop& a, const Loop& b) {
  for (std::size_t i = 0; i < a.contains.size(); ++i)
    if (a.contains[i] && b.contains[i]) return true;
  return false;
}

using LoopsByHeader = std::map<int, std::vector<Loop>>;

// Cycles that cross one with another header have no header: they are marked instead.
void add_cycles(const std::vector<Loop>& cycles, LoopsByHeader& by_header,
                std::vector<bool>& irreducible) {
  for (const Loop& one : cycles) {
    const bool crossed = std::any_of(cycles.begin(), cycles.end(), [&](const Loop& other) {
      return other.header != one.header && overlap(one, other);
    });
    if (!crossed) add_loop(by_header[one.header], one);
    for (std::size_t b = 0; crossed && b < irreducible.size(); ++b)
      irreducible[b] = irreducible[b] || one.contains[b];
  }
}

}  // namespace

std::vector<int> immediate_dominators(const FlowGraph& graph) {
  // Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001).
  const std::vector<int> order = reverse_postorder(graph);
  std::vector<int> number(graph.blocks.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[index_of(order[i])] = static_cast<int>(i);
  std::vector<int> dominator(graph.blocks.size(), -1);
  if (graph.blocks.empty()) return dominator;
  dominator[0] = 0;
  const auto meet = [&](int a, int b) {
    while (a != b) {
      while (number[index_of(a)] > number[index_of(b)]) a = dominator[index_of(a)];
      while (number[index_of(b)] > number[index_of(a)]) b = dominator[index_of(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int block : order) {
      if (block == 0) continue;
      int found = -1;
      for (const int predecessor : graph.blocks[index_of(block)].predecessors) {
        if (number[index_of(predecessor)] < 0 || dominator[index_of(predecessor)] < 0) continue;
        found = found < 0 ? predecessor : meet(found, predecessor);
      }
      changed = changed || dominator[index_of(block)] != found;
      dominator[index_of(block)] = found;
    }
  }
  dominator[0] = -1;
  return dominator;
}

LoopNest find_loops(const FlowGraph& graph) {
  LoopNest nest;
  nest.depth.assign(graph.blocks.size(), 0);
  nest.irreducible.assign(graph.blocks.size(), false);
  const std::vector<int> order = reverse_postorder(graph);
  const std::vector<int> dominator = immediate_dominators(graph);
  std::vector<int> number(graph.blocks.size(), -1);
  std::vector<bool> reachable(graph.blocks.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i)
    number[index_of(order[i])] = static_cast<int>(i), reachable[index_of(order[i])] = true;
  LoopsByHeader by_header;
  std::vector<Loop> cycles;  // entered in two places
  for (const int block : order)
    for (const int successor : graph.blocks[index_of(block)].successors) {
      if (number[index_of(successor)] > number[index_of(block)]) continue;  // forward
      if (dominates(dominator, successor, block))
        add_loop(by_header[successor], natural_loop(graph, reachable, block, successor));
      else
        cycles.push_back(cycle(graph, reachable, block, successor));
    }
  add_cycles(cycles, by_header, nest.irreducible);
  for (auto& [header, loops] : by_header)
    for (Loop& loop : loops) nest.loops.push_back(std::move(loop));
  std::stable_sort(nest.loops.begin(), nest.loops.end(),
                   [](const Loop& a, const Loop& b) { return a.size > b.size; });
  for (Loop& loop : nest.loops) {
    loop.depth = nest.depth[index_of(loop.header)] + 1;
    for (std::size_t b = 0; b < loop.contains.size(); ++b)
      if (loop.contains[b]) ++nest.depth[b];
  }
  return nest;
}

}  // namespace phasebit::flow
