// What decides by counting: a value that each turn of a loop moves one way.
#pragma once

#include "core/ptx/flow/values.h"

#include <algorithm>
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
  // Where a rule is strict (PtxStrict):
  bool apart = false;   // something is added that stays and is not known
  bool scaled = false;  // multiplied by a number above 0, or divided by one
  bool unlike = false;  // negated on some ways alone
  unsigned shifts = 0;  // in which ways it is scaled on every way: bits of PtxShift
  int bits = 64;        // of the narrowest form that it had
  bool operator==(const PtxStep&) const = default;
  static constexpr long farthest = 1L << 40;  // a step as large as that may be any
  void move_by(long least, long most) {
    lo = std::clamp(lo + least, -farthest, farthest);
    hi = std::clamp(hi + most, -farthest, farthest);
  }
};
// In the place of the name of a clock that is read.
inline const PtxName clock_name{-3, ""};
using PtxSteps = std::map<PtxName, PtxStep>;

enum PtxShift : unsigned { down = 1, down_signed = 2, up = 4, product = 8, skipped = 16 };

// What a proof knows in addition to the loop's own statements: of a statement and one of its
// operands.
struct PtxStrict {
  std::function<bool(std::size_t statement)> clock;
  std::function<bool(std::size_t statement, std::size_t operand)> steady, positive;
  std::function<std::optional<long>(std::size_t statement, std::size_t operand)> number;
};

// What a value does from turn to turn, as far as that is proved.
struct PtxMover {
  PtxName name;         // that moves; the value is made of it
  bool clock = false;   // a clock in its place
  int direction = 0;    // of the value; 0: it is shifted or multiplied
  long lo = 0, hi = 0;  // by how much the name moves each turn
  long offset = 0;      // of the value, unless it is apart
  bool scaled = false;  // the value is a multiple or a part of it
  bool apart = false;   // the value is so far from it that nothing is known
  unsigned shifts = 0;  // direction 0: how
  int bits = 64;        // that the value has
};

class PtxCounts {
 public:
  // Not through statements for which `stops` holds. `stuck`: of what runs while the polls stay as
  // they are, and there each turn must move the count one way; nullptr: of all, and any value
  // counts that changes by itself.
  PtxCounts(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            const PtxLoopNames& names, std::function<bool(std::size_t statement)> stops,
            const PtxStuck* stuck, const PtxStrict* strict = nullptr);

  enum class Moves { some_turns, each_turn };
  // Whether something that the statement reads goes by a count.
  bool decide(std::size_t statement, Moves moves = Moves::some_turns) const;
  bool decides(std::size_t statement, const PtxName& read, Moves moves = Moves::some_turns) const;
  // Of a value that the statement reads, where the rule is strict: nothing but one name that each
  // turn moves one way, and what stays.
  std::optional<PtxMover> mover(std::size_t statement, const PtxName& read) const;
  // Where it is strict: whether each turn moves the name one way, and such names of which what the
  // statement reads is made.
  bool moves(const PtxName& name) const;
  std::vector<PtxName> moving(std::size_t statement) const;
  // Names that the loop writes, as they are when a turn begins, of which what it reads is made.
  std::vector<PtxName> carried(std::size_t statement) const;

 private:
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  bool goes_on(const PtxName& name, Moves moves) const;
  const PtxSteps& turn_of(const PtxName& name) const;
  PtxSteps at_head(int block, std::size_t end, PtxSteps steps) const;
  void before(std::size_t statement, PtxSteps& steps) const;
  void add_sources(std::size_t statement, const PtxStep& after, PtxSteps& made) const;
  PtxStep through(std::size_t statement, const PtxName& name, PtxStep after) const;
  PtxStep through_sum(std::size_t statement, const PtxName& name, PtxStep after) const;
  bool may_choose_steady(std::size_t statement) const;
  bool is_steady(std::size_t statement, const PtxName& name) const;
  PtxStep strictly(std::size_t statement, const PtxName& name, PtxStep after) const;
  PtxStep strict_sum(std::size_t statement, const PtxName& name, PtxStep after) const;
  PtxStep strict_product(std::size_t statement, const PtxName& name, PtxStep after) const;
  bool cuts_off(std::size_t call) const;
  std::optional<long> added(std::size_t statement, std::size_t other) const;
  bool is_operand(std::size_t statement, std::size_t operand, const PtxName& name) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  const PtxLoopNames& names_;
  std::function<bool(std::size_t)> stops_;
  const PtxStuck* stuck_;
  const PtxStrict* strict_;
  std::map<int, std::vector<PtxName>> deciding_;  // of a block: what decides whether it runs
  mutable std::map<PtxName, PtxSteps> turns_;
};

}  // namespace phasebit::ptx::flow
