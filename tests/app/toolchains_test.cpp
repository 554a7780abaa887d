// Several versions of ptxas in one command, with two that tools/test installs.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

using nlohmann::json;

ProcessOutput says(const std::vector<std::string>& arguments) {
  return test::run_phasebit({}, arguments);
}

class Toolchains : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* version : {"11.8", "12.4"})
      ASSERT_TRUE(ptxas::find_installed(test::home(), version))
          << ptxas::find_installed(test::home(), version).error().text();
  }
};

const std::vector<std::string> curated = {
    "--spec", (test::home().data / "specs" / "curated.toml").string(), "--sweep", "curated"};

std::vector<std::string> with_curated(std::vector<std::string> words,
                                      const std::vector<std::string>& more) {
  words.insert(words.end(), curated.begin(), curated.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Toolchains, AssembleSkipsWhatAVersionCannotRead) {
  // mbarrier_tx needs complete_tx: PTX 8.0 on sm_90, as the manual says; 11.8 reads 7.8.
  const ProcessOutput output = says(with_curated(
      {"assemble"}, {"--toolchain", "11.8,12.4,13.5", "-t", "sm_90", "--gate", "--filter",
                     "handoff/mbarrier_tx/none/none/num_stages=1", "--json"}));
  ASSERT_TRUE(output.ok()) << output.err;
  const json rows = json::parse(output.out)["targets"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0]["ptxas"].get<std::string>().starts_with("11.8."));
  EXPECT_EQ(rows[0]["skipped"], 1);
  EXPECT_EQ(rows[0]["refused"], 0);
  for (const int row : {1, 2}) {
    EXPECT_EQ(rows[row]["assembled"], 1) << rows[row];
    EXPECT_EQ(rows[row]["gate_passed"], 1) << rows[row];
  }
  EXPECT_NE(output.err.find("needs PTX 8.0, ptxas 11.8.89 reads up to 7.8"), std::string::npos)
      << output.err;
}

// A release at cluster scope has the CTA's fence next to the GPU's up to 12.6: docs/sass.md.
TEST_F(Toolchains, DiffNamesTheInstructionThatWent) {
  const ProcessOutput output = says({"sass", "diff",
                                     "cluster/cluster_barrier/none/none/num_stages=1/roles=unified/"
                                     "producers=4/consumers=4",
                                     "--toolchain", "12.4,13.5", "-t", "sm_90", "--json"});
  ASSERT_TRUE(output.ok()) << output.err;
  const json diff = json::parse(output.out);
  EXPECT_EQ(diff["change"], "instructions");
  EXPECT_NE(diff["left"]["name"].get<std::string>().find("/ptxas=12.4."), std::string::npos);
  int only_left = 0;
  for (const json& row : diff["rows"])
    only_left += row["right"].is_null() && row["left"]["opcode"] == "MEMBAR.ALL.CTA" ? 1 : 0;
  EXPECT_GE(only_left, 1);
}

TEST_F(Toolchains, MatrixHasAColumnAVersion) {
  const ProcessOutput output = says(with_curated(
      {"sass", "matrix"},
      {"--toolchain", "11.8,12.4,13.5", "-t", "sm_90", "--reference", "13.5.37", "--filter",
       "ring/mbarrier/st_shared/none/arrival=thread", "--format", "json"}));
  ASSERT_TRUE(output.ok()) << output.err;
  const json matrix = json::parse(output.out);
  ASSERT_EQ(matrix["columns"].size(), 3U);
  EXPECT_EQ(matrix["columns"][2]["name"], ptxas::pinned_toolchain);
  EXPECT_EQ(matrix["reference"], ptxas::pinned_toolchain);
  const json& cells = matrix["rows"][0]["cells"];
  EXPECT_EQ(cells[2]["difference"], "reference");
  EXPECT_EQ(cells[0]["change"], "instructions");
  EXPECT_NE(cells[0]["text_hash"], cells[1]["text_hash"]);
}

TEST_F(Toolchains, FlagsChangeTheCode) {
  const ProcessOutput list = says(
      with_curated({"generate"}, {"--list", "-a", "opt_level=1,3", "-a", "maxrregcount=none,24",
                                  "--filter", "ring/mbarrier/st_shared/none/arrival=thread"}));
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 4) << list.out;
  const ProcessOutput output =
      says({"sass", "diff", "ring/mbarrier/st_shared/none",
            "ring/mbarrier/st_shared/none/opt_level=1", "--fail-on", "instructions"});
  EXPECT_EQ(output.exit_status, 1) << output.out << output.err;
}

// The version is in the ids that --toolchain makes, so the filter can choose among them.
TEST_F(Toolchains, FilterSeesTheVersion) {
  const std::string id = "ring/mbarrier/st_shared/none/arrival=thread";
  const auto listed = [&](const std::string& filter) {
    const ProcessOutput list = says(
        with_curated({"generate"}, {"--list", "--toolchain", "11.8,12.4", "--filter", filter}));
    EXPECT_TRUE(list.ok()) << list.err;
    return list.out;
  };
  const std::string one = listed("ptxas=12.4");
  EXPECT_NE(one.find(id + "/ptxas=12.4.131\n"), std::string::npos) << one;
  EXPECT_EQ(one.find("/ptxas=11.8"), std::string::npos) << one;
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(2 * lines(one), lines(listed("ptxas=")));  // every text by both
  EXPECT_EQ(lines(one), lines(listed("ptxas=11.8")));
  EXPECT_EQ(lines(listed(id + "/ptxas=12.4")), 1);
  const ProcessOutput none = says(
      with_curated({"generate"}, {"--list", "--toolchain", "11.8,12.4", "--filter", "ptxas=13"}));
  EXPECT_EQ(none.exit_status, base::exit_code(Step::usage));
  EXPECT_EQ(none.err.find("phasebit: usage: --filter ptxas=13: no variant has this in its id"), 0U)
      << none.err;
}

// -O0 copies no try of a wait, and spills at 32 registers; before 12.1 an arrival of copies has
// four loads next to it that never run.
TEST_F(Toolchains, GatesKnowWhatAVersionAndALevelDo) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/mbarrier/st_shared/none/opt_level=0", ""},
      {"handoff/mbarrier/none/none/num_stages=1/opt_level=0", ""},
      {"ring/mbarrier/st_shared/none/opt_level=0/maxrregcount=32", "LDL*"},
      {"ring/cp_async_mbarrier/cp_async/none/ptxas=11.8.89", ""},
      {"ring/cp_async_mbarrier/cp_async/none/ptxas=12.4.131", ""},
  };
  for (const auto& [id, reason] : rows) {
    const ProcessOutput output = says({"sass", "show", id, "-t", "sm_90", "--json"});
    const json gate = json::parse(output.out, nullptr, false)["gate"];
    EXPECT_EQ(gate["verdict"], *reason == '\0' ? "passed" : "failed") << id << gate;
    EXPECT_NE(gate["reason"].get<std::string>().find(reason), std::string::npos) << id << gate;
  }
}

// A flag of ptxas that axes.toml alone names: in the id, in the call, in the code and its cache.
TEST_F(Toolchains, AFlagIsAnEntryOfAxesToml) {
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const fs::path templates = folder.path() / "templates";
  fs::copy(test::home().data / "templates", templates, fs::copy_options::recursive);
  ASSERT_TRUE(base::write_file(
      templates / "axes.toml",
      base::read_file(templates / "axes.toml").value() +
          "\n[[axis]]\nname = \"reg_usage\"\ncompiler = \"ptxas\"\nrange = [0, 10]\n"
          "default = 5\nflag = \"-regUsageLevel={}\"\n"));
  const std::string id = "ring/mbarrier/st_shared/none/num_stages=8";
  const auto of_templates = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--templates", templates.string()});
    return words;
  };
  const ProcessOutput list =
      says(of_templates({"generate", "--list", "--id", id, "-a", "reg_usage=5,10"}));
  EXPECT_NE(list.out.find(id + "/reg_usage=10\n"), std::string::npos) << list.out << list.err;
  EXPECT_NE(list.out.find(id + "\n"), std::string::npos) << list.out;
  const std::string cache = (folder.path() / "cache").string();
  const auto shown = [&](const std::string& variant) {
    const ProcessOutput output =
        says(of_templates({"sass", "show", variant, "-t", "sm_90a", "--json", "--cache", cache}));
    EXPECT_TRUE(output.ok()) << output.err;
    return json::parse(output.out, nullptr, false);
  };
  for (int again = 0; again < 2; ++again) {  // made, then from the cache
    const json usual = shown(id), eager = shown(id + "/reg_usage=10");
    EXPECT_NE(usual["text_hash"], eager["text_hash"]) << usual["name"] << eager["name"];
    EXPECT_EQ(usual["text_hash"], shown(id + "/reg_usage=5")["text_hash"]);
  }
  const ProcessOutput made = says(of_templates({"assemble", "--id", id, "-a", "reg_usage=5,10",
                                                "-t", "sm_90a", "--json", "--cache", cache}));
  ASSERT_TRUE(made.ok()) << made.err;
  const json rows = json::parse(made.out)["targets"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["ptxas"], ptxas::pinned_toolchain);
  EXPECT_EQ(rows[1]["ptxas"], fmt::format("{} -regUsageLevel=10", ptxas::pinned_toolchain));
}

TEST_F(Toolchains, VariantsOfAFile) {
  const base::TempDir folder = std::move(*base::TempDir::create());
  const auto file = [&](const std::string& name, const std::string& text) {
    const fs::path path = folder.path() / name;
    EXPECT_TRUE(base::write_file(path, text)) << path;
    return path.string();
  };
  const std::string ring = "ring/mbarrier/st_shared/none";
  const std::vector<std::string> ids = {ring + "/ptxas=11.8.89", ring + "/ptxas=12.4.131"};
  const std::string good =
      file("good.txt", "# two\n" + ids[1] + "  # the second\n\n" + ids[0] + "\n");
  const ProcessOutput list = says({"generate", "--list", "--variants", good});
  ASSERT_TRUE(list.ok()) << list.err;
  const size_t first = list.out.find(ids[1]), second = list.out.find(ids[0]);
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos);
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 2);
  const std::string unknown = file("unknown.txt", ring + "\nring/mbarier/st_shared/none\n");
  const std::string empty = file("empty.txt", "# nothing\n\n");
  const std::pair<std::string, std::string> rows[] = {
      {unknown,
       "phasebit: usage: ring/mbarier/st_shared/none: protocol: no value 'mbarier' (did you mean "
       "'mbarrier'?)\n"},
      {empty, "phasebit: usage: --variants " + empty + ": no id in it\n"},
  };
  for (const auto& [name, message] : rows) {
    const ProcessOutput output = says({"assemble", "--variants", name, "-t", "sm_90"});
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_EQ(output.err, message);
  }
}

// An id that names one ptxas, and a command line that asks for another.
TEST_F(Toolchains, AnIdAndACommandLineAgree) {
  const std::string id = "ring/mbarrier/st_shared/none/ptxas=";
  const std::string hint =
      " is asked for (leave --toolchain and -a ptxas out, or give the id "
      "without it)\n";
  const auto error = [&](const std::string& own, const std::string& asked) {
    return says({"sass", "show", id + own, "--toolchain", asked, "-t", "sm_90a"}).err;
  };
  EXPECT_EQ(error("12.4.131", "13.5"),
            "phasebit: usage: " + id + "12.4.131: it is ptxas=12.4.131, and ptxas=13.5.37" + hint);
  EXPECT_EQ(error("13.5", "12.4"),
            "phasebit: usage: " + id + "13.5: it is ptxas=13.5.37, and ptxas=12.4.131" + hint);
  EXPECT_EQ(error("12.4.131", "12.4"), "");
}

TEST(Toolchain, ThatIsNotInstalledIsNamedWithItsCommand) {
  const ProcessOutput output =
      says({"sass", "show", "ring/mbarrier/st_shared/none", "--toolchain", "12.7"});
  EXPECT_NE(output.exit_status, 0);
  EXPECT_NE(output.err.find("ptxas 12.7 is not installed"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("run tools/toolchain 12.7"), std::string::npos) << output.err;
}

}  // namespace
}  // namespace phasebit::test
