#include "gen/ptxas/cache.h"

#include "core/base/hash.h"
#include "gen/ptxas/assemble.h"
#include "tests/gen/hand_kernels.h"

#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::test {

using base::content_hash;
using base::write_file;
using ptxas::Assembly;
using ptxas::Cache;

namespace {

constexpr const char* configuration = "sm_90a ptxas 13.5.37";

struct Entry {
  std::string kernel, code;
  ptxas::Outcome outcome;
};

Entry entry(int n) {
  Entry made;
  made.kernel = content_hash(fmt::format("kernel {}", n));
  made.code = fmt::format("code {}", n);
  made.outcome.module = content_hash(made.code);
  made.outcome.entry = fmt::format("entry_{}", n);
  made.outcome.text_hash = content_hash("text");
  made.outcome.resources = {n, n + 1, n + 2, n + 3, n + 4, n + 5};
  made.outcome.messages = {{3, "a \"quoted\" warning"}, {0, "\xff"}};
  return made;
}

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = base::TempDir::create();
    ASSERT_TRUE(folder) << folder.error().text();
    folder_.emplace(std::move(*folder));
  }
  fs::path path() const { return folder_->path() / "cache"; }
  Cache open() const {
    auto cache = Cache::open(path());
    if (!cache) bug(cache.error().text());
    return *std::move(cache);
  }
  static Status add(Cache& cache, const Entry& entry) {
    return cache.add(configuration, {{entry.kernel, entry.outcome}},
                     {{entry.outcome.module, entry.code}});
  }
  static bool has(Cache& cache, const Entry& entry) {
    return cache.find(configuration, {entry.kernel})[0].has_value();
  }
  std::optional<base::TempDir> folder_;
};

TEST_F(CacheTest, GivesBackWhatWasKept) {
  {
    Cache cache = open();
    EXPECT_FALSE(has(cache, entry(1)));
    ASSERT_TRUE(add(cache, entry(1)));
  }
  Cache cache = open();
  const auto found = cache.find(configuration, {entry(2).kernel, entry(1).kernel});
  EXPECT_FALSE(found[0]);
  ASSERT_TRUE(found[1]);
  EXPECT_FALSE(found[1]->refused);
  EXPECT_EQ(found[1]->module, entry(1).outcome.module);
  EXPECT_EQ(found[1]->entry, "entry_1");
  EXPECT_EQ(found[1]->text_hash, entry(1).outcome.text_hash);
  EXPECT_EQ(found[1]->resources.registers, 1);
  EXPECT_EQ(found[1]->resources.static_shared_bytes, 2);
  EXPECT_EQ(found[1]->resources.stack_bytes, 3);
  EXPECT_EQ(found[1]->resources.spill_store_bytes, 4);
  EXPECT_EQ(found[1]->resources.spill_load_bytes, 5);
  EXPECT_EQ(found[1]->resources.barriers, 6);
  ASSERT_EQ(found[1]->messages.size(), 2U);
  EXPECT_EQ(found[1]->messages[0].statement, 3);
  EXPECT_EQ(found[1]->messages[0].text, "a \"quoted\" warning");
  EXPECT_EQ(found[1]->messages[1].text, "\xEF\xBF\xBD");  // not UTF-8: U+FFFD
  EXPECT_EQ(cache.module(entry(1).outcome.module).value(), "code 1");
  EXPECT_TRUE(cache.notes().empty());
}

TEST_F(CacheTest, AnotherConfigurationIsAnotherOutcome) {
  Cache cache = open();
  ASSERT_TRUE(add(cache, entry(1)));
  EXPECT_FALSE(cache.find("sm_90a ptxas 13.4.1", {entry(1).kernel})[0]);
}

TEST_F(CacheTest, AnOutcomeWithoutItsModuleIsNone) {
  Cache cache = open();
  const Entry one = entry(1);
  ASSERT_TRUE(add(cache, one));
  const fs::path file =
      path() / "modules" / one.outcome.module.substr(0, 2) / (one.outcome.module + ".cubin");
  ASSERT_TRUE(write_file(file, "code"));  // cut off
  EXPECT_FALSE(has(cache, one));
  ASSERT_TRUE(write_file(file, "c0de 1"));  // changed
  EXPECT_EQ(
      cache.module(one.outcome.module).error().text(),
      fmt::format("io: {} is damaged (delete it: it will be assembled again)", file.string()));
  fs::remove(file);
  EXPECT_FALSE(has(cache, one));
  ASSERT_TRUE(add(cache, one));
  EXPECT_TRUE(has(cache, one));
}

// Damage of every kind begins a new index, says so, and leaves a cache that works.
void expect_thrown_away(const fs::path& path, const std::string& why) {
  auto cache = Cache::open(path);
  ASSERT_TRUE(cache) << cache.error().text();
  ASSERT_EQ(cache->notes().size(), 1U);
  EXPECT_EQ(cache->notes()[0], fmt::format("the cache {} was thrown away: {}", path.string(), why));
  EXPECT_FALSE(cache->find(configuration, {entry(1).kernel})[0]);
  const Entry one = entry(1);
  ASSERT_TRUE(
      cache->add(configuration, {{one.kernel, one.outcome}}, {{one.outcome.module, one.code}}));
  EXPECT_TRUE(cache->find(configuration, {one.kernel})[0]);
  EXPECT_TRUE(Cache::open(path)->notes().empty());
}

TEST_F(CacheTest, AFileThatIsNoIndexIsThrownAway) {
  ASSERT_TRUE(write_file(path() / "index.sqlite", std::string(5000, 'x')));
  expect_thrown_away(path(), "file is not a database");
}

TEST_F(CacheTest, ATornIndexIsThrownAway) {
  {
    Cache cache = open();
    for (int n = 0; n < 200; ++n) ASSERT_TRUE(add(cache, entry(n)));
  }
  fs::resize_file(path() / "index.sqlite", 3 * 4096 + 100);
  expect_thrown_away(path(), "database disk image is malformed");
}

TEST_F(CacheTest, ANewerIndexIsThrownAway) {
  {
    open();
  }
  {
    SQLite::Database database((path() / "index.sqlite").string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA user_version=2");
  }
  static_assert(ptxas::cache_schema_version == 1);
  expect_thrown_away(path(), "its schema is 2, not 1");
}

TEST_F(CacheTest, AnIndexInUseIsNotThrownAway) {
  const Cache user = open();
  ASSERT_TRUE(write_file(path() / "index.sqlite", std::string(5000, 'x')));
  const auto second = Cache::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text(),
            fmt::format("io: cannot use the cache {}: file is not a database, and another process "
                        "has it open (wait until that has ended)",
                        path().string()));
}

TEST_F(CacheTest, DamageFoundLaterIsNoted) {
  Cache cache = open();
  ASSERT_TRUE(add(cache, entry(1)));
  {
    SQLite::Database other((path() / "index.sqlite").string(), SQLite::OPEN_READWRITE);
    other.exec("UPDATE outcome SET messages='[[1'");
  }
  EXPECT_FALSE(has(cache, entry(1)));
  EXPECT_EQ(cache.notes().size(), 1U);
  ASSERT_TRUE(add(cache, entry(1)));
  EXPECT_TRUE(has(cache, entry(1)));
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(write_file(folder_->path() / "file", ""));
  const auto cache = Cache::open(folder_->path() / "file" / "cache");
  ASSERT_FALSE(cache);
  EXPECT_EQ(cache.error().text(), fmt::format("io: cannot make the folder {}: Not a directory",
                                              (folder_->path() / "file" / "cache").string()));
}

TEST_F(CacheTest, ProcessesAndThreadsShareIt) {
  constexpr int processes = 3, entries = 60;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    auto cache = Cache::open(path());
    bool good = cache.has_value();
    for (int n = 0; n < entries && good; ++n)  // each adds its own and one that all add
      good = add(*cache, entry(1000 * p + n)).has_value() &&
             add(*cache, entry(100000 + n)).has_value();
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  Cache cache = open();
  EXPECT_TRUE(cache.notes().empty());
  std::vector<std::jthread> threads;
  std::atomic<int> found = 0;
  for (int p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      for (int n = 0; n < entries; ++n) found += has(cache, entry(1000 * p + n)) ? 1 : 0;
    });
  threads.clear();
  EXPECT_EQ(found, processes * entries);
}

// A refusal is kept with its statement, so that a template line that moved is told where it is now.
TEST_F(CacheTest, RefusalsAreKeptAndFollowTheTemplate) {
  auto toolchain = test::toolchain();
  ASSERT_TRUE(toolchain) << toolchain.error().text();
  Cache cache = open();
  ptxas::Kernel kernel = test::refused_kernel("hand_bad");
  for (const int line : {4, 70}) {
    kernel.source[3].line = line;
    const Assembly made = ptxas::assemble(*toolchain, &cache, {kernel}, "sm_80");
    EXPECT_EQ(made.from_cache, line == 70 ? 1U : 0U);
    EXPECT_EQ(made.kernels[0].error().text(),
              fmt::format("assemble: templates/probes/hand/hand_bad.ptx:{}: "
                          "Not a name of any known instruction: 'bogus'",
                          line));
  }
}

TEST_F(CacheTest, AssemblyFromTheCacheIsTheSame) {
  auto toolchain = test::toolchain();
  ASSERT_TRUE(toolchain) << toolchain.error().text();
  Cache cache = open();
  const std::vector<ptxas::Kernel> kernels = test::kernels_for_sm_90();
  const Assembly cold = ptxas::assemble(*toolchain, &cache, kernels, "sm_90a");
  const Assembly warm = ptxas::assemble(*toolchain, &cache, kernels, "sm_90a");
  EXPECT_EQ(cold.assembled, kernels.size());
  EXPECT_EQ(warm.from_cache, kernels.size());
  EXPECT_EQ(warm.assembled, 0U);
  EXPECT_TRUE(cold.modules.empty());
  for (size_t n = 0; n < kernels.size(); ++n) {
    ASSERT_TRUE(cold.kernels[n] && warm.kernels[n]);
    EXPECT_EQ(cold.kernels[n]->module_hash, warm.kernels[n]->module_hash);
    EXPECT_EQ(cold.kernels[n]->text_hash, warm.kernels[n]->text_hash);
    EXPECT_EQ(cold.kernels[n]->resources.registers, warm.kernels[n]->resources.registers);
    EXPECT_TRUE(ptxas::module_code(warm, &cache, warm.kernels[n]->module_hash));
  }
  ptxas::AssembleOptions with_lines;
  with_lines.line_info = true;
  EXPECT_EQ(ptxas::assemble(*toolchain, &cache, kernels, "sm_90a", with_lines).from_cache, 0U);
}

}  // namespace
}  // namespace phasebit::test
