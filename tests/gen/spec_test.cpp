#include "gen/space/spec.h"

#include "tests/gen/fixture.h"
#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Catalogue;
using space::load_spec;

namespace {

using Words = std::vector<std::string>;

struct Values_ {
  const char* axis;
  const char* text;
  Words values;
};

TEST(ParseValues, ExpandsListsAndRanges) {
  const Catalogue catalogue = load_fixture();
  const Values_ rows[] = {
      {"num_stages", "8", {"8"}},
      {"num_stages", "1,2,4:16:4", {"1", "2", "4", "8", "12", "16"}},
      {"num_stages", "4:16:5", {"4", "9", "14"}},  // 19 is beyond
      {"num_stages", "3:6", {"3", "4", "5", "6"}},
      {"num_stages", "7:7", {"7"}},
      {"num_stages", "1:32:31,2", {"1", "32", "2"}},
      {"delay", "all", {"0", "10", "100"}},
      {"wait", "try_wait,spin", {"try_wait", "spin"}},
      {"hint_ns", "100,none", {"100", "none"}},
      {"protocol", "all", {"cta", "flag", "mbarrier"}},
  };
  for (const Values_& row : rows) {
    SCOPED_TRACE(row.text);
    const auto values = space::parse_values(catalogue, row.axis, row.text);
    ASSERT_TRUE(values) << values.error().text();
    EXPECT_EQ(*values, row.values);
  }
  EXPECT_EQ(space::parse_values(catalogue, "num_stages", "all")->size(), 32U);
}

struct Refusal {
  const char* text;
  const char* message;
};

constexpr const char* not_a_range =
    " is not a range (lowest:highest or lowest:highest:step, as in 4:16:4)";

TEST(ParseOverride, SaysWhatIsWrong) {
  const Catalogue catalogue = load_fixture();
  const std::pair<const char*, std::string> rows[] = {
      {"stages", "usage: -a stages: not axis=values (as in -a num_stages=1,2,4:16:4)"},
      {"satges=1", "usage: -a satges=1: no axis 'satges' (did you mean 'stages'?)"},
      {"stages=64", "usage: -a stages=64: num_stages: no value '64' (a whole number in 1..32)"},
      {"stages=4:64:30",
       "usage: -a stages=4:64:30: num_stages: no value '34' (a whole number in 1..32)"},
      {"stages=", "usage: -a stages=: num_stages: no value '' (a whole number in 1..32)"},
      {"stages=1,", "usage: -a stages=1,: num_stages: no value '' (a whole number in 1..32)"},
      {"stages=8:4", std::string("usage: -a stages=8:4: num_stages: '8:4'") + not_a_range},
      {"stages=1:4:0", std::string("usage: -a stages=1:4:0: num_stages: '1:4:0'") + not_a_range},
      {"stages=1:4:1:1",
       std::string("usage: -a stages=1:4:1:1: num_stages: '1:4:1:1'") + not_a_range},
      {"stages=a:b", std::string("usage: -a stages=a:b: num_stages: 'a:b'") + not_a_range},
      {"stages=1:9000000000000000000",
       "usage: -a stages=1:9000000000000000000: num_stages: '1:9000000000000000000' has too many "
       "values"},
      {"wait=try_wiat",
       "usage: -a wait=try_wiat: wait: no value 'try_wiat' (did you mean 'try_wait'?)"},
  };
  for (const auto& [text, message] : rows) {
    SCOPED_TRACE(text);
    const auto parsed = space::parse_override(catalogue, text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().text(), message);
  }
}

TEST(ParseOverride, TakesAliases) {
  const auto parsed = space::parse_override(load_fixture(), "stages=1,2");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->axis, "num_stages");
  EXPECT_EQ(parsed->values, (Words{"1", "2"}));
}

constexpr const char* spec_text = R"(
[[sweep]]
name = "core"
doc = "what we publish"

[[sweep.block]]
doc = "stages"
baseline = { probe = "ring", protocol = "mbarrier", mover = "none", work = "none", stages = 2 }
cross = { wait = ["try_wait", "spin"], stages = "1,2,4:16:4", delay = [10] }
when = "num_stages < 16"

[[sweep.block]]
baseline = { probe = "ring" }
when = "wait != 'spin'"
reason = "no spinning here"
[sweep.block.once_around]
granularity = "all"
mover = ["none"]

[[sweep]]
name = "quick"
[[sweep.block]]
)";

TEST(LoadSpec, KeepsTheOrderOfTheFile) {
  Folder folder;
  folder.write("s.toml", spec_text);
  const auto spec = load_spec(test::home(), folder.path() / "s.toml", load_fixture());
  ASSERT_TRUE(spec) << spec.error().text();
  ASSERT_EQ(spec->sweeps.size(), 2U);
  const space::Sweep& core = spec->sweeps[0];
  EXPECT_EQ(core.name, "core");
  EXPECT_EQ(core.doc, "what we publish");
  ASSERT_EQ(core.blocks.size(), 2U);
  const space::SweepBlock& first = core.blocks[0];
  ASSERT_EQ(first.baseline.size(), 5U);
  EXPECT_EQ(first.baseline[4], (std::pair<std::string, std::string>{"num_stages", "2"}));
  // Written wait, stages, delay: not in the order of the alphabet.
  ASSERT_EQ(first.cross.size(), 3U);
  EXPECT_EQ(first.cross[0].axis, "wait");
  EXPECT_EQ(first.cross[1].axis, "num_stages");
  EXPECT_EQ(first.cross[1].values, (Words{"1", "2", "4", "8", "12", "16"}));
  EXPECT_EQ(first.cross[2].axis, "delay");
  EXPECT_EQ(first.reason, "outside the block: not (num_stages < 16)");
  EXPECT_EQ(core.blocks[1].reason, "no spinning here");
  ASSERT_EQ(core.blocks[1].once_around.size(), 2U);
  EXPECT_EQ(core.blocks[1].once_around[0].values, (Words{"warp", "even_odd_lanes"}));
}

TEST(LoadSpec, FindsSweepsByName) {
  Folder folder;
  folder.write("s.toml", spec_text);
  const auto spec = load_spec(test::home(), folder.path() / "s.toml", load_fixture());
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->find("quick").value()->name, "quick");
  EXPECT_EQ(folder.text(spec->find("cor").error()),
            "usage: s.toml: no sweep 'cor' (did you mean 'core'?)");
}

const Refusal refusals[] = {
    {"", "spec: s.toml:1: the file: has no [[sweep]]"},
    {"[[sweeep]]\n", "spec: s.toml:1: sweeep: no such key (did you mean 'sweep'?)"},
    {"[[sweep]]\nname = \"a\"\n", "spec: s.toml:1: [[sweep]]: sweep 'a' has no [[sweep.block]]"},
    {"[[sweep]]\n[[sweep.block]]\n", "spec: s.toml:1: [[sweep]]: lacks 'name'"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\n[[sweep]]\nname = \"a\"\n[[sweep.block]]\n",
     "spec: s.toml:5: name: sweep 'a' twice"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\nbasline = {}\n",
     "spec: s.toml:4: basline: no such key (did you mean 'baseline'?)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\nbaseline = { wait = \"tri_wait\" }\n",
     "spec: s.toml:4: wait: wait: no value 'tri_wait' (did you mean 'try_wait'?)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\n[sweep.block.cross]\ngranularity = \"all\"\n"
     "num_stagse = [1]\n",
     "spec: s.toml:6: num_stagse: no axis 'num_stagse' (did you mean 'num_stages'?)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\ncross = { stages = [1, 40] }\n",
     "spec: s.toml:4: stages: num_stages: no value '40' (a whole number in 1..32)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\ncross = { opt_level = [1] }\n",
     "spec: s.toml:4: opt_level: 'opt_level' says how a text is compiled, not what it is (give it "
     "with -a, in [sweep.assembler], or last in an id)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\ncross = [1]\n",
     "spec: s.toml:4: cross: must be a table"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\ncross = { stages = [1] }\n"
     "pairs = { num_stages = [2] }\n",
     "spec: s.toml:3: [[sweep.block]]: axis 'num_stages' is varied twice"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\nwhen = \"granularity == 'wrap'\"\n",
     "spec: s.toml:4: when: column 16: granularity is never 'wrap' (did you mean 'warp'?)"},
    {"[[sweep]]\nname = \"a\"\n[[sweep.block]]\nwhen = \"moves == 1\"\n",
     "spec: s.toml:4: when: 'moves' is known to gates alone"},
};

TEST(LoadSpec, NamesFileLineAndKey) {
  const Catalogue catalogue = load_fixture();
  for (const Refusal& row : refusals) {
    SCOPED_TRACE(row.text);
    Folder folder;
    folder.write("s.toml", row.text);
    const auto spec = load_spec(test::home(), folder.path() / "s.toml", catalogue);
    ASSERT_FALSE(spec);
    EXPECT_EQ(folder.text(spec.error()), row.message);
  }
  Folder folder;
  EXPECT_EQ(folder.text(load_spec(test::home(), folder.path() / "s.toml", catalogue).error()),
            "spec: cannot read s.toml: No such file or directory");
}

constexpr const char* before_assembler =
    "[[sweep]]\nname = \"a\"\n[[sweep.block]]\n[sweep.assembler]\n";

Result<space::Spec> with_assembler_lines(Folder& folder, const std::string& lines) {
  folder.write("s.toml", before_assembler + lines);
  return load_spec(test::home(), folder.path() / "s.toml", load_fixture());
}

// A list, one word alone, "all", and a value twice; what is not named keeps its default.
TEST(LoadSpec, ReadsTheAxesOfPtxas) {
  Folder folder;
  const auto spec = with_assembler_lines(
      folder, "opt_level = \"all\"\nmaxrregcount = [\"none\", 32, 32]\nedit = \"0x920.NOP\"\n");
  ASSERT_TRUE(spec) << spec.error().text();
  const std::vector<space::AxisValues>& axes = spec->sweeps[0].assembler;
  ASSERT_EQ(axes.size(), 3U);
  EXPECT_EQ(axes[0].axis, "opt_level");
  EXPECT_EQ(axes[0].values, (Words{"0", "1", "2", "3"}));
  EXPECT_EQ(axes[1].axis, "maxrregcount");
  EXPECT_EQ(axes[1].values, (Words{"none", "32", "32"}));
  EXPECT_EQ(axes[2].axis, "edit");
  EXPECT_EQ(axes[2].values, (Words{"0x920.NOP"}));
  const auto one = with_assembler_lines(folder, "opt_level = 1\n");
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_EQ(one->sweeps[0].assembler.size(), 1U);
  EXPECT_EQ(one->sweeps[0].assembler[0].values, (Words{"1"}));
}

TEST(LoadSpec, RefusesWhatIsNoAxisOfPtxas) {
  const Refusal rows[] = {
      {"optlevel = 1\n",
       "spec: s.toml:5: optlevel: no axis 'optlevel' of a compiler (did you mean 'opt_level'?)"},
      {"opt_level = 4\n",
       "spec: s.toml:5: opt_level: opt_level: no value '4' (a whole number in 0..3)"},
      {"\nopt_level = [1, \"fast\"]\n",
       "spec: s.toml:6: opt_level: opt_level: no value 'fast' (a whole number in 0..3)"},
      {"opt_level = 1\nmaxrregcount = 256\n",
       "spec: s.toml:6: maxrregcount: maxrregcount: no value '256' (none, or a whole number in "
       "1..255)"},
      {"maxrregcount = 0\n",
       "spec: s.toml:5: maxrregcount: maxrregcount: no value '0' (none, or a whole number in "
       "1..255)"},
  };
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.text);
    Folder folder;
    const auto spec = with_assembler_lines(folder, row.text);
    ASSERT_FALSE(spec);
    EXPECT_EQ(folder.text(spec.error()), row.message);
  }
  Folder folder;
  const auto spec = with_assembler_lines(folder, "ptxas = [\"99.1\"]\n");
  ASSERT_FALSE(spec);
  EXPECT_TRUE(
      folder.text(spec.error()).starts_with("spec: s.toml:5: ptxas: ptxas 99.1 is not installed"))
      << folder.text(spec.error());
}

TEST(ShippedSpecs, Load) {
  const fs::path root = base::source_root();
  const auto catalogue = Catalogue::load(root / "templates");
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  int loaded = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "specs")) {
    // Lists of ids and the expectations of `sass gate` lie there too.
    if (base::read_file(entry.path()).value_or("").find("\n[[sweep]]\n") == std::string::npos)
      continue;
    ++loaded;
    const auto spec = load_spec(test::home(), entry.path(), *catalogue);
    EXPECT_TRUE(spec) << spec.error().text();
  }
  EXPECT_GE(loaded, 5);
}

}  // namespace
}  // namespace phasebit::test
