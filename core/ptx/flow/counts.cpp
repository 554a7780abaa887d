#include "core/base/text.h"
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

// From each name of the loop to those that are made of it.
class NameGraph {
 public:
  NameGraph(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            const std::function<bool(std::size_t)>& stops) {
    for (const int block : loop.blocks)
      for (const std::size_t i : statements(flow, block)) {
        if (stops(i)) continue;
        const bool carries = only_carries(file.statements[i].parsed) || flow.locals.contains(i);
        join(read_by(file, flow, i), written_by(file, flow, i), !carries);
      }
    for (const PtxJump& jump : flow.jumps) {
      if (!loop.holds(jump.block)) continue;
      const auto deciding = read_by(file, flow, jump.statement);
      for (const int block : decided_by(flow, loop, jump))
        for (const std::size_t i : statements(flow, block))
          if (!stops(i)) join(deciding, written_by(file, flow, i), false);
    }
  }

  std::set<PtxName> counted() const {
    std::set<PtxName> found;
    for (const auto& [from, ways] : ways_)
      for (const auto& [to, makes] : ways)
        if (makes && !found.contains(from) && reach({to}).contains(from))
          found.merge(reach({from}));
    return found;
  }

 private:
  static const std::vector<std::size_t>& statements(const PtxFlow& flow, int block) {
    return flow.blocks[static_cast<std::size_t>(block)].statements;
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

  std::map<PtxName, std::map<PtxName, bool>> ways_;  // true: the value is another one
};

}  // namespace

std::set<PtxName> counted_in(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                             const std::function<bool(std::size_t)>& stops) {
  return NameGraph(file, flow, loop, stops).counted();
}

}  // namespace phasebit::ptx::flow
