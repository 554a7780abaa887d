#include "analysis/report/claims/selection.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fnmatch.h>

namespace phasebit::report::claims {

using base::TomlValue;

namespace {

constexpr std::array<std::string_view, 5> signs = {"<=", ">=", "!=", "<", ">"};

bool compares(std::string_view sign, double value, double bound) {
  if (sign == "<=") return value <= bound;
  if (sign == ">=") return value >= bound;
  return sign == "<" ? value < bound : value > bound;
}

bool in_range(const std::string& test, size_t dots, double value) {
  const auto low = base::number_in(test.substr(0, dots)),
             high = base::number_in(test.substr(dots + 2));
  return low && high && *low <= value && value <= *high;
}

bool fits(const std::string& test, const std::string& word) {
  for (const std::string_view sign : signs) {
    if (!test.starts_with(sign)) continue;
    const std::string rest = test.substr(sign.size());
    if (sign == "!=") return word != rest;
    const auto value = base::number_in(word), bound = base::number_in(rest);
    return value && bound && compares(sign, *value, *bound);
  }
  const size_t dots = test.find("..");
  if (dots != std::string::npos) {
    const auto value = base::number_in(word);
    return value && in_range(test, dots, *value);
  }
  return fnmatch(test.c_str(), word.c_str(), 0) == 0;
}

// What is wrong with a test; "" when nothing is.
std::string complaint(const std::string& test) {
  const auto sign = std::find_if(signs.begin(), signs.end(),
                                 [&](std::string_view one) { return test.starts_with(one); });
  if (sign != signs.end())
    return *sign == "!=" || base::number_in(test.substr(sign->size()))
               ? std::string()
               : fmt::format("'{}' compares with no number", test);
  const size_t dots = test.find("..");
  if (dots == std::string::npos) return {};
  if (base::number_in(test.substr(0, dots)) && base::number_in(test.substr(dots + 2))) return {};
  return fmt::format("'{}' is no range of numbers", test);
}

}  // namespace

const std::string* axis_of(const RowAxes& axes, const std::string& axis) {
  const auto at =
      std::lower_bound(axes.begin(), axes.end(), axis,
                       [](const auto& one, const auto& name) { return one.first.text() < name; });
  return at == axes.end() || at->first != axis ? nullptr : &at->second.text();
}

bool AxisTest::holds(const std::string& value) const {
  return std::any_of(any_of.begin(), any_of.end(),
                     [&](const std::string& test) { return fits(test, value); });
}

bool Selection::matches(const RowAxes& axes) const {
  return std::all_of(tests_.begin(), tests_.end(), [&](const AxisTest& test) {
    const std::string* value = axis_of(axes, test.axis);
    if (value == nullptr) return base::contains(test.any_of, "-");
    return test.holds(*value);
  });
}

bool Selection::names(const std::string& axis) const {
  return std::any_of(tests_.begin(), tests_.end(),
                     [&](const AxisTest& test) { return test.axis == axis; });
}

Selection read_selection(const TomlValue& table, const std::string& file, Status& status) {
  std::vector<AxisTest> tests;
  base::TomlReader reader(file, table, "selection", table.keys, status);
  for (const std::string& axis : table.keys) {
    const TomlValue& value = *table.find(axis);
    AxisTest test{axis, {}};
    if (value.kind == TomlValue::Kind::number)
      test.any_of = {std::to_string(value.number)};
    else if (value.kind == TomlValue::Kind::array)
      test.any_of = reader.words(axis);
    else
      test.any_of = {reader.text_or(axis, "")};
    for (const std::string& one : test.any_of)
      if (const std::string what = complaint(one); !what.empty()) reader.refuse(axis, what);
    tests.push_back(std::move(test));
  }
  // First what tells most rows apart.
  std::stable_partition(tests.begin(), tests.end(), [](const AxisTest& test) {
    return test.axis == "probe" || test.axis == "protocol";
  });
  return Selection(std::move(tests));
}

}  // namespace phasebit::report::claims
