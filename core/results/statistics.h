// Statistics as pure functions. All figures of a summary come from the same samples. Calling one
// with no values at all is a bug of the caller.
#pragma once

#include "core/results/record.h"
#include "core/results/summary.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::results {

double median(std::vector<double> values);

MedianInterval median_interval(std::vector<double> values);

// The samples have at least two different lengths.
Line fit_line(const std::vector<Sample>& samples);
Line fit_reading(const std::vector<Sample>& samples, std::size_t reading);

// Fewer chain lengths give no summary (docs/measuring.md: slope, not bracket).
inline constexpr std::size_t min_chain_lengths = 4;

// Samples of no items are whole launches of a workload: the figures are those of their durations,
// without a line. Step::store when the others are not whole rounds of the same ascending chain
// lengths, or some lack a reading that others have.
Result<Summary> summarise(const std::vector<Sample>& samples);

// The figures of a row: the stored ones, else those of its samples. Step::store as summarise.
Result<Summary> summary_of(const PointRow& point);

// Stores the figures of its samples in the row, where they are not yet and can be made.
void add_summary(PointRow& point);

// The rule of docs/measuring.md: both ends of the interval within max(0.5 cycle, 0.5 %) of the
// median. For a reading the 0.5 is of its own unit.
bool precise_enough(double median_cycles, const MedianInterval& interval);
// Of the cycles and of every reading.
bool precise_enough(const Summary& summary);

// The slopes between neighbouring chain lengths, medians over the rounds: of a line they are equal.
// `reading` is one of Sample::readings; without it the cycles.
struct Segments {
  std::vector<double> slopes;
  // Last minus first, with the interval of the rounds' own, and what a count can be off by over a
  // segment.
  double change = 0;
  MedianInterval interval;
  double resolution = 0;
  bool operator==(const Segments&) const = default;
};
Result<Segments> segments_of(const std::vector<Sample>& samples,
                             std::optional<std::size_t> reading = std::nullopt);

// Whether first and last segment may differ by no more than 1 %: noise is not a bend.
bool is_linear(const Segments& segments);

// Groups of values separated by gaps wider than max(0.5, 1 % of the value below the gap) that hold
// at least a tenth of the values each: their medians, ascending. The median of all when no group
// does.
std::vector<double> modes(std::vector<double> values);

// Each field the median of those that know it.
DeviceState median_state(const std::vector<DeviceState>& states);

// value at quantile q in 0..1, linear between neighbours.
double quantile(std::vector<double> values, double q);

// Whether differences are more than chance.

// How likely |t| of Student's distribution with so many degrees of freedom (1 or more) is at least
// so large.
double student_p(double t, std::size_t degrees);

// Of many comparisons what each p is, corrected so that with all below 0.05 taken for differences
// the chance of one mistake or more is 5 %, whatever depends on what (Holm, 1979). In their order.
std::vector<double> holm(const std::vector<double>& ps);

// What is kept of a figure: more digits than any interval resolves, and not one for the last bit of
// a division, which only fills files. Rounding what is rounded changes nothing.

// Figures, readings, modes and intervals to 0.0001; of the line through all samples the slope to
// 0.001, intercept and residual to a cycle, r2 to 0.0001.
Summary rounded(Summary summary);

// Of segments that are not a line: to 0.01.
std::vector<double> rounded_slopes(std::vector<double> slopes);

// To 0.1 MHz.
double rounded_megahertz(double megahertz);

// What a repetition changed.

// What the row changed against the first repetition of its point: "start offset", "SM",
// "sub-partition", "roles on one sub-partition", "padding"; "seed" when only the payload is
// another. Several are joined by "+".
std::string factor_of(const PointRow& row, const PointRow& first);

}  // namespace phasebit::results
