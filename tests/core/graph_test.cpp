// Dominators and natural loops, by hand.
#include "core/graph/graph.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Block {
  std::vector<int> successors, predecessors;
};

std::vector<Block> blocks_of(const std::vector<std::vector<int>>& successors) {
  std::vector<Block> blocks(successors.size());
  for (std::size_t b = 0; b < successors.size(); ++b) {
    blocks[b].successors = successors[b];
    for (const int to : successors[b])
      blocks[graph::index_of(to)].predecessors.push_back(static_cast<int>(b));
  }
  return blocks;
}

std::vector<int> dominators(const std::vector<Block>& blocks) {
  return graph::immediate_dominators(blocks, graph::reverse_postorder(blocks));
}

TEST(Graph, ADiamondIsDominatedByItsFork) {
  // 0 -> {1, 2} -> 3, and a block 4 that nothing reaches.
  const auto blocks = blocks_of({{1, 2}, {3}, {3}, {}, {3}});
  const std::vector<int> found = dominators(blocks);
  EXPECT_EQ(found, (std::vector<int>{-1, 0, 0, 0, -1}));
  EXPECT_TRUE(graph::dominates(found, 0, 3));
  EXPECT_TRUE(graph::dominates(found, 3, 3));
  EXPECT_FALSE(graph::dominates(found, 1, 3));
  EXPECT_FALSE(graph::dominates(found, 0, 4));
}

TEST(Graph, ALoopHoldsWhatLeadsBackAndIsReached) {
  // 0 -> 1 -> 2 -> 3 -> {1, 4}, with a way around 2, and a block 5 that only leads into the loop.
  const auto blocks = blocks_of({{1}, {2, 3}, {3}, {1, 4}, {}, {2}});
  const std::vector<bool> loop = graph::natural_loop(blocks, dominators(blocks), 3, 1);
  EXPECT_EQ(loop, (std::vector<bool>{false, true, true, true, false, false}));
}

TEST(Graph, NoBlocksHaveNoOrder) {
  EXPECT_TRUE(graph::reverse_postorder(std::vector<Block>()).empty());
  EXPECT_TRUE(dominators({}).empty());
}

}  // namespace
}  // namespace phasebit::test
