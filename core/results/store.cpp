#include "core/results/store.h"

#include "core/results/merge.h"
#include "core/results/rows.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sqlite3.h>
#include <unistd.h>

namespace phasebit::results {

struct Store::Impl {
  StoreDatabase database;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const fs::path& path, const StoreOptions& options) {
  PHASEBIT_TRY_ASSIGN(database, StoreDatabase::open(path, options));
  return Store(std::make_unique<Impl>(Impl{std::move(database)}));
}

Result<Store> Store::open_in_memory() {
  return open(":memory:");
}

Status Store::add_device(const DeviceRow& device) {
  return impl_->database.guarded([&]() -> Status {
    insert_device(impl_->database.sqlite(), device);
    return {};
  });
}

Status Store::add_run(const RunRow& run) {
  return impl_->database.guarded([&]() -> Status {
    insert_run(impl_->database.sqlite(), run);
    return {};
  });
}

Status Store::add_variant(const VariantRow& variant) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    const Status inserted = insert_variant(sqlite, variant);
    if (!inserted) return impl_->database.complain(inserted.error().message);
    transaction.commit();
    return {};
  });
}

Status Store::add_catalogue(const launch::CatalogueFacts& facts) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    insert_catalogue(sqlite, facts);
    transaction.commit();
    return {};
  });
}

Status Store::add_point(const PointRow& point) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    const Status inserted = insert_point(sqlite, point);
    if (!inserted) return impl_->database.complain(inserted.error().message);
    transaction.commit();
    return {};
  });
}

Result<MergeCounts> Store::merge(const Results& theirs) {
  StoreDatabase& database = impl_->database;
  return database.guarded([&]() -> Result<MergeCounts> {
    SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
    auto counts = merge_results(database.sqlite(), theirs);
    if (!counts) return database.complain(counts.error().message);
    transaction.commit();
    return counts;
  });
}

Result<std::vector<DeviceRow>> Store::devices() const {
  return impl_->database.guarded(
      [&]() -> Result<std::vector<DeviceRow>> { return select_devices(impl_->database.sqlite()); });
}

Result<std::vector<RunRow>> Store::runs() const {
  return impl_->database.guarded(
      [&]() -> Result<std::vector<RunRow>> { return select_runs(impl_->database.sqlite()); });
}

Result<std::vector<PointRow>> Store::points() const {
  return impl_->database.guarded([&]() -> Result<std::vector<PointRow>> {
    auto points = select_points(impl_->database.sqlite());
    if (!points) return impl_->database.complain(points.error().message);
    return points;
  });
}

Result<std::vector<VariantRow>> Store::variants() const {
  return impl_->database.guarded([&]() -> Result<std::vector<VariantRow>> {
    auto variants = select_variants(impl_->database.sqlite());
    if (!variants) return impl_->database.complain(variants.error().message);
    return variants;
  });
}

Result<Results> Store::results() const {
  PHASEBIT_TRY_ASSIGN(all_devices, devices());
  PHASEBIT_TRY_ASSIGN(all_runs, runs());
  PHASEBIT_TRY_ASSIGN(all_points, points());
  PHASEBIT_TRY_ASSIGN(all_variants, variants());
  PHASEBIT_TRY_ASSIGN(catalogue, impl_->database.guarded([&]() -> Result<launch::CatalogueFacts> {
    return select_catalogue(impl_->database.sqlite());
  }));
  return Results{std::move(all_devices), std::move(all_runs), std::move(all_points),
                 std::move(all_variants), std::move(catalogue)};
}

namespace {

int pragma(SQLite::Database& sqlite, const char* name) {
  SQLite::Statement statement(sqlite, fmt::format("PRAGMA {}", name));
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

bool has_tables(SQLite::Database& sqlite) {
  SQLite::Statement statement(sqlite, "SELECT count(*) FROM sqlite_master");
  statement.executeStep();
  return statement.getColumn(0).getInt() != 0;
}

// SQLite notices whole pages that are missing at the end, but reads the rest of a torn page as
// zeros. While there is a log, a torn page may be in it.
bool last_page_torn(const std::string& path, int page_bytes) {
  std::error_code absent;
  const auto log_bytes = fs::file_size(path + "-wal", absent);
  if (!absent && log_bytes > 0) return false;
  const auto bytes = fs::file_size(path, absent);
  return !absent && bytes % static_cast<std::uintmax_t>(page_bytes) != 0;
}

// A log needs files next to the store, so SQLite opens none in a folder that cannot be written,
// not even for reading. Without rows in the log the store is all there is, and can be read.
bool can_only_be_read(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const auto may_write = [](const fs::path& one) {
    return ::faccessat(AT_FDCWD, one.c_str(), W_OK, AT_EACCESS) == 0;
  };
  std::error_code absent;
  if (path == ":memory:" || fs::file_size(path, absent) == 0 || absent) return false;
  if (may_write(folder.empty() ? "." : folder)) return false;
  const auto log_bytes = fs::file_size(path + "-wal", absent);
  return absent || log_bytes == 0;
}

// 0: it can be opened, or made.
int why_not_opened(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool absent = fd < 0 && errno == ENOENT;
  if (absent) fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  if (absent) ::unlink(path.c_str());
  return 0;
}

// SQLite tries again to open for reading alone, and keeps the errno of that.
int why_not_opened_with_journal(const std::string& path) {
  const int system = why_not_opened(path);
  return system != 0 ? system : why_not_opened(path + "-journal");
}

std::string unchanging_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char one : path)
    uri += one == '?' || one == '#' || one == '%'
               ? fmt::format("%{:02x}", static_cast<unsigned char>(one))
               : std::string(1, one);
  return uri + "?immutable=1";
}

Error damaged(const std::string& path, const std::string& what) {
  return {Step::store, fmt::format("{} is damaged or cut short: {}", path, what),
          "copy it again from where it is whole, with its -wal file; `sqlite3 FILE .recover` may "
          "save rows"};
}

void configure(SQLite::Database& sqlite) {
  // A finished row must survive the death of the process, a few hundred times a second on a slow
  // disk. In the write-ahead log a commit is one write() into the page cache, which outlives the
  // process; the disk is waited for at checkpoints alone. When the machine itself dies, the last
  // rows may be missing, but the store is whole and the sweep resumes. Where a file system cannot
  // do it (no shared memory), SQLite keeps its rollback journal, which is slower and no less safe.
  SQLite::Statement(sqlite, "PRAGMA journal_mode = WAL").executeStep();
  sqlite.exec("PRAGMA synchronous = NORMAL");
  // A row touches about eight pages of 4 KiB. 16 MiB of log: the disk is waited for every 500 rows.
  sqlite.exec("PRAGMA wal_autocheckpoint = 4000");
  sqlite.exec("PRAGMA foreign_keys = ON");
}

}  // namespace

// SQLite has no errno of a commit that fails, nor of a full disk.
Error StoreDatabase::error_now(const SQLite::Exception& exception, int last_errno) const {
  int system = sqlite3_system_errno(sqlite_.getHandle());
  if (system == 0) system = last_errno;
  if (exception.getErrorCode() == SQLITE_FULL) system = ENOSPC;
  if (exception.getErrorCode() == SQLITE_CANTOPEN) system = why_not_opened_with_journal(path_);
  return error_of(exception, path_, options_, system);
}

Error StoreDatabase::error_of(const SQLite::Exception& exception, const std::string& path,
                              const StoreOptions& options, int system) {
  const std::string what = exception.what();
  const std::string why = system == 0 ? what : fmt::format("{} ({})", std::strerror(system), what);
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return {Step::store, fmt::format("{} is not a phasebit store: {}", path, what),
              "name another file, or import results into a new store"};
    case SQLITE_CORRUPT: return damaged(path, what);
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {Step::store, fmt::format("cannot write to {}: {}", path, why),
              "make room on its disk and run the command again: finished points are kept"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Step::store,
              fmt::format("{} is locked by another process (waited {})", path, options.lock_wait),
              "wait until it has finished, or write to a store of its own and merge"};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Step::store, fmt::format("cannot open {}: {}", path, why),
              "check that the folder exists and that you may write to it"};
    default: return {Step::store, fmt::format("{}: {}", path, what), {}};
  }
}

Result<StoreDatabase> StoreDatabase::open(const fs::path& path, const StoreOptions& options) {
  const std::string name = path.string();
  PHASEBIT_TRY(base::make_folder(path.parent_path()));
  // SQLite takes a file below its smallest page for an empty one, and would write over it.
  std::error_code absent;
  const auto size = fs::file_size(path, absent);
  if (!absent && size > 0 && size < 512)
    return with_hint(fail(Step::store, "{} is not a phasebit store: it has {} bytes", name, size),
                     "name another file");
  try {
    return open_checked(name, options);
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(
        error_of(exception, name, options, why_not_opened_with_journal(name)));
  }
}

Result<StoreDatabase> StoreDatabase::open_checked(const std::string& path,
                                                  const StoreOptions& options) {
  const bool for_reading = can_only_be_read(path);
  StoreDatabase database(
      for_reading ? SQLite::Database(unchanging_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI)
                  : SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                     static_cast<int>(options.lock_wait.count())),
      path, options);
  PHASEBIT_TRY(database.guarded([&]() -> Status {
    PHASEBIT_TRY(database.check_schema());
    if (for_reading) return {};
    configure(database.sqlite_);
    return database.create_schema();
  }));
  return database;
}

Status StoreDatabase::check_schema() {
  const int application = pragma(sqlite_, "application_id");
  const int version = pragma(sqlite_, "user_version");
  if (application != store_application_id) {
    if (application == 0 && version == 0 && !has_tables(sqlite_)) return {};  // new
    return with_hint(
        fail(Step::store, "{} is not a phasebit store: a database of another program", path_),
        "name another file");
  }
  if (version == store_schema_version) {
    if (!last_page_torn(path_, pragma(sqlite_, "page_size"))) return {};
    return tl::unexpected<Error>(damaged(path_, "its last page is incomplete"));
  }
  const char* made_it = "export it with the phasebit that made it, and import that";
  return with_hint(fail(Step::store, "{} has schema version {}, this program knows version {}",
                        path_, version, store_schema_version),
                   version > store_schema_version
                       ? fmt::format("use a newer phasebit, or {}", made_it)
                       : made_it);
}

Status StoreDatabase::create_schema() {
  if (pragma(sqlite_, "user_version") == store_schema_version) return {};
  // Another process may have been faster while this one waited for the lock.
  SQLite::Transaction transaction(sqlite_, SQLite::TransactionBehavior::IMMEDIATE);
  if (pragma(sqlite_, "user_version") == store_schema_version) return {};
  sqlite_.exec(store_schema);
  sqlite_.exec(fmt::format("PRAGMA application_id = {}", store_application_id));
  sqlite_.exec(fmt::format("PRAGMA user_version = {}", store_schema_version));
  transaction.commit();
  return {};
}

}  // namespace phasebit::results
