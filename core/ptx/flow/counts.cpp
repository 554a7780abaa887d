#include "core/base/text.h"
#include "core/ptx/flow/stuck.h"
#include "core/ptx/flow/values.h"

#include <algorithm>
#include <map>

namespace phasebit::ptx::flow {
namespace {

// Hands a value on, or chooses between values: however often it comes by, it makes no new ones. So
// a call is taken: compilers that do not optimise call a function for what is one instruction.
bool only_carries(const PtxStatement& statement) {
  static constexpr std::string_view stems =
      " mov cvt cvta selp slct setp set not and or shfl vote match redux elect activemask call ";
  const std::string_view stem =
      std::string_view(statement.name).substr(0, statement.name.find('.'));
  return base::is_listed(stems, stem) || statement.name.starts_with("ld.param") ||
         statement.name.starts_with("st.");
}

const std::vector<std::size_t>& statements_of(const PtxFlow& flow, int block) {
  return flow.blocks[static_cast<std::size_t>(block)].statements;
}

// From each name of the loop to those that are made of it.
class NameGraph {
 public:
  NameGraph(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            const std::function<bool(std::size_t)>& stops, const PtxStuck* stuck)
      : carried_(carried_over(file, flow, loop, stuck)) {
    const auto runs = [&](std::size_t i) { return stuck == nullptr || stuck->runs_statement(i); };
    for (const int block : loop.blocks)
      for (const std::size_t i : statements_of(flow, block)) {
        if (stops(i) || !runs(i)) continue;
        const bool carries = only_carries(file.statements[i].parsed) || flow.locals.contains(i) ||
                             (stuck != nullptr && stuck->keeps_value(i));
        join(stuck == nullptr ? read_by(file, flow, i) : stuck->made_of(i),
             changing(written_by(file, flow, i), stuck), !carries);
      }
    for (const PtxJump& jump : flow.jumps) {
      if (!loop.holds(jump.block) || !runs(jump.statement)) continue;
      const auto deciding = changing(read_by(file, flow, jump.statement), stuck);
      for (const int block : decided_by(flow, loop, jump))
        for (const std::size_t i : statements_of(flow, block))
          if (!stops(i) && runs(i))
            join(deciding, changing(written_by(file, flow, i), stuck), false);
    }
  }

  // A circle that makes another value and comes by the loop's head.
  std::set<PtxName> counted() const {
    std::set<PtxName> found;
    for (const auto& [from, ways] : ways_)
      for (const auto& [to, makes] : ways)
        if (makes && !found.contains(from) && goes_round(from, to)) found.merge(reach({from}));
    return found;
  }

 private:
  static std::vector<PtxName> changing(std::vector<PtxName> names, const PtxStuck* stuck) {
    if (stuck != nullptr)
      std::erase_if(names, [&](const PtxName& name) { return stuck->number(name).has_value(); });
    return names;
  }

  bool goes_round(const PtxName& from, const PtxName& to) const {
    const std::set<PtxName> after = reach({to});
    return after.contains(from) &&
           std::any_of(carried_.begin(), carried_.end(), [&](const PtxName& name) {
             return after.contains(name) && reach({name}).contains(from);
           });
  }

  void join(const std::vector<PtxName>& from, const std::vector<PtxName>& to, bool makes) {
    for (const PtxName& one : from)
      for (const PtxName& other : to) {
        bool& known = ways_[one][other];
        known = known || makes;
      }
  }

  std::set<PtxName> reach(std::vector<PtxName> open) const {
    std::set<PtxName> found;
    while (!open.empty()) {
      const PtxName name = std::move(open.back());
      open.pop_back();
      if (!found.insert(name).second) continue;
      if (const auto ways = ways_.find(name); ways != ways_.end())
        for (const auto& way : ways->second) open.push_back(way.first);
    }
    return found;
  }

  std::set<PtxName> carried_;
  std::map<PtxName, std::map<PtxName, bool>> ways_;  // true: the value is another one
};

}  // namespace

std::set<PtxName> carried_over(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                               const PtxStuck* stuck) {
  std::map<int, std::set<PtxName>> read;  // by block, before it is written there or behind it
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = loop.blocks.rbegin(); block != loop.blocks.rend(); ++block) {
      if (stuck != nullptr && !stuck->runs(*block)) continue;
      std::set<PtxName> names;
      for (const int next : flow.blocks[static_cast<std::size_t>(*block)].successors)
        if (next != loop.header) names.insert(read[next].begin(), read[next].end());
      const auto& own = statements_of(flow, *block);
      for (auto i = own.rbegin(); i != own.rend(); ++i) {
        if (stuck != nullptr && !stuck->runs_statement(*i)) continue;
        if (file.statements[*i].parsed.guard.empty())
          for (const PtxName& name : written_by(file, flow, *i)) names.erase(name);
        for (PtxName& name : read_by(file, flow, *i)) names.insert(std::move(name));
      }
      changed = changed || names.size() != read[*block].size();
      read[*block] = std::move(names);
    }
  }
  return read[loop.header];
}

std::set<PtxName> counted_in(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                             const std::function<bool(std::size_t)>& stops, const PtxStuck* stuck) {
  return NameGraph(file, flow, loop, stops, stuck).counted();
}

}  // namespace phasebit::ptx::flow
