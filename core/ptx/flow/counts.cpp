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
  return base::is_listed(stems, stem_of(statement)) || statement.name.starts_with("ld.param") ||
         statement.name.starts_with("st.");
}

const std::vector<std::size_t>& statements_of(const PtxFlow& flow, int block) {
  return flow.blocks[static_cast<std::size_t>(block)].statements;
}

// Whether every way back to the loop's head leaves in the name what it had at the turn's begin, or
// a number that is the same each time: then it counts within a turn alone.
bool begins_anew(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                 const PtxStuck& stuck, const PtxName& name) {
  std::set<int> seen;
  std::vector<int> open;
  const auto add_before = [&](int block) {
    for (const int before : flow.blocks[static_cast<std::size_t>(block)].predecessors)
      if (loop.holds(before) && stuck.runs(before) && seen.insert(before).second)
        open.push_back(before);
  };
  add_before(loop.header);
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    const auto& own = statements_of(flow, block);
    const auto last = std::find_if(own.rbegin(), own.rend(), [&](std::size_t i) {
      return stuck.runs_statement(i) && writes(file, flow, i, name);
    });
    if (last == own.rend() && block != loop.header) add_before(block);
    if (last == own.rend()) continue;
    if (!file.statements[*last].parsed.guard.empty() || !stuck.gives_number(*last, name))
      return false;
  }
  return true;
}

// From each name of the loop to those that are made of it.
class NameGraph {
 public:
  NameGraph(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            const std::function<bool(std::size_t)>& stops, const PtxStuck* stuck)
      : carried_(carried_over(file, flow, loop, stuck)) {
    if (stuck != nullptr)
      std::erase_if(carried_, [&](const PtxName& name) {
        return begins_anew(file, flow, loop, *stuck, name);
      });
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

  // What comes of circles that make another value and come by the loop's head.
  std::set<PtxName> counted() const {
    const std::map<PtxName, std::size_t> circles = circle_of_each();
    std::set<std::size_t> makes_value, comes_by_head;
    for (const auto& [from, ways] : ways_)
      for (const auto& [to, makes] : ways)
        if (makes && circles.at(from) == circles.at(to)) makes_value.insert(circles.at(from));
    for (const PtxName& name : carried_)
      if (const auto known = circles.find(name); known != circles.end())
        comes_by_head.insert(known->second);
    std::vector<PtxName> open;
    for (const auto& [name, circle] : circles)
      if (makes_value.contains(circle) && comes_by_head.contains(circle)) open.push_back(name);
    return reach(std::move(open));
  }

 private:
  static std::vector<PtxName> changing(std::vector<PtxName> names, const PtxStuck* stuck) {
    if (stuck != nullptr)
      std::erase_if(names, [&](const PtxName& name) { return stuck->number(name).has_value(); });
    return names;
  }

  // Names that lead to each other have the same number: by the order in which a walk leaves them,
  // and what the other way round comes to each (Kosaraju).
  std::map<PtxName, std::size_t> circle_of_each() const {
    std::map<PtxName, std::vector<PtxName>> back;
    std::set<PtxName> seen;
    std::vector<PtxName> left;
    for (const auto& [from, ways] : ways_)
      for (const auto& [to, makes] : ways) back[to].push_back(from);
    for (const auto& [name, ways] : ways_) walk(name, seen, left);
    std::map<PtxName, std::size_t> circles;
    for (auto root = left.rbegin(); root != left.rend(); ++root) {
      const std::size_t number = circles.size();
      std::vector<PtxName> open = {*root};
      while (!open.empty()) {
        const PtxName name = std::move(open.back());
        open.pop_back();
        if (!circles.emplace(name, number).second) continue;
        for (const PtxName& one : back[name])
          if (!circles.contains(one)) open.push_back(one);
      }
    }
    return circles;
  }

  // A name goes behind all that it leads to.
  void walk(const PtxName& from, std::set<PtxName>& seen, std::vector<PtxName>& left) const {
    static const std::map<PtxName, bool> none;
    if (!seen.insert(from).second) return;
    using Next = std::map<PtxName, bool>::const_iterator;
    struct Step {
      PtxName name;
      Next next, end;
    };
    const auto step_of = [&](const PtxName& name) {
      const auto ways = ways_.find(name);
      const auto& all = ways == ways_.end() ? none : ways->second;
      return Step{name, all.begin(), all.end()};
    };
    std::vector<Step> steps = {step_of(from)};
    while (!steps.empty()) {
      Step& step = steps.back();
      if (step.next == step.end) {
        left.push_back(std::move(step.name));
        steps.pop_back();
        continue;
      }
      const PtxName& next = (step.next++)->first;
      if (seen.insert(next).second) steps.push_back(step_of(next));
    }
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
