// What is measured in which order, what anchors must be, what modes are called: pure functions.
#include "bench/campaign/anchor_pass.h"
#include "bench/campaign/finished.h"
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

Manifest three_variants() {
  Manifest manifest;
  for (const char* name : {"a", "b", "c"}) manifest.variants.push_back(ring_variant(name));
  manifest.variants[2].images[0].sass_class = manifest.variants[0].images[0].sass_class;
  return manifest;
}

std::string text_of(const Plan& plan, const Manifest& manifest) {
  std::string text;
  for (const PlannedPoint& point : plan.order)
    text += fmt::format("{}{}{} ", manifest.variants[point.variant].key.id.substr(5),
                        point.repetition, point.aa_control ? "'" : "");
  return text;
}

TEST(PlanTest, EqualCodeIsMeasuredOnceAndItsSecondMemberIsTheControl) {
  const Manifest manifest = three_variants();
  PlanRequest request{{0, 1, 2}, 2, false, 0, true};
  const Plan plan = make_bench_plan(manifest, request);
  EXPECT_EQ(text_of(plan, manifest), "a0 b0 c0 c0' b0' a1 b1 c1 ");
  EXPECT_EQ(plan.classes, 2U);
  EXPECT_EQ(plan.launched, 6U);
  EXPECT_EQ(representatives(manifest, request.selected), (std::vector<std::size_t>{0, 1, 0}));
}

// Its class is that of the code without its padding; where it lies is what is asked for.
TEST(PlanTest, APaddedVariantIsMeasuredApartFromItsClass) {
  Manifest manifest = three_variants();
  manifest.variants[2].images[0].padding_bytes = 208;
  EXPECT_EQ(representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
  manifest.variants[0].images[0].padding_bytes = 208;
  EXPECT_EQ(representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 0}));
  manifest.variants[0].images[0].padding_bytes = 16;
  EXPECT_EQ(representatives(manifest, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(PlanTest, WithoutItsClassmateAVariantStandsForItself) {
  const Manifest manifest = three_variants();
  EXPECT_EQ(representatives(manifest, {1, 2}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(PlanTest, ARefusedVariantIsAPointButNotLaunched) {
  Manifest manifest = three_variants();
  manifest.variants[0].images[0].gate = {GateVerdict::failed, "wait: expected 1 of BAR, found 2"};
  const Plan plan = make_bench_plan(manifest, {{0, 1, 2}, 1, false, 0, true});
  EXPECT_EQ(text_of(plan, manifest), "a0 b0 c0 b0' c0' ");
  EXPECT_EQ(plan.refused, 1U);
  EXPECT_EQ(plan.launched, 4U);
  EXPECT_EQ(refusal(manifest.variants[0]),
            "the SASS is not the intended one: wait: expected 1 of BAR, found 2");
}

TEST(PlanTest, TheSeedDecidesTheOrder) {
  const Manifest manifest = three_variants();
  PlanRequest request{{0, 1, 2}, 3, true, 1, true};
  const std::string first = text_of(make_bench_plan(manifest, request), manifest);
  EXPECT_EQ(text_of(make_bench_plan(manifest, request), manifest), first);
  request.seed = 2;
  const std::string second = text_of(make_bench_plan(manifest, request), manifest);
  EXPECT_NE(second, first);
  request.random_order = false;
  std::string ordered = text_of(make_bench_plan(manifest, request), manifest), shuffled = first;
  std::sort(ordered.begin(), ordered.end());
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, ordered);
}

AnchorResult slope(double cycles) {
  AnchorResult result;
  result.summary.cycles = cycles;
  result.megahertz = 1500;
  return result;
}

std::map<std::string, AnchorResult> sound_results() {
  std::map<std::string, AnchorResult> results = {
      {"fma_32", slope(148)},      {"fma_64", slope(276)},     {"checksum_32", slope(148)},
      {"checksum_64", slope(276)}, {"chase_16", slope(500)},   {"chase_32", slope(980)},
      {"nanosleep", slope(900)},   {"globaltimer", slope(48)}, {"clock_pair", slope(0)}};
  for (const char* warps : {"1", "2", "4", "8", "16", "32"})
    results[std::string("bar_sync/warps=") + warps] = slope(400);
  results["clock_pair"].summary.fit.intercept = 20;
  results["globaltimer"].timer_step_ns = 32;
  return results;
}

DeviceInfo hopper() {
  DeviceInfo device;
  device.sm = 90;
  device.row.max_clock_khz = 1'980'000;
  return device;
}

TEST(AnchorTest, ADifferenceOfTwoLengthsHasNoLoopInIt) {
  std::map<std::string, double> values;
  for (const AnchorFigure& figure : judge_anchors(sound_results(), hopper())) {
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
  AnchorPass pass;
  pass.rows.emplace_back();
  const auto figures = judge_anchors(results, hopper());
  EXPECT_EQ(std::count_if(figures.begin(), figures.end(), [](auto& f) { return !f.ok(); }), 2);
  EXPECT_EQ(check_anchors(pass, figures).error().text(),
            "device: an anchor is off: fma: 0 cycles, expected 3.95 to 4.05 (a dependent FFMA "
            "issues 4 cycles after the one before since sm_70) (the set-up is broken, so its "
            "numbers would be too; --ignore-anchors goes on)");
}

// The table of ranges, the kernels' folder and these tests name the same anchors.
TEST(AnchorTest, TheTemplatesHaveEveryAnchorThatTheRangesNeed) {
  const std::string toml = read_file(test::home().data / "templates/anchors/anchors.toml").value();
  std::map<std::string, AnchorResult> results;
  for (std::size_t at = toml.find("\nname = \""); at != std::string::npos;
       at = toml.find("\nname = \"", at + 1)) {
    const std::size_t start = at + 9, end = toml.find('"', start);
    results[toml.substr(start, end - start)] = slope(0);
  }
  for (const BundleVariant& variant : anchor_variants())
    EXPECT_TRUE(results.contains(variant.key.id.substr(7))) << variant.key.id;
  EXPECT_EQ(results.size(), anchor_variants().size());
  for (const AnchorFigure& figure : judge_anchors(results, hopper()))
    EXPECT_FALSE(figure.missing) << figure.name;
}

TEST(AnchorTest, ABundleWithoutAnchorsIsRefused) {
  EXPECT_EQ(check_anchors({}, {}).error().text(),
            "device: the bundle holds no anchors (pack it again, or measure without them: "
            "--ignore-anchors)");
}

std::vector<ModeObservation> observe(double (*cycles)(int process, int sm, int first_warp)) {
  std::vector<ModeObservation> seen;
  for (int process = 0; process < 2; ++process)
    for (const int sm : {0, 66})
      for (int first = 0; first < 4; ++first)
        seen.push_back({process, {sm, first}, cycles(process, sm, first)});
  return seen;
}

TEST(ModesTest, OneModeIsOneMode) {
  EXPECT_EQ(describe_modes(observe([](int, int, int) { return 41.0; })),
            "one mode: 41.00 cycles in 16 places");
}

TEST(ModesTest, TheFactorThatSeparatesThemIsNamed) {
  EXPECT_EQ(
      describe_modes(observe([](int, int, int first) { return first % 2 == 0 ? 41.0 : 45.5; })),
      "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; separated by "
      "first_warp (0, 2 | 1, 3)");
  EXPECT_EQ(describe_modes(observe([](int, int sm, int) { return sm == 0 ? 41.0 : 45.5; })),
            "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; separated by "
            "SM (0 | 66)");
}

TEST(ModesTest, WhatNoFactorSeparatesIsLeftOpen) {
  EXPECT_EQ(describe_modes(observe([](int process, int sm, int first) {
              return (process + sm + first) % 2 == 0 ? 41.0 : 45.5;
            })),
            "2 modes: 41.00 cycles in 8 of 16 places, 45.50 cycles in 8 of 16 places; no factor "
            "alone separates them");
}

TEST(MessageTest, WhatGoesInComesOut) {
  const PointRequest request{"abc", {3, 1}, 99, 12, 0.5, 32};
  const auto back = decode_request(encode(request));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->variant_hash, "abc");
  EXPECT_EQ(back->placement, (Placement{3, 1}));
  EXPECT_EQ(back->max_rounds, 12);
  Measurement measurement;
  measurement.samples = {{10, 400, {3, 4294967295U}}, {20, 18446744073709551615ULL, {0, 7}}};
  measurement.readings = {{"polls", "polls per item"}, {"late", "cycles per item"}};
  measurement.megahertz = 1980.25;
  measurement.flags = {"modes"};
  const auto reply = decode_reply(encode(WorkerReply(measurement)));
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<Measurement>(*reply).samples, measurement.samples);
  EXPECT_EQ(std::get<Measurement>(*reply).readings, measurement.readings);
  EXPECT_EQ(std::get<Measurement>(*reply).flags, measurement.flags);
  const auto error = decode_reply(encode(WorkerReply(Error{Step::verify, "bad \xff", "hint"})));
  ASSERT_TRUE(error);
  EXPECT_EQ(std::get<Error>(*error).step, Step::verify);
  EXPECT_FALSE(decode_reply("half a li"));
}

PointRow finished_row(const char* text_hash) {
  PointRow row;
  row.variant_id = "ring/a";
  row.variant_hash = "aaa";
  row.text_hash = text_hash;
  row.device_uuid = "GPU-1";
  row.run_id = "run";
  row.samples = {{1, 10}, {2, 20}, {3, 30}, {4, 40}};
  return row;
}

TEST(FinishedTest, AnErrorDoesNotUndoAMeasurementAndOtherCodeIsAnotherPoint) {
  Store store = Store::open_in_memory().value();
  ASSERT_TRUE(store.add_device({"GPU-1", "g", "d", "sm_90", 1, 1, 1}));
  RunRow run;
  run.id = "run";
  ASSERT_TRUE(store.add_run(run));
  PointRow failed = finished_row("t2");
  failed.samples.clear();
  failed.error = PointError{Step::launch, "hung"};
  ASSERT_TRUE(store.add_point(finished_row("t1")));
  ASSERT_TRUE(store.add_point(failed));
  const FinishedPoints finished = FinishedPoints::read(store).value();
  EXPECT_NE(finished.find(key_of(finished_row("t1"))), nullptr);
  EXPECT_EQ(finished.find(key_of(finished_row("t2"))), nullptr);
  EXPECT_TRUE(finished.has_error(key_of(failed), *failed.error));
  EXPECT_FALSE(finished.has_error(key_of(failed), {Step::launch, "died"}));
}

// Rows of before the class covered all of the code name another class whatever the code is: their
// text answers. Of two classes of one text each answers for itself.
TEST(FinishedTest, KnowsTheClassWhereTheRowDoes) {
  Store store = Store::open_in_memory().value();
  RunRow run;
  run.id = "run";
  ASSERT_TRUE(store.add_device({"GPU-1", "g", "d", "sm_90", 1, 1, 1}));
  ASSERT_TRUE(store.add_run(run));
  const auto row = [](const char* text, const char* sass_class) {
    PointRow made = finished_row(text);
    made.sass_class = sass_class;
    return made;
  };
  ASSERT_TRUE(store.add_point(row("old", "0123456789ab")));
  ASSERT_TRUE(store.add_point(row("new", "0123456789ab-2")));
  const FinishedPoints finished = FinishedPoints::read(store).value();
  EXPECT_NE(finished.find(key_of(row("old", "ba9876543210-2"))), nullptr);
  EXPECT_NE(finished.find(key_of(row("new", "0123456789ab-2"))), nullptr);
  EXPECT_EQ(finished.find(key_of(row("new", "ba9876543210-2"))), nullptr);
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
    const auto options = parse_bench_options(static_cast<int>(argv.size()), argv.data());
    ASSERT_FALSE(options) << row.words[1];
    EXPECT_EQ(options.error().text().substr(0, std::string(row.error).size()), row.error);
  }
}

}  // namespace
}  // namespace phasebit::test
