// What a store already holds of a sweep: a finished point is not measured again.
#pragma once

#include "core/record/statistics.h"
#include "core/store/store.h"

#include <map>
#include <string>
#include <tuple>

namespace phasebit::bench::campaign {

class FinishedPoints {
 public:
  // Reads every row once: a sweep asks for each of its points.
  static Result<FinishedPoints> read(const store::Store& store);

  // The newest row without an error, or null.
  const record::PointRow* find(const record::PointKey& key) const;
  // Whether the newest row of this key is this error: it need not be written again.
  bool has_error(const record::PointKey& key, const record::PointError& error) const;

 private:
  using Key = std::tuple<record::PointKind, Word, Word, Word, int, bool, int, int, Word>;
  static Key key_of(const record::PointKey& key);
  std::map<Key, record::PointRow> rows_;
};

record::PointKey key_of(const record::PointRow& row);

}  // namespace phasebit::bench::campaign
