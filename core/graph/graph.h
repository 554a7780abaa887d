// Order, dominators and natural loops of a flow graph, PTX's or SASS's. A block is a type with
// `successors` and `predecessors`, numbers of blocks; block 0 is the entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace phasebit::graph {

// Blocks and instructions have numbers that are ints; containers take another type.
inline std::size_t index_of(int number) {  // of a number that is not negative
  return static_cast<std::size_t>(number);
}

// Blocks reachable from the entry, in reverse postorder.
template <class Block>
std::vector<int> reverse_postorder(const std::vector<Block>& blocks) {
  std::vector<int> order;
  std::vector<bool> seen(blocks.size(), false);
  std::vector<std::pair<int, std::size_t>> stack;  // block, next successor
  if (!blocks.empty()) stack.emplace_back(0, 0), seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const std::vector<int>& successors = blocks[index_of(block)].successors;
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

// Of each block; -1 for the entry and for what cannot be reached from it. `order` is
// reverse_postorder's. By Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001).
template <class Block>
std::vector<int> immediate_dominators(const std::vector<Block>& blocks,
                                      const std::vector<int>& order) {
  std::vector<int> number(blocks.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[index_of(order[i])] = static_cast<int>(i);
  std::vector<int> dominator(blocks.size(), -1);
  if (blocks.empty()) return dominator;
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
      for (const int predecessor : blocks[index_of(block)].predecessors) {
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

// Whether every way from the entry to `b` passes `a`; a block dominates itself.
inline bool dominates(const std::vector<int>& dominator, int a, int b) {
  while (b != a && b != -1) b = dominator[index_of(b)];
  return b == a;
}

// The natural loop of the edge latch -> header, by block: what reaches the latch without the
// header. What the entry does not reach is left out.
template <class Block>
std::vector<bool> natural_loop(const std::vector<Block>& blocks, const std::vector<int>& dominator,
                               int latch, int header) {
  std::vector<bool> contains(blocks.size(), false);
  contains[index_of(header)] = true;
  std::vector<int> open = {latch};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    const bool reachable = block == 0 || dominator[index_of(block)] >= 0;
    if (contains[index_of(block)] || !reachable) continue;
    contains[index_of(block)] = true;
    for (const int predecessor : blocks[index_of(block)].predecessors) open.push_back(predecessor);
  }
  return contains;
}

}  // namespace phasebit::graph
