#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/results/csv_rows.h"
#include "core/results/flat.h"
#include "core/results/flat_columns.h"
#include "core/results/flat_keys.h"
#include "core/results/same_code.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::results {

namespace {

// What a column of a file is.
struct Place {
  enum class Kind { column, axis, named, axis_order, waits_on, blank, extra };
  Kind kind = Kind::extra;
  std::size_t number = 0;  // of flat_columns() or of the axes
  std::string name;
  bool is_key() const {
    return kind == Kind::axis || kind == Kind::named || kind == Kind::axis_order;
  }
};

Place place_of(const std::string& name, std::vector<std::string>& axes) {
  const auto columns = flat_columns();
  const auto column = std::ranges::find(columns, name, &Column::name);
  if (column != columns.end())
    return {Place::Kind::column, static_cast<std::size_t>(column - columns.begin()), name};
  if (name.size() > axis_prefix.size() && name.starts_with(axis_prefix)) {
    axes.push_back(name.substr(axis_prefix.size()));
    return {Place::Kind::axis, axes.size() - 1, name};
  }
  if (name == "named") return {Place::Kind::named, 0, name};
  if (name == "axis_order") return {Place::Kind::axis_order, 0, name};
  if (name == "waits_on") return {Place::Kind::waits_on, 0, name};
  if (name == "blank") return {Place::Kind::blank, 0, name};
  return {Place::Kind::extra, 0, name};
}

class FlatReader {
 public:
  Status take(const CsvRows& row) {
    if (row.row() == 0) return take_header(row);
    if (row.size() != places_.size())
      return fail(Step::store, "{} fields for {} columns", row.size(), places_.size());
    PHASEBIT_TRY(take_fields(row));
    if (part_changed_[static_cast<int>(Column::Part::device)])
      PHASEBIT_TRY(add_part(row_.device, row_.device.uuid, results_.devices, devices_));
    if (part_changed_[static_cast<int>(Column::Part::run)])
      PHASEBIT_TRY(add_part(row_.run, row_.run.id, results_.runs, runs_));
    if (key_changed_) PHASEBIT_TRY(add_variant(row));
    if (lacks_changed_) find_lacks();
    if (extra_changed_) find_extra(row);
    return add_point();
  }

  Result<Results> finish(const fs::path& path, const SampleWish& wanted) {
    if (places_.empty())
      return with_hint(fail(Step::store, "{}: no header", path.string()),
                       "`phasebit export` writes such files");
    PHASEBIT_TRY(check_figure_points(path));
    results_.points.shrink_to_fit();
    results_.catalogue = facts_of(results_);
    if (any_samples_ && (!wanted || wanted(results_)))
      if (const auto samples = samples_path(path)) {
        PHASEBIT_TRY(read_samples(*samples, numbers_, results_.points));
        PHASEBIT_TRY(check_samples(path));
      }
    return std::move(results_);
  }

 private:
  Status take_header(const CsvRows& row) {
    std::vector<std::string> names;
    for (std::size_t n = 0; n < row.size(); ++n) {
      names.push_back(row.text(n));
      if (std::ranges::count(names, names.back()) > 1)
        return fail(Step::store, "column '{}': twice", names.back());
      places_.push_back(place_of(names.back(), axes_));
    }
    null_.resize(flat_columns().size(), true);
    for (const Column& column : flat_columns())
      if (column.required && std::ranges::find(names, column.name) == names.end())
        return with_hint(fail(Step::store, "no column '{}'", column.name),
                         base::nearest_word_hint(column.name, names));
    return {};
  }

  Status take_fields(const CsvRows& row) {
    part_changed_[0] = part_changed_[1] = part_changed_[2] = false;
    key_changed_ = lacks_changed_ = extra_changed_ = row.row() == 1;
    for (std::size_t n = 0; n < places_.size(); ++n) {
      if (!row.changed(n)) continue;
      const Place& place = places_[n];
      if (place.kind == Place::Kind::column)
        PHASEBIT_TRY(take_field(row, n, place.number));
      else if (place.kind == Place::Kind::extra)
        extra_changed_ = true;
      else
        key_changed_ = true;
    }
    return {};
  }

  Status take_field(const CsvRows& row, std::size_t n, std::size_t number) {
    const Column& column = flat_columns()[number];
    part_changed_[static_cast<int>(column.part)] = true;
    if (null_[number] != row.null(n)) lacks_changed_ = true;
    null_[number] = row.null(n);
    if (column.name == "id") key_changed_ = true;
    if (row.null(n)) {
      if (column.required && column.expected)
        return fail(Step::store, "column '{}': NULL", column.name);
      column.clear(row_);
      return {};
    }
    const std::string_view raw = row.raw(n);
    const std::string quoted = raw.starts_with('"') ? row.text(n) : std::string();
    const std::string_view text = raw.starts_with('"') ? quoted : raw;
    if (column.read(text, row_)) return {};
    return fail(Step::store, "column '{}': '{}' is not {}", column.name, text, column.wanted);
  }

  // A device or a run: each row of it says the same.
  template <typename Part>
  Status add_part(const Part& part, const std::string& name, std::vector<Part>& parts,
                  std::unordered_map<std::string, std::size_t>& known) {
    const auto [at, is_new] = known.try_emplace(name, parts.size());
    if (is_new) parts.push_back(part);
    if (parts[at->second] == part) return {};
    FlatRow before = row_;
    before.device = results_.devices[devices_.at(row_.device.uuid)];
    if (const auto run = runs_.find(row_.run.id); run != runs_.end())
      before.run = results_.runs[run->second];
    for (const Column& column : flat_columns()) {
      std::string ours, earlier;
      column.write(row_, ours);
      column.write(before, earlier);
      if (ours != earlier)
        return fail(Step::store, "column '{}': {} has {} here and {} in an earlier row",
                    column.name, name, ours.empty() ? "NULL" : ours,
                    earlier.empty() ? "NULL" : earlier);
    }
    bug("rows that differ in no column");
  }

  // Of all that makes a key.
  std::size_t fingerprint(const CsvRows& row) const {
    std::size_t sum = std::hash<Word>()(row_.hash);
    for (std::size_t n = 0; n < places_.size(); ++n)
      if (places_[n].is_key()) sum = sum * 31 + std::hash<std::string_view>()(row.raw(n));
    return sum;
  }

  Status add_variant(const CsvRows& row) {
    const Word& id = row_.point.variant_id;
    const auto [at, is_new] = variants_.try_emplace(id, Variant{fingerprint(row), row_.hash});
    if (!is_new && at->second.key != fingerprint(row))
      return fail(Step::store, "column 'id': {} has another key in an earlier row", id);
    if (is_new && row_.hash.empty()) at->second.hash = base::short_hash(id);
    row_.point.variant_hash = at->second.hash;
    if (!is_new) return {};
    KeyColumns key{std::vector<std::optional<std::string>>(axes_.size()), {}, {}};
    std::optional<launch::ProtocolLabels> labels;
    for (std::size_t n = 0; n < places_.size(); ++n) {
      const Place& place = places_[n];
      if (row.null(n)) continue;
      if (place.kind == Place::Kind::axis) key.values[place.number] = row.text(n);
      if (place.kind == Place::Kind::named) key.named = row.text(n);
      if (place.kind == Place::Kind::axis_order) key.axis_order = row.text(n);
      if (place.kind == Place::Kind::waits_on) labels.emplace().waits_on = row.text(n);
      if (place.kind == Place::Kind::blank && labels) labels->blank = split_words(row.text(n));
    }
    PHASEBIT_TRY_ASSIGN(variant, variant_of(key, axes_, pool_));
    if (!variant.has_key()) return {};
    variant.id = id;
    variant.hash = at->second.hash;
    PHASEBIT_TRY(check_id(variant));
    PHASEBIT_TRY(check_defaults(variant));
    if (labels) results_.catalogue.protocols.try_emplace(variant.value("protocol"), *labels);
    results_.variants.push_back(std::move(variant));
    return {};
  }

  // That the axes of the same components have one default each.
  Status check_defaults(const VariantRow& variant) {
    if (!default_lists_.insert(variant.defaults.get()).second) return {};
    const std::string components = display_id(*variant.defaults, {});
    for (const auto& [axis, value] : *variant.defaults) {
      const auto [at, is_new] = defaults_.try_emplace({components, axis}, value);
      if (at->second != value)
        return fail(Step::store,
                    "column '{}{}': '{}' is the default of {} here, and '{}' in an earlier row",
                    axis_prefix, axis, value, components, at->second);
    }
    return {};
  }

  void find_lacks() {
    std::string names;
    for (std::size_t number = 0; number < null_.size(); ++number) {
      const Column& column = flat_columns()[number];
      if (null_[number] && column.expected && column.expected(row_))
        names += (names.empty() ? "" : ",") + column.name;
    }
    row_.point.lacks = names;
  }

  void find_extra(const CsvRows& row) {
    nlohmann::json extra = nlohmann::json::object();
    for (std::size_t n = 0; n < places_.size(); ++n)
      if (places_[n].kind == Place::Kind::extra && !row.null(n))
        extra[places_[n].name] = row.text(n);
    row_.point.extra =
        extra.empty() ? std::string() : extra.dump(-1, ' ', false, replace_bad_letters);
  }

  // That a row does not contradict itself.
  Status check_figure() const {
    const Verdict verdict = row_.point.verdict;
    const std::string word = to_string(verdict);
    const bool needs_reason = verdict != Verdict::measured && verdict != Verdict::same_code;
    if (needs_reason && !row_.error_step)
      return fail(Step::store, "column 'error_step': NULL, and the verdict is '{}'", word);
    if (!row_.error_step && !row_.error.empty())
      return fail(Step::store, "column 'error': a message without a step");
    if (verdict == Verdict::measured && row_.error_step && row_.cycles)
      return fail(Step::store,
                  "column 'error_step': a reason against figures, and the verdict is "
                  "'measured'");
    PHASEBIT_TRY(check_conditions());
    if (!row_.cycles) return {};
    const Interval& interval = row_.figures.interval.interval;
    PHASEBIT_TRY(check_interval({"cycles", "ci_low", "ci_high"}, *row_.cycles, interval));
    PHASEBIT_TRY(check_line());
    // Noise may push a slope below 0, but not its interval too.
    if (*row_.cycles < 0 && !row_.lacks("ci_high") && interval.high < 0)
      return fail(Step::store, "column 'cycles': {} and its interval are below 0", *row_.cycles);
    static_assert(most_readings == 2);
    static constexpr IntervalNames names[] = {
        {"reading_1_value", "reading_1_ci_low", "reading_1_ci_high"},
        {"reading_2_value", "reading_2_ci_low", "reading_2_ci_high"}};
    for (std::size_t n = 0; n < most_readings; ++n)
      if (const FlatRow::Reading& reading = row_.readings[n]; reading.value)
        PHASEBIT_TRY(check_interval(names[n], *reading.value, reading.interval.interval));
    return {};
  }

  // That a row ran on its device, and has no figures where its code is another variant's.
  Status check_conditions() const {
    const bool is_same = row_.point.verdict == Verdict::same_code;
    if (is_same && row_.point.same_as.empty())
      return fail(Step::store, "column 'same_as': NULL, and the verdict is 'same_code'");
    if (is_same && row_.cycles)
      return fail(Step::store, "column 'cycles': {}, and the verdict is 'same_code'", *row_.cycles);
    const Conditions& at = row_.point.conditions;
    const int sms = row_.device.multiprocessors;
    if (sms > 0 && at.sm >= sms)
      return fail(Step::store, "column 'sm': {} of a device with {} multiprocessors", at.sm, sms);
    constexpr int bytes_of_nop = 16;
    if (at.padding % bytes_of_nop != 0)
      return fail(Step::store, "column 'padding': {} is not a number of NOPs, of {} bytes",
                  at.padding, bytes_of_nop);
    return {};
  }

  // Each sample is within the worst residual of the line, and two samples of a round are at least
  // one item apart: so is the slope of each round, with twice that, of the line's.
  Status check_line() const {
    const Line& fit = row_.figures.fit;
    if (row_.lacks("slope") || row_.lacks("worst_residual_cycles")) return {};
    constexpr double rounding = 0.5, of_slope = 0.001;
    const double most = 2 * (std::abs(fit.worst_residual) + rounding) + of_slope;
    if (std::abs(*row_.cycles - fit.slope) <= most) return {};
    return fail(Step::store,
                "column 'cycles': {}, but the line through its samples has a slope of {} and they "
                "are {} cycles from it at most",
                *row_.cycles, fit.slope, std::abs(fit.worst_residual));
  }

  struct IntervalNames {
    std::string_view value, low, high;
  };
  // A median is within its interval.
  Status check_interval(const IntervalNames& names, double value, const Interval& interval) const {
    if (row_.lacks(names.low) || row_.lacks(names.high)) return {};
    if (interval.low > interval.high)
      return fail(Step::store, "column '{}': {} is above {}, {}", names.low, interval.low,
                  names.high, interval.high);
    if (value < interval.low || value > interval.high)
      return fail(Step::store, "column '{}': {} is outside of its interval, {} to {}", names.value,
                  value, interval.low, interval.high);
    return {};
  }

  // That each row of the same code has the row with its figures.
  Status check_figure_points(const fs::path& path) const {
    for (const auto& [place, number] : figure_points_)
      if (!numbers_.contains(number))
        return with_hint(
            fail(Step::store, "{}: row {}: column 'figure_point': there is no point {}",
                 path.string(), place + 1, number),
            "the file may be cut: copy it again from where it is whole");
    PHASEBIT_TRY(check_same_code(path));
    if (const auto other = repeats_.check_figure_classes())
      return fail(Step::store, "{}: row {}: {}", path.string(), other->place + 1, other->message);
    return {};
  }

  // That its figures are those of the variant that it names.
  Status check_same_code(const fs::path& path) const {
    std::unordered_map<std::size_t, std::uint64_t> named(figure_points_.begin(),
                                                         figure_points_.end());
    const MeasuredCode measured = measured_code(results_);
    for (std::size_t place = 0; place < results_.points.size(); ++place) {
      const PointRow& point = results_.points[place];
      if (point.verdict != Verdict::same_code) continue;
      const auto refuse = [&](const std::string& what) {
        return fail(Step::store, "{}: row {}: column 'figure_point': {}", path.string(), place + 1,
                    what);
      };
      if (const auto at = named.find(place); at == named.end()) {
        if (measured.find(point) != nullptr)
          return refuse(fmt::format("NULL, and there are figures of {}", point.same_as));
      } else if (const PointRow& other = results_.points[numbers_.at(at->second).point];
                 other.variant_id != point.same_as) {
        return refuse(fmt::format("{}, which is of {}, and same_as is {}", at->second,
                                  other.variant_id, point.same_as));
      }
    }
    return {};
  }

  // That figures are those of their samples, in the columns that the file has.
  Status check_samples(const fs::path& path) const {
    for (std::size_t place = 0; place < results_.points.size(); ++place) {
      const PointRow& point = results_.points[place];
      if (!point.summary || point.samples.empty()) continue;
      PointRow again = point;
      again.summary.reset();
      add_summary(again);
      if (again.summary == point.summary) continue;
      if (const Status same = same_figures(point, again); !same)
        return fail(Step::store, "{}: row {}: {}", path.string(), place + 1, same.error().message);
    }
    return {};
  }
  Status same_figures(const PointRow& point, const PointRow& again) const {
    if (!again.summary)
      return fail(Step::store, "column 'cycles': {}, but its samples give no figure",
                  point.summary->cycles);
    FlatRow stated, made;
    set_point(stated, point);
    set_point(made, again);
    for (const Place& place : places_) {
      if (place.kind != Place::Kind::column || stated.lacks(place.name)) continue;
      std::string ours, theirs;
      flat_columns()[place.number].write(stated, ours);
      flat_columns()[place.number].write(made, theirs);
      if (ours != theirs)
        return fail(Step::store, "column '{}': {}, but its samples give {}", place.name,
                    ours.empty() ? "NULL" : ours, theirs.empty() ? "NULL" : theirs);
    }
    return {};
  }

  Status add_point() {
    PHASEBIT_TRY(check_figure());
    const std::size_t place = results_.points.size();
    if (!numbers_.try_emplace(row_.number, SampleRow{place, row_.samples}).second)
      return fail(Step::store, "column 'point': {} is the number of an earlier row", row_.number);
    if (row_.figure_point) figure_points_.emplace_back(place, *row_.figure_point);
    any_samples_ = any_samples_ || row_.samples > 0;
    row_.point.device_uuid = row_.device.uuid;
    row_.point.run_id = row_.run.id;
    PHASEBIT_TRY(repeats_.add(row_));
    results_.points.push_back(point_of(row_));
    return {};
  }

  static constexpr auto replace_bad_letters = nlohmann::json::error_handler_t::replace;
  struct Variant {
    std::size_t key = 0;
    Word hash;
  };

  std::vector<Place> places_;
  std::vector<std::string> axes_;
  std::vector<bool> null_;  // of flat_columns(): not there, or NULL in this row
  std::array<bool, 3> part_changed_{};
  bool key_changed_ = false, lacks_changed_ = false, extra_changed_ = false;
  FlatRow row_;
  Results results_;
  std::unordered_map<std::string, std::size_t> devices_, runs_;
  std::unordered_map<Word, Variant> variants_;
  std::unordered_map<std::uint64_t, SampleRow> numbers_;
  std::vector<std::pair<std::size_t, std::uint64_t>> figure_points_;  // by the place of the row
  std::set<const launch::KeyAxes*> default_lists_;  // of pool_, those that were checked
  std::map<std::pair<std::string, std::string>, std::string> defaults_;  // by components and axis
  KeyPool pool_;
  FlatRepeats repeats_;
  bool any_samples_ = false;
};

}  // namespace

Result<Results> read_flat(const fs::path& path, std::string_view content,
                          const SampleWish& wanted) {
  FlatReader reader;
  PHASEBIT_TRY(
      each_row(path.string(), content, [&](const CsvRows& row) { return reader.take(row); }));
  return reader.finish(path, wanted);
}

namespace {

void sort_devices_and_runs(Results& results) {
  std::ranges::sort(results.devices, {}, &DeviceRow::uuid);
  std::ranges::sort(results.runs, [](const RunRow& a, const RunRow& b) {
    return std::tie(a.started, a.id) < std::tie(b.started, b.id);
  });
}

// Puts the row that is `order[i]` in place i. A row is some hundred bytes: each is moved once.
void permute(std::vector<PointRow>& points, std::vector<std::size_t> order) {
  for (std::size_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    PointRow kept = std::move(points[first]);
    std::size_t at = first;
    for (; order[at] != first; at = std::exchange(order[at], at))
      points[at] = std::move(points[order[at]]);
    points[at] = std::move(kept);
    order[at] = at;
  }
}

// The rows of one run stay as they are among each other; `before` orders the rest.
template <typename Before>
void sort_points(Results& results, const Before& before) {
  std::unordered_map<Word, std::size_t> place;
  for (const RunRow& run : results.runs) place.emplace(run.id, place.size());
  std::vector<std::size_t> run_of, order;
  for (const PointRow& point : results.points) {
    run_of.push_back(place.emplace(point.run_id, place.size()).first->second);
    order.push_back(order.size());
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (run_of[a] != run_of[b]) return run_of[a] < run_of[b];
    return before(results.points[a], results.points[b]);
  });
  permute(results.points, std::move(order));
}

bool before_in_file(const PointRow& a, const PointRow& b) {
  return std::tie(a.variant_id, a.device_uuid, a.repetition) <
         std::tie(b.variant_id, b.device_uuid, b.repetition);
}

}  // namespace

Results sorted_by_run(Results results) {
  sort_devices_and_runs(results);
  sort_points(results, [](const PointRow&, const PointRow&) { return false; });
  return results;
}

Results in_file_order(Results results) {
  sort_devices_and_runs(results);
  sort_points(results, before_in_file);
  std::unordered_map<Word, std::size_t> place;
  for (const PointRow& point : results.points) place.emplace(point.variant_id, place.size());
  const auto place_of = [&](const VariantRow& variant) {
    const auto at = place.find(variant.id);
    return at == place.end() ? place.size() : at->second;
  };
  std::ranges::stable_sort(results.variants, {}, place_of);
  return results;
}

launch::CatalogueFacts facts_of(const Results& results) {
  std::map<std::string, std::map<std::string, std::size_t>> defaults;
  std::map<const launch::KeyAxes*, std::size_t> lists;
  for (const VariantRow& variant : results.variants)
    if (variant.has_key()) ++lists[variant.defaults.get()];
  for (const auto& [list, variants] : lists)
    for (const auto& [axis, value] : *list) defaults[axis][value] += variants;
  for (const char* component : launch::component_axes) defaults.erase(component);
  launch::CatalogueFacts facts{{}, results.catalogue.protocols};
  for (const auto& [axis, values] : defaults)
    facts.axes[axis].default_value =
        std::ranges::max_element(values, {}, [](const auto& one) { return one.second; })->first;
  return facts;
}

}  // namespace phasebit::results
