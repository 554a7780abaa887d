// What the turns of a loop come to while all that it polls stays as it is.
#pragma once

#include "core/ptx/flow/values.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace phasebit::ptx::flow {

// What each poll gives back, turn by turn.
struct PtxPolled {
  long number = 0;         // a register gets this
  bool predicate = false;  // a predicate this
  int order = 0;      // against what is not known, and of floats: less, equal, greater; 2: a NaN
  bool known = true;  // false: none of these, and another each turn
  // What the turns come to: a register that each turn writes is as a turn leaves it, and one that
  // polls alone write was loaded by the like before the loop.
  bool later = false;
};

// literal_integer, and a zero of floating point.
std::optional<long> literal_number(const std::string& operand);

class PtxStuck {
 public:
  struct Value {
    long number = 0;
    std::size_t poll = 0;  // whose news it is made of; 0: of none, several: of more than one
  };
  // A comparison of a poll with one of the `moving` names is not the same each turn. `given`: of
  // names that the loop does not write.
  PtxStuck(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop, const PtxLoopNames& names,
           std::function<bool(std::size_t statement)> is_poll, PtxPolled polled,
           std::set<PtxName> moving, std::map<PtxName, Value> given = {});

  bool goes_round() const { return goes_round_; }  // some way leads from the head back to it
  bool runs(int block) const { return blocks_.contains(block); }
  bool goes(int block, int next) const;              // the one runs, and may lead to the other
  bool runs_statement(std::size_t statement) const;  // its block does, and its guard may hold
  bool always_runs(std::size_t statement) const;     // its guard holds
  // Every turn gives the name the same number, that of a predicate is 0 or 1.
  std::optional<long> number(const PtxName& name) const;
  std::optional<long> number_at(std::size_t statement, std::size_t operand) const;
  // What its result is made of: without numbers that are known, and the operand that a selp leaves.
  std::vector<PtxName> made_of(std::size_t statement) const;
  // It gives the name the same number whenever it runs.
  bool gives_number(std::size_t statement, const PtxName& name) const;

 private:
  using Known = std::optional<Value>;
  static constexpr std::size_t several = static_cast<std::size_t>(-1);
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  void find_values();
  bool find_values_again();
  bool comes_from_a_turn(const PtxName& name) const;
  Known result_of(std::size_t statement, const PtxName& name) const;
  void find_blocks();
  std::vector<int> ways_out(int block) const;
  std::optional<bool> taken(std::size_t statement) const;
  Known value_of(std::size_t statement, const std::string& operand) const;
  Known value_of(const PtxName& name) const;
  Known value_at(std::size_t statement, const PtxName& name) const;
  Known value_before(int block, const PtxName& name) const;
  bool moves(std::size_t statement, const std::string& operand) const;
  Known same_value(std::size_t statement, const std::vector<PtxName>& names) const;
  Known copied(std::size_t statement) const;
  Known compared(std::size_t statement) const;
  std::optional<bool> order_of(std::size_t statement, const Known& left, const Known& right) const;
  Known of_predicates(std::size_t statement) const;
  Known chosen(std::size_t statement) const;
  Known of_one(std::size_t statement) const;
  Known called(std::size_t statement) const;
  Known computed(std::size_t statement) const;
  Known made(std::size_t statement) const;
  Known followed(std::size_t statement) const;
  Known news(std::size_t statement, std::size_t poll) const;
  std::size_t poll_of(std::size_t statement, bool& steady) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  const PtxLoopNames& names_;
  std::function<bool(std::size_t)> is_poll_;
  PtxPolled polled_;
  std::set<PtxName> moving_;
  std::map<PtxName, Value> given_;
  std::map<PtxName, Known> values_;       // nothing: not one number
  std::map<std::size_t, Known> results_;  // of the statements that run
  std::set<int> blocks_;
  std::map<int, std::vector<int>> ways_;  // from each of them
  bool goes_round_ = false;
};

}  // namespace phasebit::ptx::flow
