#include "core/base/cache.h"

#include "core/base/hash.h"

#include <atomic>
#include <fstream>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::test {

using base::Cache;
using base::content_hash;
using base::write_file;

namespace {

constexpr const char* kind = "sm_90a ptxas 13.5.37";

// A value of a few hundred bytes.
std::string value_of(int n) {
  std::string value = fmt::format("value {}", n);
  for (int more = 0; more < 40; ++more) value += fmt::format(" {}", n * more);
  return value;
}

Cache::Entries entry(int n) {
  return {{fmt::format("key {}", n), value_of(n)}};
}

class CacheTest : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "cache"; }
  fs::path index() const { return path() / "index.sqlite"; }
  Cache open() const { return Cache::open(path()).value(); }
  static bool has(const Cache& cache, int n) {
    return cache.find(kind, {fmt::format("key {}", n)})[0] == value_of(n);
  }
  void change(const std::string& statement) const {
    SQLite::Database(index().string(), SQLite::OPEN_READWRITE).exec(statement);
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(CacheTest, GivesBackWhatWasKept) {
  const std::string odd("with\0zero\tand \xff", 16);
  {
    const Cache cache = open();
    EXPECT_FALSE(has(cache, 1));
    ASSERT_TRUE(cache.add(kind, {{"key 1", "old"}, {"odd", odd}, {"empty", ""}}));
    ASSERT_TRUE(cache.add(kind, entry(1)));
  }
  const Cache cache = open();
  const auto found = cache.find(kind, {"key 2", "key 1", "odd", "empty"});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], std::nullopt);
  EXPECT_EQ(found[1], value_of(1));
  EXPECT_EQ(found[2], odd);
  EXPECT_EQ(found[3], "");
  EXPECT_TRUE(cache.notes().empty());
}

TEST_F(CacheTest, AnotherKindIsAnotherValue) {
  const Cache cache = open();
  ASSERT_TRUE(cache.add(kind, entry(1)));
  EXPECT_FALSE(cache.find("sm_90a ptxas 13.4.1", {"key 1"})[0]);
  ASSERT_TRUE(cache.add("sm_90a ptxas 13.4.1", {{"key 1", "other"}}));
  EXPECT_TRUE(has(cache, 1));
}

// What came to the place of another, or lost a part, has another seal.
TEST_F(CacheTest, ATornValueIsNone) {
  const Cache cache = open();
  for (const char* tear :
       {"value=substr(value, 1, 100)", "value=value || 'x'", "value=zeroblob(20)",
        "value=cast('Value' || substr(value, 6) as blob)", "seal=''",
        // That of key 2, whole.
        "(seal, value)=(SELECT seal, value FROM entry WHERE cast(value AS text) LIKE 'value 2 %') "
        "WHERE cast(value AS text) LIKE 'value 1 %'"}) {
    ASSERT_TRUE(cache.add(kind, entry(1)));
    ASSERT_TRUE(cache.add(kind, entry(2)));
    ASSERT_TRUE(has(cache, 1));
    change(fmt::format("UPDATE entry SET {}", tear));
    EXPECT_EQ(cache.find(kind, {"key 1"})[0], std::nullopt) << tear;
  }
  EXPECT_TRUE(cache.notes().empty());
}

TEST_F(CacheTest, AFileIsCheckedAgainstItsName) {
  const Cache cache = open();
  const std::string hash = content_hash("content");
  EXPECT_EQ(cache.file_bytes(hash), std::nullopt);
  ASSERT_TRUE(cache.add_file(hash, "content"));
  EXPECT_EQ(cache.file_bytes(hash), 7U);
  EXPECT_EQ(cache.file(hash).value(), "content");
  const fs::path file = path() / "files" / hash.substr(0, 2) / hash;
  ASSERT_TRUE(write_file(file, "c0ntent"));
  EXPECT_EQ(cache.file(hash).error().text(),
            fmt::format("io: {} is damaged (delete it: it will be made again)", file.string()));
  fs::remove(file);
  EXPECT_EQ(cache.file_bytes(hash), std::nullopt);
}

// Damage of every kind begins a new index, says so, and leaves a cache that works.
void expect_thrown_away(const fs::path& path, const std::string& why) {
  const auto cache = Cache::open(path);
  ASSERT_TRUE(cache) << cache.error().text();
  EXPECT_EQ(cache->notes(),
            std::vector{fmt::format("the cache {} was thrown away: {}", path.string(), why)});
  EXPECT_FALSE(cache->find(kind, {"key 1"})[0]);
  ASSERT_TRUE(cache->add(kind, entry(1)));
  EXPECT_EQ(cache->find(kind, {"key 1"})[0], value_of(1));
  EXPECT_TRUE(Cache::open(path)->notes().empty());
}

TEST_F(CacheTest, AFileThatIsNoIndexIsThrownAway) {
  ASSERT_TRUE(write_file(index(), std::string(5000, 'x')));
  expect_thrown_away(path(), "file is not a database");
}

TEST_F(CacheTest, AnotherFormatIsThrownAway) {
  open();
  change("PRAGMA user_version=3");
  static_assert(base::cache_format == 2);
  expect_thrown_away(path(), "its format is 3, not 2");
}

// A part of the index that is cut off is noticed when it is asked for.
TEST_F(CacheTest, ATornIndexIsThrownAway) {
  {
    const Cache cache = open();
    for (int n = 0; n < 200; ++n) ASSERT_TRUE(cache.add(kind, entry(n)));
  }
  fs::resize_file(index(), 3 * 4096 + 100);
  auto cache = Cache::open(path());
  ASSERT_TRUE(cache) << cache.error().text();
  int found = 0;
  for (int n = 0; n < 200; ++n) found += has(*cache, n) ? 1 : 0;
  EXPECT_LT(found, 200);
  const auto notes = cache->notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], fmt::format("the cache {} was thrown away: database disk image is malformed",
                                  path().string()));
  ASSERT_TRUE(cache->add(kind, entry(1)));
  EXPECT_TRUE(has(*cache, 1));
  EXPECT_TRUE(open().notes().empty());
}

TEST_F(CacheTest, AnIndexInUseIsNotThrownAway) {
  const Cache user = open();
  ASSERT_TRUE(write_file(index(), std::string(5000, 'x')));
  const auto second = Cache::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text(),
            fmt::format("io: cannot use the cache {}: file is not a database, and another process "
                        "has it open (wait until that has ended)",
                        path().string()));
}

TEST_F(CacheTest, DamageFoundLaterIsNoted) {
  const Cache cache = open();
  ASSERT_TRUE(cache.add(kind, entry(1)));
  std::ofstream(index()) << std::string(5000, 'x');
  EXPECT_FALSE(has(cache, 1));
  EXPECT_EQ(cache.notes().size(), 1U);
  ASSERT_TRUE(cache.add(kind, entry(1)));
  EXPECT_TRUE(has(cache, 1));
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(write_file(folder_.path() / "file", ""));
  const fs::path folder = folder_.path() / "file" / "cache";
  EXPECT_EQ(Cache::open(folder).error().text(),
            fmt::format("io: cannot make the folder {}: Not a directory", folder.string()));
}

// Each adds its own entries and some that all add.
TEST_F(CacheTest, ProcessesAndThreadsShareIt) {
  constexpr int processes = 3, entries = 60;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    const auto cache = Cache::open(path());
    std::atomic<bool> good = cache.has_value();
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 2 && good; ++t)
        threads.emplace_back([&, t] {
          for (int n = t; n < entries && good; n += 2)
            good = cache->add(kind, entry(1000 * p + n)).has_value() &&
                   cache->add(kind, entry(100000 + n)).has_value() && good;
        });
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Cache cache = open();
  EXPECT_TRUE(cache.notes().empty());
  std::vector<std::jthread> threads;
  std::atomic<int> found = 0;
  for (int p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      for (int n = 0; n < entries; ++n) found += has(cache, 1000 * p + n) ? 1 : 0;
    });
  threads.clear();
  EXPECT_EQ(found, processes * entries);
}

}  // namespace
}  // namespace phasebit::test
