// What a version of ptxas, or an edited instruction, costs: `explain`, `sass history`, the tables
// of versions and `--variants`, with three toolchains and the published history.
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/results/load.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

using nlohmann::json;

base::ProcessOutput history_says(const std::vector<std::string>& arguments) {
  return test::run_phasebit({}, arguments);
}

json rows_of(const base::ProcessOutput& output) {
  EXPECT_TRUE(output.ok()) << output.err;
  const json all = json::parse(output.out, nullptr, false);
  return all.is_object() ? all["rows"] : json::array();
}

// Of one slot and one role: no later text of roles and slots has changed it.
const std::string history_ring =
    "ring/mbarrier/st_shared/none/num_stages=1/roles=unified/producers=4/consumers=4";
const std::vector<std::string> ids = {history_ring + "/ptxas=11.8.89",
                                      history_ring + "/ptxas=12.4.131", history_ring};
constexpr const char* reason = "what differs in the SASS";

// An experiment of specs/experiments.txt: a NOP of the producer's hot path, by the pinned ptxas.
constexpr int edited_address = 0x750;
const std::string by_branch = "ring/mbarrier/st_shared/none/uniform_role=off";
const std::string edited = fmt::format("{}/edit={:#x}.YIELD", by_branch, edited_address);

std::string results(const std::string& name) {
  return (test::home().data / "results" / "nvidia-h200" / "history" / name).string();
}

// The published rows of a variant, with their samples.
std::vector<results::PointRow> rows_of_variant(const std::string& id) {
  static const Result<results::Results> published =
      results::load_results({results("ptxas.csv.zst")});
  EXPECT_TRUE(published);
  std::vector<results::PointRow> rows;
  if (!published) return rows;
  for (const results::PointRow& row : published->points) {
    if (row.variant_id != id) continue;
    // Of equal code the samples are those of the variant that was measured.
    if (!row.same_as.text().empty()) return rows_of_variant(row.same_as.text());
    rows.push_back(row);
  }
  return rows;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The slope of the line with least squares through a round's samples, of ascending length.
double slope_of(const results::Sample* first, const results::Sample* end) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const results::Sample* one = first; one != end; ++one) {
    const double items = one->items, cycles = static_cast<double>(one->cycles);
    n += 1, x += items, y += cycles, xx += items * items, xy += items * cycles;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Cycles per item: the middle round of each repetition, and of these the middle.
double cycles_of(const std::string& id) {
  std::vector<double> repetitions;
  for (const results::PointRow& row : rows_of_variant(id)) {
    if (row.aa_control) continue;
    std::vector<double> slopes;
    const results::Sample *first = row.samples.data(), *end = first + row.samples.size();
    for (const results::Sample* last = first; last != end; ++last) {
      if (last + 1 != end && last[1].items > last->items) continue;
      slopes.push_back(slope_of(first, last + 1));
      first = last + 1;
    }
    repetitions.push_back(middle(slopes));
  }
  return middle(repetitions);
}
constexpr double near = 1e-4;  // what is kept of a figure: core/results/statistics.h

class History : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* version : {"11.8", "12.4", "13.5"})
      ASSERT_TRUE(ptxas::find_installed(test::home(), version))
          << ptxas::find_installed(test::home(), version).error().text();
    const json today = rows_of(
        history_says({"sass", "history", history_ring, "--toolchain", "12.4,13.5", "--json"}));
    const std::vector<results::PointRow> measured = rows_of_variant(history_ring);
    ASSERT_FALSE(today.empty() || measured.empty());
    if (today.back()["class"] != measured.front().text_hash.text().substr(0, 6))
      GTEST_SKIP() << "results/nvidia-h200/history was measured with an older text of the kernels: "
                      "measure it again (results/README.md)";
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(History, HasTheCyclesOfTheResults) {
  const json rows =
      rows_of(history_says({"sass", "history", history_ring, "--toolchain", "11.8,12.4,13.5",
                            "--results", results("ptxas.csv.zst"), "--json"}));
  const json table =
      rows_of(history_says({"report", results("ptxas.csv.zst"), "--table", "history", "--argument",
                            "variant=" + history_ring, "--format", "json"}));
  ASSERT_EQ(rows.size(), 3U);
  ASSERT_EQ(table.size(), 1U);
  for (size_t i = 0; i < ids.size(); ++i) {
    SCOPED_TRACE(ids[i]);
    const double cycles = cycles_of(ids[i]);
    EXPECT_NEAR(rows[i]["cycles"]["value"].get<double>(), cycles, near);
    EXPECT_EQ(rows[i]["cycles"], table[0][rows[i]["ptxas"].get<std::string>()]);
    if (i == 0) continue;
    const double difference = cycles - cycles_of(ids[i - 1]);
    EXPECT_NEAR(rows[i]["difference"]["value"].get<double>(), difference, near);
    EXPECT_EQ(rows[i]["verdict"], difference > 0 ? "slower" : "faster");
  }
}

// The class is the beginning of the hash of the code that was measured.
TEST_F(History, HasTheCodeThatWasMeasured) {
  const json rows = rows_of(
      history_says({"sass", "history", history_ring, "--toolchain", "11.8,12.4,13.5", "--json"}));
  ASSERT_EQ(rows.size(), 3U);
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::vector<results::PointRow> measured = rows_of_variant(ids[i]);
    ASSERT_FALSE(measured.empty()) << ids[i];
    for (const results::PointRow& row : measured)
      EXPECT_EQ(rows[i]["class"], row.text_hash.text().substr(0, 6)) << ids[i];
  }
}

// The reason is checked against the counts of `sass diff`, which goes another way.
TEST_F(History, ExplainGivesAVerdictAndAReason) {
  const json rows =
      rows_of(history_says({"explain", history_ring, "--toolchain", "11.8,12.4", "--json"}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["before"], ids[0]);
  EXPECT_EQ(rows[0]["after"], ids[1]);
  const double before = cycles_of(ids[0]), after = cycles_of(ids[1]);
  EXPECT_NEAR(rows[0]["difference"]["value"].get<double>(), after - before, near);
  EXPECT_NEAR(rows[0]["change"].get<double>(), 100 * (after - before) / before, near);
  EXPECT_EQ(rows[0]["verdict"], "slower");
  EXPECT_GT(rows[0]["floor"], 0);
  EXPECT_LT(rows[0]["floor"], after - before);
  const auto output = history_says({"sass", "diff", ids[0], ids[1], "-t", "sm_90", "--json"});
  ASSERT_TRUE(output.ok() || output.exit_status == 1) << output.err;
  const json diff = json::parse(output.out);
  const std::string words = rows[0][reason];
  int roles = 0;
  for (size_t i = 0; i < diff["left"]["features"]["loops"].size(); ++i) {
    const json& a = diff["left"]["features"]["loops"][i];
    const json& b = diff["right"]["features"]["loops"][i];
    const std::string counts =
        fmt::format("{} -> {} instructions, {} -> {} issue cycles",
                    a["hot"]["instructions"].get<int>(), b["hot"]["instructions"].get<int>(),
                    a["hot"]["issue_cycles"].get<int>(), b["hot"]["issue_cycles"].get<int>());
    EXPECT_NE(words.find(a["role"].get<std::string>() + ": "), std::string::npos) << words;
    EXPECT_NE(words.find(counts), std::string::npos) << words << "\n" << counts;
    ++roles;
  }
  EXPECT_EQ(roles, 1);  // each warp has both
}

TEST_F(History, ExplainNeedsTwoVariants) {
  const std::string hint =
      " (name a second variant, or two toolchains as in --toolchain 12.4,12.5)\n";
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"explain", history_ring}, "phasebit: usage: " + history_ring + " twice" + hint},
      {{"explain", ids[1], ids[1]}, "phasebit: usage: " + ids[1] + " twice" + hint},
      // The version by its short name is the same variant.
      {{"explain", ids[1], history_ring + "/ptxas=12.4"},
       "phasebit: usage: " + ids[1] + " twice" + hint},
      {{"explain"},
       "phasebit: usage: explain takes two variants, or --steps (phasebit explain VARIANT "
       "--toolchain 12.4,12.5)\n"},
  };
  // They come before any figure is looked up: the smallest file of results does.
  for (const auto& [words, message] : rows) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.end(), {"--results", results("experiments.csv.zst")});
    const base::ProcessOutput output = history_says(arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_EQ(output.err, message);
    EXPECT_EQ(output.out, "");
  }
}

// NOP and YIELD take the place of one instruction with its stall: one opcode less, one more, and
// nothing else, in the one role that it belongs to.
TEST_F(History, ExplainOfAnEditNamesTheInstructionAlone) {
  const auto listed = base::read_file(test::home().data / "specs" / "experiments.txt");
  ASSERT_TRUE(listed) << listed.error().text();
  EXPECT_NE(listed->find(edited + "\n"), std::string::npos) << edited;
  const base::ProcessOutput show =
      history_says({"sass", "diff", by_branch, edited, "-t", "sm_90", "--json"});
  const json diff = json::parse(show.out, nullptr, false);
  ASSERT_TRUE(diff.is_object()) << show.err;
  EXPECT_EQ(diff["counts"]["only_left"].get<int>() + diff["counts"]["instructions"].get<int>(), 1);
  std::string role, opcode;
  for (const json& row : diff["rows"]) {
    if (row["left"].is_null() || row["left"]["address"] != edited_address) continue;
    role = row["left"]["verb"];
    opcode = row["left"]["opcode"];
  }
  ASSERT_NE(opcode, "");
  const json rows = rows_of(history_says({"explain", by_branch, edited, "--json"}));
  ASSERT_EQ(rows.size(), 1U);
  const std::string words = rows[0][reason];
  const std::string expected =
      fmt::format("{}: -{} x1, +YIELD x1; ", role.substr(0, role.find('.')), opcode);
  EXPECT_TRUE(words.starts_with(expected)) << words << "\n" << expected;
  EXPECT_TRUE(words.ends_with(fmt::format("waits; {}: -{} x1, +YIELD x1", role, opcode))) << words;
}

// ptxas 12.4 takes each wait's first try out of the loop; what an edited wait is compared with must
// stay on the hot path, though no rule holds for it any more.
TEST_F(History, AnEditKeepsTheHotPath) {
  const std::string edit = ids[1] + "/edit=0x0.NOP";  // before every loop
  const json rows = rows_of(history_says({"explain", ids[1], edit, "--json"}));
  ASSERT_EQ(rows.size(), 1U);
  const std::string words = rows[0][reason];
  EXPECT_TRUE(words.starts_with("none on the hot paths: they are the same, ")) << words;
}

TEST_F(History, BisectNamesTwoVersions) {
  // 151, 158, 147 cycles: the larger step is the second.
  const std::vector<std::string> history = {"sass",
                                            "history",
                                            history_ring,
                                            "--toolchain",
                                            "11.8,12.4,13.5",
                                            "--results",
                                            results("ptxas.csv.zst"),
                                            "--bisect"};
  const auto bisect = [&](const std::string& what) {
    std::vector<std::string> arguments = history;
    arguments.push_back(what);
    return history_says(arguments);
  };
  EXPECT_TRUE(
      bisect("cycles").out.starts_with("cycles changed most from ptxas 12.4.131 to 13.5.37\n"));
  EXPECT_TRUE(bisect("class").out.starts_with("class changed most from ptxas "));
  const base::ProcessOutput none = bisect("TCGEN05*");
  EXPECT_EQ(none.exit_status, base::exit_code(Step::usage));
  EXPECT_EQ(
      none.err,
      "phasebit: usage: --bisect TCGEN05*: as often in loops by every version (an opcode such "
      "as YIELD or 'MEMBAR*'; --count hot, loops or all says where it is counted)\n");
  const base::ProcessOutput one =
      history_says({"sass", "history", history_ring, "--toolchain", "12.4"});
  EXPECT_EQ(one.err,
            "phasebit: usage: a history needs two versions of ptxas or more (run tools/toolchain "
            "all)\n");
}

// A figure of other code than that of the current ptxas must not be shown with it.
TEST_F(History, OtherCodeThanMeasuredIsSaid) {
  results::Results changed = results::load_results({results("ptxas.csv.zst")}).value();
  for (results::PointRow& row : changed.points)
    if (row.variant_id == ids[1]) row.text_hash = std::string(32, 'f');
  const std::string stale = (folder_.path() / "stale.csv").string();
  ASSERT_TRUE(results::write_flat(stale, changed));
  const json explained = rows_of(history_says(
      {"explain", history_ring, "--toolchain", "11.8,12.4", "--results", stale, "--json"}));
  ASSERT_EQ(explained.size(), 1U);
  EXPECT_TRUE(explained[0][reason].get<std::string>().starts_with(
      ids[1] + ": the code measured (ffffff) is not what is assembled today ("))
      << explained[0][reason];
  const base::ProcessOutput output = history_says({"sass", "history", history_ring, "--toolchain",
                                                   "11.8,12.4,13.5", "--results", stale, "--json"});
  const json rows = rows_of(output);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[1]["cycles"].is_object()) << rows[1];
  EXPECT_EQ(rows[1]["verdict"], "");
  EXPECT_NE(output.out.find(ids[1] + ": measured with other code."), std::string::npos);
  // The step is then from the last version that counts.
  EXPECT_NEAR(rows[2]["difference"]["value"].get<double>(), cycles_of(ids[2]) - cycles_of(ids[0]),
              near);
}

TEST_F(History, StepsAreThoseOfTheTable) {
  const json rows =
      rows_of(history_says({"report", results("ptxas.csv.zst"), "--table", "steps", "--argument",
                            "variant=" + history_ring, "--format", "json"}));
  ASSERT_GT(rows.size(), 0U);
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto slope = [&](const char* version) {
      const std::string ptxas = row[version];
      const bool pinned = ptxas == ptxas::pinned_toolchain;
      return cycles_of(pinned ? history_ring : fmt::format("{}/ptxas={}", history_ring, ptxas));
    };
    EXPECT_NEAR(row["difference"]["value"].get<double>(), slope("to ptxas") - slope("from ptxas"),
                near);
  }
}

}  // namespace
}  // namespace phasebit::test
