// Rows of Verdict::same_code: a variant's code was measured under another variant's name, whose
// figures it has. Nothing else reads PointRow::same_as to find them.
#pragma once

#include "core/results/record.h"

#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace phasebit::results {

// Makes it such a row. It ran nowhere: what is known of a place is not its own.
void set_same_code(PointRow& row, const Word& measured);

// The rows whose figures others have, by what the others know of them.
class MeasuredCode {
 public:
  // What two rows of one code must have in common apart from GPU and class. An export shows rows,
  // each with the figure of its own repetition. A table joins the repetitions, of which the other
  // variant may have more or fewer.
  enum class Repetition { same, any };
  explicit MeasuredCode(Repetition repetition) : repetition_(repetition) {}

  // Takes the place of an earlier row of the same variant. The row must stay where it is.
  void add(const PointRow& row) { rows_[key_of(row, row.variant_id)] = &row; }

  // The row of that variant that `row` has its figures from. Null where there is none, and where
  // the variant has got other code since.
  const PointRow* find(const PointRow& row, const Word& same_as) const;
  const PointRow* find(const PointRow& row) const { return find(row, row.same_as); }

 private:
  using Key = std::tuple<Word, Word, int>;  // variant, GPU, repetition
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  Key key_of(const PointRow& row, const Word& variant) const;

  Repetition repetition_;
  std::unordered_map<Key, const PointRow*, Hash> rows_;
};

// Those of a sweep, by repetition: what an export shows. The rows must stay where they are.
MeasuredCode measured_code(const Results& results);

// GPU and variant of every row that another row of these has its figures from.
using VariantOnGpu = std::pair<Word, Word>;
std::set<VariantOnGpu> measured_for(const Rows& points);

// The variants, and those whose measurement on whatever GPU stands for theirs.
std::unordered_set<Word> with_measured(const std::vector<PointRow>& points,
                                       std::unordered_set<Word> variants);

}  // namespace phasebit::results
