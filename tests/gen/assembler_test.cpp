// Which ptxas assembles a variant: the last axes of its id.
#include "gen/ptxas/assembler.h"

#include "core/base/hash.h"
#include "gen/fork/snippet.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/hand_made.h"
#include "gen/space/point.h"
#include "tests/gen/hand_kernels.h"
#include "tests/home.h"

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

namespace phasebit::test {

using image::VariantKey;
using ptxas::assembler_of;
using ptxas::AssemblerAxes;
using ptxas::AssemblerChoice;
using ptxas::flags_of;
using ptxas::set_assembler_axis;
using ptxas::text_key;
using ptxas::with_assembler;
using space::read_typed_id;

namespace {

VariantKey key_of(const std::string& id) {
  return {id, base::short_hash(id), {{"probe", "ring"}, {"num_stages", "8"}}};
}

TEST(AssemblerKey, NamesOnlyWhatIsNotTheDefault) {
  const VariantKey plain = key_of("ring/a/b/c/num_stages=8");
  EXPECT_EQ(with_assembler(plain, {}).id, plain.id);
  const VariantKey key = with_assembler(plain, {"12.4.131", 1, 32});
  EXPECT_EQ(key.id, "ring/a/b/c/num_stages=8/ptxas=12.4.131/opt_level=1/maxrregcount=32");
  EXPECT_EQ(key.hash, base::short_hash(key.id));
  EXPECT_EQ(key.value("opt_level"), "1");
  EXPECT_EQ(assembler_of(key), (AssemblerChoice{"12.4.131", 1, 32}));
  EXPECT_EQ(text_key(key).id, plain.id);
  EXPECT_EQ(text_key(key).hash, plain.hash);
  EXPECT_EQ(text_key(key).axes, plain.axes);
  // A choice takes the place of another.
  EXPECT_EQ(with_assembler(key, {"", 0, 0}).id, "ring/a/b/c/num_stages=8/opt_level=0");
}

TEST(AssemblerKey, PaddingStandsLast) {
  const VariantKey key = with_assembler(key_of("ring/a/b/c"), {"", 3, 0, "0x920.NOP", 208});
  EXPECT_EQ(key.id, "ring/a/b/c/edit=0x920.NOP/padding=208");
  EXPECT_EQ(assembler_of(key), (AssemblerChoice{"", 3, 0, "0x920.NOP", 208}));
  EXPECT_EQ(text_key(key).id, "ring/a/b/c");
  EXPECT_TRUE(flags_of(assembler_of(key)).empty());
}

TEST(AssemblerKey, StandsBehindAFork) {
  VariantKey fork = key_of("ring/a/b/c/num_stages=8/tuned=x");
  fork.axes.emplace_back("tuned", "x");
  const VariantKey key = with_assembler(fork, {"12.4.131", 3, 0});
  EXPECT_EQ(key.id, "ring/a/b/c/num_stages=8/tuned=x/ptxas=12.4.131");
  EXPECT_EQ(text_key(key).id, fork.id);
  EXPECT_EQ(space::template_key(key).axes, key_of("").axes);
  EXPECT_TRUE(space::is_hand_made(key));
  EXPECT_FALSE(space::is_hand_made(with_assembler(key_of("x"), {"12.4.131", 3, 0})));
}

TEST(AssemblerFlags, AreThoseOfPtxas) {
  EXPECT_TRUE(flags_of({"12.4.131", 3, 0}).empty());
  EXPECT_EQ(flags_of({"", 0, 40}), (std::vector<std::string>{"-O0", "-maxrregcount=40"}));
  EXPECT_EQ(ptxas::describe(AssemblerChoice{"12.4.131", 1, 0}), "ptxas 12.4.131 -O1");
  EXPECT_EQ(ptxas::describe(AssemblerChoice{}), "");
}

TEST(Combinations, AreOfAllAxes) {
  EXPECT_EQ(ptxas::combinations({}), std::vector<AssemblerChoice>{AssemblerChoice{}});
  EXPECT_EQ(ptxas::combinations({{"", "12.4.131"}, {0, 3}, {}}),
            (std::vector<AssemblerChoice>{
                {"", 0, 0}, {"", 3, 0}, {"12.4.131", 0, 0}, {"12.4.131", 3, 0}}));
}

// The id is for people: a key whose display name holds what looks like an axis keeps it.
TEST(AssemblerKey, TakesNoIdApart) {
  const VariantKey odd = key_of("a/ptxas=12.4.131/b");
  const VariantKey key = with_assembler(odd, {"12.4.131", 3, 0});
  EXPECT_EQ(key.id, "a/ptxas=12.4.131/b/ptxas=12.4.131");
  EXPECT_EQ(text_key(key).id, odd.id);
  EXPECT_EQ(text_key(odd).id, odd.id);
}

// A folder with toolchains that hold nothing but a name.
class Installed : public testing::Test {
 protected:
  Installed() {
    for (const char* version : {"12.4.99", "12.4.131", "11.8.89", "13.5.37"})
      test::write_script(folder_.path() / ".toolchains" / version / "bin" / "ptxas", "exit 1\n");
    fs::create_directories(folder_.path() / ".toolchains" / ".part-x");
    fs::create_directories(folder_.path() / ".toolchains" / "12.9.86");  // without a ptxas
    EXPECT_TRUE(base::write_file(folder_.path() / "templates" / "README.md", ""));
    ::setenv("PHASEBIT_HOME", folder_.path().c_str(), 1);
  }
  ~Installed() override { ::setenv("PHASEBIT_HOME", base::source_root().c_str(), 1); }
  static std::string error_of(std::string_view axis, const std::vector<std::string>& values) {
    AssemblerAxes axes;
    const Status set = set_assembler_axis(test::home(), axes, axis, values);
    return set ? "none" : set.error().text();
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(Installed, AllIsEveryVersionOldestFirst) {
  AssemblerAxes axes;
  ASSERT_TRUE(set_assembler_axis(test::home(), axes, "ptxas", {"all"}));
  // The pinned one is the default, which ids leave out.
  EXPECT_EQ(axes.ptxas, (std::vector<std::string>{"11.8.89", "12.4.99", "12.4.131", ""}));
  ASSERT_TRUE(set_assembler_axis(test::home(), axes, "ptxas", {"12.4", "12.4.99", "13.5", "12.4"}));
  EXPECT_EQ(axes.ptxas, (std::vector<std::string>{"12.4.131", "12.4.99", ""}));
}

TEST_F(Installed, PaddingIsNumbersAndRanges) {
  const struct {
    std::vector<std::string> words;
    std::vector<int> values;
  } rows[] = {{{"0"}, {0}},
              {{"208", "16", "208"}, {208, 16}},
              {{"0:64:16"}, {0, 16, 32, 48, 64}},
              {{"0:64"}, {0, 16, 32, 48, 64}},
              {{"16:100:32", "1024"}, {16, 48, 80, 1024}}};
  for (const auto& row : rows) {
    AssemblerAxes axes;
    ASSERT_TRUE(set_assembler_axis(test::home(), axes, "padding", row.words));
    EXPECT_EQ(axes.padding, row.values);
  }
  const std::pair<const char*, const char*> refused[] = {
      {"24", "usage: padding=24: not a multiple of 16 from 0 to 1024"},
      {"0:64:8", "usage: padding=8: not a multiple of 16 from 0 to 1024"},
      {"2048", "usage: padding=2048: not a number from 0 to 1024"},
      {"-16", "usage: padding=-16: not a number from 0 to 1024"},
      {"", "usage: padding=: not a number from 0 to 1024"},
      {"64:0", "usage: padding=64:0: not a range (first:last:step, such as 0:1024:16)"},
      {"0:64:0", "usage: padding=0:64:0: not a range (first:last:step, such as 0:1024:16)"},
      {"0:64:16:1", "usage: padding=16:1: not a number from 0 to 1024"}};
  for (const auto& [word, said] : refused) EXPECT_EQ(error_of("padding", {word}), said);
}

TEST_F(Installed, IdsAreReadBack) {
  const auto read = read_typed_id(
      test::home(),
      "ring/a/b/c/num_stages=8/snippet.wait=w@1f/ptxas=12.4/tuned=fast/maxrregcount=32");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variant, "ring/a/b/c/num_stages=8");
  EXPECT_EQ(read->text, "ring/a/b/c/num_stages=8/snippet.wait=w@1f/tuned=fast");
  EXPECT_EQ(read->fork, "fast");
  EXPECT_TRUE(read->snippets);
  EXPECT_EQ(read->choice, (AssemblerChoice{"12.4.131", 3, 32}));
  EXPECT_EQ(read_typed_id(test::home(), "c2ee1f8e7965")->text, "c2ee1f8e7965");
  EXPECT_FALSE(read_typed_id(test::home(), "c2ee1f8e7965")->snippets);
}

TEST_F(Installed, ErrorsHelp) {
  EXPECT_EQ(error_of("ptxas", {"12.9"}),
            "toolchain: ptxas 12.9 is not installed (there are 11.8.89, 12.4.99, 12.4.131, "
            "13.5.37) (run tools/toolchain 12.9)");
  EXPECT_EQ(error_of("ptxas", {"newest"}),
            "usage: 'newest' is no version of ptxas (such as 12.4 or 12.4.131, or all)");
  EXPECT_EQ(error_of("opt_level", {"4"}), "usage: opt_level=4: not a number from 0 to 3");
  EXPECT_EQ(error_of("maxrregcount", {"256"}),
            "usage: maxrregcount=256: not a number from 1 to 255");
  EXPECT_EQ(error_of("optlevel", {"1"}),
            "usage: no axis 'optlevel' of ptxas (did you mean 'opt_level'?)");
}

// The PTX ISA's release notes.
TEST(NewestPtx, FollowsTheReleases) {
  const struct {
    const char* cuda;
    const char* ptx;
  } rows[] = {{"11.7.99", "7.7"}, {"11.8.89", "7.8"}, {"12.0.140", "8.0"},
              {"12.5.82", "8.5"}, {"12.6.85", "8.5"}, {"12.8.93", "8.7"},
              {"12.9.86", "8.8"}, {"13.0.88", "9.0"}, {"13.5.37", "9.5"}};
  for (const auto& row : rows) {
    const auto ptx = ptxas::newest_ptx(isa::parse_version(row.cuda).value());
    ASSERT_TRUE(ptx) << row.cuda;
    EXPECT_EQ(ptx->text(), row.ptx) << row.cuda;
  }
  EXPECT_FALSE(ptxas::newest_ptx(isa::parse_version("14.0").value()));
}

}  // namespace
}  // namespace phasebit::test
