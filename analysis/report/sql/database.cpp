#include "analysis/report/sql/database.h"

#include "analysis/report/data/barrier_word.h"
#include "analysis/report/sql/fill.h"
#include "analysis/report/sql/schema.h"
#include "core/base/hash.h"
#include "core/base/interrupt.h"
#include "core/store/flat_samples.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <sqlite3.h>
#include <unistd.h>

namespace phasebit::report::sql {

using record::DeviceRow;
using record::Results;

namespace {

// Caches of other results that are kept: a few sets of files that somebody goes back and forth
// between.
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
         {fs::path(path.string() + "-wal"), store::samples_path(path).value_or(fs::path())}) {
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

// A file of the cache until it has its name.
struct Unfinished {
  explicit Unfinished(fs::path one) : path(std::move(one)) {
    const auto held = base::hold_interrupts();
    base::note_unfinished(path);
    remove();
  }
  ~Unfinished() {
    remove();
    base::forget_unfinished(path);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void remove() const {
    std::error_code absent;
    fs::remove(path, absent);
  }
  const fs::path path;
};

tl::unexpected<Error> not_made(const SQLite::Exception& exception) {
  return fail(Step::store, "cannot make the tables of the results: {}", exception.what());
}

}  // namespace

Result<ReportDatabase> ReportDatabase::of(Results results) {
  try {
    auto sqlite = open_file(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    PHASEBIT_TRY(fill_file(*sqlite, store::sorted_by_run(std::move(results)), {}));
    ReportDatabase made(std::move(sqlite));
    made.read_facts();
    return made;
  } catch (const SQLite::Exception& exception) {
    return not_made(exception);
  }
}

Result<ReportDatabase> ReportDatabase::open(const std::vector<fs::path>& results,
                                            const fs::path& cache, const store::KeyCheck& keys,
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
  PHASEBIT_TRY_ASSIGN(loaded, store::load_results(results, reads_words, keys));
  if (!cache.empty()) fs::create_directories(folder, missing);
  if (cache.empty() || missing || ::access(folder.c_str(), W_OK) != 0) return of(std::move(loaded));
  const fs::path temporary = fmt::format("{}.{}", file.string(), ::getpid());
  const Unfinished unfinished(temporary);
  try {
    {
      const auto sqlite =
          open_file(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      PHASEBIT_TRY(fill_file(*sqlite, store::sorted_by_run(std::move(loaded)), progress));
    }
    fs::rename(temporary, file);
    remove_old(folder);
    ReportDatabase made(open_file(file.string(), SQLite::OPEN_READONLY));
    made.read_facts();
    return made;
  } catch (const std::runtime_error&) {  // a full disk: that costs time, not the tables
    PHASEBIT_TRY_ASSIGN(again, store::load_results(results, reads_words, keys));
    return of(std::move(again));
  }
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

}  // namespace phasebit::report::sql
