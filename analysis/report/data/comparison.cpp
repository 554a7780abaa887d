#include "analysis/report/data/comparison.h"

#include "analysis/report/data/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace phasebit::report::data {

using base::Cell;

Floor floor_of(const Aggregation& aggregation, const std::string& stratum) {
  auto own = aggregation.floors.find(stratum);
  if (own == aggregation.floors.end()) own = aggregation.floors.find("");
  return own == aggregation.floors.end() ? Floor() : own->second;
}

namespace {

constexpr double half_a_cycle = 0.5;
// One difference says nothing of how far differences lie apart.
constexpr std::size_t fewest_pairs = 2;

// Whether its values by condition are of it: of one without a value because it has several, too.
bool has_conditions(const Figure& figure) {
  return figure.reason.empty() || figure.reason.what == Missing::several_values;
}

results::Interval around(const Figure& figure) {
  return {figure.value - figure.half_width, figure.value + figure.half_width};
}

// `of` the two values, and as far as the ends of their intervals take it.
AtCondition corners(const AtCondition& a, const AtCondition& b, const DifferenceOf& of) {
  AtCondition made{a.at, of(a.value, b.value), {}, a.run == b.run ? a.run : 0};
  made.interval = {made.value, made.value};
  for (const double x : {a.interval.low, a.interval.high})
    for (const double y : {b.interval.low, b.interval.high}) {
      made.interval.low = std::min(made.interval.low, of(x, y));
      made.interval.high = std::max(made.interval.high, of(x, y));
    }
  return made;
}

using TwoSides = std::pair<const AtCondition*, const AtCondition*>;

// The values of one run at the condition of both, the newest that both have; else those given.
TwoSides of_one_run(const Figure& a, const AtCondition& newest_a, const Figure& b,
                    const AtCondition& newest_b) {
  TwoSides found = {&newest_a, &newest_b};
  if (newest_a.run == newest_b.run) return found;
  const auto at = [](const AtConditions& of_runs, const AtCondition& newest) {
    std::vector<const AtCondition*> all;
    for (const AtCondition& one : of_runs)
      if (one.at == newest.at) all.push_back(&one);
    if (all.empty()) all = {&newest};
    return all;
  };
  // The oldest first, so that the last is the newest.
  for (const AtCondition* one : at(a.at_of_runs, newest_a))
    for (const AtCondition* other : at(b.at_of_runs, newest_b))
      if (one->run == other->run && one->run != 0) found = {one, other};
  return found;
}

// Under each condition that both have, on one GPU.
AtConditions by_condition(const Figure& a, const Figure& b, const DifferenceOf& of) {
  AtConditions made;
  if (a.gpu.empty() || a.gpu != b.gpu || !has_conditions(a) || !has_conditions(b)) return made;
  for (const AtCondition& one : a.at)
    if (const AtCondition* other = find_condition(b.at, one.at)) {
      const auto [first, second] = of_one_run(a, one, b, *other);
      made.push_back(corners(*first, *second, of));
    }
  return made;
}

// Within which three quarters of the values lie from the middle.
double scatter_of(const std::vector<double>& values, double middle) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  std::sort(distances.begin(), distances.end());
  return distances[(3 * distances.size() + 3) / 4 - 1];
}

}  // namespace

Paired paired(const Figure& before, const Figure& after, const DifferenceOf& difference) {
  const DifferenceOf apart = difference ? difference : [](double a, double b) { return b - a; };
  Paired made;
  made.pairs = by_condition(before, after, apart);
  if (made.pairs.size() < fewest_pairs) return {};
  std::vector<double> differences, half_widths;
  for (const AtCondition& pair : made.pairs) {
    differences.push_back(pair.value);
    half_widths.push_back(pair.half_width());
  }
  made.median = results::median(differences);
  const auto [lowest, highest] = std::minmax_element(differences.begin(), differences.end());
  made.lowest = *lowest, made.highest = *highest;
  made.floor =
      std::max({half_a_cycle, results::median(half_widths), scatter_of(differences, made.median)});
  return made;
}

std::size_t Paired::across_runs() const {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [](const AtCondition& pair) { return pair.run == 0; }));
}

std::size_t Paired::agreeing(double least) const {
  return static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [&](const AtCondition& pair) {
        return std::abs(pair.value) > least && (pair.value > 0) == (median > 0);
      }));
}

Comparison compare(const Figure& before, const Figure& after, std::optional<double> aa) {
  Comparison made;
  made.before = before, made.after = after;
  made.difference = difference(after, before);
  made.pairs = paired(before, after);
  made.floor = std::max(half_a_cycle, aa.value_or(0));
  const bool any = made.pairs.any();
  if (!any && !made.difference.reason.empty()) {
    made.verdict = "no figure";
    return made;
  }
  // What the same code differs by.
  const double of_one_code = made.floor;
  if (any) made.agreeing = made.pairs.agreeing(of_one_code);
  made.floor = std::max(
      made.floor,
      any ? made.pairs.floor : std::max({before.spread, after.spread, made.difference.half_width}));
  const double apart = any ? made.pairs.median : made.difference.value;
  const double farthest = any ? std::max(-made.pairs.lowest, made.pairs.highest)
                              : std::abs(apart) + made.difference.half_width;
  made.verdict = !aa                       ? "AMBIGUOUS (no A/A control)"
                 : farthest <= of_one_code ? "SAME"
                 : std::abs(apart) <= made.floor
                     ? fmt::format("AMBIGUOUS (floor {:.2f})", made.floor)
                 : apart < 0 ? "faster"
                             : "slower";
  return made;
}

Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after) {
  const Aggregate *first = find_variant(aggregation.points, before),
                  *second = find_variant(aggregation.points, after);
  const Aggregate* any = first == nullptr ? second : first;
  std::optional<double> aa;
  if (!aggregation.floors.empty())
    aa = floor_of(aggregation, any == nullptr ? "" : any->axes.stratum()).cycles;
  return compare(figure_of(first, before), figure_of(second, after), aa);
}

std::string pairs_text(const Comparison& comparison) {
  if (!comparison.pairs.any()) return comparison.verdict == "no figure" ? "" : "unpaired";
  return fmt::format("{} of {}", comparison.agreeing, comparison.pairs.pairs.size());
}

Cell difference_cell(const Figure& difference) {
  if (!difference.reason.empty()) return "";
  return {shown_with_interval(difference.value, difference.half_width), difference.value,
          difference.half_width};
}

Cell percent_cell(const Comparison& comparison) {
  if (!comparison.difference.reason.empty() || comparison.before.value == 0) return "";
  const double percent = 100 * comparison.difference.value / comparison.before.value;
  return {fmt::format("{:+.1f} %", percent), percent, {}};
}

void add_comparison(std::vector<Cell>& row, const Comparison& comparison,
                    std::vector<std::string>& notes) {
  row.push_back(figure_cell(comparison.before, notes));
  row.push_back(figure_cell(comparison.after, notes));
  row.push_back(difference_cell(comparison.difference));
  row.push_back(percent_cell(comparison));
  row.push_back({fmt::format("{:.2f}", comparison.floor), comparison.floor, {}});
  row.emplace_back(pairs_text(comparison));
}

namespace {

template <typename T>
void add_once(std::vector<T>& list, const T& one) {
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
}

std::string shown_instead(const Reason& reason) {
  switch (reason.what) {
    case Missing::ungated: return "not gated";
    case Missing::not_linear: return "not linear";
    case Missing::time_out: return "time-out";
    case Missing::several_values: return reason.text;
    case Missing::not_separable: return "not separable";
    case Missing::hidden: return "hidden";
    case Missing::failed: return fmt::format("failed: {}", base::to_string(reason.step));
    case Missing::nothing:
    case Missing::not_measured:
    case Missing::unusable: return "—";
  }
  bug("no such Missing");
}

// What a figure made of two has of both; without a value when one of them has no value.
Figure join(const Figure& a, const Figure& b) {
  Figure out;
  out.id = fmt::format("{} - {}", a.id, b.id);
  for (const Figure* part : {&a, &b}) {
    if (out.reason.empty() || (has_conditions(out) && !has_conditions(*part)))
      out.reason = part->reason;
    for (const results::Flag& flag : part->flags) add_once(out.flags, flag);
  }
  out.interval_reached = a.interval_reached && b.interval_reached;
  out.repetitions = std::min(a.repetitions, b.repetitions);
  out.factor = a.spread > b.spread ? a.factor : b.factor;
  if (a.gpu == b.gpu) out.gpu = a.gpu;
  return out;
}

}  // namespace

Figure figure_of(const Aggregate& aggregate) {
  return {aggregate.id,
          aggregate.reason,
          aggregate.cycles,
          aggregate.half_width(),
          aggregate.interval_reached || !aggregate.reason.empty(),
          aggregate.repetitions,
          aggregate.spread_cycles,
          aggregate.spread_factor,
          aggregate.flags,
          aggregate.device_uuid,
          aggregate.at,
          aggregate.at_of_runs};
}

Figure figure_of(const Aggregate& aggregate, const std::string& reading) {
  Figure figure = figure_of(aggregate);
  if (figure.reason.what == Missing::several_values) figure.reason = {};  // of the cycles
  if (!figure.reason.empty()) return figure;
  const ReadingFigure* found = aggregate.reading(reading);
  if (found == nullptr) {
    figure.reason = unusable(fmt::format("it has no reading '{}'", reading));
    return figure;
  }
  for (const results::Flag& flag : aggregate.flags)
    if (flag.kind == results::Flag::Kind::not_linear && flag.of == reading)
      figure.reason = {Missing::not_linear, results::word_of(flag)};
  if (!figure.reason.empty()) return figure;
  figure.value = found->value;
  figure.half_width = found->half_width();
  figure.interval_reached = found->interval_reached;
  figure.spread = 0, figure.factor.clear();  // those of the cycles
  figure.at = found->at, figure.at_of_runs = found->at_of_runs;
  // A count has no fifth and no cycle that its interval could be held to.
  if (found->unit.starts_with("cycles")) figure.reason = several_values(figure.at);
  return figure;
}

Figure figure_of(const Aggregate* aggregate, const std::string& id) {
  if (aggregate != nullptr) return figure_of(*aggregate);
  Figure missing;
  missing.id = id;
  missing.reason = not_measured();
  return missing;
}

namespace {

// The figure that its conditions say together, as aggregate() makes it of rows.
void set_by_condition(Figure& figure) {
  std::vector<double> values;
  results::Interval interval = figure.at.front().interval;
  for (const AtCondition& one : figure.at) {
    values.push_back(one.value);
    interval.low = std::min(interval.low, one.interval.low);
    interval.high = std::max(interval.high, one.interval.high);
  }
  figure.value = results::median(values);
  figure.half_width = std::max(interval.high - figure.value, figure.value - interval.low);
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  figure.spread = *highest - *lowest;
  figure.factor = moved_by(figure.at);
}

// `of` a value of each, under each condition that both have.
Figure combined(const Figure& a, const Figure& b, const DifferenceOf& of) {
  Figure out = join(a, b);
  if (!has_conditions(out)) return out;
  out.at = by_condition(a, b, of);
  if (out.at.size() >= fewest_pairs) {
    set_by_condition(out);
    out.reason = out.reason.empty() ? Reason() : several_values(out.at);
    return out;
  }
  out.at.clear();
  if (!out.reason.empty()) {
    const Figure& several = a.reason.empty() ? b : a;
    out.reason =
        unusable(fmt::format("{} has several values: {}", several.id, several.reason.text));
    return out;
  }
  const AtCondition made = corners({{}, a.value, around(a), 0}, {{}, b.value, around(b), 0}, of);
  out.value = made.value;
  out.half_width = made.half_width();
  out.spread = std::abs(of(a.value + a.spread, b.value) - out.value) +
               std::abs(of(a.value, b.value + b.spread) - out.value);
  return out;
}

}  // namespace

Figure difference(const Figure& larger, const Figure& smaller, double divisor) {
  if (divisor == 0) bug("a difference over no operations");
  return combined(larger, smaller, [divisor](double a, double b) { return (a - b) / divisor; });
}

Figure scaled(Figure figure, double factor) {
  figure.value *= factor;
  figure.half_width *= std::abs(factor);
  figure.spread *= std::abs(factor);
  for (AtConditions* all : {&figure.at, &figure.at_of_runs})
    for (AtCondition& one : *all) {
      one.value *= factor;
      one.interval = {one.interval.low * factor, one.interval.high * factor};
      if (factor < 0) std::swap(one.interval.low, one.interval.high);
    }
  if (figure.reason.what == Missing::several_values) figure.reason = several_values(figure.at);
  return figure;
}

Figure change_percent(const Figure& changed, const Figure& base) {
  const bool may_be_nothing =
      (base.reason.empty() && base.value - base.half_width <= 0) ||
      std::any_of(base.at.begin(), base.at.end(),
                  [](const AtCondition& one) { return one.interval.low <= 0; });
  if (may_be_nothing && has_conditions(base) && has_conditions(changed)) {
    Figure out = join(changed, base);
    out.reason = unusable(fmt::format("{} may be nothing, so nothing is a share of it", base.id));
    return out;
  }
  return combined(changed, base, [](double a, double b) { return 100 * (a - b) / b; });
}

base::Cell figure_cell(const Figure& figure, std::vector<std::string>& notes) {
  if (!figure.reason.empty()) {
    if (figure.reason.what != Missing::several_values)
      add_once(notes, fmt::format("{}: {}.", figure.id, figure.reason.text));
    return shown_instead(figure.reason);
  }
  if (!figure.flags.empty())
    add_once(notes,
             fmt::format("† {}: {}.", figure.id, fmt::join(results::words_of(figure.flags), ", ")));
  if (!figure.interval_reached)
    add_once(notes,
             fmt::format("† {}: too few rounds for an interval, the range is shown.", figure.id));
  const bool marked = !figure.flags.empty() || !figure.interval_reached;
  return {shown_with_interval(figure.value, figure.half_width) + (marked ? " †" : ""), figure.value,
          figure.half_width};
}

}  // namespace phasebit::report::data
