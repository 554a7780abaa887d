#include "core/results/flat_columns.h"

#include "core/base/text.h"
#include "core/results/csv_rows.h"
#include "core/results/record.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace phasebit::results {

namespace {

template <std::integral T>
bool read_value(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && value >= 0;
}
bool read_value(std::string_view text, double& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}
bool read_value(std::string_view text, bool& value) {
  value = text == "true" || text == "True";  // pandas writes it large
  return value || text == "false" || text == "False";
}
bool read_value(std::string_view text, Word& value) {
  value = text;
  return true;
}
bool read_value(std::string_view text, std::string& value) {
  value = text;
  return true;
}
template <typename T>
bool read_word(const std::optional<T>& named, T& value) {
  value = named.value_or(T{});
  return named.has_value();
}
bool read_value(std::string_view text, PointKind& value) {
  return read_word(point_kind(text), value);
}
bool read_value(std::string_view text, Verdict& value) {
  return read_word(verdict_named(text), value);
}
bool read_value(std::string_view text, Step& value) {
  return read_word(step_named(text), value);
}
bool read_value(std::string_view text, Counter& value) {
  const std::size_t end = text.find('=');
  value.name = text.substr(0, end);
  return end != std::string_view::npos && is_counter_name(value.name) &&
         read_value(text.substr(end + 1), value.value);
}
template <typename T>
bool read_value(std::string_view text, std::vector<T>& values) {
  values.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!read_value(text.substr(0, end), values.emplace_back())) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}
template <typename T>
bool read_value(std::string_view text, std::optional<T>& value) {
  return read_value(text, value.emplace());
}

template <typename T>
  requires std::is_arithmetic_v<T>
std::string text_of(T value) {
  return fmt::format("{}", value);
}
std::string text_of(std::string_view value) {
  return csv_text(value);
}
std::string text_of(PointKind value) {
  return to_string(value);
}
std::string text_of(Verdict value) {
  return to_string(value);
}
std::string text_of(Step value) {
  return std::string(base::to_string(value));
}
std::string text_of(const Counter& value) {
  return fmt::format("{}={}", value.name, value.value);
}
template <typename T>
std::string text_of(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : " ") + text_of(value);
  return text;
}
template <typename T>
std::string text_of(const std::optional<T>& value) {
  return text_of(value.value());
}

template <typename T>
const char* wanted_of(const T&) {
  return std::is_integral_v<T> ? "a whole number in range" : "a word that it can have";
}
const char* wanted_of(double) {
  return "a number";
}
const char* wanted_of(bool) {
  return "true or false";
}
template <typename T>
const char* wanted_of(const std::vector<T>&) {
  return "numbers with blanks between";
}
const char* wanted_of(const std::vector<Counter>&) {
  return "names with numbers, NAME=NUMBER, with blanks between";
}
template <typename T>
const char* wanted_of(const std::optional<T>&) {
  return wanted_of(T{});
}

bool always(const FlatRow&) {
  return true;
}
bool with_figures(const FlatRow& row) {
  return row.cycles.has_value();
}

using Expected = bool (*)(const FlatRow&);

class Columns {
 public:
  std::vector<Column> all;
  Column::Part part = Column::Part::point;

  // `field` gives the place of the value in a row. What equals an empty row's is NULL.
  template <typename Place>
  Column& may(std::string name, const Place& field) {
    Column& column = add(std::move(name), field);
    column.write = [field, write = column.write](const FlatRow& row, std::string& line) {
      static const FlatRow empty;
      if (of(field, row) != of(field, empty)) write(row, line);
    };
    return column;
  }
  // A value where `expected` says so.
  template <typename Place>
  Column& has(std::string name, const Place& field, Expected expected = always) {
    Column& column = add(std::move(name), field);
    column.expected = expected;
    return column;
  }
  template <typename Place>
  void needs(std::string name, const Place& field) {
    has(std::move(name), field).required = true;
  }

 private:
  template <typename Place>
  static const auto& of(const Place& field, const FlatRow& row) {
    return field(const_cast<FlatRow&>(row));  // read alone
  }
  template <typename Place>
  Column& add(std::string name, const Place& field) {
    Column& column = all.emplace_back();
    column.name = std::move(name);
    column.part = part;
    static const FlatRow empty;
    column.wanted = wanted_of(of(field, empty));
    column.read = [field](std::string_view text, FlatRow& row) {
      return read_value(text, field(row));
    };
    column.clear = [field](FlatRow& row) { field(row) = of(field, empty); };
    column.write = [field](const FlatRow& row, std::string& line) {
      line += text_of(of(field, row));
    };
    return column;
  }
};

// The place of a value in a row.
#define PLACE(member) [](FlatRow& row) -> auto& { return row.member; }

void add_identity(Columns& columns) {
  columns.needs("point", PLACE(number));
  columns.may("figure_point", PLACE(figure_point));
  columns.needs("kind", PLACE(point.kind));
  columns.needs("id", PLACE(point.variant_id));
  columns.may("hash", PLACE(hash));
  columns.needs("verdict", PLACE(point.verdict));
  columns.may("same_as", PLACE(point.same_as));
  columns.may("unit", PLACE(point.unit));
}

void add_figures(Columns& columns) {
  columns.may("cycles", PLACE(cycles)).required = true;
  columns.has("ci_low", PLACE(figures.interval.interval.low), with_figures);
  columns.has("ci_high", PLACE(figures.interval.interval.high), with_figures);
  columns.has("ci_reached", PLACE(figures.interval.reached), with_figures);
  columns.has("interval_ok", PLACE(interval_ok),
              [](const FlatRow& row) { return with_figures(row) || !row.interval_ok; });
  columns.has("slope", PLACE(figures.fit.slope), with_figures);
  columns.has("intercept_cycles", PLACE(figures.fit.intercept), with_figures);
  columns.has("r2", PLACE(figures.fit.r2), with_figures);
  columns.has("worst_residual_cycles", PLACE(figures.fit.worst_residual), with_figures);
  columns.has("rounds", PLACE(figures.rounds), with_figures);
  columns.may("modes", PLACE(figures.modes));
  columns.may("segments", PLACE(segments));
}

template <std::size_t n>
void add_reading(Columns& columns) {
  const std::string name = fmt::format("reading_{}", n + 1);
  const auto add = [&](const char* suffix) { return name + suffix; };
  const Expected with_value = [](const FlatRow& row) { return row.readings[n].value.has_value(); };
  columns.may(name, PLACE(readings[n].of.name));
  columns.may(add("_unit"), PLACE(readings[n].of.unit));
  columns.may(add("_value"), PLACE(readings[n].value));
  columns.has(add("_ci_low"), PLACE(readings[n].interval.interval.low), with_value);
  columns.has(add("_ci_high"), PLACE(readings[n].interval.interval.high), with_value);
  columns.has(add("_ci_reached"), PLACE(readings[n].interval.reached), with_value);
  columns.has(add("_interval_ok"), PLACE(readings[n].interval_ok), [](const FlatRow& row) {
    return row.readings[n].value.has_value() || !row.readings[n].interval_ok;
  });
  columns.may(add("_segments"), PLACE(readings[n].segments));
}

void add_quality(Columns& columns) {
  columns.may("megahertz", PLACE(point.megahertz));
  columns.has("clock_ok", PLACE(point.quality.clock_ok));
  columns.has("throttled", PLACE(point.quality.throttled));
  columns.has("several_modes", PLACE(point.quality.modes));
  columns.has("items_only", PLACE(point.quality.items_only));
  columns.has("outputs_verified", PLACE(point.quality.outputs_verified));
  columns.has("padded", PLACE(point.quality.padded));
  columns.has("first_use", PLACE(point.quality.first_use));
  Column& gate = columns.may("gate", PLACE(point.quality.gate));
  gate.wanted = fmt::format("{} or {}", gate_by_rules_file, no_gate);
  gate.read = [](std::string_view text, FlatRow& row) {
    row.point.quality.gate = text;
    return text == gate_by_rules_file || text == no_gate;
  };
  columns.may("gpu_sm_megahertz", PLACE(point.state.sm_megahertz));
  columns.may("gpu_memory_megahertz", PLACE(point.state.memory_megahertz));
  columns.may("gpu_watts", PLACE(point.state.watts));
  columns.may("counters", PLACE(point.counters));
  columns.may("no_counters", PLACE(point.quality.no_counters));
  columns.may("error_step", PLACE(error_step));
  columns.may("error", PLACE(error));
  columns.may("samples", PLACE(samples));
}

void add_conditions(Columns& columns) {
  columns.needs("repetition", PLACE(point.repetition));
  columns.has("aa_control", PLACE(point.aa_control));
  columns.has("sm", PLACE(point.conditions.sm));
  columns.has("first_warp", PLACE(point.conditions.first_warp));
  columns.has("start_offset", PLACE(point.conditions.start_offset));
  columns.has("padding", PLACE(point.conditions.padding));
  columns.has("gap_after", PLACE(point.conditions.gap_after));
  columns.has("gap_warps", PLACE(point.conditions.gap_warps));
  columns.may("ran_on", PLACE(point.sms));
  columns.may("text_hash", PLACE(point.text_hash));
  columns.may("ptx_hash", PLACE(point.ptx_hash));
  columns.may("sass_class", PLACE(point.sass_class));
  columns.may("module", PLACE(point.module));
}

void add_device(Columns& columns) {
  columns.part = Column::Part::device;
  columns.needs("device", PLACE(device.uuid));
  columns.needs("device_name", PLACE(device.name));
  columns.may("device_driver", PLACE(device.driver));
  columns.may("device_target", PLACE(device.target));
  columns.may("device_multiprocessors", PLACE(device.multiprocessors));
  columns.may("device_l2_bytes", PLACE(device.l2_bytes));
  columns.may("device_max_clock_khz", PLACE(device.max_clock_khz));
}

void add_run(Columns& columns) {
  columns.part = Column::Part::run;
  columns.needs("run", PLACE(run.id));
  columns.may("run_started", PLACE(run.started)).required = true;
  columns.may("run_command", PLACE(run.command)).required = true;
  columns.may("run_commit", PLACE(run.commit)).required = true;
  columns.may("run_ptxas", PLACE(run.ptxas)).required = true;
  columns.may("run_driver", PLACE(run.driver)).required = true;
  columns.may("run_target", PLACE(run.target));
  columns.may("run_sweep", PLACE(run.sweep));
  columns.may("run_order_seed", PLACE(run.order_seed));
  columns.may("run_timer_tick_ns", PLACE(run.timer_tick_ns));
}

#undef PLACE

}  // namespace

std::span<const Column> flat_columns() {
  static const std::vector<Column> all = [] {
    Columns columns;
    add_identity(columns);
    add_figures(columns);
    static_assert(most_readings == 2);
    add_reading<0>(columns);
    add_reading<1>(columns);
    add_quality(columns);
    add_conditions(columns);
    add_device(columns);
    add_run(columns);
    return std::move(columns.all);
  }();
  return all;
}

bool FlatRow::lacks(std::string_view column) const {
  const auto names = base::split(point.lacks.text(), ',');
  return std::ranges::find(names, column) != names.end();
}

PointRow point_of(const FlatRow& row) {
  PointRow point = row.point;
  Quality& quality = point.quality;
  const auto judge = [&](const std::string& name, bool ok, const std::vector<double>& segments) {
    if (!ok) quality.too_wide.push_back(name);
    if (!segments.empty()) quality.bends.push_back({name, segments});
  };
  judge({}, row.interval_ok, row.segments);
  if (row.cycles) {
    Summary& figures = point.summary.emplace(row.figures);
    figures.cycles = *row.cycles;
    if (figures.modes.empty()) figures.modes = {*row.cycles};
  }
  for (const FlatRow::Reading& reading : row.readings) {
    if (reading.of.name.empty()) continue;
    point.readings.push_back(reading.of);
    if (point.summary && reading.value)
      point.summary->readings.push_back({*reading.value, reading.interval});
    judge(reading.of.name, reading.interval_ok, reading.segments);
  }
  if (row.error_step) point.error = PointError{*row.error_step, row.error};
  return point;
}

namespace {

void set_figures(FlatRow& row, const Summary& figures) {
  row.cycles = figures.cycles;
  row.figures = figures;
  if (figures.modes == std::vector<double>{figures.cycles}) row.figures.modes.clear();
  for (std::size_t n = 0; n < figures.readings.size(); ++n) {
    row.readings[n].value = figures.readings[n].value;
    row.readings[n].interval = figures.readings[n].interval;
  }
}

}  // namespace

void set_point(FlatRow& row, const PointRow& point) {
  const std::size_t readings = point.readings.size();
  if (readings > most_readings || (point.summary && point.summary->readings.size() > readings))
    bug("a point with more readings than a results file has columns for");
  FlatRow made;
  made.point = point;
  for (std::size_t n = 0; n < readings; ++n) made.readings[n].of = point.readings[n];
  if (const auto figures = summary_of(point)) set_figures(made, *figures);
  if (point.error) {
    made.error_step = point.error->step;
    made.error = point.error->message;
  }
  const Quality& quality = point.quality;
  const auto part_of = [&](const std::string& name, auto& of_cycles, auto member) -> auto& {
    for (std::size_t n = 0; n < readings; ++n)
      if (!name.empty() && point.readings[n].name == name) return made.readings[n].*member;
    return of_cycles;
  };
  for (const std::string& name : quality.too_wide)
    part_of(name, made.interval_ok, &FlatRow::Reading::interval_ok) = false;
  for (const Bend& bend : quality.bends)
    part_of(bend.reading, made.segments, &FlatRow::Reading::segments) = bend.slopes;
  made.point.quality.too_wide.clear();
  made.point.quality.bends.clear();
  made.point.samples.clear();
  made.point.summary.reset();
  made.point.error.reset();
  made.point.readings.clear();
  made.device = std::move(row.device);
  made.run = std::move(row.run);
  row = std::move(made);
}

}  // namespace phasebit::results
