#include "gen/ptxas/cache.h"

#include "core/base/hash.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

namespace phasebit::ptxas {

using image::Resources;

namespace {

bool is_damage(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CORRUPT || error.getErrorCode() == SQLITE_NOTADB;
}

// A lock file held for as long as the cache is open: shared by its users, alone by who replaces the
// index. Without it a process could write its journal beside an index begun anew by another.
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

}  // namespace

struct Cache::Impl {
  explicit Impl(fs::path where) : folder(std::move(where)) {}

  fs::path index_path() const { return folder / "index.sqlite"; }
  fs::path modules_path() const { return folder / "modules"; }
  fs::path module_path(const std::string& hash) const {
    return modules_path() / hash.substr(0, 2) / (hash + ".cubin");
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
  std::optional<CacheIndex> index;  // nothing after an error that left none
  std::vector<std::string> notes;
  mutable std::mutex mutex;
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

// Modules stay: they are checked against their name, and outcomes already handed out name them.
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
  if (!index) return unusable("it was lost");
  std::string damage;
  try {
    use(*index);
    return {};
  } catch (const SQLite::Exception& error) {
    if (!is_damage(error)) return unusable(error.what());
    damage = error.what();
  } catch (const nlohmann::json::exception& error) {
    damage = error.what();
  }
  PHASEBIT_TRY(begin_anew(damage));
  return unusable(damage);
}

Cache::Cache(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cache::Cache(Cache&&) noexcept = default;
Cache& Cache::operator=(Cache&&) noexcept = default;
Cache::~Cache() = default;

Result<Cache> Cache::open(const fs::path& folder) {
  PHASEBIT_TRY(base::make_folder(folder));
  auto impl = std::make_unique<Impl>(folder);
  PHASEBIT_TRY(impl->open());
  return Cache(std::move(impl));
}

std::vector<std::optional<Outcome>> Cache::find(const std::string& configuration,
                                                const std::vector<std::string>& kernel_hashes) {
  const std::lock_guard guard(impl_->mutex);
  std::vector<std::optional<Outcome>> found(kernel_hashes.size());
  // A kill, a full disk or a user can take a module away or leave less of it.
  const auto module_ok = [&](const std::string& hash, std::int64_t bytes) {
    std::error_code failed;
    const auto size = fs::file_size(impl_->module_path(hash), failed);
    return !failed && size == static_cast<std::uintmax_t>(bytes);
  };
  const Status status = impl_->with_index(
      [&](CacheIndex& index) { found = index.find(configuration, kernel_hashes, module_ok); });
  // A cache that fails costs time, not the result.
  if (!status && impl_->index == std::nullopt) impl_->notes.push_back(status.error().message);
  return found;
}

Status Cache::add(const std::string& configuration,
                  const std::vector<std::pair<std::string, Outcome>>& outcomes,
                  const std::map<std::string, std::string>& modules) {
  for (const auto& [hash, code] : modules)
    PHASEBIT_TRY(base::write_file(impl_->module_path(hash), code));
  const std::lock_guard guard(impl_->mutex);
  return impl_->with_index([&](CacheIndex& index) { index.add(configuration, outcomes, modules); });
}

Result<std::string> Cache::module(const std::string& hash) const {
  PHASEBIT_TRY_ASSIGN(code, base::read_file(impl_->module_path(hash)));
  if (base::content_hash(code) != hash)
    return with_hint(fail(Step::io, "{} is damaged", impl_->module_path(hash).string()),
                     "delete it: it will be assembled again");
  return code;
}

const fs::path& Cache::folder() const {
  return impl_->folder;
}

std::vector<std::string> Cache::notes() const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->notes;
}

namespace {

constexpr int patience_ms = 20000;  // for another process that writes

constexpr const char* schema = R"(
CREATE TABLE configuration(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE module(hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE outcome(
  configuration INTEGER NOT NULL, kernel TEXT NOT NULL, refused INTEGER NOT NULL,
  module TEXT NOT NULL, entry TEXT NOT NULL, text_hash TEXT NOT NULL, registers INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL, stack_bytes INTEGER NOT NULL,
  spill_store_bytes INTEGER NOT NULL, spill_load_bytes INTEGER NOT NULL,
  barriers INTEGER NOT NULL, messages TEXT NOT NULL,
  PRIMARY KEY(configuration, kernel)) WITHOUT ROWID;
)";

std::string messages_to_text(const std::vector<StatementMessage>& messages) {
  if (messages.empty()) return {};
  nlohmann::json list = nlohmann::json::array();
  for (const StatementMessage& message : messages)
    list.push_back(nlohmann::json::array({message.statement, message.text}));
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<StatementMessage> messages_from_text(const std::string& text) {
  std::vector<StatementMessage> messages;
  if (text.empty()) return messages;
  for (const auto& pair : nlohmann::json::parse(text))
    messages.push_back({pair.at(0).get<int>(), pair.at(1).get<std::string>()});
  return messages;
}

// Column order of the outcome's figures, in the table and in queries.
constexpr int Resources::* figures[] = {
    &Resources::registers,         &Resources::static_shared_bytes, &Resources::stack_bytes,
    &Resources::spill_store_bytes, &Resources::spill_load_bytes,    &Resources::barriers};

Outcome outcome_of(const SQLite::Statement& row) {
  Outcome outcome;
  outcome.refused = row.getColumn(0).getInt() != 0;
  outcome.module = row.getColumn(1).getString();
  outcome.entry = row.getColumn(2).getString();
  outcome.text_hash = row.getColumn(3).getString();
  int column = 4;
  for (const auto figure : figures) outcome.resources.*figure = row.getColumn(column++).getInt();
  outcome.messages = messages_from_text(row.getColumn(column).getString());
  return outcome;
}

}  // namespace

// A rollback journal, not a write-ahead log, because home folders of clusters are network file
// systems.
CacheIndex::CacheIndex(const fs::path& file)
    : database_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms) {
  database_.exec("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;");
  SQLite::Transaction once(database_, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = database_.execAndGet("PRAGMA user_version").getInt();
  const int tables = database_.execAndGet("SELECT count(*) FROM sqlite_master").getInt();
  if (version == 0 && tables == 0) {
    database_.exec(schema);
    database_.exec(fmt::format("PRAGMA user_version={}", cache_schema_version));
  } else if (version != cache_schema_version) {
    throw SQLite::Exception(fmt::format("its schema is {}, not {}", version, cache_schema_version),
                            SQLITE_NOTADB);
  } else if (const std::string check = database_.execAndGet("PRAGMA quick_check(1)").getString();
             check != "ok") {
    throw SQLite::Exception(check, SQLITE_CORRUPT);
  }
  once.commit();
}

int CacheIndex::configuration_id(const std::string& name) {
  SQLite::Statement query(database_, "SELECT id FROM configuration WHERE name=?");
  query.bind(1, name);
  return query.executeStep() ? query.getColumn(0).getInt() : -1;
}

std::vector<std::optional<Outcome>> CacheIndex::find(const std::string& configuration,
                                                     const std::vector<std::string>& kernel_hashes,
                                                     const ModuleCheck& module_ok) {
  std::vector<std::optional<Outcome>> found(kernel_hashes.size());
  const SQLite::Transaction one_view(database_);
  const int id = configuration_id(configuration);
  if (id < 0) return found;
  std::unordered_map<std::string, bool> modules;
  SQLite::Statement module(database_, "SELECT bytes FROM module WHERE hash=?");
  const auto usable = [&](const std::string& hash) {
    const auto [entry, is_new] = modules.emplace(hash, false);
    if (!is_new) return entry->second;
    module.reset();
    module.bind(1, hash);
    return entry->second = module.executeStep() && module_ok(hash, module.getColumn(0).getInt64());
  };
  SQLite::Statement query(database_,
                          "SELECT refused,module,entry,text_hash,registers,static_shared_bytes,"
                          "stack_bytes,spill_store_bytes,spill_load_bytes,barriers,messages "
                          "FROM outcome WHERE configuration=? AND kernel=?");
  for (size_t n = 0; n < kernel_hashes.size(); ++n) {
    query.reset();
    query.bind(1, id);
    query.bindNoCopy(2, kernel_hashes[n]);
    if (!query.executeStep()) continue;
    Outcome outcome = outcome_of(query);
    if (outcome.refused || usable(outcome.module)) found[n] = std::move(outcome);
  }
  return found;
}

void CacheIndex::add(const std::string& configuration,
                     const std::vector<std::pair<std::string, Outcome>>& outcomes,
                     const std::map<std::string, std::string>& modules) {
  SQLite::Transaction all(database_, SQLite::TransactionBehavior::IMMEDIATE);
  SQLite::Statement name(database_, "INSERT OR IGNORE INTO configuration(name) VALUES(?)");
  name.bind(1, configuration);
  name.exec();
  const int id = configuration_id(configuration);
  SQLite::Statement module(database_, "INSERT OR REPLACE INTO module VALUES(?,?)");
  for (const auto& [hash, code] : modules) {
    module.reset();
    module.bind(1, hash);
    module.bind(2, static_cast<std::int64_t>(code.size()));
    module.exec();
  }
  SQLite::Statement row(database_,
                        "INSERT OR REPLACE INTO outcome VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const auto& [kernel, outcome] : outcomes) {
    row.reset();
    row.bind(1, id);
    row.bind(2, kernel);
    row.bind(3, outcome.refused ? 1 : 0);
    row.bind(4, outcome.module);
    row.bind(5, outcome.entry);
    row.bind(6, outcome.text_hash);
    int column = 7;
    for (const auto figure : figures) row.bind(column++, outcome.resources.*figure);
    row.bind(column, messages_to_text(outcome.messages));
    row.exec();
  }
  all.commit();
}

}  // namespace phasebit::ptxas
