// Points to figures: what the repetitions of a variant say together, and how far equal things
// differ.
#pragma once

#include "analysis/report/data/axes.h"
#include "analysis/report/data/conditions.h"
#include "analysis/report/data/figures.h"
#include "core/results/flag.h"
#include "core/results/record.h"
#include "core/results/statistics.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::report::data {

// What a reading says over the repetitions, like the cycles.
struct ReadingFigure {
  std::string name, unit;
  double value = 0;
  results::Interval interval;
  bool interval_reached = false;
  AtConditions at = {}, at_of_runs = {};  // as of Aggregate
  double half_width() const;
};

// All measurements of one text of one variant on one GPU, with its roles where the launch puts
// them, or with both on one sub-partition.
struct Aggregate {
  VariantAxes axes;
  std::string id, unit, device_uuid, text_hash, sass_class;
  int repetitions = 0;  // with a figure
  int errors = 0;       // without one
  // What became of it: of several failures the last.
  results::Verdict verdict = results::Verdict::measured;
  // Why there is no figure; empty when there is one. The fields below are then 0, but of one of
  // several values.
  Reason reason;
  // The variant whose measurement this is, when this one's code is the same; else "".
  std::string same_as;
  double cycles = 0;  // median over repetitions
  // From the lowest low to the highest high of the repetitions' intervals: what differs between
  // repetitions is inside.
  results::Interval interval;
  bool interval_reached = false;                                   // by every repetition
  double intercept_cycles = 0, r2 = 0, worst_residual_cycles = 0;  // worst of the repetitions
  double megahertz = 0;                                            // median
  int rounds = 0;                                                  // of all repetitions
  // Median of |a - b| over pairs of repetitions.
  std::optional<double> repetition_difference_cycles;
  // B/B: highest minus lowest figure of the repetitions, which differ in what must not matter, and
  // which of it moved the figure farthest ("start offset", "SM", "sub-partition", "padding",
  // "seed"; "" when none did). Spreads of less than two repetitions are 0.
  double spread_cycles = 0;
  std::string spread_factor;
  // What the qualities of the repetitions say, each once, in the order of the repetitions. That
  // cycles are not a line is said by how many of them are none.
  std::vector<results::Flag> flags;
  results::DeviceState state;  // median, where the driver was asked
  // Of the last run that measured it, and the SMs on which its cluster ran: "4,5,12", or "several"
  // where the GPU chose others from run to run; "" of one CTA.
  std::string run_ptxas, ran_on;
  std::vector<ReadingFigure> readings;
  AtConditions at;  // the cycles
  // The same of every run, where one measured anew what another had: `at` has the newest. None
  // where all are in `at`.
  AtConditions at_of_runs;

  // By name, or null.
  const ReadingFigure* reading(const std::string& name) const;
  // Of the ends from the figure, the farther.
  double half_width() const;
};

// Two measurements of the same code.
struct AaPair {
  enum class Between { repetitions, control };  // control: the class again, in the same repetition
  Between between = Between::repetitions;
  std::string id, other_id;
  std::string stratum;  // probe/protocol of the first
  double a_cycles = 0, b_cycles = 0;
  double difference_cycles() const;
  double difference_percent() const;  // of a
};

// 95th percentile of A/A differences.
struct Floor {
  double cycles = 0, percent = 0;
};

struct Aggregation {
  std::vector<Aggregate> points, anchors,
      modes;  // each sorted by id; the newest text of an id last
  // Of `points`: the same with both roles on one sub-partition, where some repetition put idle
  // warps between them. Sorted by id.
  std::vector<Aggregate> together;
  std::vector<AaPair> aa;
  // Of `points`: operations without their loop, where report_data() made it (without_loop.h).
  std::vector<Aggregate> without_loop;
  // By stratum, of those with enough pairs; "" is of all. Empty without pairs.
  std::map<std::string, Floor> floors;
};

// A failed point that was measured later counts as measured, unless its payload was wrong: that
// stays. Strangers' kernels (core/launch/external.h) are left out.
Aggregation aggregate(const results::Rows& points, const VariantKeys& keys);
inline Aggregation aggregate(const std::vector<results::PointRow>& points,
                             const VariantKeys& keys) {
  return aggregate(results::rows_of(points), keys);
}

// The newest aggregate of a variant, or null. The list is one of an Aggregation: sorted by id.
const Aggregate* find_variant(const std::vector<Aggregate>& aggregates, const std::string& id);

// The rows of one text of one variant on one GPU, each of its measurements once.

struct Measured {
  const results::PointRow* point;
  results::Summary summary;
};

struct TextRows {
  std::vector<Measured> measured;
  std::vector<Measured> earlier;  // in whose place a newer run is
  std::vector<const results::PointRow*> failed;
  const results::PointRow* newest = nullptr;
  Word same_as;
  std::string unusable;  // why a row without an error has no summary
};

// Of the rows of one repetition and place the newest that has samples, else the newest error; a
// wrong payload stays.
TextRows group_of(const std::vector<const results::PointRow*>& rows);

// Why the group has no figure; empty when it has one.
Reason reason_of(const TextRows& group);

// The repetitions whose cycles are not a line.
struct Bent {
  int repetitions = 0, of = 0;
  results::Bend example;  // the last of them
  bool all_left_out() const { return repetitions > of - repetitions; }
};
// Takes them away, and all the others too when they are most.
Bent leave_out_bent(std::vector<const Measured*>& all);
// "not_linear:10.00,10.02,517.50: not_linear in 4 of 6"
Reason reason_of(const Bent& bent);

}  // namespace phasebit::report::data
