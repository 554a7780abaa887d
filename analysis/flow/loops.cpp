#include "analysis/flow/loops.h"

#include "analysis/flow/flow.h"
#include "core/graph/graph.h"

#include <algorithm>
#include <map>

namespace phasebit::flow {

namespace {

using graph::dominates;

// What reaches the latch of an edge latch -> header without the header.
Loop natural_loop(const FlowGraph& graph, const std::vector<int>& dominator, int latch,
                  int header) {
  Loop loop{header, graph::natural_loop(graph.blocks, dominator, latch, header), 0, 1, false};
  loop.size = static_cast<int>(std::count(loop.contains.begin(), loop.contains.end(), true));
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
Loop cycle(const FlowGraph& graph, const std::vector<int>& dominator, int latch, int target) {
  const std::vector<bool> leads_to_latch =
      graph::natural_loop(graph.blocks, dominator, latch, target);
  Loop loop{target, std::vector<bool>(graph.blocks.size(), false), 0, 1, true};
  std::vector<int> work = {target};
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    if (loop.contains[index_of(block)] || !leads_to_latch[index_of(block)]) continue;
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

LoopNest find_loops(const FlowGraph& graph) {
  LoopNest nest;
  nest.depth.assign(graph.blocks.size(), 0);
  nest.irreducible.assign(graph.blocks.size(), false);
  const std::vector<int> order = graph::reverse_postorder(graph.blocks);
  const std::vector<int> dominator = graph::immediate_dominators(graph.blocks, order);
  std::vector<int> number(graph.blocks.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[index_of(order[i])] = static_cast<int>(i);
  LoopsByHeader by_header;
  std::vector<Loop> cycles;  // entered in two places
  for (const int block : order)
    for (const int successor : graph.blocks[index_of(block)].successors) {
      if (number[index_of(successor)] > number[index_of(block)]) continue;  // forward
      if (dominates(dominator, successor, block))
        add_loop(by_header[successor], natural_loop(graph, dominator, block, successor));
      else
        cycles.push_back(cycle(graph, dominator, block, successor));
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
