// `phasebit sass matrix` and `phasebit sass classes` as a user meets them.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

ProcessOutput sass_tables_sass(const std::vector<std::string>& arguments) {
  return test::run_phasebit({"sass"}, arguments);
}

class SassTables : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    if (!toolchain) GTEST_SKIP() << toolchain.error().text();
  }
};

// PTX manual: mbarrier.try_wait needs sm_90, bar.sync exists everywhere. sm_90a and sm_90 have one
// code where nothing of the "a" set is used.
TEST_F(SassTables, MatrixOfTwoProtocols) {
  const ProcessOutput output =
      sass_tables_sass({"matrix", "--spec", (test::home().data / "specs" / "curated.toml").string(),
                        "--sweep", "curated", "--filter", "barrier/none/none/num_stages=1", "-t",
                        "sm_80,sm_90,sm_90a", "--reference", "sm_90", "--format", "json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto json = nlohmann::json::parse(output.out);
  EXPECT_EQ(json["reference"], "sm_90");
  int checked = 0;
  for (const auto& row : json["rows"]) {
    const auto& cells = row["cells"];
    if (row["variant"] == "handoff/mbarrier/none/none/num_stages=1") {
      EXPECT_EQ(cells[0]["problem"], "needs sm_90, the target is sm_80");
      EXPECT_TRUE(cells[0]["features"].is_null());
      EXPECT_EQ(cells[2]["change"], "identical");
      EXPECT_EQ(cells[2]["text_hash"], cells[1]["text_hash"]);
      ++checked;
    }
    if (row["variant"] == "handoff/named_barrier/none/none/num_stages=1") {
      EXPECT_EQ(cells[0]["problem"], "");
      EXPECT_EQ(cells[0]["change"], "instructions");
      EXPECT_EQ(cells[0]["features"]["loops"].size(), 2U);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 2) << output.out;
}

TEST_F(SassTables, MatrixAgainstAVariant) {
  const ProcessOutput output =
      sass_tables_sass({"matrix", "--filter", "ring/mbarrier/st_shared/none", "--sweep", "core",
                        "-a", "num_stages=4", "-a", "wait=try_wait,test_wait", "--limit", "3", "-t",
                        "sm_90a", "--reference", "ring/mbarrier/st_shared/none"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  EXPECT_TRUE(output.out.starts_with("against ring/mbarrier/st_shared/none;")) << output.out;
  EXPECT_NE(output.out.find(" reference\n"), std::string::npos) << output.out;
}

// sem and scope spelled out are the defaults of the PTX manual, so they cannot change the code.
TEST_F(SassTables, ClassesOfSpelledOutSemantics) {
  const auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const std::string spec = (folder->path() / "one.toml").string();
  ASSERT_TRUE(base::write_file(spec,
                               "[[sweep]]\nname = \"one\"\ndoc = \"semantics\"\n[[sweep.block]]\n"
                               "doc = \"all of them\"\nbaseline = { probe = \"ring\", protocol = "
                               "\"mbarrier\", mover = \"st_shared\", work = \"none\", wait = "
                               "\"test_wait\" }\ncross = { semantics = \"all\" }\n"));
  const ProcessOutput output =
      sass_tables_sass({"classes", "--spec", spec, "--sweep", "one", "--json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto json = nlohmann::json::parse(output.out);
  bool together = false, fenced_apart = true;
  for (const auto& one : json)
    for (const auto& axis : one["free_axes"])
      if (axis["axis"] == "semantics")
        for (const auto& value : axis["values"]) {
          together |= value == "explicit";
          fenced_apart &= value != "fenced";
        }
  EXPECT_TRUE(together);
  EXPECT_TRUE(fenced_apart);
}

TEST_F(SassTables, SaysWhatIsWrong) {
  struct Row {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{"matrix", "--limit", "2", "-t", "sm_90a", "--reference", "sm_90b"},
       "phasebit: usage: --reference sm_90b: no column and no variant of this matrix (did you mean "
       "'sm_90a'?)\n"},
      {{"matrix", "--format", "markdwn"},
       "phasebit: usage: --format markdwn: no such format (did you mean 'markdown'?)\n"},
      {{"matrix", "--filter", "nothing/like/this", "-t", "sm_90a"},
       "phasebit: usage: --filter nothing/like/this: no variant has this in its id (an id is "
       "ring/mbarrier/st_shared/none)\n"},
      {{"classes", "--filter", "nothing/like/this"},
       "phasebit: usage: --filter nothing/like/this: no variant has this in its id (an id is "
       "ring/mbarrier/st_shared/none)\n"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = sass_tables_sass(row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_EQ(output.err, row.message);
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace phasebit::test
