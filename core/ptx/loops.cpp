#include "core/ptx/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit {
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

}  // namespace

bool PtxLoop::holds(int block) const {
  return std::binary_search(blocks.begin(), blocks.end(), block);
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

}  // namespace phasebit
