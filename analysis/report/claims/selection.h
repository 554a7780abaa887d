// Which rows a claim speaks of: tests over the axes of their keys.
#pragma once

#include "core/base/toml.h"
#include "core/base/word.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::claims {

// The axes of a row, sorted by name.
using RowAxes = std::vector<std::pair<Word, Word>>;

// Null for an axis that the row does not have.
const std::string* axis_of(const RowAxes& axes, const std::string& axis);

// One axis: any of these. A word may have * and ?; `<8`, `<=8`, `>8`, `>=8`, `2..8` are about
// numbers, `!=word` is about words, `-` is for rows that do not have the axis.
struct AxisTest {
  std::string axis;
  std::vector<std::string> any_of;
  bool holds(const std::string& value) const;
};

class Selection {
 public:
  Selection() = default;
  explicit Selection(std::vector<AxisTest> tests) : tests_(std::move(tests)) {}

  bool matches(const RowAxes& axes) const;
  bool names(const std::string& axis) const;
  const std::vector<AxisTest>& tests() const { return tests_; }

 private:
  std::vector<AxisTest> tests_;
};

// { axis = "word", axis = 4, axis = ["a", ">=8"] }. The first error goes to `status`.
Selection read_selection(const base::TomlValue& table, const std::string& file, Status& status);

}  // namespace phasebit::report::claims
