// What another store has and this one has not.
#pragma once

#include "core/base/error.h"
#include "core/results/record.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::results {

// Inserts it; see Store::merge. The caller holds the transaction and ends it. Throws
// SQLite::Exception.
Result<MergeCounts> merge_results(SQLite::Database& sqlite, const Results& theirs);

// The same without a store.
class MergedResults {
 public:
  // Step::store when the same point, run or variant has another content.
  Status add(Results theirs);
  void reserve(size_t points, size_t variants) {
    whole_.points.reserve(points);
    whole_.variants.reserve(variants);
  }
  const Results& results() const { return whole_; }
  Results take() { return std::move(whole_); }

 private:
  Status check(const Results& theirs) const;
  std::vector<PointRow> shared(const Results& theirs) const;

  Results whole_;
  std::unordered_map<std::string, size_t> devices_, runs_, variants_;  // numbers in `whole_`
};

}  // namespace phasebit::results
