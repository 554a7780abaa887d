// What a store already holds of a sweep: a finished point is not measured again.
#pragma once

#include "core/record/statistics.h"
#include "core/store/store.h"

#include <map>
#include <string>
#include <tuple>

namespace phasebit {

class FinishedPoints {
 public:
  // Reads every row once: a sweep asks for each of its points.
  static Result<FinishedPoints> read(const Store& store);

  // The newest row without an error, or null.
  const PointRow* find(const PointKey& key) const;
  // Whether the newest row of this key is this error: it need not be written again.
  bool has_error(const PointKey& key, const PointError& error) const;

 private:
  // The class last, "" for rows of before it covered all of the code: these answer for any.
  using Key = std::tuple<PointKind, std::string, std::string, std::string, int, bool, int, int,
                         std::string>;
  static Key key_of(const PointKey& key);
  std::map<Key, PointRow> rows_;
};

PointKey key_of(const PointRow& row);

}  // namespace phasebit
