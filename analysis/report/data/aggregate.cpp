#include "analysis/report/data/aggregate.h"

#include "analysis/report/data/variant_rows.h"
#include "core/launch/external.h"
#include "core/results/flag.h"
#include "core/results/same_code.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

namespace phasebit::report::data {

using results::median;
using results::PointKind;
using results::PointRow;
using results::quantile;

namespace {

// That of a row's cycles, or null when they are a line.
const results::Bend* bend_of(const PointRow& row) {
  for (const results::Bend& bend : row.quality.bends)
    if (bend.reading.empty()) return &bend;
  return nullptr;
}

// The readings that every repetition has.
std::vector<ReadingFigure> readings_of(const std::vector<const Measured*>& all) {
  std::vector<ReadingFigure> readings;
  for (size_t n = 0; n < all.front()->summary.readings.size(); ++n) {
    const results::ReadingName& name = all.front()->point->readings[n];
    ReadingFigure out{name.name, name.unit, 0, all.front()->summary.readings[n].interval.interval,
                      true};
    std::vector<double> values;
    ByCondition by_condition;
    for (const Measured* measured : all) {
      const auto& names = measured->point->readings;
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end()) break;
      const auto& one = measured->summary.readings[static_cast<size_t>(at - names.begin())];
      values.push_back(one.value);
      out.interval.low = std::min(out.interval.low, one.interval.interval.low);
      out.interval.high = std::max(out.interval.high, one.interval.interval.high);
      out.interval_reached = out.interval_reached && one.interval.reached;
      by_condition.add(*measured->point, one.value, one.interval.interval);
    }
    if (values.size() < all.size()) continue;
    out.value = median(values);
    out.at = by_condition.take();
    readings.push_back(std::move(out));
  }
  return readings;
}

void fill_spread(const std::vector<const Measured*>& all, Aggregate& out) {
  const Measured& first = *all.front();
  double lowest = first.summary.cycles, highest = lowest, farthest = 0;
  for (const Measured* measured : all) {
    const double cycles = measured->summary.cycles;
    lowest = std::min(lowest, cycles), highest = std::max(highest, cycles);
    const double moved = std::abs(cycles - first.summary.cycles);
    if (moved <= farthest) continue;
    farthest = moved;
    out.spread_factor = results::factor_of(*measured->point, *first.point);
  }
  out.spread_cycles = highest - lowest;
}

void add_flags(const results::PointRow& point, Aggregate& out) {
  for (results::Flag& flag : results::flags_of(point.quality)) {
    const bool of_cycles = flag.kind == results::Flag::Kind::not_linear && flag.of.empty();
    if (!of_cycles && std::find(out.flags.begin(), out.flags.end(), flag) == out.flags.end())
      out.flags.push_back(std::move(flag));
  }
}

void fill_figures(const std::vector<const Measured*>& all, Aggregate& out) {
  std::vector<double> cycles, intercepts, clocks;
  std::vector<results::DeviceState> states;
  ByCondition by_condition;
  out.interval = all.front()->summary.interval.interval;
  out.interval_reached = true;
  out.r2 = 1;
  for (const Measured* measured : all) {
    const results::Summary& summary = measured->summary;
    cycles.push_back(summary.cycles);
    intercepts.push_back(summary.fit.intercept);
    clocks.push_back(measured->point->megahertz);
    out.interval.low = std::min(out.interval.low, summary.interval.interval.low);
    out.interval.high = std::max(out.interval.high, summary.interval.interval.high);
    out.interval_reached = out.interval_reached && summary.interval.reached;
    out.r2 = std::min(out.r2, summary.fit.r2);
    if (std::abs(summary.fit.worst_residual) > std::abs(out.worst_residual_cycles))
      out.worst_residual_cycles = summary.fit.worst_residual;
    out.rounds += summary.rounds;
    if (measured->point->state.known()) states.push_back(measured->point->state);
    add_flags(*measured->point, out);
    by_condition.add(*measured->point, summary.cycles, summary.interval.interval);
  }
  out.at = by_condition.take();
  fill_spread(all, out);
  out.cycles = median(cycles);
  out.intercept_cycles = median(intercepts);
  out.megahertz = median(clocks);
  out.state = results::median_state(states);
  out.readings = readings_of(all);
  std::vector<double> differences;
  for (size_t i = 0; i < cycles.size(); ++i)
    for (size_t j = 0; j < i; ++j) differences.push_back(std::abs(cycles[i] - cycles[j]));
  if (!differences.empty()) out.repetition_difference_cycles = median(differences);
}

// The values of every run, where some are in the place of others.
void add_runs(const std::vector<const Measured*>& newest, const std::vector<Measured>& earlier,
              Aggregate& out) {
  std::vector<const Measured*> all;
  for (const Measured& one : earlier)
    if (!one.point->aa_control && bend_of(*one.point) == nullptr) all.push_back(&one);
  if (all.empty()) return;
  all.insert(all.end(), newest.begin(), newest.end());
  ByCondition cycles(true);
  for (const Measured* one : all)
    cycles.add(*one->point, one->summary.cycles, one->summary.interval.interval);
  out.at_of_runs = cycles.take();
  for (ReadingFigure& reading : out.readings) {
    ByCondition values(true);
    for (const Measured* one : all)
      for (size_t n = 0; n < one->summary.readings.size(); ++n)
        if (one->point->readings[n].name == reading.name)
          values.add(*one->point, one->summary.readings[n].value,
                     one->summary.readings[n].interval.interval);
    reading.at_of_runs = values.take();
  }
}

Aggregate aggregate_of(const TextRows& group, const VariantKeys& keys, PointKind kind) {
  Aggregate out;
  out.axes = keys.of(group.newest->variant_id);
  out.id = group.newest->variant_id;
  out.unit = group.newest->unit;
  out.device_uuid = group.newest->device_uuid;
  out.text_hash = group.newest->text_hash;
  out.sass_class = group.newest->sass_class;
  out.errors = static_cast<int>(group.failed.size());
  out.reason = reason_of(group);
  if (!group.failed.empty()) out.verdict = group.failed.back()->verdict;
  std::vector<const Measured*> own;
  for (const Measured& measured : group.measured)
    if (!measured.point->aa_control) own.push_back(&measured);
  if (own.empty() && group.failed.empty() && !group.same_as.empty()) {
    out.verdict = results::Verdict::same_code;
    out.same_as = group.same_as;
  }
  const Bent bent = leave_out_bent(own);
  out.repetitions = static_cast<int>(own.size());
  if (bent.all_left_out() && out.reason.empty()) out.reason = reason_of(bent);
  if (!out.reason.empty()) return out;
  fill_figures(own, out);
  add_runs(own, group.earlier, out);
  if (bent.repetitions > 0)
    out.flags.push_back({.kind = results::Flag::Kind::not_linear_in_some,
                         .bent = bent.repetitions,
                         .repetitions = bent.of});
  // A pass over places says itself what separates its modes; anchors are judged by their bounds.
  if (kind == PointKind::point) out.reason = several_values(out.at);
  return out;
}

// The rows with idle warps between the roles, or those without.
TextRows rows_with_roles(const TextRows& group, bool together) {
  const auto is_other = [&](const results::PointRow& row) {
    return (row.conditions.gap_warps > 0) != together;
  };
  TextRows rows = group;
  for (std::vector<Measured>* some : {&rows.measured, &rows.earlier})
    std::erase_if(*some, [&](const Measured& one) { return is_other(*one.point); });
  std::erase_if(rows.failed, [&](const results::PointRow* one) { return is_other(*one); });
  return rows;
}

// An aggregate, and the newest of the rows that it was made of.
struct Made {
  Aggregate* figure;
  const results::PointRow* row;
};

// The figures of another variant of the same code as those of the member.
Aggregate figure_for(const Aggregate& member, const Aggregate& measured) {
  Aggregate copy = measured;
  copy.same_as = measured.id;
  copy.id = member.id;
  copy.axes = member.axes;
  copy.unit = member.unit;
  copy.text_hash = member.text_hash;
  return copy;
}

// Gives members of a measured class the figures of the one that was measured: of its newest text,
// whether it has a figure or failed.
void resolve_classes(const std::vector<Made>& made) {
  results::MeasuredCode measured(results::MeasuredCode::Repetition::any);
  std::unordered_map<const results::PointRow*, const Aggregate*> figures;
  for (const auto& [figure, row] : made) {
    if (!figure->same_as.empty()) continue;
    measured.add(*row);
    figures.emplace(row, figure);
  }
  for (const auto& [member, row] : made) {
    if (member->same_as.empty()) continue;
    const results::PointRow* other = measured.find(*row, member->same_as);
    if (other == nullptr) {
      member->reason =
          unusable(fmt::format("{}, which has the same code, was not measured", member->same_as));
      continue;
    }
    *member = figure_for(*member, *figures.at(other));
  }
}

// The same of figures with roles together: those of the class are the member's.
void share_together(Aggregation& all) {
  std::map<std::tuple<std::string, std::string, std::string>, Aggregate> measured;
  for (const Aggregate& one : all.together)
    measured[{one.id, one.device_uuid, one.sass_class}] = one;
  for (const Aggregate& member : all.points) {
    const auto other = measured.find({member.same_as, member.device_uuid, member.sass_class});
    if (!member.same_as.empty() && other != measured.end())
      all.together.push_back(figure_for(member, other->second));
  }
  std::stable_sort(all.together.begin(), all.together.end(),
                   [](const Aggregate& a, const Aggregate& b) { return a.id < b.id; });
}

void pair_repetitions(const TextRows& group, const VariantKeys& keys, std::vector<AaPair>& pairs) {
  const std::string stratum = keys.of(group.newest->variant_id).stratum();
  for (size_t i = 0; i < group.measured.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Measured &a = group.measured[j], &b = group.measured[i];
      if (a.point->aa_control || b.point->aa_control ||
          results::factor_of(*a.point, *b.point) != "seed")
        continue;
      pairs.push_back({AaPair::Between::repetitions, a.point->variant_id, b.point->variant_id,
                       stratum, a.summary.cycles, b.summary.cycles});
    }
}

// A control and the measurement of its class in the same repetition.
void pair_controls(const std::vector<TextRows>& groups, const VariantKeys& keys,
                   std::vector<AaPair>& pairs) {
  using ClassKey = std::tuple<Word, Word, Word, int>;
  const auto key_of = [](const results::PointRow& row) -> ClassKey {
    return {row.sass_class, row.text_hash, row.device_uuid, row.repetition};
  };
  std::map<ClassKey, const Measured*> classes;
  for (const TextRows& group : groups)
    for (const Measured& measured : group.measured)
      if (!measured.point->aa_control) classes[key_of(*measured.point)] = &measured;
  for (const TextRows& group : groups)
    for (const Measured& control : group.measured) {
      if (!control.point->aa_control) continue;
      const auto first = classes.find(key_of(*control.point));
      if (first != classes.end())
        pairs.push_back({AaPair::Between::control, first->second->point->variant_id,
                         control.point->variant_id,
                         keys.of(first->second->point->variant_id).stratum(),
                         first->second->summary.cycles, control.summary.cycles});
    }
}

Floor floor_of(const std::vector<const AaPair*>& pairs) {
  constexpr double most = 0.95;
  std::vector<double> cycles, percents;
  for (const AaPair* pair : pairs) {
    cycles.push_back(pair->difference_cycles());
    percents.push_back(pair->difference_percent());
  }
  return {quantile(std::move(cycles), most), quantile(std::move(percents), most)};
}

void find_floors(Aggregation& out) {
  constexpr size_t enough = 20;
  std::map<std::string, std::vector<const AaPair*>> strata;
  for (const AaPair& pair : out.aa) {
    strata[pair.stratum].push_back(&pair);
    strata[""].push_back(&pair);
  }
  for (const auto& [stratum, pairs] : strata)
    if (stratum.empty() || pairs.size() >= enough) out.floors[stratum] = floor_of(pairs);
}

}  // namespace

double Aggregate::half_width() const {
  return std::max(interval.high - cycles, cycles - interval.low);
}

double ReadingFigure::half_width() const {
  return std::max(interval.high - value, value - interval.low);
}

const ReadingFigure* Aggregate::reading(const std::string& name) const {
  for (const ReadingFigure& one : readings)
    if (one.name == name) return &one;
  return nullptr;
}

double AaPair::difference_cycles() const {
  return std::abs(a_cycles - b_cycles);
}

double AaPair::difference_percent() const {
  return a_cycles == 0 ? 0 : 100 * difference_cycles() / std::abs(a_cycles);
}

Aggregation aggregate(const results::Rows& points, const VariantKeys& keys) {
  Aggregation out;
  std::vector<TextRows> groups;
  for (const VariantRows& rows : rows_by_variant(points)) {
    // An external kernel is not a variant: it is in no table, and says nothing of our floors.
    if (keys.of(rows.any->variant_id).value("probe") == launch::external_kind) continue;
    const PointKind kind = rows.any->kind;
    auto& list = kind == PointKind::point    ? out.points
                 : kind == PointKind::anchor ? out.anchors
                                             : out.modes;
    for (const auto& [text, group_rows] : rows.texts) {
      TextRows group = group_of(group_rows);
      list.push_back(aggregate_of(rows_with_roles(group, false), keys, kind));
      if (kind != PointKind::point) continue;
      const TextRows together = rows_with_roles(group, true);
      if (!together.measured.empty()) out.together.push_back(aggregate_of(together, keys, kind));
      groups.push_back(std::move(group));
    }
  }
  std::vector<Made> made;
  for (size_t n = 0; n < groups.size(); ++n) made.push_back({&out.points[n], groups[n].newest});
  resolve_classes(made);
  share_together(out);
  for (const TextRows& group : groups) pair_repetitions(group, keys, out.aa);
  pair_controls(groups, keys, out.aa);
  find_floors(out);
  return out;
}

const Aggregate* find_variant(const std::vector<Aggregate>& aggregates, const std::string& id) {
  const auto behind =
      std::upper_bound(aggregates.begin(), aggregates.end(), id,
                       [](const std::string& a, const Aggregate& b) { return a < b.id; });
  if (behind == aggregates.begin() || std::prev(behind)->id != id) return nullptr;
  return &*std::prev(behind);
}

namespace {

using SlotKey = std::tuple<int, bool, int, int>;

SlotKey slot_of(const PointRow& point) {
  return {point.repetition, point.aa_control, point.conditions.sm, point.conditions.first_warp};
}

}  // namespace

TextRows group_of(const std::vector<const PointRow*>& rows) {
  TextRows group;
  std::map<SlotKey, const PointRow*> slots;
  std::vector<const PointRow*> replaced;
  for (const PointRow* row : rows) {
    group.newest = row;
    if (!row->measured() && !row->error)
      group.same_as = row->same_as;
    else if (const PointRow*& known = slots[slot_of(*row)];
             known == nullptr || results::replaces(*row, *known)) {
      if (known != nullptr && known->run_id != row->run_id) replaced.push_back(known);
      known = row;
    }
  }
  for (const auto& [slot, row] : slots) {
    if (row->error) {
      group.failed.push_back(row);
      continue;
    }
    auto summary = results::summary_of(*row);
    if (summary)
      group.measured.push_back({row, std::move(*summary)});
    else
      group.unusable = summary.error().message;
  }
  for (const PointRow* row : replaced)
    if (auto summary = results::summary_of(*row); !row->error && summary)
      group.earlier.push_back({row, std::move(*summary)});
  return group;
}

Reason reason_of(const TextRows& group) {
  if (!group.failed.empty())
    return reason_of(group.failed.back()->verdict, *group.failed.back()->error);
  if (!group.unusable.empty()) return unusable(group.unusable);
  const bool any = std::any_of(group.measured.begin(), group.measured.end(),
                               [](const Measured& m) { return !m.point->aa_control; });
  return any ? Reason() : not_measured();
}

Bent leave_out_bent(std::vector<const Measured*>& all) {
  Bent bent;
  bent.of = static_cast<int>(all.size());
  std::erase_if(all, [&](const Measured* one) {
    const results::Bend* bend = bend_of(*one->point);
    if (bend == nullptr) return false;
    ++bent.repetitions;
    bent.example = *bend;
    return true;
  });
  if (bent.all_left_out()) all.clear();
  return bent;
}

Reason reason_of(const Bent& bent) {
  return {Missing::not_linear,
          fmt::format("{}: {}", results::word_of(bent.example),
                      results::word_of({.kind = results::Flag::Kind::not_linear_in_some,
                                        .bent = bent.repetitions,
                                        .repetitions = bent.of}))};
}

}  // namespace phasebit::report::data
