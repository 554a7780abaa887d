// What decides by counting: a value that each turn of a loop moves one way.
#pragma once

#include "core/ptx/flow/values.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace phasebit::ptx::flow {

class PtxStuck;

// How a value is made of what a name has when a turn begins.
struct PtxStep {
  enum class Way {
    base,    // it is that value, and lo to hi more
    sum,     // the same, where another value may be the one that goes on
    decides  // that value decides which it is
  };
  Way way = Way::base;
  long lo = 0, hi = 0;
  bool negated = false;  // it goes down where that goes up
  bool mixed = false;  // made in another way, so it may stay where that goes on: max, xor, a float
  bool operator==(const PtxStep&) const = default;
};
using PtxSteps = std::map<PtxName, PtxStep>;

class PtxCounts {
 public:
  // Not through statements for which `stops` holds. `stuck`: of what runs while the polls stay as
  // they are, and there each turn must move the count one way; nullptr: of all, and any value
  // counts that changes by itself.
  PtxCounts(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            const PtxLoopNames& names, std::function<bool(std::size_t statement)> stops,
            const PtxStuck* stuck);

  enum class Moves { some_turns, each_turn };
  // Whether something that the statement reads goes by a count.
  bool decide(std::size_t statement, Moves moves = Moves::some_turns) const;
  bool decides(std::size_t statement, const PtxName& read, Moves moves = Moves::some_turns) const;

 private:
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  bool goes_on(const PtxName& name, Moves moves) const;
  const PtxSteps& turn_of(const PtxName& name) const;
  PtxSteps at_head(int block, std::size_t end, PtxSteps steps) const;
  void before(std::size_t statement, PtxSteps& steps) const;
  void add_sources(std::size_t statement, const PtxStep& after, PtxSteps& made) const;
  PtxStep through(std::size_t statement, const PtxName& name, PtxStep after) const;
  PtxStep through_sum(std::size_t statement, const PtxName& name, PtxStep after) const;
  bool cuts_off(std::size_t call) const;
  std::optional<long> added(std::size_t statement, std::size_t other) const;
  bool is_operand(std::size_t statement, std::size_t operand, const PtxName& name) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  const PtxLoopNames& names_;
  std::function<bool(std::size_t)> stops_;
  const PtxStuck* stuck_;
  std::map<int, std::vector<PtxName>> deciding_;  // of a block: what decides whether it runs
  mutable std::map<PtxName, PtxSteps> turns_;
};

}  // namespace phasebit::ptx::flow
