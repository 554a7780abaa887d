#include "analysis/flow/opcode_census.h"

#include "analysis/flow/features.h"
#include "analysis/flow/index.h"
#include "analysis/flow/loops.h"
#include "core/rule/opcodes.h"

#include <algorithm>
#include <vector>

namespace phasebit::flow {

namespace {

// Blocks that `next` leads to from those of `work`, these included.
template <typename Next>
std::vector<bool> reachable(std::size_t blocks, std::vector<int> work, const Next& next) {
  std::vector<bool> seen(blocks, false);
  for (const int block : work) seen[index_of(block)] = true;
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    for (const int other : next(block))
      if (!seen[index_of(other)]) seen[index_of(other)] = true, work.push_back(other);
  }
  return seen;
}

bool has_endless_loop(const cubin::SassKernel& kernel, const FlowGraph& graph) {
  std::vector<int> leaving;
  for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
    const BasicBlock& one = graph.blocks[block];
    for (int i = one.begin; i < one.end; ++i)
      if (leaves_kernel(kernel.instructions[index_of(i)]))
        leaving.push_back(static_cast<int>(block));
  }
  const auto forward = reachable(graph.blocks.size(), {0}, [&](int block) {
    return graph.blocks[index_of(block)].successors;
  });
  const auto backward = reachable(graph.blocks.size(), std::move(leaving), [&](int block) {
    return graph.blocks[index_of(block)].predecessors;
  });
  for (std::size_t block = 0; block < graph.blocks.size(); ++block)
    if (forward[block] && !backward[block]) return true;
  return false;
}

}  // namespace

std::string_view to_string(CountIn where) {
  switch (where) {
    case CountIn::loops: return "in loops";
    case CountIn::kernel: return "in the kernel";
  }
  bug("no such CountIn");
}

OpcodeTally OpcodeCensus::count(const std::string& pattern) const {
  OpcodeTally sum;
  for (const auto& [opcode, count] : opcodes) {
    if (!rule::opcode_matches(pattern, opcode)) continue;
    sum.loops += count.loops;
    sum.kernel += count.kernel;
  }
  return sum;
}

Result<OpcodeCensus> take_opcode_census(const cubin::SassKernel& kernel) {
  PHASEBIT_TRY_ASSIGN(graph, build_flow_graph(kernel));
  const LoopNest nest = find_loops(graph);
  OpcodeCensus census;
  for (std::size_t i = 0; i < used_instructions(kernel); ++i) {
    const std::size_t block = index_of(graph.block_of[i]);
    OpcodeTally& count = census.opcodes[kernel.instructions[i].opcode];
    ++count.kernel;
    count.loops += nest.depth[block] > 0 || nest.irreducible[block] ? 1 : 0;
  }
  census.has_endless_loop = has_endless_loop(kernel, graph);
  return census;
}

}  // namespace phasebit::flow
