#include "analysis/report/claims/sentence.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::report::claims {
namespace {

const std::vector<std::string> figures = {"a",       "b",     "difference",   "ratio",
                                          "percent", "saved", "saved_percent"};
const std::vector<std::string> counts = {"used",       "holds",         "refutes", "ambiguous",
                                         "equal_code", "holds_of_used", "devices"};
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

struct Range {
  double low = 0, high = 0;
};

// Digits after the point that are shown.
int digits_of(double value) {
  const double size = std::abs(value);
  return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

// To those digits, so that a range holds what it is of.
double rounded(double value, bool up) {
  constexpr double noise = 1e-6;
  const double unit = std::pow(10, digits_of(value));
  return (up ? std::ceil(value * unit - noise) : std::floor(value * unit + noise)) / unit;
}

std::string range_text(const Range& range) {
  const std::string to = plain(range.high);
  std::string from = plain(range.low);
  if (from == to) return from;
  return fmt::format("{} to {}", plain(rounded(range.low, false)),
                     plain(rounded(range.high, true)));
}

// "NVIDIA H100 80GB HBM3": "H100"
std::string model_of(std::string_view device) {
  constexpr std::string_view maker = "NVIDIA ";
  if (device.starts_with(maker)) device.remove_prefix(maker.size());
  return std::string(device.substr(0, device.find(' ')));
}

// What a point's precision allows (0.5 cycle, 0.5 %), of ratios what is shown.
bool agree(double one, double other, double unit) {
  return std::abs(one - other) <= std::max(unit, 0.005 * std::max(std::abs(one), std::abs(other)));
}

// One range where all models agree, else one each, the newest model first.
std::string ranges_text(const std::map<std::string, std::vector<double>>& of_model, double unit) {
  std::vector<std::pair<std::string, Range>> ranges;
  Range all{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (const auto& [model, values] : of_model) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    ranges.emplace(ranges.begin(), model_of(model), Range{*low, *high});
    all = {std::min(all.low, *low), std::max(all.high, *high)};
  }
  if (ranges.empty()) return "none";
  if (std::all_of(ranges.begin(), ranges.end(), [&](const auto& one) {
        return agree(one.second.low, all.low, unit) && agree(one.second.high, all.high, unit);
      }))
    return range_text(all);
  std::vector<std::string> texts;
  for (const auto& [model, range] : ranges)
    texts.push_back(fmt::format("{} ({})", range_text(range), model));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// A text a model, where they differ, the newest first.
std::string by_model(const Verdict& verdict,
                     const std::function<std::string(const Counts&)>& text_of) {
  std::vector<std::string> texts;
  std::set<std::string> different;
  for (const auto& [device, counts] : verdict.of_model) {
    if (counts.used == 0) continue;
    const std::string text = text_of(counts);
    different.insert(text);
    texts.insert(texts.begin(), fmt::format("{} on {}", text, model_of(device)));
  }
  if (different.size() > 1) return fmt::format("{}", fmt::join(texts, ", "));
  return different.empty() ? "0" : *different.begin();
}

class Writer {
 public:
  Writer(const Claim& claim, const ClaimCases& cases, const Verdict& verdict)
      : claim_(claim), cases_(cases), verdict_(verdict) {}

  std::string word(const std::string& name) const {
    if (name == "used") return count_text(verdict_, &Counts::used);
    if (name == "holds") return count_text(verdict_, &Counts::holds);
    if (name == "refutes") return count_text(verdict_, &Counts::refutes);
    if (name == "ambiguous") return count_text(verdict_, &Counts::ambiguous);
    if (name == "equal_code") return count_text(verdict_, &Counts::equal_code);
    if (name == "holds_of_used")
      return by_model(
          verdict_, [](const Counts& one) { return fmt::format("{} of {}", one.holds, one.used); });
    if (name == "devices") return axis_text("device", {});
    if (is_of(name)) return text_of(name, {});
    const auto found = std::find_if(claim_.shows.begin(), claim_.shows.end(),
                                    [&](const ClaimShow& one) { return one.name == name; });
    return found == claim_.shows.end() ? name : text_of(found->of, found->where);
  }

 private:
  std::string text_of(const std::string& of, const Selection& where) const {
    if (of.starts_with(axis_prefix)) return axis_text(of.substr(axis_prefix.size()), where);
    std::map<std::string, std::vector<double>> of_model;
    for_each_used(where, [&](const JudgedCase& one) {
      of_model[*axis_of(cases_.rows[one.of.a].axes, "device")].push_back(figure(of, one));
    });
    return ranges_text(of_model, of == "ratio" ? 0.01 : 0.5);
  }

  double figure(const std::string& of, const JudgedCase& one) const {
    const Sides sides = sides_of(cases_, one);
    if (of == "a") return sides.a;
    if (of == "b") return sides.b;
    if (of == "difference") return sides.difference;
    if (of == "saved") return -sides.difference;
    if (of == "ratio") return sides.ratio;
    return 100 * (of == "percent" ? sides.ratio - 1 : 1 - sides.ratio);
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
    if (!words.empty() && numbers.size() == words.size()) {
      const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
      return range_text({*low, *high});
    }
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
  }

  template <typename Take>
  void for_each_used(const Selection& where, const Take& take) const {
    for (const JudgedCase& one : verdict_.cases) {
      if (!one.is_told()) continue;
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

std::string count_text(const Verdict& verdict, size_t Counts::* count) {
  return by_model(verdict, [&](const Counts& one) { return std::to_string(one.*count); });
}

std::string plain(double value) {
  const double size = std::abs(value);
  const int digits = digits_of(value);
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

namespace {

// Those that a reader takes for any value, though it is the default.
const std::vector<std::string> sizes = {"num_stages", "payload_bytes"};
// What a sentence says in its own words, or the GPU chose.
const std::vector<std::string> said = {"probe", "protocol",  "device", gpu_axis,
                                       "ptxas", ran_on_axis, "anchor", "form",
                                       "path",  "unroll",    "edit"};

bool is_said(const Claim& claim, const std::string& axis, const std::string& value) {
  if (base::contains(said, axis) || claim.a.names(axis) || claim.b.names(axis)) return true;
  if (value == "none" || claim.says.find(axis) != std::string::npos) return true;
  if (!base::number_in(value) && claim.says.find(value) != std::string::npos) return true;
  if (base::contains(claim.bound.names(), axis) || base::contains(claim.when.names(), axis))
    return true;
  return std::any_of(claim.limits.begin(), claim.limits.end(),
                     [&](const ClaimLimit& limit) { return limit.of == axis; });
}

// The one value of each axis that every comparison has, "" of several, and whether some row sets
// it.
struct AxisValue {
  std::string value;
  bool is_set = false;
  size_t cases = 0;
};
std::map<std::string, AxisValue> values_of(const ClaimCases& cases, const Verdict& verdict) {
  std::map<std::string, AxisValue> values;
  std::set<std::string> seen;
  size_t told = 0;
  const auto add = [&](const ClaimRow& row) {
    for (const auto& [axis, value] : row.axes) {
      AxisValue& known = values.emplace(axis, AxisValue{value}).first->second;
      if (known.value != value.text()) known.value.clear();
      known.is_set = known.is_set || base::contains(row.set, axis.text());
      known.cases += seen.insert(axis).second ? 1 : 0;
    }
  };
  for (const JudgedCase& one : verdict.cases) {
    if (!one.is_told()) continue;
    seen.clear();
    ++told;
    add(cases.rows[one.of.a]);
    if (one.of.b) add(cases.rows[*one.of.b]);
  }
  std::erase_if(values, [&](const auto& one) { return one.second.cases < told; });
  return values;
}

std::string only_model(const Claim& claim, const Verdict& verdict) {
  std::vector<std::string> models;
  for (const auto& [device, counts] : verdict.of_model)
    if (counts.used > 0) models.push_back(model_of(device));
  const bool is_said = models.size() != 1 || !claim.devices.empty() ||
                       claim.says.find("{devices}") != std::string::npos ||
                       claim.says.find(models.front()) != std::string::npos;
  return is_said ? "" : models.front();
}

}  // namespace

std::string measured_with(const Claim& claim, const ClaimCases& cases, const Verdict& verdict) {
  std::vector<std::string> axes, parts;
  for (const auto& [axis, one] : values_of(cases, verdict))
    if (!one.value.empty() && (one.is_set || base::contains(sizes, axis)) &&
        !is_said(claim, axis, one.value))
      axes.push_back(fmt::format("{}={}", axis, one.value));
  if (!axes.empty()) parts.push_back(fmt::format("with `{}`", fmt::join(axes, " ")));
  if (const std::string model = only_model(claim, verdict); !model.empty())
    parts.push_back(model + " alone");
  if (verdict.without_figure > 0)
    parts.push_back(count_text(verdict, &Counts::without_figure) + " without a figure");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string sentence(const Claim& claim, const ClaimCases& cases, const Verdict& verdict) {
  std::string text;
  const Writer writer(claim, cases, verdict);
  walk(
      claim.says, [&](std::string_view words) { text += words; },
      [&](const std::string& name) { text += writer.word(name); });
  const std::string with = measured_with(claim, cases, verdict);
  return with.empty() ? text : fmt::format("{} [{}]", text, with);
}

}  // namespace phasebit::report::claims
