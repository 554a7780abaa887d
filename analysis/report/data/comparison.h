// Two figures against what two measurements of one code differ by.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/base/table.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::report::data {

// Costs that are differences: a figure that was not measured as such, but is formed from two stored
// ones when it is shown. A verb is the difference of two unrolled sizes, a loaded cost that of a
// loaded and an isolated point, a victim's slow-down that with and without waiting warps.

// A value with its interval: what a difference takes and gives, so that differences can be taken
// again (loaded minus isolated, each the difference of two sizes).
struct Figure {
  std::string id;  // of the variant; "A - B" for a difference
  Reason reason;   // why there is no value; empty when there is one
  double value = 0;
  double half_width = 0;         // of the farther end of the interval
  bool interval_reached = true;  // 95 % by every repetition of every part
  int repetitions = 0;           // of the part that has fewest
  double spread = 0;             // B/B: Aggregate::spread_cycles
  std::string factor;            // what moved it most
  std::vector<results::Flag> flags;
  Word gpu{};                 // its UUID; "" of parts from several, which are never paired
  AtConditions at{};          // its value under each condition; none where its parts share none
  AtConditions at_of_runs{};  // Aggregate::at_of_runs
};

// The cycles of a variant.
Figure figure_of(const Aggregate& aggregate);

// A reading of a variant, by its name; without one the reason says so.
Figure figure_of(const Aggregate& aggregate, const std::string& reading);

// The one of a variant that was looked for and may be null: `id` is then its name, and the reason
// says that it was not measured.
Figure figure_of(const Aggregate* aggregate, const std::string& id);

// (larger - smaller) / divisor, under each condition that both have: the figure is the median of
// these, and its half width reaches to the farthest end of theirs, each with both intervals. So two
// figures of several values may have a difference of one. Where they share fewer than two
// conditions it is the difference of the figures, with the sum of both half widths. Negative values
// are kept. Two sizes U1 and U2 of a verb: difference(of U2, of U1, U2 - U1).
Figure difference(const Figure& larger, const Figure& smaller, double divisor = 1);

// The figure times a factor: cycles of several, an item of those that a phase has.
Figure scaled(Figure figure, double factor);

// 100 * (changed - base) / base: a slow-down in percent, formed as a difference is.
Figure change_percent(const Figure& changed, const Figure& base);

// "12.34 ±0.05", or the step that failed; notes get the reason or the flags, once each.
base::Cell figure_cell(const Figure& figure, std::vector<std::string>& notes);

// That of a stratum (VariantAxes::stratum), of all pairs where the stratum has too few.
Floor floor_of(const Aggregation& aggregation, const std::string& stratum);

// Two figures under equal conditions: one start offset, SM, sub-partition and padding on both
// sides. What a condition does to both is in no difference. Where one run measured both that pair
// is taken, of several such runs the newest; else the newest of each, of two runs.

struct Paired {
  AtConditions pairs;  // the differences; none where the figures share fewer than two conditions
  double median = 0, lowest = 0, highest = 0;  // of the differences
  // What the median must exceed to be a difference: the largest of half a cycle, the pairs' own
  // half width (their median), and the distance from the median within which three quarters of the
  // differences lie. So a median above it has its sign in at least three quarters of the
  // conditions.
  double floor = 0;
  bool any() const { return !pairs.empty(); }
  std::size_t across_runs() const;  // pairs of two runs
  // Pairs that differ by more than that, to the side of the median.
  std::size_t agreeing(double least) const;
};

// Of the conditions that both were measured under on one GPU. `difference` of a value before and
// one after it; without it after - before.
using DifferenceOf = std::function<double(double before, double after)>;
Paired paired(const Figure& before, const Figure& after, const DifferenceOf& difference = {});

struct Comparison {
  Figure before, after;
  Figure difference;  // after - before
  Paired pairs;       // none: unpaired
  // The largest of half a cycle, the A/A floor and that of the pairs; unpaired of both spreads and
  // both half widths in its place.
  double floor = 0;
  // "faster" or "slower" where the median of the pairs, or unpaired the difference, is above the
  // floor; "SAME" where no pair (unpaired: no end of the interval) differs by more than half a
  // cycle and the A/A floor; else "AMBIGUOUS (floor 4.00)"; "AMBIGUOUS (no A/A control)"; "no
  // figure".
  std::string verdict;
  std::size_t agreeing = 0;  // pairs that say so beyond half a cycle and the A/A floor
  bool is_step() const { return verdict == "faster" || verdict == "slower"; }
};

// `aa`: the A/A floor of the stratum, where there is one.
Comparison compare(const Figure& before, const Figure& after, std::optional<double> aa);
// The newest figures of both; null when it was not measured.
Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after);

// "6 of 7": pairs that say what the median says; "unpaired"; "" without a figure.
std::string pairs_text(const Comparison& comparison);

// "-1.25 ±0.10" with its value, and "-0.8 %"; empty without a figure.
base::Cell difference_cell(const Figure& difference);
base::Cell percent_cell(const Comparison& comparison);

// Before, after, difference, change, floor, pairs: what every table of comparisons has in a row, in
// this order. Appends; notes get what the figures' cells refer to.
void add_comparison(std::vector<base::Cell>& row, const Comparison& comparison,
                    std::vector<std::string>& notes);

}  // namespace phasebit::report::data
