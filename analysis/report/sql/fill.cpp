#include "analysis/report/sql/fill.h"

#include "analysis/report/data/barrier_word.h"
#include "analysis/report/data/report_data.h"
#include "analysis/report/data/without_loop.h"
#include "analysis/report/sql/figures.h"
#include "analysis/report/sql/schema.h"
#include "analysis/report/sql/text.h"
#include "analysis/report/sql/views.h"
#include "core/base/text.h"
#include "core/isa/forms.h"
#include "core/results/statistics.h"
#include "core/results/variant_row.h"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/ranges.h>

namespace phasebit::report::sql {

using data::Aggregate;
using data::ReportData;
using data::VariantAxes;
using results::PointRow;
using results::Results;
using results::VariantRow;

namespace {

struct Blob {
  const data::AtConditions& all;
};

// One prepared INSERT, used for many rows.
class Inserter {
 public:
  Inserter(SQLite::Database& sqlite, const std::string& table)
      : statement_(sqlite,
                   fmt::format("INSERT INTO {} VALUES({})", table,
                               fmt::join(std::vector<char>(columns_of(sqlite, table), '?'), ","))) {
  }
  template <typename... Values>
  void add(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    finish();
  }
  void bind(int index, const std::string& value) { statement_.bindNoCopy(index, value); }
  void bind(int index, std::string_view value) { statement_.bind(index, std::string(value)); }
  void bind(int index, const char* value) { statement_.bind(index, value); }
  template <typename Value>
  void bind(int index, const std::optional<Value>& value) {
    value ? bind(index, *value) : statement_.bind(index);
  }
  template <std::integral Number>
  void bind(int index, Number value) {
    statement_.bind(index, static_cast<std::int64_t>(value));
  }
  void bind(int index, double value) { statement_.bind(index, value); }
  void bind(int index, const Blob& value) {
    const std::string_view bytes = conditions_bytes(value.all);
    statement_.bindNoCopy(index, bytes.data(), static_cast<int>(bytes.size()));
  }
  void bind(int index, std::nullptr_t) { statement_.bind(index); }
  void finish() {
    statement_.exec();
    statement_.reset();
  }

 private:
  static size_t columns_of(SQLite::Database& sqlite, const std::string& table) {
    SQLite::Statement count(sqlite, "SELECT count(*) FROM pragma_table_info(?)");
    count.bind(1, table);
    count.executeStep();
    return static_cast<size_t>(count.getColumn(0).getInt64());
  }

  SQLite::Statement statement_;
};

// The components, which every variant but an anchor has, and every axis that some variant has, in
// the order in which they come.
std::vector<std::string> axes_of(const Results& results) {
  std::vector<std::string> axes = {"probe", "protocol", "mover", "work"};
  std::set<std::string> seen(axes.begin(), axes.end());
  std::set<const launch::KeyAxes*> lists;
  const auto add = [&](const launch::KeyAxes& some) {
    for (const auto& [axis, value] : some)
      if (seen.insert(axis).second) axes.push_back(axis);
  };
  for (const VariantRow& variant : results.variants)
    if (variant.has_key() && lists.insert(variant.defaults.get()).second) add(*variant.defaults);
  for (const VariantRow& variant : results.variants) add(variant.named);
  return axes;
}

// Those that have some value that is not a whole number.
std::set<std::string> axes_of_words(const Results& results) {
  std::set<std::string> axes;
  std::set<const launch::KeyAxes*> lists;
  const auto add = [&](const launch::KeyAxes& some) {
    for (const auto& [axis, value] : some)
      if (!is_whole_number(value)) axes.insert(axis);
  };
  for (const VariantRow& variant : results.variants) {
    if (variant.has_key() && lists.insert(variant.defaults.get()).second) add(*variant.defaults);
    add(variant.named);
  }
  return axes;
}

void bind_axis(Inserter& row, int index, const std::string* value) {
  if (value == nullptr)
    row.bind(index, nullptr);
  else if (is_whole_number(*value))
    row.bind(index, std::stoll(*value));
  else
    row.bind(index, *value);
}

// What is asked of a set of GPUs is in its rows; `numbers` are the variants'.
class Filler {
 public:
  Filler(SQLite::Database& sqlite, const Results& results)
      : sqlite_(sqlite),
        results_(results),
        keys_(results),
        default_rows_(sqlite, "key_defaults"),
        code_rows_(sqlite, "code"),
        group_rows_(sqlite, "figure_group") {}

  Status fill_all() {
    fill_facts();
    fill_variants();
    fill_measurements();
    return fill_forms();
  }

  const data::VariantKeys& keys() const { return keys_; }

  void add_gpus(const ReportData& data, const std::string& name, bool is_model) {
    add_set(data, data.aggregation, name, "", is_model);
    fill_words(data);
    for (const RunKind& kind : run_kinds()) {
      const auto meant = [&](const VariantAxes& axes) { return names_any(axes, kind.axes); };
      const data::Aggregation own = data::of_runs_with(data, meant);
      if (own.points.empty()) continue;
      add_set(data, own, name, kind.name, is_model);
    }
  }

 private:
  static bool names_any(const VariantAxes& axes, const std::vector<std::string>& wanted) {
    const auto& named = axes.variant().named;
    return std::any_of(named.begin(), named.end(), [&](const auto& one) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& axis) {
        return axis == one.first ||
               (axis.ends_with('*') && one.first.starts_with(axis.substr(0, axis.size() - 1)));
      });
    });
  }

  Status fill_forms() {
    PHASEBIT_TRY_ASSIGN(table, isa::FormTable::load());
    Inserter row(sqlite_, "form"), target(sqlite_, "form_target");
    int place = 0;
    for (const isa::Form& form : table.forms()) {
      row.add(form.id, ++place, form.family, form.text, table.lowest_target(form));
      for (const std::string& one : table.targets())
        if (table.accepts(form, one)) target.add(form.id, one);
    }
    return {};
  }

  void fill_facts() {
    Inserter device(sqlite_, "device"), run(sqlite_, "run"), axis(sqlite_, "axis"),
        protocol(sqlite_, "protocol");
    for (const results::DeviceRow& row : results_.devices)
      device.add(number_in(devices_, row.uuid), row.uuid, row.name, row.driver, row.target,
                 row.multiprocessors, row.l2_bytes, row.max_clock_khz);
    for (const results::RunRow& row : results_.runs) {
      run.add(number_in(runs_, row.id), row.id, row.started, row.command, row.commit, row.ptxas,
              row.target, row.sweep, static_cast<std::int64_t>(row.order_seed), row.timer_tick_ns,
              row.driver);
    }
    axes_ = axes_of(results_);
    for (const std::string& name : axes_) {
      const std::string* first = results_.catalogue.default_of(name);
      axis.add(name, axis_column(name), first == nullptr ? std::string() : *first);
    }
    for (const auto& [name, labels] : results_.catalogue.protocols)
      protocol.add(name, labels.waits_on, fmt::format("{}", fmt::join(labels.blank, " ")));
  }

  void fill_variants() {
    // Of an integer column '8' is 8; without a type every number would be less than every text.
    const std::set<std::string> words = axes_of_words(results_);
    for (const std::string& axis : axes_)
      sqlite_.exec(fmt::format("ALTER TABLE variant ADD COLUMN {} {}", sql_name(axis_column(axis)),
                               words.contains(axis) ? "" : "INTEGER"));
    variants_.emplace(sqlite_, "variant");
    for (const VariantRow& variant : results_.variants) variant_number(keys_.of(variant.id));
  }

  // A figure without its loop is of a variant that need not have been measured.
  std::int64_t variant_number(const VariantAxes& axes) {
    const VariantRow& variant = axes.variant();
    const auto [known, is_new] =
        numbers_.emplace(variant.id, static_cast<std::int64_t>(numbers_.size()) + 1);
    if (!is_new) return known->second;
    const VariantTexts texts = variant_texts(axes);
    const std::string origin = results::to_string(results::origin_of(variant.axes()));
    int at = 0;
    variants_->bind(++at, known->second);
    variants_->bind(++at, defaults_of(variant));
    for (const std::string* text :
         {&variant.id, &texts.spelled, &texts.named, &texts.blank, &texts.waited_on,
          &texts.waited_axes, &texts.waited_order, &texts.warp_layout, &texts.warp_layout_order})
      variants_->bind(++at, *text);
    variants_->bind(++at, axes.is_as_declared());
    variants_->bind(++at, data::is_unrolled_item(axes));
    variants_->bind(++at, origin);
    for (const std::string& axis : axes_) bind_axis(*variants_, ++at, variant.find(axis));
    variants_->finish();
    return known->second;
  }

  // The axes at their defaults, a line each, which variants of the same components share.
  std::int64_t defaults_of(const VariantRow& variant) {
    if (variant.defaults == nullptr) return 0;
    const auto [known, is_new] =
        defaults_.emplace(variant.defaults.get(), static_cast<std::int64_t>(defaults_.size()) + 1);
    if (!is_new) return known->second;
    std::string lines;
    for (const auto& [axis, value] : *variant.defaults)
      lines += fmt::format("{}={}\n", axis, value);
    default_rows_.add(known->second, lines);
    return known->second;
  }

  // The number of a row by its name, in the order of the names.
  template <typename Name>
  static std::int64_t number_in(std::map<Name, std::int64_t>& numbers, const Name& name) {
    return numbers.emplace(name, static_cast<std::int64_t>(numbers.size()) + 1).first->second;
  }

  std::int64_t code_of(const std::string& text_hash, const std::string& sass_class) {
    const auto [known, is_new] = codes_.emplace(std::pair(text_hash, sass_class),
                                                static_cast<std::int64_t>(codes_.size()) + 1);
    if (is_new) code_rows_.add(known->second, text_hash, sass_class);
    return known->second;
  }

  std::int64_t number_of(const std::string& id) const {
    const auto at = numbers_.find(id);
    return at == numbers_.end() ? 0 : at->second;
  }

  void fill_measurements() {
    Inserter row(sqlite_, "measurement"), counter(sqlite_, "counter");
    std::int64_t number = 0;
    for (const PointRow& point : results_.points) {
      const auto summary = results::summary_of(point);
      const bool good = !point.error && summary.has_value();
      const auto of_summary = [&](auto value) {
        return good ? std::optional<double>(value(*summary)) : std::nullopt;
      };
      const results::Conditions& at = point.conditions;
      const results::DeviceState& state = point.state;
      row.add(++number, number_of(point.variant_id), number_in(devices_, point.device_uuid.text()),
              number_in(runs_, point.run_id.text()), code_of(point.text_hash, point.sass_class),
              results::to_string(point.kind), point.repetition, point.aa_control,
              results::to_string(point.verdict), point.same_as.text(),
              point.error ? base::to_string(point.error->step) : std::string_view(),
              point.error ? point.error->message : std::string(), point.unit.text(),
              of_summary([](const auto& one) { return one.cycles; }),
              of_summary([](const auto& one) { return one.interval.interval.low; }),
              of_summary([](const auto& one) { return one.interval.interval.high; }),
              good ? summary->rounds : 0, point.megahertz, at.sm, at.first_warp, at.start_offset,
              at.padding, at.gap_after, at.gap_warps, fmt::format("{}", fmt::join(point.sms, ",")),
              fmt::format("{}", fmt::join(results::words_of(point.quality), " ")),
              state.sm_megahertz, state.memory_megahertz, state.watts,
              point.quality.no_counters.text());
      for (const results::Counter& one : point.counters) counter.add(number, one.name, one.value);
    }
  }

  void add_set(const ReportData& data, const data::Aggregation& all, const std::string& name,
               const std::string& runs, bool is_model) {
    ++gpus_;
    Inserter(sqlite_, "gpus").add(gpus_, name, data.devices.front().name, runs, is_model);
    Inserter run(sqlite_, "run_of_gpus");
    for (const results::RunRow& one : data.runs) run.add(gpus_, number_in(runs_, one.id));
    Inserter floor(sqlite_, "floor_row");
    for (const auto& [stratum, one] : all.floors)
      floor.add(gpus_, stratum, one.cycles, one.percent);
    Inserter pair(sqlite_, "aa_pair");
    for (const data::AaPair& one : all.aa)
      pair.add(gpus_,
               one.between == data::AaPair::Between::control ? "control, same repetition"
                                                             : "repetitions",
               number_of(one.id), number_of(one.other_id), one.stratum, one.a_cycles, one.b_cycles);
    add_figures(all.points, "point", "cycles");
    add_figures(all.without_loop, "point", "without_loop");
    add_figures(all.together, "point", "together");
    add_figures(all.anchors, "anchor", "cycles");
    add_figures(all.modes, "modes", "cycles");
    add_form_costs(all.points);
  }

  void add_figures(const std::vector<Aggregate>& figures, const char* kind, const char* quantity) {
    Inserter row(sqlite_, "figure_row");
    for (size_t n = 0; n < figures.size(); ++n) {
      const Aggregate& one = figures[n];
      const bool newest = n + 1 == figures.size() || figures[n + 1].id != one.id;
      add_figure(row, one, kind, quantity, newest);
      if (quantity != std::string_view("together") &&
          (one.reason.empty() || one.reason.what == data::Missing::several_values))
        for (const data::ReadingFigure& reading : one.readings)
          add_reading(row, one, reading, kind, newest);
    }
  }

  void add_figure(Inserter& row, const Aggregate& one, const char* kind, const char* quantity,
                  bool newest) {
    const data::Figure figure = data::figure_of(one);
    add_row(row, one, figure, {kind, quantity, one.unit, one.interval, newest});
  }

  void add_reading(Inserter& row, const Aggregate& one, const data::ReadingFigure& reading,
                   const char* kind, bool newest) {
    const data::Figure figure = data::figure_of(one, reading.name);
    add_row(row, one, figure, {kind, reading.name, reading.unit, reading.interval, newest});
  }

  struct FigureColumns {
    std::string kind, quantity, unit;
    results::Interval interval;
    bool newest = false;
    std::string label = {};
  };

  void add_row(Inserter& row, const Aggregate& one, const data::Figure& figure,
               const FigureColumns& own) {
    const std::optional<double> none;
    const bool good = figure.reason.empty();
    const auto when_good = [&](double value) { return good ? std::optional(value) : none; };
    ++figures_;
    row.add(figures_, gpus_, variant_number(one.axes), number_in(devices_, one.device_uuid),
            code_of(one.text_hash, one.sass_class), own.kind, own.quantity, own.unit, own.newest,
            one.repetitions, one.errors, one.rounds, results::to_string(one.verdict),
            figure.reason.text, static_cast<int>(figure.reason.what),
            static_cast<int>(figure.reason.step), one.same_as, when_good(figure.value),
            when_good(own.interval.low), when_good(own.interval.high), when_good(figure.half_width),
            figure.interval_reached, when_good(one.intercept_cycles), when_good(one.r2),
            when_good(one.worst_residual_cycles), when_good(one.megahertz),
            one.repetition_difference_cycles, figure.spread, add_groups(figure), figure.factor,
            fmt::format("{}", fmt::join(results::words_of(figure.flags), " ")),
            flags_text(figure.flags), one.state.sm_megahertz, one.state.memory_megahertz,
            one.state.watts, one.run_ptxas, one.ran_on, own.label, Blob{figure.at},
            Blob{figure.at_of_runs});
  }

  // Of the figure that is added: how many groups its conditions form, where it has some.
  std::optional<std::size_t> add_groups(const data::Figure& figure) {
    if (figure.reason.empty()) return 1;
    if (figure.reason.what != data::Missing::several_values) return std::nullopt;
    const std::vector<data::Group> groups = data::groups_of(figure.at);
    std::size_t place = 0;
    for (const data::Group& one : groups)
      group_rows_.add(figures_, ++place, one.value, one.interval.low, one.interval.high,
                      one.members.size(), data::changes_of(one, figure.at.front().at));
    return groups.size();
  }

  void add_form_costs(const std::vector<Aggregate>& points) {
    Inserter row(sqlite_, "form_cost"), figure(sqlite_, "figure_row");
    const auto add = [&](const data::FormCost& cost, const data::Figure& one, bool is_there) {
      if (!is_there) return std::optional<std::int64_t>();
      const Aggregate& of = cost.small == nullptr ? points.front() : *cost.small;
      add_row(figure, of, one,
              {"form",
               "one",
               "cycles",
               {one.value - one.half_width, one.value + one.half_width},
               true,
               one.id});
      return std::optional(figures_);
    };
    for (const data::FormCost& cost : data::form_costs(points)) {
      const auto isolated = add(cost, cost.isolated, true);
      const auto loaded = add(cost, cost.loaded, cost.has_loaded);
      const auto link = add(cost, cost.link, cost.has_link);
      const auto alone = add(cost, cost.without_link, cost.has_link);
      row.add(gpus_, cost.form, cost.path, cost.measure, cost.lanes, cost.sass_class,
              cost.text_hashes, isolated, loaded, link, alone);
    }
  }

  void fill_words(const ReportData& data) {
    Inserter row(sqlite_, "barrier_word");
    for (const data::WordFieldRow& one : data::word_field_rows(data.rows, data.keys))
      row.add(gpus_, one.layout, one.quantity, one.bits, one.width, one.stored_as,
              one.different_values, one.words_read);
    Inserter mode(sqlite_, "mode_row");
    for (const data::ModeRow& one : data::mode_rows(data.rows))
      mode.add(gpus_, one.id, one.places, one.processes, one.modes, one.cycles, one.lowest,
               one.highest, one.separators, one.failed, one.reason, one.sms);
  }

  SQLite::Database& sqlite_;
  const Results& results_;
  data::VariantKeys keys_;
  std::vector<std::string> axes_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  Inserter default_rows_, code_rows_, group_rows_;
  std::optional<Inserter> variants_;  // their table has a column an axis
  std::map<std::string, std::int64_t> devices_, runs_;
  std::map<const launch::KeyAxes*, std::int64_t> defaults_;
  std::map<std::pair<std::string, std::string>, std::int64_t> codes_;
  std::int64_t gpus_ = 0, figures_ = first_figure;
};

}  // namespace

const std::vector<RunKind>& run_kinds() {
  static const std::vector<RunKind> kinds = {
      {"peers", {"nvcc"}}, {"by_hand", {"tuned", "snippet.*"}}, {"ptxas", {"ptxas"}}};
  return kinds;
}

Status fill(SQLite::Database& sqlite, Results results,
            const std::function<void(size_t done, size_t all)>& progress) {
  sqlite.exec(report_schema);
  Filler filler(sqlite, results);
  std::vector<std::pair<std::string, bool>> sets;  // name, whether it is a model's
  std::map<std::string, size_t> models;
  for (const results::DeviceRow& row : results.devices) {
    sets.emplace_back(row.uuid, false);
    ++models[row.name];
  }
  for (const auto& [name, count] : models)
    if (count > 1) sets.emplace_back(name, true);
  if (sets.empty()) return filler.fill_all();
  // The next set is computed while one is written.
  const auto compute = [&](size_t n) {
    return std::async(std::launch::async, [&, n] {
      return data::report_data_of(results, filler.keys(), sets[n].first);
    });
  };
  auto next = compute(0);
  PHASEBIT_TRY(filler.fill_all());
  for (size_t n = 0; n < sets.size(); ++n) {
    if (progress) progress(n, sets.size());
    PHASEBIT_TRY_ASSIGN(data, next.get());
    if (n + 1 < sets.size()) next = compute(n + 1);
    filler.add_gpus(data, sets[n].first, sets[n].second);
  }
  sqlite.exec(report_indices);
  return {};
}

}  // namespace phasebit::report::sql
