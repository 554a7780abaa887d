#include "analysis/report/sql/database.h"
#include "analysis/report/sql/flags_text.h"

#include <map>
#include <sstream>
#include <unordered_map>

namespace phasebit::report::sql {

using data::Aggregate;
using record::VariantRow;

namespace {

image::KeyAxes axes_of_lines(const std::string& text, bool skip_first) {
  image::KeyAxes axes;
  std::istringstream lines(text);
  std::string line;
  if (skip_first) std::getline(lines, line);
  while (std::getline(lines, line)) {
    const size_t equals = line.find('=');
    axes.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return axes;
}

// The variants of the rows that are asked for, each read once.
class Variants {
 public:
  explicit Variants(SQLite::Database& sqlite)
      : row_(sqlite, "SELECT id, key_defaults, spelled FROM variant WHERE v = ?"),
        catalogue_(catalogue_of(sqlite)) {
    SQLite::Statement row(sqlite, "SELECT k, axes FROM key_defaults");
    while (row.executeStep())
      defaults_[row.getColumn(0).getInt64()] = std::make_shared<const image::KeyAxes>(
          axes_of_lines(row.getColumn(1).getString(), false));
  }

  const data::VariantAxes& at(std::int64_t number) {
    const auto known = known_.find(number);
    if (known != known_.end()) return known->second;
    row_.reset();
    row_.bind(1, number);
    VariantRow variant;
    if (row_.executeStep())
      variant = {row_.getColumn(0).getString(),
                 {},
                 defaults_[row_.getColumn(1).getInt64()],
                 axes_of_lines(row_.getColumn(2).getString(), true)};
    return known_
        .emplace(number, data::VariantAxes(std::make_shared<const VariantRow>(std::move(variant)),
                                           catalogue_))
        .first->second;
  }

 private:
  static std::shared_ptr<const image::CatalogueFacts> catalogue_of(SQLite::Database& sqlite) {
    auto facts = std::make_shared<image::CatalogueFacts>();
    SQLite::Statement axis(sqlite, "SELECT name, first FROM axis");
    while (axis.executeStep())
      facts->axes[axis.getColumn(0).getString()] = {axis.getColumn(1).getString(), {}};
    SQLite::Statement protocol(sqlite, "SELECT name, waits_on, blank FROM protocol");
    while (protocol.executeStep()) {
      image::ProtocolLabels& labels = facts->protocols[protocol.getColumn(0).getString()];
      labels.waits_on = protocol.getColumn(1).getString();
      std::istringstream words(protocol.getColumn(2).getString());
      for (std::string word; words >> word;) labels.blank.push_back(word);
    }
    return facts;
  }

  SQLite::Statement row_;
  std::shared_ptr<const image::CatalogueFacts> catalogue_;
  std::map<std::int64_t, std::shared_ptr<const image::KeyAxes>> defaults_;
  std::unordered_map<std::int64_t, data::VariantAxes> known_;
};

constexpr const char* aggregate_query =
    "SELECT v, kind, quantity, unit, device.uuid, text_hash, sass_class, repetitions, errors, "
    "rounds, verdict, reason, missing, step, same_as, figure_row.cycles, low, high, interval_ok, "
    "intercept, r2, worst_residual, mhz, repetition_difference, spread, factor, flag_list, "
    "gpu_sm_mhz, gpu_memory_mhz, gpu_watts, run_ptxas, ran_on "
    "FROM figure_row JOIN device USING (d) JOIN code USING (c) "
    "WHERE g = ? AND kind <> 'form' ORDER BY f";

Aggregate aggregate_of(SQLite::Statement& row, Variants& variants) {
  int at = 2;
  const auto text = [&] { return row.getColumn(++at).getString(); };
  const auto number = [&] { return row.getColumn(++at).getInt(); };
  const auto real = [&] { return row.getColumn(++at).getDouble(); };
  Aggregate one;
  one.axes = variants.at(row.getColumn(0).getInt64());
  one.id = one.axes.variant().id;
  one.unit = text(), one.device_uuid = text(), one.text_hash = text(), one.sass_class = text();
  one.repetitions = number(), one.errors = number(), one.rounds = number();
  one.verdict = record::verdict_named(text()).value_or(record::Verdict::failed);
  one.reason.text = text();
  one.reason.what = static_cast<data::Missing>(number());
  one.reason.step = static_cast<Step>(number());
  one.same_as = text();
  one.cycles = real();
  one.interval.low = real(), one.interval.high = real();
  one.interval_reached = number() != 0;
  one.intercept_cycles = real(), one.r2 = real(), one.worst_residual_cycles = real();
  one.megahertz = real();
  if (!row.getColumn(++at).isNull())
    one.repetition_difference_cycles = row.getColumn(at).getDouble();
  one.spread_cycles = real(), one.spread_factor = text();
  one.flags = read_flags(text());
  one.state = {number(), number(), number()};
  one.run_ptxas = text(), one.ran_on = text();
  return one;
}

data::ReadingFigure reading_of(SQLite::Statement& row) {
  return {row.getColumn(2).getString(),
          row.getColumn(3).getString(),
          row.getColumn(15).getDouble(),
          {row.getColumn(16).getDouble(), row.getColumn(17).getDouble()},
          row.getColumn(18).getInt() != 0};
}

void read_figures(SQLite::Database& sqlite, std::int64_t g, data::Aggregation& all) {
  Variants variants(sqlite);
  SQLite::Statement row(sqlite, aggregate_query);
  row.bind(1, g);
  std::vector<Aggregate>* list = nullptr;
  while (row.executeStep()) {
    const std::string kind = row.getColumn(1).getString(), quantity = row.getColumn(2).getString();
    if (quantity != "cycles" && quantity != "without_loop") {
      list->back().readings.push_back(reading_of(row));
      continue;
    }
    list = quantity == "without_loop" ? &all.alone
           : kind == "anchor"         ? &all.anchors
           : kind == "modes"          ? &all.modes
                                      : &all.points;
    list->push_back(aggregate_of(row, variants));
  }
}

void read_pairs(SQLite::Database& sqlite, std::int64_t g, data::Aggregation& all) {
  SQLite::Statement floor(sqlite, "SELECT stratum, cycles, percent FROM floor_row WHERE g = ?");
  floor.bind(1, g);
  while (floor.executeStep())
    all.floors[floor.getColumn(0).getString()] = {floor.getColumn(1).getDouble(),
                                                  floor.getColumn(2).getDouble()};
}

}  // namespace

Result<data::ReportData> ReportDatabase::report_data(std::int64_t g) {
  data::ReportData data;
  read_figures(*sqlite_, g, data.aggregation);
  read_pairs(*sqlite_, g, data.aggregation);
  SQLite::Statement name(*sqlite_, "SELECT name, model FROM gpus WHERE g = ?");
  name.bind(1, g);
  if (name.executeStep())
    for (const record::DeviceRow& device : devices_)
      if (device.uuid == name.getColumn(0).getString() ||
          device.name == name.getColumn(0).getString())
        data.devices.push_back(device);
  return data;
}

}  // namespace phasebit::report::sql
