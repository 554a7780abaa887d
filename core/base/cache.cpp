#include "core/base/cache.h"

#include "core/base/hash.h"

#include <cerrno>
#include <cstring>
#include <mutex>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

namespace phasebit::base {

namespace {

constexpr int patience_ms = 20000;  // for another process that writes

bool is_damage(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CORRUPT || error.getErrorCode() == SQLITE_NOTADB;
}

// A lock file held for as long as the cache is open: shared by its users, alone by a process that
// replaces the index. Without it a process could write its journal next to an index begun anew by
// another.
class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  Status open(const fs::path& path) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) return fail(Step::io, "cannot open {}: {}", path.string(), std::strerror(errno));
    return share();
  }
  Status share() {
    while (::flock(fd_, LOCK_SH) != 0)
      if (errno != EINTR) return fail(Step::io, "cannot lock the cache: {}", std::strerror(errno));
    return {};
  }
  bool try_alone() { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

 private:
  int fd_ = -1;
};

// The hash of kind and key says where a value is, and with the value it makes the seal: a torn
// value, or one of another key that came to the same place, has another.
struct Name {
  Name(const std::string& kind, const std::string& key)
      : hash(content_hash(fmt::format("{}\n{}", kind, key))),
        id(static_cast<std::int64_t>(std::stoull(hash.substr(0, 16), nullptr, 16))) {}
  std::string seal(std::string_view value) const {
    return content_hash(fmt::format("{}{}", hash, value));
  }
  std::string hash;
  std::int64_t id;
};

// Its functions throw SQLite::Exception.
class Index {
 public:
  // Opens or makes it: SQLITE_NOTADB for another format. A rollback journal, not a write-ahead log,
  // because home folders of clusters are network file systems. A kill tears nothing; what a power
  // cut tears has a wrong seal.
  explicit Index(const fs::path& file)
      : database_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms) {
    database_.exec(
        "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF; PRAGMA cache_size=-32000");
    SQLite::Transaction once(database_, SQLite::TransactionBehavior::IMMEDIATE);
    const int format = database_.execAndGet("PRAGMA user_version").getInt();
    const int tables = database_.execAndGet("SELECT count(*) FROM sqlite_master").getInt();
    if (format == 0 && tables == 0)
      database_.exec(
          fmt::format("CREATE TABLE entry(id INTEGER PRIMARY KEY, seal TEXT NOT NULL, "
                      "value BLOB NOT NULL); PRAGMA user_version={}",
                      cache_format));
    else if (format != cache_format)
      throw SQLite::Exception(fmt::format("its format is {}, not {}", format, cache_format),
                              SQLITE_NOTADB);
    once.commit();
  }

  void find(const std::string& kind, const std::vector<std::string>& keys,
            std::vector<std::optional<std::string>>& found) {
    const SQLite::Transaction one_view(database_);
    SQLite::Statement query(database_, "SELECT seal, value FROM entry WHERE id=?");
    for (size_t n = 0; n < keys.size(); ++n) {
      const Name name(kind, keys[n]);
      query.reset();
      query.bind(1, name.id);
      if (!query.executeStep()) continue;
      const SQLite::Column value = query.getColumn(1);
      const std::string_view text(static_cast<const char*>(value.getBlob()),
                                  static_cast<size_t>(value.getBytes()));
      if (query.getColumn(0).getString() == name.seal(text)) found[n] = text;
    }
  }

  void add(const std::string& kind, const Cache::Entries& entries) {
    SQLite::Transaction all(database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement row(database_, "INSERT OR REPLACE INTO entry VALUES(?,?,?)");
    for (const auto& [key, value] : entries) {
      const Name name(kind, key);
      row.reset();
      row.bind(1, name.id);
      row.bind(2, name.seal(value));
      row.bindNoCopy(3, value.data(), static_cast<int>(value.size()));
      row.exec();
    }
    all.commit();
  }

 private:
  SQLite::Database database_;
};

}  // namespace

struct Cache::Impl {
  explicit Impl(fs::path where) : folder(std::move(where)) {}

  fs::path index_path() const { return folder / "index.sqlite"; }
  fs::path file_path(const std::string& hash) const {
    return folder / "files" / hash.substr(0, 2) / hash;
  }
  tl::unexpected<Error> unusable(const std::string& why) const {
    return fail(Step::io, "cannot use the cache {}: {}", folder.string(), why);
  }
  Status open();
  Status begin_anew(const std::string& why);
  // Runs `use` on the index; damage found on the way begins it anew, and is the error all the same.
  template <typename Use>
  Status with_index(const Use& use);

  fs::path folder;
  FolderLock lock;
  std::optional<Index> index;  // nothing after an error that left none
  std::vector<std::string> notes;
  std::mutex mutex;
};

Status Cache::Impl::open() {
  PHASEBIT_TRY(lock.open(folder / "lock"));
  try {
    index.emplace(index_path());
    return {};
  } catch (const SQLite::Exception& error) {
    if (!is_damage(error)) return unusable(error.what());
    PHASEBIT_TRY(begin_anew(error.what()));
  }
  return {};
}

// Files stay: they are checked against their name, and values already handed out name them.
Status Cache::Impl::begin_anew(const std::string& why) {
  index.reset();
  if (!lock.try_alone()) {
    PHASEBIT_TRY(lock.share());
    return with_hint(unusable(why + ", and another process has it open"),
                     "wait until that has ended");
  }
  std::error_code ignored;
  fs::remove(index_path(), ignored);
  fs::remove(index_path().string() + "-journal", ignored);
  notes.push_back(fmt::format("the cache {} was thrown away: {}", folder.string(), why));
  try {
    index.emplace(index_path());
  } catch (const SQLite::Exception& error) {
    return unusable(error.what());
  }
  return lock.share();
}

template <typename Use>
Status Cache::Impl::with_index(const Use& use) {
  const std::lock_guard guard(mutex);
  if (!index) return unusable("it was lost");
  std::string damage;
  try {
    use(*index);
    return {};
  } catch (const SQLite::Exception& error) {
    if (!is_damage(error)) return unusable(error.what());
    damage = error.what();
  }
  PHASEBIT_TRY(begin_anew(damage));
  return unusable(damage);
}

Result<Cache> Cache::open(const fs::path& folder) {
  PHASEBIT_TRY(make_folder(folder));
  auto impl = std::make_shared<Impl>(folder);
  PHASEBIT_TRY(impl->open());
  return Cache(std::move(impl));
}

std::vector<std::optional<std::string>> Cache::find(const std::string& kind,
                                                    const std::vector<std::string>& keys) const {
  std::vector<std::optional<std::string>> found(keys.size());
  if (keys.empty()) return found;
  const Status status = impl_->with_index([&](Index& index) { index.find(kind, keys, found); });
  // A cache that fails costs time, not the result.
  const std::lock_guard guard(impl_->mutex);
  if (!status && !impl_->index) impl_->notes.push_back(status.error().message);
  return found;
}

Status Cache::add(const std::string& kind, const Entries& entries) const {
  if (entries.empty()) return {};
  return impl_->with_index([&](Index& index) { index.add(kind, entries); });
}

Status Cache::add_file(const std::string& hash, std::string_view content) const {
  return write_file(impl_->file_path(hash), content);
}

std::optional<std::uintmax_t> Cache::file_bytes(const std::string& hash) const {
  std::error_code failed;
  const auto bytes = fs::file_size(impl_->file_path(hash), failed);
  return failed ? std::nullopt : std::optional(bytes);
}

Result<std::string> Cache::file(const std::string& hash) const {
  PHASEBIT_TRY_ASSIGN(content, read_file(impl_->file_path(hash)));
  if (content_hash(content) != hash)
    return with_hint(fail(Step::io, "{} is damaged", impl_->file_path(hash).string()),
                     "delete it: it will be made again");
  return std::move(content);
}

const fs::path& Cache::folder() const {
  return impl_->folder;
}

std::vector<std::string> Cache::notes() const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->notes;
}

}  // namespace phasebit::base
