#include "gen/ptxas/cache.h"

#include "core/base/hash.h"
#include "gen/ptxas/assemble.h"
#include "tests/gen/hand_kernels.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using base::Cache;
using base::content_hash;
using base::write_file;
using ptxas::Assembly;

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

class OutcomeCache : public testing::Test {
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
  static Status add(const Cache& cache, const Entry& entry) {
    return ptxas::keep_outcomes(cache, configuration, {{entry.kernel, entry.outcome}},
                                {{entry.outcome.module, entry.code}});
  }
  static bool has(const Cache& cache, const Entry& entry) {
    return ptxas::find_outcomes(cache, configuration, {entry.kernel})[0].has_value();
  }
  std::optional<base::TempDir> folder_;
};

TEST_F(OutcomeCache, GivesBackWhatWasKept) {
  {
    Cache cache = open();
    EXPECT_FALSE(has(cache, entry(1)));
    ASSERT_TRUE(add(cache, entry(1)));
  }
  Cache cache = open();
  const auto found = ptxas::find_outcomes(cache, configuration, {entry(2).kernel, entry(1).kernel});
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
  EXPECT_EQ(cache.file(entry(1).outcome.module).value(), "code 1");
  EXPECT_TRUE(cache.notes().empty());
}

// Of a cache that holds what this program does not write.
TEST_F(OutcomeCache, AValueThatIsNoOutcomeIsNone) {
  const Cache cache = open();
  const std::string kind = fmt::format("outcome 2 {}", configuration);
  ASSERT_TRUE(add(cache, entry(1)));
  const std::string good = cache.find(kind, {entry(1).kernel})[0].value();
  ASSERT_TRUE(cache.add(kind, {{entry(1).kernel, good}}));
  EXPECT_TRUE(has(cache, entry(1)));
  for (const std::string& bad : {std::string(), good.substr(0, 40), good + "\t", good + "]",
                                 "0\t" + good, good.substr(0, good.size() - 1)}) {
    ASSERT_TRUE(cache.add(kind, {{entry(1).kernel, bad}}));
    EXPECT_FALSE(has(cache, entry(1))) << bad;
  }
}

TEST_F(OutcomeCache, AnotherConfigurationIsAnotherOutcome) {
  Cache cache = open();
  ASSERT_TRUE(add(cache, entry(1)));
  EXPECT_FALSE(ptxas::find_outcomes(cache, "sm_90a ptxas 13.4.1", {entry(1).kernel})[0]);
}

TEST_F(OutcomeCache, AnOutcomeWithoutItsModuleIsNone) {
  Cache cache = open();
  const Entry one = entry(1);
  ASSERT_TRUE(add(cache, one));
  const fs::path file = path() / "files" / one.outcome.module.substr(0, 2) / one.outcome.module;
  ASSERT_TRUE(write_file(file, "code"));  // cut off
  EXPECT_FALSE(has(cache, one));
  ASSERT_TRUE(write_file(file, "c0de 1"));  // changed
  EXPECT_FALSE(cache.file(one.outcome.module));
  fs::remove(file);
  EXPECT_FALSE(has(cache, one));
  ASSERT_TRUE(add(cache, one));
  EXPECT_TRUE(has(cache, one));
}

// A refusal is kept with its statement, so that a template line that moved is told where it is now.
TEST_F(OutcomeCache, RefusalsAreKeptAndFollowTheTemplate) {
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

TEST_F(OutcomeCache, AssemblyFromTheCacheIsTheSame) {
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
