// What the turns of a loop come to while all that it polls stays as it is.
#pragma once

#include "core/ptx/flow/values.h"

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
  int order = 0;           // against a number that is not known: -1 is less, 0 equal, 1 greater
};

class PtxStuck {
 public:
  // A comparison of a poll with one of the `moving` names is not the same each turn. `given`: of
  // names that the loop does not write.
  PtxStuck(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
           std::function<bool(std::size_t statement)> is_poll, PtxPolled polled,
           std::set<PtxName> moving, std::map<PtxName, long> given = {});

  bool goes_round() const { return goes_round_; }  // some way leads from the head back to it
  bool runs(int block) const { return blocks_.contains(block); }
  bool runs_statement(std::size_t statement) const;  // its block does, and its guard may hold
  // Every turn gives the name the same number, that of a predicate is 0 or 1.
  std::optional<long> number(const PtxName& name) const;
  // What its result is made of: without numbers that are known, and the operand that a selp leaves.
  std::vector<PtxName> made_of(std::size_t statement) const;
  // It adds or subtracts nothing, or masks or bounds by the same each turn: the value stays.
  bool keeps_value(std::size_t statement) const;
  // It gives the name the same number whenever it runs.
  bool gives_number(std::size_t statement, const PtxName& name) const;

 private:
  struct Value {
    long number = 0;
    bool polled = false;  // as a poll gave it
  };
  using Known = std::optional<Value>;
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  void find_writers();
  void find_values();
  bool find_values_again();
  Known result_of(std::size_t statement, const PtxName& name) const;
  void find_blocks();
  std::vector<int> ways_out(int block) const;
  std::optional<bool> taken(std::size_t statement) const;
  Known value_of(std::size_t statement, const std::string& operand) const;
  Known value_of(const PtxName& name) const;
  Known value_at(std::size_t statement, const PtxName& name) const;
  bool moves(std::size_t statement, const std::string& operand) const;
  Known same_value(std::size_t statement, const std::vector<PtxName>& names) const;
  Known copied(std::size_t statement) const;
  Known compared(std::size_t statement) const;
  Known chosen(std::size_t statement) const;
  Known of_one(std::size_t statement) const;
  Known called(std::size_t statement) const;
  Known computed(std::size_t statement) const;
  Known made(std::size_t statement) const;
  // Whether it has one; `number`: and this one.
  bool is_number(std::size_t statement, std::size_t operand,
                 std::optional<long> number = std::nullopt) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  std::function<bool(std::size_t)> is_poll_;
  PtxPolled polled_;
  std::set<PtxName> moving_;
  std::map<PtxName, long> given_;
  std::set<PtxName> from_before_;         // read in a turn before it writes them
  std::map<PtxName, Known> values_;       // nothing: not one number
  std::map<std::size_t, Known> results_;  // of the statements that run
  std::map<std::size_t, int> block_of_;
  // Of what a statement reads, the statement of its block that wrote it last.
  std::map<std::size_t, std::map<PtxName, std::size_t>> writers_;
  std::set<int> blocks_;
  bool goes_round_ = false;
};

}  // namespace phasebit::ptx::flow
