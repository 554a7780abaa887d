#include "analysis/report/data/comparison.h"

#include "analysis/report/data/figures.h"

#include <algorithm>
#include <cmath>

namespace phasebit::report::data {

using base::Cell;

std::string verdict_of(const Figure& difference, bool has_pairs, double floor) {
  if (!difference.reason.empty()) return "no figure";
  if (!has_pairs) return "AMBIGUOUS (no A/A control)";
  if (std::abs(difference.value) <= std::max(floor, difference.half_width)) return "AMBIGUOUS";
  return difference.value < 0 ? "faster" : "slower";
}

Floor floor_of(const Aggregation& aggregation, const std::string& stratum) {
  auto own = aggregation.floors.find(stratum);
  if (own == aggregation.floors.end()) own = aggregation.floors.find("");
  return own == aggregation.floors.end() ? Floor() : own->second;
}

Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after) {
  Comparison made;
  const Aggregate *first = find_variant(aggregation.points, before),
                  *second = find_variant(aggregation.points, after);
  made.before = figure_of(first, before);
  made.after = figure_of(second, after);
  made.difference = difference(made.after, made.before);
  const Aggregate* any = first == nullptr ? second : first;
  made.floor = floor_of(aggregation, any == nullptr ? "" : any->axes.stratum()).cycles;
  for (const Aggregate* one : {first, second})
    if (one != nullptr) made.floor = std::max(made.floor, one->spread_cycles);
  made.verdict = verdict_of(made.difference, !aggregation.floors.empty(), made.floor);
  return made;
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
    if (out.reason.empty()) out.reason = part->reason;
    for (const results::Flag& flag : part->flags) add_once(out.flags, flag);
  }
  out.interval_reached = a.interval_reached && b.interval_reached;
  out.repetitions = std::min(a.repetitions, b.repetitions);
  out.factor = a.spread > b.spread ? a.factor : b.factor;
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
          aggregate.flags};
}

Figure figure_of(const Aggregate& aggregate, const std::string& reading) {
  Figure figure = figure_of(aggregate);
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
  return figure;
}

Figure figure_of(const Aggregate* aggregate, const std::string& id) {
  if (aggregate != nullptr) return figure_of(*aggregate);
  Figure missing;
  missing.id = id;
  missing.reason = not_measured();
  return missing;
}

Figure difference(const Figure& larger, const Figure& smaller, double divisor) {
  if (divisor == 0) bug("a difference over no operations");
  Figure out = join(larger, smaller);
  if (!out.reason.empty()) return out;
  out.value = (larger.value - smaller.value) / divisor;
  out.spread = (larger.spread + smaller.spread) / std::abs(divisor);
  out.half_width = (larger.half_width + smaller.half_width) / std::abs(divisor);
  return out;
}

Figure share_of(Figure figure, double parts) {
  if (parts <= 0) bug("a share of nothing");
  figure.value /= parts;
  figure.half_width /= parts;
  figure.spread /= parts;
  return figure;
}

Figure change_percent(const Figure& changed, const Figure& base) {
  Figure out = join(changed, base);
  const double least = base.value - base.half_width;
  if (out.reason.empty() && least <= 0)
    out.reason = unusable(fmt::format("{}: no ratio, its interval includes 0", base.id));
  if (!out.reason.empty()) return out;
  const auto percent = [](double a, double b) { return 100 * (a - b) / b; };
  out.value = percent(changed.value, base.value);
  for (const double a : {changed.value - changed.half_width, changed.value + changed.half_width})
    for (const double b : {least, base.value + base.half_width})
      out.half_width = std::max(out.half_width, std::abs(percent(a, b) - out.value));
  return out;
}

base::Cell figure_cell(const Figure& figure, std::vector<std::string>& notes) {
  if (!figure.reason.empty()) {
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
