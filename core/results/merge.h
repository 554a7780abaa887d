// What another store has and this one has not.
#pragma once

#include "core/base/error.h"
#include "core/results/record.h"

#include <map>
#include <memory>
#include <set>
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
  // All of them. A row whose file is older than an axis has it at its default, where all rows of
  // its components whose files know the axis have one.
  Results take();

 private:
  // A list of axes of some components, and what the file of its rows knows.
  struct Listed {
    std::shared_ptr<const launch::KeyAxes> axes;
    std::shared_ptr<const std::set<std::string>> known;
  };
  void note_lists(const Results& theirs);
  std::shared_ptr<const launch::KeyAxes> newest(const Listed& old) const;

  Status check(const Results& theirs) const;
  std::vector<PointRow> shared(const Results& theirs) const;

  Results whole_;
  std::unordered_map<std::string, size_t> devices_, runs_, variants_;  // numbers in `whole_`
  std::map<std::vector<std::string>, std::vector<Listed>> lists_;      // by the components
};

}  // namespace phasebit::results
