// Stores that are not there, not ours, damaged, locked, or on a full disk.
#include "core/results/store.h"
#include "tests/results/rows.h"

#include <csignal>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::test {

using base::write_file;
using results::Store;

namespace {

class StoreFile : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path path_ = folder_.path() / "a.sqlite";

  void fill(int points) {
    Store store = Store::open(path_).value();
    ASSERT_TRUE(store.add_device(some_device()));
    ASSERT_TRUE(store.add_run(some_run()));
    for (int i = 0; i < points; ++i)
      ASSERT_TRUE(store.add_point(some_point("ring/" + std::to_string(i))));
  }
  std::string open_error() { return Store::open(path_).error().text(); }
};

TEST_F(StoreFile, ThatIsNoDatabase) {
  ASSERT_TRUE(write_file(path_, "{\"phasebit_results\":1}\n" + std::string(600, 'x')));
  EXPECT_EQ(open_error(),
            "store: " + path_.string() +
                " is not a phasebit store: file is not a database (name another file, or import "
                "results into a new store)");
}

TEST_F(StoreFile, OfAnotherProgram) {
  SQLite::Database(path_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE cookies(a)");
  EXPECT_EQ(open_error(), "store: " + path_.string() +
                              " is not a phasebit store: a database of another program (name "
                              "another file)");
}

TEST_F(StoreFile, OfANewerSchema) {
  fill(1);
  SQLite::Database(path_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 7");
  EXPECT_EQ(open_error(),
            "store: " + path_.string() +
                " has schema version 7, this program knows version 4 (use a newer phasebit, or "
                "export it with the phasebit that made it, and import that)");
}

TEST_F(StoreFile, OfAnOlderSchema) {
  fill(1);
  SQLite::Database(path_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 3");
  EXPECT_EQ(open_error(), "store: " + path_.string() +
                              " has schema version 3, this program knows version 4 (export it with "
                              "the phasebit that made it, and import that)");
}

// Cut at every place, the file either says so when it is opened or when it is read; an empty file
// is a new store, and a cut inside the 16 bytes of the header's magic is not a database.
TEST_F(StoreFile, CutShortAnywhere) {
  fill(60);
  const std::string whole = base::read_file(path_).value();
  ASSERT_GT(whole.size(), 40000U);
  for (size_t size = 1; size < whole.size(); size += 1777) {
    ASSERT_TRUE(write_file(path_, whole.substr(0, size)));
    const auto store = Store::open(path_);
    ASSERT_FALSE(store) << size;
    EXPECT_EQ(store.error().step, Step::store);
    EXPECT_NE(store.error().message.find(path_.string()), std::string::npos);
  }
  ASSERT_TRUE(write_file(path_, whole.substr(0, whole.size() / 2)));
  EXPECT_EQ(open_error(),
            "store: " + path_.string() +
                " is damaged or cut short: database disk image is malformed (copy it again from "
                "where it is whole, with its -wal file; `sqlite3 FILE .recover` may save rows)");
}

TEST_F(StoreFile, OfAFewBytesIsNotWrittenOver) {
  ASSERT_TRUE(write_file(path_, "precious"));
  EXPECT_EQ(open_error(), "store: " + path_.string() +
                              " is not a phasebit store: it has 8 bytes (name another file)");
  EXPECT_EQ(base::read_file(path_).value(), "precious");
}

TEST_F(StoreFile, WithATextThatIsNotOurs) {
  fill(2);
  SQLite::Database(path_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE point SET error_step = 'verfy', error_message = 'x' WHERE id = 2");
  EXPECT_EQ(Store::open(path_)->points().error().text(),
            "store: " + path_.string() + ": point 2: unknown step 'verfy'");
  SQLite::Database(path_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE point SET samples = '{\"items\":[1],\"cycles\":[[1,2]]}' WHERE id = 1");
  EXPECT_EQ(Store::open(path_)->points().error().text(),
            "store: " + path_.string() + ": point 1: a row of 2 cycles for 1 chain lengths");
}

TEST_F(StoreFile, LockedByAnotherProcess) {
  fill(1);
  Store store = Store::open(path_, {std::chrono::milliseconds(50)}).value();
  SQLite::Database other(path_.string(), SQLite::OPEN_READWRITE);
  SQLite::Transaction transaction(other, SQLite::TransactionBehavior::IMMEDIATE);
  const auto added = store.add_point(some_point("ring/late"));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text(),
            "store: " + path_.string() +
                " is locked by another process (waited 50ms) (wait until it has finished, or write "
                "to a store of its own and merge)");
  EXPECT_EQ(store.points()->size(), 1U);  // readers go on
}

TEST_F(StoreFile, InAFolderThatCannotBeMade) {
  ASSERT_TRUE(write_file(folder_.path() / "file", "x"));
  path_ = folder_.path() / "file" / "a.sqlite";
  EXPECT_EQ(open_error(),
            "io: cannot make the folder " + path_.parent_path().string() + ": Not a directory");
}

// By a child that may not write there: the user that runs the tests may be root.
TEST_F(StoreFile, InAFolderThatCannotBeWrittenToCanBeRead) {
  path_ = folder_.path() / "50%#?.sqlite";
  fill(3);
  ::chmod(path_.c_str(), 0644);
  ::chmod(folder_.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(1);
    auto store = Store::open(path_);
    if (!store) ::_exit(2);
    const auto points = store->points();
    if (!points || points->size() != 3) ::_exit(3);
    ::_exit(store->add_point(some_point("ring/4")) ? 4 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// A child may write files of 400 kB at most. It must get an error, and what it finished stays.
TEST_F(StoreFile, OnADiskThatIsFull) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {400000, 400000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto store = Store::open(path_);
    if (!store || !store->add_device(some_device()) || !store->add_run(some_run())) ::_exit(1);
    for (int i = 0; i < 1000; ++i) {
      const Status added = store->add_point(some_point("ring/" + std::to_string(i)));
      if (added) continue;
      const std::string expected = "store: cannot write to " + path_.string() +
                                   ": File too large (disk I/O error) (make room on its disk and "
                                   "run the command again: finished points are "
                                   "kept)";
      const bool right = added.error().text() == expected;
      if (!right) std::fprintf(stderr, "%s\n", added.error().text().c_str());
      std::_Exit(right ? std::min(i, 200) : 2);
    }
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  const int finished = WEXITSTATUS(status);
  ASSERT_GT(finished, 5);
  const auto points = Store::open(path_)->points().value();
  EXPECT_EQ(points.size(), static_cast<size_t>(finished));
  EXPECT_EQ(points.back(), with_figures(some_point("ring/" + std::to_string(finished - 1))));
}

}  // namespace
}  // namespace phasebit::test
