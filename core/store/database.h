// One SQLite file with the schema of a store, and SQLite's exceptions as errors.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/schema.h"

#include <cerrno>
#include <string>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::store {

class StoreDatabase {
 public:
  // Opens or creates it, see Store::open. The path ":memory:" is a store that is no file.
  static Result<StoreDatabase> open(const fs::path& path, const StoreOptions& options);

  SQLite::Database& sqlite() { return sqlite_; }

  // The value or Status of the body, or the error that SQLite threw in it.
  template <typename Body>
  auto guarded(Body&& body) -> decltype(body()) {
    errno = 0;
    try {
      return std::forward<Body>(body)();
    } catch (const SQLite::Exception& exception) {
      return tl::unexpected<Error>(error_now(exception, errno));
    }
  }

  // An Error with the file's name in front, if it is a file.
  tl::unexpected<Error> complain(const std::string& what) const {
    if (path_ == ":memory:") return fail(Step::store, "{}", what);
    return fail(Step::store, "{}: {}", path_, what);
  }

 private:
  StoreDatabase(SQLite::Database&& sqlite, std::string path, const StoreOptions& options)
      : sqlite_(std::move(sqlite)), path_(std::move(path)), options_(options) {}
  Error error_now(const SQLite::Exception& exception, int last_errno) const;
  // `system` is the errno of the call that failed, 0 where none did.
  static Error error_of(const SQLite::Exception& exception, const std::string& path,
                        const StoreOptions& options, int system);
  static Result<StoreDatabase> open_checked(const std::string& path, const StoreOptions& options);
  Status check_schema();
  Status create_schema();

  SQLite::Database sqlite_;
  std::string path_;
  StoreOptions options_;
};

}  // namespace phasebit::store
