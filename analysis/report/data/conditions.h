// What a figure is under each condition of its repetitions, and the groups that these values form.
#pragma once

#include "analysis/report/data/figures.h"
#include "core/results/record.h"
#include "core/results/summary.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::report::data {

// Of several repetitions under a condition their median, and from the lowest low to the highest
// high of their intervals.
struct AtCondition {
  results::Conditions at;  // gap_after and gap_warps are 0: roles together are another figure
  double value = 0;
  results::Interval interval;
  // A hash of the run of its last row; of a value made of two the one that both are of, 0 where
  // they are of two.
  std::uint64_t run = 0;
  double half_width() const;
};
// Ascending, each condition once, the base first; of several runs (Aggregate::at_of_runs) once a
// run, the oldest first.
using AtConditions = std::vector<AtCondition>;

const AtCondition* find_condition(const AtConditions& all, const results::Conditions& at);

// The values of rows by their condition.
class ByCondition {
 public:
  // `of_run`: whether the values of a condition are kept apart by their run.
  explicit ByCondition(bool of_run = false) : of_run_(of_run) {}
  void add(const results::PointRow& row, double value, const results::Interval& interval);
  AtConditions take() const;

 private:
  struct Rows {
    results::Conditions at;
    std::vector<double> values;
    results::Interval interval;
    std::uint64_t run = 0;
  };
  bool of_run_ = false;
  std::vector<Rows> rows_;
};

// What the condition that moves the value farthest from the first changes against it: "start
// offset", "SM", "sub-partition", "padding", several joined by "+"; "" where none moves it.
std::string moved_by(const AtConditions& all);

// Conditions whose values lie together. Of two groups the gap between them is above each of a
// cycle, 5 % and three times the wider group's width. More than three groups are none: a spread.
struct Group {
  AtConditions members;  // ascending by value
  double value = 0;      // their median
  results::Interval interval;
};
// The one of most conditions first, then by value.
std::vector<Group> groups_of(const AtConditions& all);

// What a figure may span: a fifth of it, or a cycle where that is more.
double widest_span(double value);

// What the group's conditions change against the base, each once: "start offset, padding".
std::string changes_of(const Group& group, const results::Conditions& base);

// Why one value says less than all conditions do: there are several groups, "152 (6 of 8) | 64880
// (2: start offset)", or the only one spans more than it may, "100 to 140". Empty where it does
// not.
Reason several_values(const AtConditions& all);

}  // namespace phasebit::report::data
