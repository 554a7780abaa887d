#include "analysis/report/claims/claim.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

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
  return fmt::format("'{}' is not a range of numbers", test);
}

}  // namespace

// Words compare by their place: to look at them all is faster than to search by their letters.
const std::string* axis_of(const RowAxes& axes, const Word& axis) {
  for (const auto& [name, value] : axes)
    if (name == axis) return &value.text();
  return nullptr;
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

std::vector<std::string> Selection::tests_of(const std::string& axis) const {
  for (const AxisTest& test : tests_)
    if (test.axis == axis) return test.any_of;
  return {};
}

Result<AxisTest> read_test(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return fail(Step::usage, "'{}' is not AXIS=VALUE", text);
  AxisTest test{text.substr(0, equals), {}};
  for (const std::string_view one : base::split(std::string_view(text).substr(equals + 1), '|')) {
    test.any_of.emplace_back(one);
    if (const std::string what = complaint(test.any_of.back()); !what.empty())
      return fail(Step::usage, "{}: {}", text, what);
  }
  return test;
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

// One method for each level of precedence.
class FormulaParser {
 public:
  using Kind = Formula::Kind;
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<Formula> run() {
    PHASEBIT_TRY(sum());
    blanks();
    if (at_ < text_.size()) return complain("expected + - * / or the end");
    out_.text_ = text_;
    return out_;
  }

 private:
  Status sum() {
    PHASEBIT_TRY(product());
    while (true) {
      const char sign = peek();
      if (sign != '+' && sign != '-') return {};
      ++at_;
      PHASEBIT_TRY(product());
      push(sign == '+' ? Kind::add : Kind::subtract);
    }
  }

  Status product() {
    PHASEBIT_TRY(operand());
    while (true) {
      const char sign = peek();
      if (sign != '*' && sign != '/') return {};
      ++at_;
      PHASEBIT_TRY(operand());
      push(sign == '*' ? Kind::multiply : Kind::divide);
    }
  }

  Status operand() {
    constexpr int most_depth = 100;  // each level is a call
    if (++depth_ > most_depth) return complain("more than 100 levels of brackets and signs");
    const Status read = bare_operand();
    --depth_;
    return read;
  }

  Status bare_operand() {
    const char next = peek();
    if (next == '(') {
      ++at_;
      PHASEBIT_TRY(sum());
      return bracket_closes();
    }
    if (next == '-') {
      ++at_;
      out_.steps_.push_back({Kind::number, 0});
      PHASEBIT_TRY(operand());
      push(Kind::subtract);
      return {};
    }
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_') return name();
    return complain("expected a number, a name or (");
  }

  Status number() {
    double value = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) return complain("no number");
    at_ += static_cast<size_t>(rest - begin);
    out_.steps_.push_back({Kind::number, value});
    return {};
  }

  Status name() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "nan" || word == "inf") return complain("no number");
    if (peek() != '(') {
      out_.steps_.push_back({Kind::name, 0, std::string(word)});
      return {};
    }
    return function(word);
  }

  Status function(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, Kind>, 5> known = {
        {{"min", Kind::min},
         {"max", Kind::max},
         {"ceil", Kind::ceil},
         {"floor", Kind::floor},
         {"log2", Kind::log2}}};
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& one) { return one.first == word; });
    if (found == known.end()) return complain("no function of that name: min max ceil floor log2");
    ++at_;
    PHASEBIT_TRY(sum());
    if (found->second == Kind::min || found->second == Kind::max) {
      if (peek() != ',') return complain("expected a comma");
      ++at_;
      PHASEBIT_TRY(sum());
    }
    PHASEBIT_TRY(bracket_closes());
    push(found->second);
    return {};
  }

  Status bracket_closes() {
    if (peek() != ')') return complain("expected )");
    ++at_;
    return {};
  }

  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void push(Kind kind) { out_.steps_.push_back({kind}); }
  tl::unexpected<Error> complain(std::string_view what) const {
    return fail(Step::spec, "formula '{}', at {}: {}", text_, at_ + 1, what);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  Formula out_;
};

Result<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).run();
}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> names;
  for (const Step& step : steps_)
    if (step.kind == Kind::name) names.push_back(step.name);
  return names;
}

std::optional<double> Formula::value(const Named& named) const {
  std::vector<double> stack;
  const auto take = [&] {
    const double value = stack.back();
    stack.pop_back();
    return value;
  };
  for (const Step& step : steps_) {
    if (step.kind == Kind::number) {
      stack.push_back(step.number);
      continue;
    }
    if (step.kind == Kind::name) {
      const auto found = named(step.name);
      if (!found) return std::nullopt;
      stack.push_back(*found);
      continue;
    }
    const double last = take();
    switch (step.kind) {
      case Kind::add: stack.push_back(take() + last); break;
      case Kind::subtract: stack.push_back(take() - last); break;
      case Kind::multiply: stack.push_back(take() * last); break;
      case Kind::divide: stack.push_back(take() / last); break;
      case Kind::min: stack.push_back(std::min(take(), last)); break;
      case Kind::max: stack.push_back(std::max(take(), last)); break;
      case Kind::ceil: stack.push_back(std::ceil(last)); break;
      case Kind::floor: stack.push_back(std::floor(last)); break;
      case Kind::log2: stack.push_back(std::log2(last)); break;
      case Kind::number:
      case Kind::name: bug("an operand is not an operation");
    }
  }
  const double value = stack.empty() ? 0 : stack.back();
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace phasebit::report::claims
