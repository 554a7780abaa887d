// How a variant is compiled: the last axes of its id.
#include "gen/space/compilers.h"

#include "core/base/hash.h"
#include "gen/kernel/snippet.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/hand_made.h"
#include "gen/space/point.h"
#include "tests/gen/hand_kernels.h"
#include "tests/home.h"

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::KeyAxes;
using launch::VariantKey;
using ptxas::AssemblerChoice;
using space::AxisValues;
using space::Catalogue;
using space::CompilerChoice;

namespace {

using Words = std::vector<std::string>;

const Catalogue& compilers_shipped() {
  static const Catalogue catalogue = Catalogue::load(base::source_root() / "templates").value();
  return catalogue;
}

VariantKey compilers_key_of(const std::string& id) {
  return {id, base::short_hash(id), {{"probe", "ring"}, {"num_stages", "8"}}};
}

VariantKey compilers_with(const VariantKey& key, const CompilerChoice& choice) {
  return space::with_choice(compilers_shipped(), key, choice);
}

VariantKey compilers_text_of(const VariantKey& key) {
  return space::text_key(compilers_shipped(), key);
}

AssemblerChoice assembler_of(const VariantKey& key) {
  return space::assembler_of(compilers_shipped(), key);
}

TEST(CompilerAxes, StandInTheOrderOfAnId) {
  Words names;
  for (const space::Axis& axis : compilers_shipped().compilers()) names.push_back(axis.name);
  EXPECT_EQ(names, (Words{"llvm", "llvm_opt", "short_ptr", "ptxas", "opt_level", "maxrregcount",
                          "edit", "padding"}));
}

TEST(CompilerKey, NamesOnlyWhatIsNotTheDefault) {
  const VariantKey plain = compilers_key_of("ring/a/b/c/num_stages=8");
  EXPECT_EQ(compilers_with(plain, {}).id, plain.id);
  const VariantKey key =
      compilers_with(plain, {{"ptxas", "12.4.131"}, {"opt_level", "1"}, {"maxrregcount", "32"}});
  EXPECT_EQ(key.id, "ring/a/b/c/num_stages=8/ptxas=12.4.131/opt_level=1/maxrregcount=32");
  EXPECT_EQ(key.hash, base::short_hash(key.id));
  EXPECT_EQ(key.value("opt_level"), "1");
  EXPECT_EQ(assembler_of(key), (AssemblerChoice{"12.4.131", {"-O1", "-maxrregcount=32"}}));
  EXPECT_EQ(compilers_text_of(key).id, plain.id);
  EXPECT_EQ(compilers_text_of(key).hash, plain.hash);
  EXPECT_EQ(compilers_text_of(key).axes, plain.axes);
  // A choice takes the place of another.
  EXPECT_EQ(compilers_with(key, {{"opt_level", "0"}}).id, "ring/a/b/c/num_stages=8/opt_level=0");
  EXPECT_EQ(space::by_ptxas(compilers_shipped(), key, "11.8.89").id,
            "ring/a/b/c/num_stages=8/ptxas=11.8.89/opt_level=1/maxrregcount=32");
  EXPECT_EQ(space::by_ptxas(compilers_shipped(), key, ptxas::pinned_toolchain).id,
            "ring/a/b/c/num_stages=8/opt_level=1/maxrregcount=32");
}

TEST(CompilerKey, PaddingStandsLast) {
  const VariantKey key =
      compilers_with(compilers_key_of("ring/a/b/c"), {{"edit", "0x920.NOP"}, {"padding", "208"}});
  EXPECT_EQ(key.id, "ring/a/b/c/edit=0x920.NOP/padding=208");
  EXPECT_EQ(assembler_of(key), (AssemblerChoice{"", {}, "0x920.NOP", 208}));
  EXPECT_EQ(compilers_text_of(key).id, "ring/a/b/c");
}

TEST(CompilerKey, StandsBehindAFork) {
  VariantKey fork = compilers_key_of("ring/a/b/c/num_stages=8/tuned=x");
  fork.axes.emplace_back("tuned", "x");
  const VariantKey key = compilers_with(fork, {{"ptxas", "12.4.131"}});
  EXPECT_EQ(key.id, "ring/a/b/c/num_stages=8/tuned=x/ptxas=12.4.131");
  EXPECT_EQ(compilers_text_of(key).id, fork.id);
  EXPECT_EQ(space::template_key(compilers_shipped(), key).axes, compilers_key_of("").axes);
  EXPECT_TRUE(space::is_hand_made(key));
  EXPECT_FALSE(space::is_hand_made(compilers_with(compilers_key_of("x"), {{"ptxas", "12.4.131"}})));
}

// LLVM makes the text, so its axes are of the text key; the rest is done to that text.
TEST(CompilerKey, LlvmIsOfTheText) {
  const VariantKey key = compilers_with(
      compilers_key_of("r/a/b/c"),
      {{"llvm", "22.1.8"}, {"llvm_opt", "1"}, {"short_ptr", "off"}, {"opt_level", "0"}});
  EXPECT_EQ(key.id, "r/a/b/c/llvm=22.1.8/llvm_opt=1/short_ptr=off/opt_level=0");
  EXPECT_EQ(compilers_text_of(key).id, "r/a/b/c/llvm=22.1.8/llvm_opt=1/short_ptr=off");
  EXPECT_EQ(space::without_llvm(compilers_shipped(), compilers_text_of(key)).id, "r/a/b/c");
  EXPECT_EQ(space::without_llvm(compilers_shipped(), compilers_text_of(key)).axes,
            compilers_key_of("").axes);
  EXPECT_EQ(assembler_of(key), (AssemblerChoice{"", {"-O0"}, "", 0, {"22.1.8", 1, false}}));
  EXPECT_EQ(space::describe(space::llvm_of(key)), "LLVM 22.1.8 -O1, long pointers");
  EXPECT_EQ(space::describe(space::llvm_of(compilers_key_of("x"))), "");
  // A choice without LLVM leaves the text as it is.
  EXPECT_EQ(compilers_with(key, {{"opt_level", "1"}}).text_id, compilers_text_of(key).id);
}

TEST(Combinations, AreOfAllAxesTheFirstSlowest) {
  EXPECT_EQ(space::combinations(compilers_shipped(), {}), std::vector<CompilerChoice>{{}});
  EXPECT_EQ(space::combinations(compilers_shipped(), {{"opt_level", {"0", "3", "0"}},
                                                      {"ptxas", {"13.5.37", "12.4.131"}}}),
            (std::vector<CompilerChoice>{{{"opt_level", "0"}},
                                         {},
                                         {{"ptxas", "12.4.131"}, {"opt_level", "0"}},
                                         {{"ptxas", "12.4.131"}}}));
}

// The templates' own PTX once, whatever LLVM is asked.
TEST(Combinations, LeaveOutWhatHasNoMeaning) {
  EXPECT_EQ(space::combinations(compilers_shipped(),
                                {{"llvm", {"none", "22.1.8"}}, {"llvm_opt", {"1", "2"}}}),
            (std::vector<CompilerChoice>{
                {}, {{"llvm", "22.1.8"}, {"llvm_opt", "1"}}, {{"llvm", "22.1.8"}}}));
}

// The id is for people: a key whose display name holds what looks like an axis keeps it.
TEST(CompilerKey, TakesNoIdApart) {
  const VariantKey odd = compilers_key_of("a/ptxas=12.4.131/b");
  const VariantKey key = compilers_with(odd, {{"ptxas", "12.4.131"}});
  EXPECT_EQ(key.id, "a/ptxas=12.4.131/b/ptxas=12.4.131");
  EXPECT_EQ(compilers_text_of(key).id, odd.id);
  EXPECT_EQ(compilers_text_of(odd).id, odd.id);
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
  static Result<AxisValues> parse(const std::string& axis, const std::string& text) {
    return space::parse_compiler_values(test::home(), compilers_shipped(), axis, text);
  }
  static std::string error_of(const std::string& axis, const std::string& text) {
    const auto values = parse(axis, text);
    return values ? "none" : values.error().text();
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(Installed, AllIsEveryVersionOldestFirst) {
  EXPECT_EQ(parse("ptxas", "all")->values, (Words{"11.8.89", "12.4.99", "12.4.131", "13.5.37"}));
  EXPECT_EQ(parse("ptxas", "12.4,12.4.99,13.5,12.4")->values,
            (Words{"12.4.131", "12.4.99", "13.5.37"}));
}

TEST_F(Installed, ValuesAreRangesAllAndNone) {
  const struct {
    const char *axis, *text;
    Words values;
  } rows[] = {{"padding", "0", {"0"}},
              {"padding", "208,16", {"208", "16"}},
              {"padding", "0:64:16", {"0", "16", "32", "48", "64"}},
              {"padding", "0:64", {"0", "16", "32", "48", "64"}},
              {"padding", "16:100:32,1024", {"16", "48", "80", "1024"}},
              {"opt_level", "all", {"0", "1", "2", "3"}},
              {"maxrregcount", "none,24:40:8", {"none", "24", "32", "40"}},
              {"short_ptr", "all", {"on", "off"}},
              {"llvm", "none", {"none"}},
              {"edit", "0x920.NOP,none", {"0x920.NOP", "none"}}};
  for (const auto& row : rows) {
    const auto values = parse(row.axis, row.text);
    ASSERT_TRUE(values) << row.text << values.error().text();
    EXPECT_EQ(values->values, row.values) << row.text;
  }
  EXPECT_EQ(parse("maxrregcount", "all")->values.size(), 256U);
}

TEST_F(Installed, IdsAreReadBack) {
  const auto read = space::read_typed_id(
      test::home(), compilers_shipped(),
      "ring/a/b/c/num_stages=8/snippet.wait=w@1f/ptxas=12.4/tuned=fast/maxrregcount=32");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variant, "ring/a/b/c/num_stages=8");
  EXPECT_EQ(read->text, "ring/a/b/c/num_stages=8/snippet.wait=w@1f/tuned=fast");
  EXPECT_EQ(read->fork, "fast");
  EXPECT_TRUE(read->snippets);
  EXPECT_EQ(read->choice, (CompilerChoice{{"ptxas", "12.4.131"}, {"maxrregcount", "32"}}));
  const auto hash = space::read_typed_id(test::home(), compilers_shipped(), "c2ee1f8e7965");
  ASSERT_TRUE(hash) << hash.error().text();
  EXPECT_EQ(hash->text, "c2ee1f8e7965");
  EXPECT_FALSE(hash->snippets);
  EXPECT_EQ(
      space::read_typed_id(test::home(), compilers_shipped(), "r/a/b/c/opt_level=1/opt_level=2")
          .error()
          .text(),
      "usage: r/a/b/c/opt_level=1/opt_level=2: has several values of opt_level");
}

TEST_F(Installed, ErrorsHelp) {
  const struct {
    const char *axis, *text, *message;
  } rows[] = {
      {"ptxas", "12.9",
       "toolchain: ptxas 12.9 is not installed (there are 11.8.89, 12.4.99, 12.4.131, 13.5.37) "
       "(run tools/toolchain 12.9)"},
      {"ptxas", "newest",
       "usage: 'newest' is not a version of ptxas (such as 12.4 or 12.4.131, or all)"},
      {"opt_level", "4", "usage: opt_level: no value '4' (a whole number in 0..3)"},
      {"maxrregcount", "256",
       "usage: maxrregcount: no value '256' (none, or a whole number in 1..255)"},
      {"short_ptr", "offf", "usage: short_ptr: no value 'offf' (did you mean 'off'?)"},
      {"padding", "24", "usage: padding: no value '24' (a whole number in 0..1024 in steps of 16)"},
      {"padding", "0:64:8",
       "usage: padding: no value '8' (a whole number in 0..1024 in steps of 16)"},
      {"padding", "", "usage: padding: no value '' (a whole number in 0..1024 in steps of 16)"},
      {"padding", "64:0",
       "usage: padding: '64:0' is not a range (lowest:highest or lowest:highest:step, as in "
       "4:16:4)"},
      {"optlevel", "1", "usage: no axis 'optlevel' of a compiler (did you mean 'opt_level'?)"}};
  for (const auto& row : rows) EXPECT_EQ(error_of(row.axis, row.text), row.message);
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
