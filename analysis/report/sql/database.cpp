#include "analysis/report/sql/database.h"

#include "analysis/report/data/barrier_word.h"
#include "analysis/report/sql/figures.h"
#include "analysis/report/sql/fill.h"
#include "analysis/report/sql/schema.h"
#include "core/base/hash.h"
#include "core/base/part_file.h"
#include "core/results/flat_keys.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <unordered_map>

#include <sqlite3.h>
#include <unistd.h>

namespace phasebit::report::sql {

using data::Aggregate;
using results::DeviceRow;
using results::Results;
using results::VariantRow;

namespace {

// Caches of other results that are kept: a few sets of files that a user goes back and
// forth between.
constexpr size_t most_caches = 8;

// The program that makes the tables: another build may make others.
std::string program_text() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return fmt::format("{} {}", fs::file_size(program, ignored),
                     fs::last_write_time(program, ignored).time_since_epoch().count());
}

// What the files hold, whatever their names, and their samples, of which words are read; of a
// store what is still in its log too.
Result<std::string> content_of(const std::vector<fs::path>& results) {
  std::string hashes = program_text() + '\n';
  for (const fs::path& path : results) {
    PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
    hashes += base::content_hash(content);
    for (const fs::path& more :
         {fs::path(path.string() + "-wal"), results::samples_path(path).value_or(fs::path())}) {
      std::error_code ignored;
      if (!fs::exists(more, ignored)) continue;
      PHASEBIT_TRY_ASSIGN(rest, base::read_file(more));
      hashes += base::content_hash(rest);
    }
  }
  return base::content_hash(hashes);
}

void remove_old(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const auto& file : fs::directory_iterator(folder, ignored))
    if (file.path().extension() == ".sqlite")
      found.emplace_back(fs::last_write_time(file.path(), ignored), file.path());
  std::sort(found.rbegin(), found.rend());
  for (size_t n = most_caches; n < found.size(); ++n) fs::remove(found[n].second, ignored);
}

std::unique_ptr<SQLite::Database> open_file(const std::string& path, int flags) {
  auto sqlite = std::make_unique<SQLite::Database>(path, flags);
  sqlite->exec("PRAGMA temp_store = MEMORY");
  // A mistyped "column" is an error, not a text.
  sqlite3_db_config(sqlite->getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(sqlite->getHandle(), SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite->exec("PRAGMA mmap_size = 1073741824");
  return sqlite;
}

Status fill_file(SQLite::Database& sqlite, Results results, const Progress& progress) {
  // It is renamed when it is whole: nothing must survive a crash before.
  sqlite.exec("PRAGMA journal_mode = OFF");
  sqlite.exec("PRAGMA synchronous = OFF");
  SQLite::Transaction transaction(sqlite);
  PHASEBIT_TRY(fill(sqlite, std::move(results), progress));
  transaction.commit();
  return {};
}

// The probe whose words are read themselves.
bool reads_words(const Results& rows) {
  return std::any_of(rows.variants.begin(), rows.variants.end(), [](const auto& variant) {
    return variant.value("probe") == data::word_probe;
  });
}

tl::unexpected<Error> not_made(const SQLite::Exception& exception) {
  return fail(Step::store, "cannot make the tables of the results: {}", exception.what());
}

}  // namespace

Result<ReportDatabase> ReportDatabase::of(Results results) {
  try {
    auto sqlite = open_file(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    PHASEBIT_TRY(fill_file(*sqlite, results::sorted_by_run(std::move(results)), {}));
    ReportDatabase made(std::move(sqlite));
    made.read_facts();
    return made;
  } catch (const SQLite::Exception& exception) {
    return not_made(exception);
  }
}

Result<ReportDatabase> ReportDatabase::open(const std::vector<fs::path>& results,
                                            const fs::path& cache, const results::KeyCheck& keys,
                                            const Progress& progress) {
  PHASEBIT_TRY_ASSIGN(content, content_of(results));
  const fs::path folder = cache / "results", file = folder / (content + ".sqlite");
  std::error_code missing;
  try {
    if (!cache.empty() && fs::exists(file, missing)) {
      ReportDatabase known(open_file(file.string(), SQLite::OPEN_READONLY));
      known.read_facts();
      return known;
    }
  } catch (const SQLite::Exception&) {
    fs::remove(file, missing);  // torn or of another program: made anew
  }
  PHASEBIT_TRY_ASSIGN(loaded, results::load_results(results, reads_words, keys));
  if (!cache.empty()) fs::create_directories(folder, missing);
  if (cache.empty() || missing || ::access(folder.c_str(), W_OK) != 0) return of(std::move(loaded));
  const auto part = base::PartFile::create(file);
  if (!part) return of(std::move(loaded));
  try {
    {
      const auto sqlite = open_file(part->path().string(), SQLite::OPEN_READWRITE);
      PHASEBIT_TRY(fill_file(*sqlite, results::sorted_by_run(std::move(loaded)), progress));
    }
    if (part->put()) {
      remove_old(folder);
      ReportDatabase made(open_file(file.string(), SQLite::OPEN_READONLY));
      made.read_facts();
      return made;
    }
  } catch (const SQLite::Exception&) {  // a full disk
  }
  // That costs time, not the tables.
  PHASEBIT_TRY_ASSIGN(again, results::load_results(results, reads_words, keys));
  return of(std::move(again));
}

void ReportDatabase::read_facts() {
  SQLite::Statement device(*sqlite_,
                           "SELECT uuid, name, driver, target, multiprocessors, l2_bytes, "
                           "max_clock_khz FROM device ORDER BY d");
  while (device.executeStep())
    devices_.push_back({device.getColumn(0).getString(), device.getColumn(1).getString(),
                        device.getColumn(2).getString(), device.getColumn(3).getString(),
                        device.getColumn(4).getInt(), device.getColumn(5).getInt64(),
                        device.getColumn(6).getInt()});
  SQLite::Statement axis(*sqlite_, "SELECT name, first FROM axis");
  while (axis.executeStep())
    (*first_)[axis.getColumn(0).getString()] = axis.getColumn(1).getString();
  add_text_functions(sqlite_->getHandle(), *first_);
}

std::string ReportDatabase::default_device(bool published, bool any_gpu) const {
  if (devices_.empty()) return {};
  const DeviceRow& last =
      *std::max_element(devices_.begin(), devices_.end(), [](const auto& a, const auto& b) {
        return std::tie(a.name, a.uuid) < std::tie(b.name, b.uuid);
      });
  if (any_gpu) return last.uuid;
  return published ? last.name : std::string();
}

Result<std::int64_t> ReportDatabase::gpus(const std::string& device, const std::string& runs) {
  PHASEBIT_TRY_ASSIGN(uuids, data::device_uuids(devices_, device));
  std::string name = *uuids.begin();
  for (const DeviceRow& row : devices_)
    if (uuids.size() > 1 && row.uuid == *uuids.begin()) name = row.name;
  SQLite::Statement row(*sqlite_, "SELECT g FROM gpus WHERE name = ? AND runs = ?");
  row.bind(1, name);
  row.bind(2, runs);
  if (row.executeStep()) return row.getColumn(0).getInt64();
  return std::int64_t{0};  // no such run: no row
}

namespace {

launch::KeyAxes axes_of_lines(const std::string& text, bool skip_first) {
  launch::KeyAxes axes;
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
      defaults_[row.getColumn(0).getInt64()] = std::make_shared<const launch::KeyAxes>(
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
  static std::shared_ptr<const launch::CatalogueFacts> catalogue_of(SQLite::Database& sqlite) {
    auto facts = std::make_shared<launch::CatalogueFacts>();
    SQLite::Statement axis(sqlite, "SELECT name, first FROM axis");
    while (axis.executeStep())
      facts->axes[axis.getColumn(0).getString()] = {axis.getColumn(1).getString(), {}};
    SQLite::Statement protocol(sqlite, "SELECT name, waits_on, blank FROM protocol");
    while (protocol.executeStep()) {
      launch::ProtocolLabels& labels = facts->protocols[protocol.getColumn(0).getString()];
      labels.waits_on = protocol.getColumn(1).getString();
      std::istringstream words(protocol.getColumn(2).getString());
      for (std::string word; words >> word;) labels.blank.push_back(word);
    }
    return facts;
  }

  SQLite::Statement row_;
  std::shared_ptr<const launch::CatalogueFacts> catalogue_;
  std::map<std::int64_t, std::shared_ptr<const launch::KeyAxes>> defaults_;
  std::unordered_map<std::int64_t, data::VariantAxes> known_;
};

constexpr const char* aggregate_query =
    "SELECT v, kind, quantity, unit, device.uuid, text_hash, sass_class, repetitions, errors, "
    "rounds, verdict, reason, missing, step, same_as, figure_row.cycles, low, high, interval_ok, "
    "intercept, r2, worst_residual, mhz, repetition_difference, spread, factor, flag_list, "
    "gpu_sm_mhz, gpu_memory_mhz, gpu_watts, run_ptxas, ran_on, conditions, "
    "conditions_of_runs "
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
  one.verdict = results::verdict_named(text()).value_or(results::Verdict::failed);
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
  one.at = read_conditions(row.getColumn(++at));
  one.at_of_runs = read_conditions(row.getColumn(++at));
  return one;
}

data::ReadingFigure reading_of(SQLite::Statement& row) {
  return {row.getColumn(2).getString(),
          row.getColumn(3).getString(),
          row.getColumn(15).getDouble(),
          {row.getColumn(16).getDouble(), row.getColumn(17).getDouble()},
          row.getColumn(18).getInt() != 0,
          read_conditions(row.getColumn(32)),
          read_conditions(row.getColumn(33))};
}

void read_figures(SQLite::Database& sqlite, std::int64_t g, data::Aggregation& all) {
  Variants variants(sqlite);
  SQLite::Statement row(sqlite, aggregate_query);
  row.bind(1, g);
  std::vector<Aggregate>* list = nullptr;
  while (row.executeStep()) {
    const std::string kind = row.getColumn(1).getString(), quantity = row.getColumn(2).getString();
    if (quantity != "cycles" && quantity != "without_loop" && quantity != "together") {
      list->back().readings.push_back(reading_of(row));
      continue;
    }
    list = quantity == "without_loop" ? &all.without_loop
           : quantity == "together"   ? &all.together
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
    for (const results::DeviceRow& device : devices_)
      if (device.uuid == name.getColumn(0).getString() ||
          device.name == name.getColumn(0).getString())
        data.devices.push_back(device);
  return data;
}

}  // namespace phasebit::report::sql
