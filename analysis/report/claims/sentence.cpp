#include "analysis/report/claims/sentence.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::report::claims {
namespace {

const std::vector<std::string> figures = {"a",       "b",     "difference",   "ratio",
                                          "percent", "saved", "saved_percent"};
const std::vector<std::string> counts = {"used", "holds", "refutes", "ambiguous", "devices"};
constexpr std::string_view axis_prefix = "axis.";

// Calls text(words) and name(word) for the parts of a sentence.
template <typename OnText, typename OnName>
void walk(std::string_view says, const OnText& text, const OnName& name) {
  while (!says.empty()) {
    const size_t open = std::min(says.find('{'), says.size());
    text(says.substr(0, open));
    const size_t close = says.find('}', open);
    if (close == std::string_view::npos) return;
    name(std::string(says.substr(open + 1, close - open - 1)));
    says.remove_prefix(close + 1);
  }
}

bool is_of(const std::string& name) {
  return base::contains(figures, name) || name.starts_with(axis_prefix);
}

std::string range_text(const std::vector<double>& values) {
  if (values.empty()) return "none";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string from = plain(*low), to = plain(*high);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

class Writer {
 public:
  Writer(const Claim& claim, const ClaimCases& cases, const Verdict& verdict)
      : claim_(claim), cases_(cases), verdict_(verdict) {}

  std::string word(const std::string& name) const {
    if (name == "used") return std::to_string(verdict_.used);
    if (name == "holds") return std::to_string(verdict_.holds);
    if (name == "refutes") return std::to_string(verdict_.refutes);
    if (name == "ambiguous") return std::to_string(verdict_.ambiguous);
    if (name == "devices") return axis_text("device", {});
    if (is_of(name)) return text_of(name, {});
    const auto found = std::find_if(claim_.shows.begin(), claim_.shows.end(),
                                    [&](const ClaimShow& one) { return one.name == name; });
    return found == claim_.shows.end() ? name : text_of(found->of, found->where);
  }

 private:
  std::string text_of(const std::string& of, const Selection& where) const {
    if (of.starts_with(axis_prefix)) return axis_text(of.substr(axis_prefix.size()), where);
    std::vector<double> values;
    for_each_used(where, [&](const JudgedCase& one) { values.push_back(figure(of, one)); });
    return range_text(values);
  }

  double figure(const std::string& of, const JudgedCase& one) const {
    const double a = cases_.rows[one.of.a].figure.value;
    const double b = one.of.b ? cases_.rows[*one.of.b].figure.value : one.bound;
    if (of == "a") return a;
    if (of == "b") return b;
    if (of == "difference") return a - b;
    if (of == "saved") return b - a;
    if (of == "ratio") return a / b;
    return 100 * (of == "percent" ? a - b : b - a) / b;
  }

  // Numbers as a range; words as a list.
  std::string axis_text(const std::string& axis, const Selection& where) const {
    std::set<std::string> words;
    std::vector<double> numbers;
    for_each_used(where, [&](const JudgedCase& one) {
      const std::string* word = axis_of(cases_.rows[one.of.a].axes, axis);
      if (word == nullptr || !words.insert(*word).second) return;
      if (const auto number = base::number_in(*word)) numbers.push_back(*number);
    });
    if (!words.empty() && numbers.size() == words.size()) return range_text(numbers);
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
  }

  template <typename Take>
  void for_each_used(const Selection& where, const Take& take) const {
    for (const JudgedCase& one : verdict_.cases) {
      if (one.state == CaseState::no_bound) continue;
      // What cannot be told apart is shown only where nothing else is.
      if (one.state == CaseState::ambiguous && verdict_.used == verdict_.holds + verdict_.refutes)
        continue;
      if (where.matches(cases_.rows[one.of.a].axes)) take(one);
    }
  }

  const Claim& claim_;
  const ClaimCases& cases_;
  const Verdict& verdict_;
};

}  // namespace

std::string plain(double value) {
  const double size = std::abs(value);
  const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (digits > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (size >= 9999.5)
    for (size_t at = text.size(); at > 3 && text[at - 4] != '-';) text.insert(at -= 3, ",");
  return text == "-0" ? "0" : text;
}

Status check_placeholders(const Claim& claim) {
  Status status;
  std::vector<std::string> known = counts;
  known.insert(known.end(), figures.begin(), figures.end());
  known.emplace_back("axis.NAME");
  for (const ClaimShow& show : claim.shows) {
    known.push_back(show.name);
    if (!is_of(show.of))
      status = with_hint(fail(Step::spec, "'{}' shows '{}'", show.name, show.of),
                         base::nearest_word_hint(show.of, figures));
  }
  walk(
      claim.says, [](std::string_view) {},
      [&](const std::string& name) {
        if (!base::contains(known, name) && !name.starts_with(axis_prefix))
          status = with_hint(fail(Step::spec, "there is no '{{{}}}' to show", name),
                             base::nearest_word_hint(name, known));
      });
  return status;
}

std::string sentence(const Claim& claim, const ClaimCases& cases, const Verdict& verdict) {
  std::string text;
  const Writer writer(claim, cases, verdict);
  walk(
      claim.says, [&](std::string_view words) { text += words; },
      [&](const std::string& name) { text += writer.word(name); });
  return text;
}

}  // namespace phasebit::report::claims
