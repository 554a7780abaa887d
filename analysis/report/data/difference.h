// Costs that are differences: a figure that was not measured as such, but is formed from two stored
// ones when it is shown. A verb is the difference of two unrolled sizes, a loaded cost that of a
// loaded and an isolated point, a victim's slow-down that with and without waiting warps.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/table/table.h"

#include <string>
#include <vector>

namespace phasebit::report::data {

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
  std::vector<record::Flag> flags;
};

// The cycles of a variant.
Figure figure_of(const Aggregate& aggregate);

// A reading of a variant, by its name; without one the reason says so.
Figure figure_of(const Aggregate& aggregate, const std::string& reading);

// The one of a variant that was looked for and may be null: `id` is then its name, and the reason
// says that it was not measured.
Figure figure_of(const Aggregate* aggregate, const std::string& id);

// (larger - smaller) / divisor. The half width is the sum of both, through the divisor: the points
// were taken at different times, so nothing cancels. Negative values are kept. Two sizes U1 and U2
// of a verb: difference(of U2, of U1, U2 - U1).
Figure difference(const Figure& larger, const Figure& smaller, double divisor = 1);

// One of `parts` equal parts of a figure, its width likewise: an item of those that a phase has.
Figure share_of(Figure figure, double parts);

// 100 * (changed - base) / base: a slow-down in percent. Its half width is the farthest that the
// ends of both intervals can take it.
Figure change_percent(const Figure& changed, const Figure& base);

// "12.34 ±0.05", or the step that failed; notes get the reason or the flags, once each.
table::Cell figure_cell(const Figure& figure, std::vector<std::string>& notes);

}  // namespace phasebit::report::data
