// Arithmetic over names: the bound of a claim, such as "b - 5" or "12.6 + 2 * producers".
#pragma once

#include "core/base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::report::claims {

// Numbers, names, + - * / and brackets, and the functions min, max, ceil, floor, log2.
class Formula {
 public:
  // Step::spec with the place in the text.
  static Result<Formula> parse(std::string_view text);

  // What the names stand for is asked of `named`; nothing for one without a number makes the whole
  // one nothing, and so does a division by 0.
  using Named = std::function<std::optional<double>(const std::string& name)>;
  std::optional<double> value(const Named& named) const;

  const std::string& text() const { return text_; }
  std::vector<std::string> names() const;
  bool empty() const { return steps_.empty(); }

 private:
  friend class FormulaParser;
  enum class Kind { number, name, add, subtract, multiply, divide, min, max, ceil, floor, log2 };
  struct Step {
    Kind kind = Kind::number;
    double number = 0;
    std::string name = {};
  };
  std::string text_;
  std::vector<Step> steps_;  // operands before what takes them
};

}  // namespace phasebit::report::claims
