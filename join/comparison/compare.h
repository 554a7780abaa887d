// Two results, point by point: what is faster, slower or the same, and what goes with it
// (docs/compare.md).
#pragma once

#include "analysis/report/data/comparison.h"
#include "core/base/table.h"
#include "join/comparison/sides.h"

#include <string>
#include <vector>

namespace phasebit::join::comparison {

// Verdicts are right with all others at once: by chance one of them or more is wrong in 5 %.
inline constexpr double most_chance = 0.05;

struct CompareRequest : SideRequest {
  bool explain = false;  // of the largest differences the instructions: assembles them
};

enum class PairVerdict { slower, faster, ambiguous, same, no_figure };
std::string to_string(PairVerdict verdict);

struct ComparedPair {
  const report::data::Aggregate *before = nullptr, *after = nullptr;  // of A, of B
  std::string id;  // of both, without the axes that the selections set apart
  report::data::Comparison comparison;
  double p = 1;  // corrected; 1 of one that has no figure
  PairVerdict verdict = PairVerdict::no_figure;
  std::string shown;                 // "SLOWER", "AMBIGUOUS (floor 4.00)"
  std::vector<std::string> reasons;  // what differs, other than the figure
  // Of the pairs their median, B - A, and as a share of A's figure; 0 without a figure.
  double difference() const, percent() const;
  bool lost() const;  // A has a figure, and B failed
};

struct Comparisons {
  Sides sides;
  std::vector<ComparedPair> pairs;  // the slowest first, then the fastest, then the others by id
  std::size_t same_code = 0;        // variants whose code on both sides is that of another pair
  std::size_t alone_a = 0, alone_b = 0;  // variants without a partner
};

// Step::usage as open_sides, where no two points can be paired, with the axes that keep them apart,
// and where two of one side have the key of a pair.
Result<Comparisons> compare(const CompareRequest& request);

// Whether a pair is slower by more than so many percent, or has no figure any more.
bool is_worse(const Comparisons& all, double percent);

// SLOWER and FASTER, or `every` pair; the notes say what was compared, and count.
base::Table comparison_table(const Comparisons& all, bool every);

// Google Benchmark's form: `compare.py filters FILE ^A/ ^B/` compares it. The values of A and B
// under each condition are repetitions of A/ID and B/ID; "comparisons" has the pairs.
std::string comparison_json(const Comparisons& all);

}  // namespace phasebit::join::comparison
