#include "gen/guard/round_loads.h"

#include <algorithm>

namespace phasebit::guard {

using ptx::flow::PtxJump;
using ptx::flow::PtxName;

namespace {

bool any_of(const std::vector<PtxName>& names, const std::set<PtxName>& those) {
  return std::any_of(names.begin(), names.end(),
                     [&](const PtxName& name) { return those.contains(name); });
}

// Statements that make the predicates of the exits, but for loads.
std::set<std::size_t> deciding(const ptx::flow::PtxFlow& flow, const ptx::flow::PtxLoopNames& names,
                               const std::vector<PtxJump>& exits,
                               const std::set<std::size_t>& loads) {
  std::set<std::size_t> found;
  std::vector<std::size_t> open;
  for (const PtxJump& exit : exits) open.push_back(exit.statement);
  while (!open.empty()) {
    const std::size_t reader = open.back();
    open.pop_back();
    if (!found.insert(reader).second) continue;
    for (const PtxName& name : names.reads.at(reader)) {
      if (flow.scopes.type_of(name.first, name.second) != ".pred") continue;
      for (const auto& [writer, written] : names.writes)
        if (!loads.contains(writer) &&
            std::find(written.begin(), written.end(), name) != written.end())
          open.push_back(writer);
    }
  }
  return found;
}

}  // namespace

std::optional<std::size_t> round_load(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow,
                                      const ptx::flow::PtxLoop& loop,
                                      const ptx::flow::PtxLoopNames& names, const Sources& sources,
                                      const ptx::flow::PtxSteady& steady,
                                      const std::vector<PtxJump>& exits) {
  std::set<std::size_t> loads;
  for (const std::size_t i : statements_of(flow, loop)) {
    // What it writes or calls may change what it loads, and a poll or a clock decides otherwise.
    if (sources.writes(i) || sources.calls(i) || sources.poll(i) || sources.timer(i))
      return std::nullopt;
    if (sources.loads_weakly(i)) loads.insert(i);
  }
  if (loads.empty()) return std::nullopt;
  const auto is_load = [&](std::size_t i) { return loads.contains(i); };
  const auto loaded =
      ptx::flow::dependent_on(file, flow, loop, is_load, [](std::size_t) { return false; });
  const ptx::flow::PtxStuck any(file, flow, loop, names, is_load, {0, false, 0, false}, {});
  const ptx::flow::PtxStrict strict{
      [](std::size_t) { return false; },
      [&](std::size_t i, std::size_t operand) {
        return steady.name(flow.name_at(i, file.statements[i].parsed.operand(operand)), i);
      },
      // Whatever is added, the place goes on.
      [](std::size_t, std::size_t) { return true; },
      [&](std::size_t i, std::size_t operand) { return any.number_at(i, operand); }};
  const ptx::flow::PtxCounts counts(file, flow, loop, names, is_load, &any, &strict);
  bool leaves = false;
  for (const PtxJump& exit : exits) {
    const auto read = names.reads.at(exit.statement);
    if (steady.operands(exit.statement)) continue;
    if (!any_of(read, loaded.names)) return std::nullopt;
    leaves = true;
  }
  for (const std::size_t i : deciding(flow, names, exits, loads))
    if (!counts.carried(i).empty()) return std::nullopt;
  for (const std::size_t load : loads)
    if (counts.reads_moving(load) || any_of(counts.carried(load), loaded.names))
      return std::nullopt;
  return leaves ? std::optional(*loads.begin()) : std::nullopt;
}

}  // namespace phasebit::guard
