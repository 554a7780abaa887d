// `advise`: estimates and ranking by rows made by hand, and the command over what is published.
#include "join/advise/advise.h"

#include "core/base/file.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

using join::advise::AxisAnswer;
using join::advise::Choice;
using join::advise::Estimate;
using join::advise::Estimator;
using join::advise::Place;
using join::advise::StageCount;
using nlohmann::json;

// Three pairs that differ in the first axis alone, each by a factor of 2.
TEST(AdviseEstimate, WeighsAnAxisByPairsThatDifferInIt) {
  const Estimator made(
      {false, false},
      {{{0, 0}, 100}, {{1, 0}, 200}, {{0, 1}, 100}, {{1, 1}, 200}, {{0, 2}, 100}, {{1, 2}, 200}});
  const double twice = std::log(2.0);
  EXPECT_NEAR(made.weight(0), twice * twice, 1e-9);
  EXPECT_NEAR(made.weight(1), 1e-4, 1e-9);  // it changes nothing: the least
}

// The squared change is of a step of one: a factor of 2 over two steps.
TEST(AdviseEstimate, WeighsNumbersByTheStep) {
  const Estimator made(
      {true, false},
      {{{2, 0}, 100}, {{4, 0}, 200}, {{2, 1}, 100}, {{4, 1}, 200}, {{2, 2}, 100}, {{4, 2}, 200}});
  const double twice = std::log(2.0);
  EXPECT_NEAR(made.weight(0), twice * twice / 2, 1e-9);
  EXPECT_NEAR(made.distance({2, 0}, {3, 0}), twice * twice / 2, 1e-9);
  EXPECT_NEAR(made.distance({2, 0}, {20, 0}), 3 * twice * twice / 2, 1e-9);  // at most three
}

struct Estimated {
  const char* what;
  std::vector<bool> is_number;
  std::vector<join::advise::Sample> samples;
  Place at;
  double value, to;
};

TEST(AdviseEstimate, Values) {
  const std::vector<Estimated> rows = {
      {"a sample itself, to the noise of 1 %", {false}, {{{0}, 100}, {{1}, 300}}, {0}, 100, 1},
      {"halfway: both count the same, and so their geometric mean",
       {true},
       {{{10}, 100}, {{12}, 400}},
       {11},
       200,
       0.01},
      {"a corner: what the first axis does, on top of what the second does",
       {false, false},
       {{{0, 0}, 100}, {{1, 0}, 200}, {{0, 1}, 110}},
       {1, 1},
       220,
       2},
      {"all the same", {true}, {{{1}, 50}, {{2}, 50}, {{3}, 50}}, {8}, 50, 0.01},
      {"one sample", {false}, {{{0}, 70}}, {1}, 70, 0.01},
  };
  for (const Estimated& row : rows) {
    SCOPED_TRACE(row.what);
    const Estimator made(row.is_number, row.samples);
    EXPECT_NEAR(made.value(row.at), row.value, row.to);
    const Estimate whole = made.estimate(row.at);
    EXPECT_NEAR(whole.value, row.value, row.to);
    EXPECT_LE(whole.low, whole.value);
    EXPECT_GE(whole.high, whole.value);
    EXPECT_EQ(whole.from.size(), row.samples.size());
  }
  EXPECT_EQ(Estimator({true}, {}).value({1}), 0);
}

// Where samples cannot be told from each other, the interval has their scatter.
TEST(AdviseEstimate, IntervalsFollowTheScatter) {
  const auto half = [](double scatter) {
    std::vector<join::advise::Sample> samples;
    for (int n = 0; n < 20; ++n)
      samples.push_back({{n / 2.0}, 100 * (n % 2 == 0 ? 1 : 1 + scatter)});
    const Estimate made = Estimator({true}, samples).estimate({20});
    return made.high / made.value - 1;
  };
  EXPECT_LT(half(0), 0.001);
  EXPECT_GT(half(0.2), 2 * half(0.02));
}

Choice choice_of(launch::KeyAxes axes, double value, bool same, bool measured = true) {
  Choice choice;
  for (const auto& axis : axes) choice.variant.key.id += axis.first + "=" + axis.second + "/";
  choice.variant.key.axes = axes;
  choice.variant.named = std::move(axes);
  choice.periods.push_back({value, value, value, measured, 0, {}});
  choice.same = same;
  return choice;
}

TEST(AdviseRanking, TakesTheFewestStagesOfWhatDoesNotMatter) {
  const std::vector<Choice> ranked = {
      choice_of({{"num_stages", "8"}, {"wait", "try_wait"}}, 100, true),
      choice_of({{"num_stages", "4"}, {"wait", "try_wait"}}, 100.2, true, false),
      choice_of({{"num_stages", "4"}, {"wait", "try_wait"}, {"arrival", "elected"}}, 100.3, true),
      choice_of({{"num_stages", "4"}, {"wait", "test_wait"}}, 100.4, true),
      choice_of({{"num_stages", "2"}, {"wait", "try_wait"}}, 140, false),
  };
  EXPECT_EQ(first_choice(ranked), 3U);  // measured, with one axis fewer than the one before
}

TEST(AdviseRanking, AnEstimateThatReachesNoDifferenceDoesNotSayThatItMatters) {
  std::vector<Choice> ranked = {
      choice_of({{"num_stages", "4"}, {"wait", "try_wait"}}, 100, true),
      choice_of({{"num_stages", "4"}, {"wait", "test_wait"}}, 120, false, false),
  };
  ranked[1].periods[0].high = 150;
  const std::vector<AxisAnswer> axes = axis_answers(ranked, 0, {"wait"});
  ASSERT_EQ(axes.size(), 1U);
  EXPECT_NEAR(axes[0].percent, 20, 1e-9);
  EXPECT_NEAR(axes[0].half_percent, 30, 1e-9);
  EXPECT_FALSE(axes[0].matters);
  ranked[1].periods[0].high = 130;
  EXPECT_TRUE(axis_answers(ranked, 0, {"wait"})[0].matters);
}

TEST(AdviseRanking, SaysWhatEachAxisCosts) {
  const std::vector<Choice> ranked = {
      choice_of({{"num_stages", "4"}, {"wait", "try_wait"}, {"arrival", "warp"}}, 100, true),
      choice_of({{"num_stages", "4"}, {"wait", "test_wait"}, {"arrival", "warp"}}, 100.5, true),
      choice_of({{"num_stages", "8"}, {"wait", "try_wait"}, {"arrival", "elected"}}, 110, false),
      choice_of({{"num_stages", "4"}, {"wait", "try_wait"}, {"arrival", "thread"}}, 120, false),
      choice_of({{"num_stages", "1"}, {"wait", "try_wait"}, {"arrival", "warp"}}, 150, false,
                false),
  };
  const std::vector<AxisAnswer> axes =
      axis_answers(ranked, 0, {"wait", "arrival", "num_stages", "issue"});
  ASSERT_EQ(axes.size(), 3U);  // none of them has `issue`
  EXPECT_EQ(axes[0].axis, "num_stages");
  EXPECT_EQ(axes[0].next, "1");  // eight come with another arrival
  EXPECT_NEAR(axes[0].percent, 50, 1e-9);
  EXPECT_TRUE(axes[0].matters);
  EXPECT_TRUE(axes[0].estimated);
  EXPECT_EQ(axes[1].axis, "arrival");
  EXPECT_EQ(axes[1].next, "thread");
  EXPECT_NEAR(axes[1].percent, 20, 1e-9);
  EXPECT_FALSE(axes[1].estimated);
  EXPECT_EQ(axes[2].axis, "wait");
  EXPECT_FALSE(axes[2].matters);

  const std::vector<StageCount> stages = by_stages(ranked, 0);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].stages, 1);
  EXPECT_FALSE(stages[0].period.measured);
  EXPECT_EQ(stages[1].stages, 4);
  EXPECT_EQ(differences(ranked[2].variant, ranked[0].variant),
            "num_stages 8 for 4, arrival elected for warp");
}

TEST(AdviseQuestion, Bytes) {
  EXPECT_EQ(*join::advise::read_bytes("160K"), 163840);
  EXPECT_EQ(*join::advise::read_bytes("1000"), 1000);
  for (const char* wrong : {"", "K", "-1", "0", "160Q", "1e30"})
    EXPECT_FALSE(join::advise::read_bytes(wrong)) << wrong;
}

TEST(AdviseQuestion, ChoicesAreAxes) {
  const auto catalogue = space::Catalogue::load(test::home().data / "templates");
  ASSERT_TRUE(catalogue);
  EXPECT_FALSE(catalogue->choices().empty());
  for (const std::string& axis : catalogue->choices())
    EXPECT_TRUE(catalogue->resolve(axis)) << axis;
}

// `all` is every value of an axis, but of one that has it as a value.
TEST(AdviseQuestion, AllIsAValueWhereItIsOne) {
  const auto catalogue = space::Catalogue::load(test::home().data / "templates");
  ASSERT_TRUE(catalogue);
  const auto question =
      join::advise::read_question(*catalogue, {"mover=bulk", "read=all", "arrival=all"});
  ASSERT_TRUE(question) << question.error().text();
  EXPECT_EQ(
      question->given,
      (launch::KeyAxes{{"mover", "bulk"}, {"read", "all"}, {"probe", "ring"}, {"work", "none"}}));
  ASSERT_NE(question->allowed("arrival"), nullptr);
  EXPECT_GT(question->allowed("arrival")->size(), 3U);
}

struct RefusedAdvice {
  std::vector<std::string> words;
  std::string message;  // a part of it
};

TEST(Advise, Refuses) {
  const std::vector<RefusedAdvice> rows = {
      {{}, "advise needs to know how the bytes move: -a mover=..."},
      {{"-a", "mover=bulk_tensr"}, "no value 'bulk_tensr' (did you mean 'bulk_tensor'?)"},
      {{"-a", "mover=bulk", "-a", "wait=tri_wait"}, "no value 'tri_wait'"},
      {{"-a", "mover=bulk,bulk_tensor"}, "an axis of the problem has one value"},
      {{"-a", "mover=bulk", "-a", "mover=bulk"}, "-a mover twice"},
      {{"-a", "mover=bulk", "--shared", "10Q"}, "--shared 10Q: bytes, or 160K"},
      {{"-a", "mover=bulk", "-a", "payload_bytes=16384", "--shared", "10K"},
       "nothing fits 10240 bytes of shared memory: the least is 16512 bytes, "
       "ring/mbarrier_bulk/bulk/none/num_stages=1"},
      {{"-a", "mover=bulk", "-a", "payload_bytes=100"}, "a copy is a multiple of 16 bytes"},
      {{"-a", "mover=tensor_store"}, "no row of the results has ring, tensor_store, none"},
      {{"-a", "mover=bulk", "-t", "sm_100a"},
       "no GPU of the results is sm_100a (they are of sm_90;"},
      {{"-a", "mover=bulk", "--device", "B200"}, "no GPU of the results is B200"},
  };
  for (const RefusedAdvice& row : rows) {
    SCOPED_TRACE(row.message);
    const base::ProcessOutput output = run_phasebit({"advise"}, row.words);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_NE(output.err.find(row.message), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

const std::vector<std::string> advised_problem = {
    "--json",      "-a", "mover=bulk_tensor",         "-a",
    "work=wgmma",  "-a", "granularity=producer_warp", "-a",
    "consumers=2", "-a", "payload_bytes=16384"};

json advised(std::vector<std::string> more) {
  std::vector<std::string> words = advised_problem;
  words.insert(words.end(), more.begin(), more.end());
  const base::ProcessOutput output = run_phasebit({"advise"}, words);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  return output.exit_status == 0 ? json::parse(output.out) : json();
}

// What is not given and no row has at its default is said; the figures are those of `sql`.
TEST(Advise, OfWhatIsPublished) {
  const json answer = advised({"--shared", "160K", "-t", "sm_90a"});
  EXPECT_EQ(answer["taken"]["tile_k"], "32");
  EXPECT_EQ(answer["defaults"]["tile_n"], "128");
  const json& first = answer["first"];
  ASSERT_EQ(first["periods"].size(), 2U);
  EXPECT_LE(first["shared_bytes"].get<int>(), 163840);
  for (const json& period : first["periods"]) {
    EXPECT_TRUE(period["measured"].get<bool>());
    const base::ProcessOutput row = run_phasebit(
        {"sql", "--format", "json", "--device", period["gpu"].get<std::string>()},
        {"SELECT cycles FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND newest AND "
         "id = '" +
         first["id"].get<std::string>() + "'"});
    EXPECT_NE(row.out.find(fmt::format("{:.2f}", period["value"].get<double>()).substr(0, 5)),
              std::string::npos)
        << row.out << row.err;
  }
}

// A row that advise may not see is estimated, and its figure is in the interval.
TEST(Advise, EstimatesWhatIsHidden) {
  const json seen = advised({});
  const std::string id = seen["first"]["id"];
  const auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const fs::path hidden = folder->path() / "hidden.txt";
  ASSERT_TRUE(base::write_file(hidden, id + "\n"));
  const json answer =
      advised({"--without", hidden.string(), "-a", "stages=4", "-a", "in_flight=1"});
  EXPECT_EQ(answer["first"]["id"], id);
  const json& period = answer["first"]["periods"][0];
  EXPECT_FALSE(period["measured"].get<bool>());
  const double own = seen["first"]["periods"][0]["value"];
  EXPECT_LE(period["low"].get<double>(), own);
  EXPECT_GE(period["high"].get<double>(), own);
  EXPECT_FALSE(answer["neighbours"].empty());
}

}  // namespace
}  // namespace phasebit::test
