#include "core/isa/targets.h"

#include "core/base/file.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::TargetTable;

namespace {

TEST(ParseTarget, TakesNumberAndSuffix) {
  struct Row {
    const char* name;
    int sm;
    const char* suffix;
  };
  for (const Row& row : {Row{"sm_75", 75, ""}, Row{"sm_90a", 90, "a"}, Row{"sm_100f", 100, "f"}}) {
    const auto target = isa::parse_target(row.name);
    ASSERT_TRUE(target) << row.name;
    EXPECT_EQ(target->name, row.name);
    EXPECT_EQ(target->sm, row.sm);
    EXPECT_EQ(target->suffix, row.suffix);
    EXPECT_EQ(target->family, "");
  }
}

TEST(ParseTarget, RefusesEverythingElse) {
  for (const char* name : {"", "sm_", "sm_a", "90a", "compute_90", "sm_90b", "sm_90aa", "sm_90 ",
                           "sm90", "SM_90", "sm_-5", "sm_+5", "sm_090", "sm_0"}) {
    const auto target = isa::parse_target(name);
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().text(),
              fmt::format("usage: '{}' is not an architecture such as sm_90a", name));
  }
}

// CUDA C++ Programming Guide 13, "Technical Specifications per Compute Capability": maximum shared
// memory per thread block, in KiB: 64 for 7.5; 163 for 8.0 and 8.7; 99 for 8.6, 8.9 and 12.x; 227
// for 9.0, 10.x and 11.0.
TEST(TargetTable, KnowsFamiliesAndLimits) {
  struct Row {
    const char *name, *family;
    int kib;
  };
  constexpr Row rows[] = {
      {"sm_75", "turing", 64},       {"sm_80", "ampere", 163},      {"sm_86", "ampere", 99},
      {"sm_87", "ampere", 163},      {"sm_89", "ada", 99},          {"sm_90", "hopper", 227},
      {"sm_90a", "hopper", 227},     {"sm_100a", "blackwell", 227}, {"sm_103f", "blackwell", 227},
      {"sm_110a", "blackwell", 227}, {"sm_120", "blackwell", 99},   {"sm_121a", "blackwell", 99},
  };
  const auto table = TargetTable::load();
  ASSERT_TRUE(table) << table.error().text();
  for (const Row& row : rows) {
    const auto target = table->find(row.name);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->name, row.name);
    EXPECT_EQ(target->family, row.family) << row.name;
    EXPECT_EQ(target->max_shared_bytes_per_cta, row.kib * 1024) << row.name;
    EXPECT_EQ(target->max_registers_per_thread, 255) << row.name;
    EXPECT_EQ(target->max_threads_per_cta, 1024) << row.name;
  }
  EXPECT_EQ(table->find("sm_90a")->suffix, "a");
  EXPECT_EQ(table->find("sm_107a")->family, "rubin");
}

// CUDA C++ Programming Guide, compute capabilities: code of "a" runs on its own alone, of "f" on
// its family, other code on all later ones.
TEST(TargetTable, CodeRunsOnLaterOnes) {
  const auto on = [](const char* name) {
    std::vector<int> all;
    for (const isa::Target& one : TargetTable::load().value().runs_on(name)) all.push_back(one.sm);
    return all;
  };
  EXPECT_EQ(on("sm_90a"), std::vector<int>{90});
  EXPECT_EQ(on("sm_100f"), (std::vector<int>{100, 103, 107}));
  EXPECT_EQ(on("sm_110"), (std::vector<int>{110, 120, 121}));
  EXPECT_EQ(on("what").front(), 75);
}

TEST(TargetTable, AnUnknownOneHasNoFamilyAndNoLimits) {
  const auto target = TargetTable::load().value().find("sm_999a");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->name, "sm_999a");
  EXPECT_EQ(target->sm, 999);
  EXPECT_EQ(target->family, "");
  EXPECT_EQ(target->max_shared_bytes_per_cta, 0);
  EXPECT_EQ(target->max_registers_per_thread, 0);
  EXPECT_EQ(TargetTable::load().value().find("90").error().text(),
            "usage: '90' is not an architecture such as sm_90a");
}

class BrokenTable : public testing::Test {
 protected:
  // What loading says of a table with this text, without the file's name at its front.
  static std::string said(std::string_view text) {
    const auto table = TargetTable::read(text, "t.toml");
    if (table) return "loaded";
    std::string message = table.error().text();
    const std::string front = "spec: t.toml";
    EXPECT_EQ(message.substr(0, front.size()), front);
    return message.substr(front.size());
  }
};

TEST_F(BrokenTable, NamesFileLineAndKey) {
  constexpr const char* needs =
      ": a target needs sm (a number), family (a word) and max_shared_bytes_per_cta (a number)";
  const std::string good =
      "[[target]]\nsm = 90\nfamily = \"hopper\"\nmax_shared_bytes_per_cta = 9\n";
  EXPECT_EQ(said(good), "loaded");
  EXPECT_EQ(said("x = 1\n"), ": no [[target]]");
  EXPECT_EQ(said("\ntarget = [1]\n"), ":2: target is not a table");
  EXPECT_EQ(said(good + "[[family]]\nname = \"hopper\"\nlike = \"hoper\"\n"),
            ":5: no SASS family 'hoper' (did you mean 'hopper'?)");
  EXPECT_EQ(said(good + "[[target]]\nsm = 91\n"), std::string(":5") + needs);
  EXPECT_EQ(said("[[target]]\nsm = \"90\"\nfamily = \"hopper\"\nmax_shared_bytes_per_cta = 9\n"),
            std::string(":1") + needs);
  EXPECT_EQ(said(good + "max_warps_per_sm = 64\n"),
            ":1: max_warps_per_sm, shared_bytes_per_sm and max_ctas_per_sm come together (numbers "
            "above 0)");
  EXPECT_EQ(said("[[target]]\nsm = = 90\n").substr(0, 3), ":2:");
}

}  // namespace
}  // namespace phasebit::test
