// `tune`: the search over numbers made by hand, and the command over recorded rows and over a fake
// device.
#include "core/base/file.h"
#include "join/advise/search.h"
#include "tests/app/program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

using join::advise::all_conditions;
using join::advise::default_points;
using join::advise::Round;
using join::advise::run_search;
using join::advise::Search;
using join::advise::SearchWorld;
using join::advise::Standing;
using nlohmann::json;

// Candidates with a true value each; what is not measured is estimated to within a share.
struct World {
  std::vector<double> truth;
  double off = 0.1;         // of an estimate
  double noise = 0;         // of a measurement under one condition
  double floor = 0.5;       // of a difference
  std::set<int> lost = {};  // candidates without a figure
  std::map<int, int> conditions = {};
  int points = 0;
  bool again = false;  // whether something was measured that was there

  double value(int n) const {
    std::minstd_rand random(static_cast<unsigned>(n) + 1);
    random.discard(10);
    const double share = 2.0 * static_cast<double>(random()) / std::minstd_rand::max() - 1;
    const double own = truth[static_cast<std::size_t>(n)];
    const auto had = conditions.find(n);
    return had == conditions.end() ? own * (1 + off * share)
                                   : own * (1 + noise * share / std::sqrt(had->second));
  }

  std::vector<Standing> standings() const {
    std::vector<Standing> all;
    for (int n = 0; n < static_cast<int>(truth.size()); ++n)
      all.push_back({std::to_string(n), value(n), conditions.contains(n) && !lost.contains(n)});
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });
    return all;
  }

  Result<std::vector<std::string>> measure(const std::vector<std::string>& ids, int count) {
    std::vector<std::string> without;
    for (const std::string& id : ids) {
      int& had = conditions[std::stoi(id)];
      again = again || had >= count;
      points += count - had;
      had = count;
      if (lost.contains(std::stoi(id))) without.push_back(id);
    }
    return without;
  }

  SearchWorld functions() {
    return {[this] { return standings(); },
            [this](const auto& ids, int count) { return measure(ids, count); },
            [this](const auto& best, const auto& other) {
              return value(std::stoi(other)) - value(std::stoi(best)) > floor;
            }};
  }
};

Search searched(World& world, std::size_t points) {
  Search made;
  const Status done = run_search(world.functions(), points, made);
  EXPECT_TRUE(done) << done.error().text();
  return made;
}

TEST(TuneSearch, FindsTheFastestWithATenthOfThePoints) {
  World world{{}};
  for (int n = 0; n < 100; ++n) world.truth.push_back(100 + (n * 37) % 100);
  const Search made = searched(world, default_points(100));
  ASSERT_FALSE(made.left.empty());
  EXPECT_LE(world.truth[static_cast<std::size_t>(std::stoi(made.left.front()))], 103);
  EXPECT_EQ(made.all_points, 800U);
  EXPECT_LE(made.points, 80U);
  EXPECT_EQ(made.points, static_cast<std::size_t>(world.points));
  EXPECT_FALSE(world.again);
}

// Every candidate is in question until a round rules it out, each once.
TEST(TuneSearch, RoundsAddUp) {
  World world{{100, 101.2, 104, 110, 120, 130, 140, 150}, 0.05};
  const Search made = searched(world, 40);
  std::size_t out = 0, points = 0;
  for (const Round& round : made.rounds) {
    out += round.out;
    points += round.points;
    EXPECT_GT(round.value, 0);
  }
  EXPECT_EQ(out + made.left.size(), 8U);
  EXPECT_EQ(points, made.points);
  EXPECT_EQ(made.left, std::vector<std::string>{"0"});
  EXPECT_EQ(made.ended, "one is left");
}

TEST(TuneSearch, SaysThatTheFloorTellsNothingApart) {
  World world{{100, 100.2, 100.3, 160, 170}, 0.01};
  const Search made = searched(world, 60);
  EXPECT_EQ(made.ended,
            fmt::format("{} are left that the floor does not tell apart", made.left.size()));
  EXPECT_GE(made.left.size(), 2U);
  EXPECT_LT(made.points, 60U);  // what makes no difference is not measured on
}

TEST(TuneSearch, SaysThatThePointsAreUsed) {
  World world{{100, 108, 109, 110, 112, 113, 115, 116}, 0.01, 0, 50};
  const Search made = searched(world, 8);
  EXPECT_LE(made.points, 8U);
  EXPECT_NE(made.ended.find("no points to tell them apart"), std::string::npos) << made.ended;
}

TEST(TuneSearch, LeavesOutWhatHasNoFigure) {
  World world{{100, 110, 120, 130}, 0.01};
  world.lost = {0};
  const Search made = searched(world, 40);
  EXPECT_EQ(made.lost, 1U);
  EXPECT_EQ(made.left, std::vector<std::string>{"1"});
}

TEST(TuneSearch, MeasuresNothingThatIsKnown) {
  World world{{100, 110, 120}};
  for (int n = 0; n < 3; ++n) world.conditions[n] = all_conditions;
  const Search made = searched(world, 40);
  EXPECT_EQ(made.known, 3U);
  EXPECT_EQ(made.points, 0U);
  EXPECT_EQ(made.left, std::vector<std::string>{"0"});
}

std::vector<std::string> question(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"-a", "mover=bulk",   "-a", "payload_bytes=1024",
                                    "-a", "stages=1,2,4", "-a", "wait=try_wait"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Rows of an H200 stand for the GPU.
TEST(Tune, ReplaysWhatIsPublished) {
  const auto advised = run_phasebit({"advise"}, question({"--json", "--device", "H200"}));
  ASSERT_TRUE(advised.ok()) << advised.err;
  const json seen = json::parse(advised.out);
  const base::TempDir folder = base::TempDir::create().value();
  std::string ids;
  for (const json& one : seen["ranked"]) ids += one["id"].get<std::string>() + "\n";
  ASSERT_TRUE(base::write_file(folder.path() / "ids", ids));
  const auto tuned =
      run_phasebit({"tune"}, question({"--replay", "--json", "--device", "H200", "--without",
                                       (folder.path() / "ids").string()}));
  ASSERT_TRUE(tuned.ok()) << tuned.err;
  const json made = json::parse(tuned.out);
  EXPECT_EQ(made["known"], 0);
  EXPECT_GT(made["points"], 0);
  EXPECT_LE(made["advice"]["first"]["periods"][0]["value"].get<double>(),
            1.03 * seen["first"]["periods"][0]["value"].get<double>());
}

// A fake device measures; a second call takes all from the store.
TEST(Tune, MeasuresNothingTwice) {
  const base::TempDir folder = base::TempDir::create().value();
  const fs::path bundle = folder.path() / "bundle", bench = folder.path() / "bench";
  fs::create_directories(bundle);
  ASSERT_TRUE(base::write_file(bundle / "fake.json", R"({"device": {"name": "Fake GPU"}})"));
  ASSERT_TRUE(base::write_file(
      bench, fmt::format("#!/bin/sh\necho call >> {}/calls\nexec {} --ignore-anchors \"$@\"\n",
                         folder.path().string(), std::getenv("PHASEBIT_FAKE_BENCH"))));
  fs::permissions(bench, fs::perms::owner_all);
  const auto words = question({"--anew", "--json", "--bench", bench.string(), "--points", "16",
                               "-o", folder.path().string()});
  const auto tuned = run_phasebit({"tune"}, words);
  ASSERT_TRUE(tuned.ok()) << tuned.err;
  const json made = json::parse(tuned.out);
  EXPECT_FALSE(made.contains("waiting")) << made["waiting"];
  EXPECT_EQ(made["advice"]["first"]["periods"][0]["gpu"], "Fake GPU");
  EXPECT_TRUE(made["advice"]["first"]["periods"][0]["measured"]);
  const auto calls = base::read_file(folder.path() / "calls").value();
  const auto again = run_phasebit({"tune"}, words);
  ASSERT_TRUE(again.ok()) << again.err;
  EXPECT_EQ(base::read_file(folder.path() / "calls").value(), calls);
  EXPECT_EQ(json::parse(again.out)["advice"]["first"]["id"], made["advice"]["first"]["id"]);
}

TEST(Tune, SaysWhatItWouldMeasureWithoutAGpu) {
  const base::TempDir folder = base::TempDir::create().value();
  const fs::path bundle = folder.path() / "bundle";
  fs::create_directories(bundle);
  ASSERT_TRUE(base::write_file(bundle / "fake.json",
                               R"({"device": {"error": "there is no CUDA driver here: x"}})"));
  const auto tuned =
      run_phasebit({"tune"}, question({"--anew", "--bench", std::getenv("PHASEBIT_FAKE_BENCH"),
                                       "--points", "16", "-o", folder.path().string()}));
  ASSERT_TRUE(tuned.ok()) << tuned.err;
  EXPECT_NE(tuned.out.find("there is no CUDA driver here"), std::string::npos) << tuned.out;
  EXPECT_NE(tuned.out.find(fmt::format("phasebit-bench --bundle {}", bundle.string())),
            std::string::npos)
      << tuned.out;
  EXPECT_TRUE(fs::exists(bundle / "manifest.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "tuned.sqlite"));
}

// A GPU that is there and is refused is an error, not something to wait for.
TEST(Tune, AnErrorOfTheDeviceIsAnError) {
  const base::TempDir folder = base::TempDir::create().value();
  const fs::path bundle = folder.path() / "bundle";
  fs::create_directories(bundle);
  ASSERT_TRUE(
      base::write_file(bundle / "fake.json", R"({"device": {"error": "an anchor is off: x"}})"));
  const auto tuned =
      run_phasebit({"tune"}, question({"--anew", "--bench", std::getenv("PHASEBIT_FAKE_BENCH"),
                                       "--points", "16", "-o", folder.path().string()}));
  EXPECT_EQ(tuned.exit_status, base::exit_code(base::Step::device));
  EXPECT_NE(tuned.err.find("an anchor is off: x"), std::string::npos) << tuned.err;
  EXPECT_EQ(tuned.out.find("waits"), std::string::npos) << tuned.out;
}

}  // namespace
}  // namespace phasebit::test
