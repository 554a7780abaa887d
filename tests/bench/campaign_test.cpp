// What is measured in which order, what anchors must be, what modes are called: pure functions.
#include "bench/campaign/anchors.h"
#include "bench/campaign/modes_pass.h"
#include "bench/campaign/plan.h"
#include "bench/program/options.h"
#include "bench/worker/message.h"
#include "tests/bench/fake_bundle.h"
#include "tests/home.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

namespace campaign = bench::campaign;

launch::Manifest three_variants() {
  launch::Manifest manifest;
  for (const char* name : {"a", "b", "c"}) manifest.variants.push_back(ring_variant(name));
  manifest.variants[2].images[0].sass_class = manifest.variants[0].images[0].sass_class;
  return manifest;
}

std::string text_of(const campaign::CampaignPlan& plan, const launch::Manifest& manifest) {
  std::string text;
  for (const campaign::PlannedPoint& point : plan.order)
    text += fmt::format("{}{}{} ", manifest.variants[point.variant].key.id.substr(5),
                        point.repetition, point.aa_control ? "'" : "");
  return text;
}

TEST(PlanTest, EqualCodeIsMeasuredOnceAndItsSecondMemberIsTheControl) {
  const launch::Manifest manifest = three_variants();
  campaign::PlanRequest request{{0, 1, 2}, 2, false, 0, true};
  const campaign::CampaignPlan plan = campaign::make_bench_plan(manifest, request);
  EXPECT_EQ(text_of(plan, manifest), "a0 b0 c0 c0' b0' a1 b1 c1 ");
  EXPECT_EQ(plan.classes, 2U);
  EXPECT_EQ(plan.launched, 6U);
  EXPECT_EQ(campaign::representatives(manifest, request.selected),
            (std::vector<std::size_t>{0, 1, 0}));
}

// Its class is that of the code without its padding; where it lies is what is asked for.
TEST(PlanTest, APaddedVariantIsMeasuredApartFromItsClass) {
  launch::Manifest manifest = three_variants();
  manifest.variants[2].images[0].padding_bytes = 208;
  EXPECT_EQ(campaign::representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
  manifest.variants[0].images[0].padding_bytes = 208;
  EXPECT_EQ(campaign::representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 0}));
  manifest.variants[0].images[0].padding_bytes = 16;
  EXPECT_EQ(campaign::representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(PlanTest, WithoutItsClassmateAVariantStandsForItself) {
  const launch::Manifest manifest = three_variants();
  EXPECT_EQ(campaign::representatives(manifest, {1, 2}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(PlanTest, ARefusedVariantIsAPointButNotLaunched) {
  launch::Manifest manifest = three_variants();
  manifest.variants[0].images[0].gate = {launch::GateVerdict::failed,
                                         "wait: expected 1 of BAR, found 2"};
  const campaign::CampaignPlan plan =
      campaign::make_bench_plan(manifest, {{0, 1, 2}, 1, false, 0, true});
  EXPECT_EQ(text_of(plan, manifest), "a0 b0 c0 b0' c0' ");
  EXPECT_EQ(plan.refused, 1U);
  EXPECT_EQ(plan.launched, 4U);
  EXPECT_EQ(campaign::refusal(manifest.variants[0])->verdict, results::Verdict::refused);
  EXPECT_EQ(campaign::refusal(manifest.variants[0])->why,
            "the SASS is not the intended one: wait: expected 1 of BAR, found 2");
}

TEST(PlanTest, TheSeedDecidesTheOrder) {
  const launch::Manifest manifest = three_variants();
  campaign::PlanRequest request{{0, 1, 2}, 3, true, 1, true};
  const std::string first = text_of(campaign::make_bench_plan(manifest, request), manifest);
  EXPECT_EQ(text_of(campaign::make_bench_plan(manifest, request), manifest), first);
  request.seed = 2;
  const std::string second = text_of(campaign::make_bench_plan(manifest, request), manifest);
  EXPECT_NE(second, first);
  request.random_order = false;
  std::string ordered = text_of(campaign::make_bench_plan(manifest, request), manifest),
              shuffled = first;
  std::sort(ordered.begin(), ordered.end());
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, ordered);
}

campaign::AnchorResult slope(double cycles) {
  campaign::AnchorResult result;
  result.summary.cycles = cycles;
  result.megahertz = 1500;
  return result;
}

std::map<std::string, campaign::AnchorResult> sound_results() {
  std::map<std::string, campaign::AnchorResult> results = {
      {"fma_32", slope(148)},      {"fma_64", slope(276)},     {"checksum_32", slope(148)},
      {"checksum_64", slope(276)}, {"chase_16", slope(500)},   {"chase_32", slope(980)},
      {"nanosleep", slope(900)},   {"globaltimer", slope(48)}, {"clock_pair", slope(0)}};
  for (const char* warps : {"1", "2", "4", "8", "16", "32"})
    results[std::string("bar_sync/warps=") + warps] = slope(400);
  results["clock_pair"].summary.fit.intercept = 20;
  results["globaltimer"].timer_step_ns = 32;
  return results;
}

bench::device::DeviceInfo hopper() {
  bench::device::DeviceInfo device;
  device.sm = 90;
  device.row.max_clock_khz = 1'980'000;
  return device;
}

TEST(AnchorTest, ADifferenceOfTwoLengthsHasNoLoopInIt) {
  std::map<std::string, double> values;
  for (const campaign::AnchorFigure& figure : campaign::judge_anchors(sound_results(), hopper())) {
    EXPECT_TRUE(figure.ok()) << figure.text();
    values[figure.name] = figure.value;
  }
  EXPECT_DOUBLE_EQ(values["fma"], 4);  // (276 - 148) / 32
  EXPECT_DOUBLE_EQ(values["shared memory chase"], 30);
  EXPECT_DOUBLE_EQ(values["nanosleep(1000)"], 600);
}

TEST(AnchorTest, OneThatIsOffOrMissingIsSaid) {
  auto results = sound_results();
  results["fma_64"] = slope(148);  // folded away
  results.erase("nanosleep");
  campaign::AnchorPass pass;
  pass.rows.emplace_back();
  const auto figures = campaign::judge_anchors(results, hopper());
  EXPECT_EQ(std::count_if(figures.begin(), figures.end(), [](auto& f) { return !f.ok(); }), 2);
  EXPECT_EQ(campaign::check_anchors(pass, figures).error().text(),
            "device: an anchor is off: fma: 0 cycles, expected 3.95 to 4.05 (a dependent FFMA "
            "issues 4 cycles after the one before since sm_70) (the set-up is broken, so its "
            "numbers would be too; --ignore-anchors goes on)");
}

// The table of ranges, the kernels' folder and these tests name the same anchors.
TEST(AnchorTest, TheTemplatesHaveEveryAnchorThatTheRangesNeed) {
  const std::string toml =
      base::read_file(test::home().data / "templates/anchors/anchors.toml").value();
  std::map<std::string, campaign::AnchorResult> results;
  for (std::size_t at = toml.find("\nname = \""); at != std::string::npos;
       at = toml.find("\nname = \"", at + 1)) {
    const std::size_t start = at + 9, end = toml.find('"', start);
    results[toml.substr(start, end - start)] = slope(0);
  }
  for (const launch::BundleVariant& variant : anchor_variants())
    EXPECT_TRUE(results.contains(variant.key.id.substr(7))) << variant.key.id;
  EXPECT_EQ(results.size(), anchor_variants().size());
  for (const campaign::AnchorFigure& figure : campaign::judge_anchors(results, hopper()))
    EXPECT_FALSE(figure.missing) << figure.name;
}

TEST(AnchorTest, ABundleWithoutAnchorsIsRefused) {
  EXPECT_EQ(campaign::check_anchors({}, {}).error().text(),
            "device: the bundle holds no anchors (pack it again, or measure without them: "
            "--ignore-anchors)");
}

std::vector<results::ModeObservation> observe(double (*cycles)(int process, int sm,
                                                               int first_warp)) {
  std::vector<results::ModeObservation> seen;
  for (int process = 0; process < 2; ++process)
    for (const int sm : {0, 66})
      for (int first = 0; first < 4; ++first)
        seen.push_back({process, {sm, first}, cycles(process, sm, first)});
  return seen;
}

TEST(ModesTest, OneModeIsOneMode) {
  EXPECT_EQ(results::describe_modes(observe([](int, int, int) { return 41.0; })),
            "one mode: 41.00 cycles in 16 places");
}

TEST(ModesTest, TheFactorThatSeparatesThemIsNamed) {
  EXPECT_EQ(results::describe_modes(
                observe([](int, int, int first) { return first % 2 == 0 ? 41.0 : 45.5; })),
            "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; separated by "
            "first_warp (0, 2 | 1, 3)");
  EXPECT_EQ(
      results::describe_modes(observe([](int, int sm, int) { return sm == 0 ? 41.0 : 45.5; })),
      "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; separated by "
      "SM (0 | 66)");
}

TEST(ModesTest, WhatNoFactorSeparatesIsLeftOpen) {
  EXPECT_EQ(results::describe_modes(observe([](int process, int sm, int first) {
              return (process + sm + first) % 2 == 0 ? 41.0 : 45.5;
            })),
            "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; no factor "
            "alone separates them");
}

TEST(MessageTest, NumbersThatTheirFieldsCannotHoldAreRefused) {
  const std::string good = bench::worker::encode({"abc", {3, 1}, 99, 12, 0.5, 32});
  for (const char* number : {"1e61", "12.5", "3000000000", "-3000000000", "\"12\""}) {
    std::string bad = good;
    bad.replace(bad.find("\"max_rounds\":12"), 15, fmt::format("\"max_rounds\":{}", number));
    EXPECT_FALSE(bench::worker::decode_request(bad)) << bad;
  }
}

TEST(MessageTest, WhatGoesInComesOut) {
  const bench::point::PointRequest request{"abc", {3, 1}, 99, 12, 0.5, 32};
  const auto back = bench::worker::decode_request(bench::worker::encode(request));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->variant_hash, "abc");
  EXPECT_EQ(back->placement, (results::Placement{3, 1}));
  EXPECT_EQ(back->max_rounds, 12);
  bench::point::Measurement measurement;
  measurement.samples = {{10, 400, {3, 4294967295U}}, {20, 18446744073709551615ULL, {0, 7}}};
  measurement.readings = {{"polls", "polls per item"}, {"late", "cycles per item"}};
  measurement.megahertz = 1980.25;
  measurement.quality = {true,  "none", false, {"", "late"}, true, {{"polls", {0, 9.5}}},
                         false, false,  true,  true,         "why"};
  measurement.counters = {{"dram_read_bytes", 12544}, {"stall_wait_cycles", 0.5}};
  measurement.notes = {"once"};
  measurement.sms = {4, 12};
  measurement.state = {1755, 2619, 640};
  const auto reply =
      bench::worker::decode_reply(bench::worker::encode(bench::worker::WorkerReply(measurement)));
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<bench::point::Measurement>(*reply).samples, measurement.samples);
  EXPECT_EQ(std::get<bench::point::Measurement>(*reply).readings, measurement.readings);
  const auto& back_again = std::get<bench::point::Measurement>(*reply);
  EXPECT_EQ(back_again.quality, measurement.quality);
  EXPECT_EQ(back_again.sms, measurement.sms);
  EXPECT_EQ(back_again.counters, measurement.counters);
  EXPECT_EQ(back_again.notes, measurement.notes);
  EXPECT_EQ(back_again.state, measurement.state);
  const auto error = bench::worker::decode_reply(
      bench::worker::encode(bench::worker::WorkerReply(Error{Step::verify, "bad \xff", "hint"})));
  ASSERT_TRUE(error);
  EXPECT_EQ(std::get<Error>(*error).step, Step::verify);
  for (const char* text :
       {"half a li", "{}", "[]", "3", R"({"phase":0,"error":1})", R"({"phase":3})",
        R"({"phase":-1})", R"({"error":{"step":99,"message":"m","hint":""}})"})
    EXPECT_FALSE(bench::worker::decode_reply(text)) << text;
}

results::PointRow finished_row(const char* text_hash) {
  results::PointRow row;
  row.variant_id = "ring/a";
  row.variant_hash = "aaa";
  row.text_hash = text_hash;
  row.device_uuid = "GPU-1";
  row.run_id = "run";
  row.samples = {{1, 10}, {2, 20}, {3, 30}, {4, 40}};
  return row;
}

TEST(FinishedTest, AnErrorDoesNotUndoAMeasurementAndOtherCodeIsAnotherPoint) {
  results::Store store = results::Store::open_in_memory().value();
  ASSERT_TRUE(store.add_device({"GPU-1", "g", "d", "sm_90", 1, 1, 1}));
  results::RunRow run;
  run.id = "run";
  ASSERT_TRUE(store.add_run(run));
  results::PointRow failed = finished_row("t2");
  failed.samples.clear();
  failed.set_error(results::Verdict::hung, {Step::launch, "hung"});
  ASSERT_TRUE(store.add_point(finished_row("t1")));
  ASSERT_TRUE(store.add_point(failed));
  const campaign::FinishedPoints finished = campaign::FinishedPoints::read(store).value();
  EXPECT_NE(finished.find(campaign::key_of(finished_row("t1"))), nullptr);
  EXPECT_EQ(finished.find(campaign::key_of(finished_row("t2"))), nullptr);
  EXPECT_TRUE(finished.has_error(campaign::key_of(failed), *failed.error));
  EXPECT_FALSE(finished.has_error(campaign::key_of(failed), {Step::launch, "died"}));
}

// Of two classes of one text each answers for itself.
TEST(FinishedTest, KnowsTheClass) {
  results::Store store = results::Store::open_in_memory().value();
  results::RunRow run;
  run.id = "run";
  ASSERT_TRUE(store.add_device({"GPU-1", "g", "d", "sm_90", 1, 1, 1}));
  ASSERT_TRUE(store.add_run(run));
  const auto row = [](const char* text, const char* sass_class) {
    results::PointRow made = finished_row(text);
    made.sass_class = sass_class;
    return made;
  };
  ASSERT_TRUE(store.add_point(row("text", "0123456789ab-2")));
  const campaign::FinishedPoints finished = campaign::FinishedPoints::read(store).value();
  EXPECT_NE(finished.find(campaign::key_of(row("text", "0123456789ab-2"))), nullptr);
  EXPECT_EQ(finished.find(campaign::key_of(row("text", "ba9876543210-2"))), nullptr);
}

struct FlagRow {
  std::vector<const char*> words;
  const char* error;
};

TEST(OptionsTest, ATypoGetsTheNearestFlag) {
  const FlagRow rows[] = {
      {{"x", "--bundel=b"}, "usage: unknown argument '--bundel=b' (did you mean '--bundle'?)"},
      {{"x", "stray"}, "usage: unknown argument 'stray' "},
      {{"x", "--sm", "-1"}, "usage: phasebit-bench: --sm: "},
      {{"x", "--fresh", "--resume"}, "usage: phasebit-bench: --"},
  };
  for (const FlagRow& row : rows) {
    std::vector<char*> argv;
    for (const char* word : row.words) argv.push_back(const_cast<char*>(word));
    const auto options =
        bench::program::parse_bench_options(static_cast<int>(argv.size()), argv.data());
    ASSERT_FALSE(options) << row.words[1];
    EXPECT_EQ(options.error().text().substr(0, std::string(row.error).size()), row.error);
  }
}

}  // namespace
}  // namespace phasebit::test
