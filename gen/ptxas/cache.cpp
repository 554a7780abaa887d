#include "gen/ptxas/cache.h"

#include "core/base/hash.h"
#include "gen/ptxas/cache_index.h"

#include <cerrno>
#include <cstring>
#include <mutex>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

namespace phasebit::ptxas {
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

}  // namespace phasebit::ptxas
