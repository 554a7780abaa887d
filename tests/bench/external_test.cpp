// A stranger's kernel on the fake device: a slope over the items, its buffers filled anew.
#include "bench/point/external.h"

#include "bench/campaign/plan.h"
#include "tests/bench/one_point.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::campaign::refusal;
using bench::point::Phase;
using launch::BufferFill;
using launch::BundleVariant;
using launch::ExternalParameter;
using launch::launch_signature;
using launch::manifest_from_json;
using launch::to_json;

namespace {

// The kernel counts in its buffer: a launch that finds the count of the last one fails.
BundleVariant stranger() {
  BundleVariant variant = stranger_variant("a");
  launch::ExternalLaunch external;
  external.block = {64, 1, 1};
  external.parameter_bytes = 16;
  external.parameters = {
      {"out", ExternalParameter::Kind::buffer, 0, 8, 0, {"out", 4096, {BufferFill::Kind::word, 7}}},
      {"n", ExternalParameter::Kind::items, 8, 4, 0, {}}};
  variant.external = external;
  return variant;
}

TEST(Whole, IsTheSlopeOfItsDuration) {
  Bench bench;
  bench.variant = stranger();
  bench.bundle.kernel("a_t") = {{"cycles", 40}, {"intercept", 3000}};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  const auto summary = results::summarise(measured->samples);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_DOUBLE_EQ(summary->cycles, 40);
  EXPECT_EQ(results::words_of(measured->quality),
            (std::vector<std::string>{"gate_none", "outputs_not_verified"}));
  // 3000 ns + 40 ns an item reach 50 us with 2048 items, the first power of two above 1175.
  EXPECT_EQ(measured->samples.front().items, 2048U);
  EXPECT_EQ(bench.phases, (std::vector<Phase>{Phase::loading, Phase::timed}));
}

// Of a kernel with a head too: both builds find every buffer filled, launch after launch.
TEST(Buffers, OfAHeadAreFilledBeforeEachLaunch) {
  using Kind = BufferFill::Kind;
  Bench bench;
  bench.variant.launch.buffers = {{"numbers", 4096, {Kind::index, 0}},
                                  {"draws", 64, {Kind::random, 1}},
                                  {"zeros", 6, {Kind::word, 0}},
                                  {"kept", 64, {Kind::none, 0}}};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(bench.phases, (std::vector<Phase>{Phase::loading, Phase::guarded, Phase::timed}));
}

// A slot of eight rows of 128 bytes, the last word of each row outside of the tensor.
void use_tiles(launch::LaunchShape& launch) {
  launch::tensor::TensorMap map;
  map.name = "tiles";
  map.buffer = launch::payload_in_buffer;
  map.swizzle = launch::tensor::TensorSwizzle::by_128;
  map.sizes = {31, 8 * 37};
  map.strides = {128};
  map.box = {32, 8};
  launch.tensor_maps = {map};
  launch.payload.words_per_slot = 256;
  launch.payload.consumer_threads = 32;
  launch.payload.consumer_vector_words = 4;
  launch.payload.period = 37;
  launch.payload.tile = {"tiles", {0, 0}, 1};
}

TEST(TensorMaps, OfAHeadAreEncodedAndTheirTilesVerified) {
  Bench bench;
  use_tiles(bench.variant.launch);
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  Bench wrong;
  use_tiles(wrong.variant.launch);
  wrong.bundle.kernel("a_t") = {{"fault", "wrong_checksum"}, {"at", 33}};
  const auto failed = wrong.measure();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().step, Step::verify);
}

TEST(TensorMaps, ThatCannotBeAreAnErrorOfThePoint) {
  Bench refused;
  use_tiles(refused.variant.launch);
  refused.bundle.device() = {{"refused_map", "tiles"}};
  EXPECT_EQ(refused.measure().error().text(),
            "bundle: guarded build, 1 items: tensor map tiles: a tensor of 31 x 296 u32, strides "
            "128 bytes, a box of 32 x 8, "
            "swizzle 128B: cuTensorMapEncodeTiled: refused (scripted)");
  Bench large;
  use_tiles(large.variant.launch);
  large.variant.launch.tensor_maps[0].box[1] = 512;
  EXPECT_EQ(large.measure().error().text(),
            "bundle: tensor map tiles: box: 512 elements in dimension 1 (1 to 256)");
}

TEST(TensorMaps, PassThroughTheManifest) {
  launch::Manifest manifest;
  manifest.variants = {ring_variant("a"), ring_variant("b")};
  launch::LaunchShape& launch = manifest.variants[0].launch;
  use_tiles(launch);
  launch.tensor_maps[0].im2col = launch::tensor::TensorIm2col{{}, {}, 32, 8};
  const auto read = manifest_from_json(to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variants[0].launch.tensor_maps, launch.tensor_maps);
  EXPECT_EQ(read->variants[0].launch.payload.tile, launch.payload.tile);
  EXPECT_TRUE(read->variants[1].launch.tensor_maps.empty());
  EXPECT_EQ(launch_signature(ring_shape()).find("tensor_maps"), std::string::npos);
}

TEST(Whole, FailsWithTheLaunchThatFailed) {
  Bench bench;
  bench.variant = stranger();
  bench.bundle.kernel("a_t") = {{"launch_error", true}};
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().text(), "launch: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (scripted)");
}

// Ungated is refused but for a kernel without rules.
TEST(Whole, IsNotRefusedForItsGate) {
  BundleVariant variant = stranger();
  EXPECT_FALSE(refusal(variant));
  variant.external.reset();
  EXPECT_EQ(refusal(variant)->why, "not gated: none: no head, outputs not verified");
  EXPECT_EQ(refusal(variant)->verdict, results::Verdict::ungated);
}

TEST(Whole, PassesThroughTheManifest) {
  launch::Manifest manifest;
  manifest.variants = {stranger(), ring_variant("b")};
  const auto read = manifest_from_json(to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), to_json(manifest));
  ASSERT_TRUE(read->variants[0].external);
  EXPECT_EQ(read->variants[0].external->parameters[0].kind, ExternalParameter::Kind::buffer);
  EXPECT_FALSE(read->variants[1].external);
  EXPECT_EQ(to_json(manifest).find("\"buffers\""), std::string::npos);
}

TEST(Buffers, OfAHeadPassThroughTheManifest) {
  launch::Manifest manifest;
  manifest.variants = {ring_variant("a"), ring_variant("b")};
  launch::LaunchShape& launch = manifest.variants[0].launch;
  launch.buffers = {{"table", 64, {BufferFill::Kind::random, 7}}};
  const auto read = manifest_from_json(to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variants[0].launch.buffers, launch.buffers);
  EXPECT_TRUE(read->variants[1].launch.buffers.empty());
  // Another content is another launch; a launch without buffers is what it always was.
  launch::LaunchShape other = launch;
  other.buffers[0].fill.word = 8;
  EXPECT_NE(launch_signature(launch), launch_signature(other));
  EXPECT_EQ(launch_signature(ring_shape()).find("buffers"), std::string::npos);
  std::string wrong = to_json(manifest);
  wrong.replace(wrong.find("random:7"), 8, "random:x");
  EXPECT_FALSE(manifest_from_json(wrong, "m"));
}

// With a guarded build, whose one wait is a poll.
BundleVariant waiting_stranger() {
  BundleVariant variant = stranger();
  variant.launch.guarded = true;
  launch::Image guarded = ring_variant("a").images.back();
  launch::WaitSite site;
  site.number = 1;
  site.kind = launch::WaitKind::flag;
  site.file = "s.ptx";
  site.line = 12;
  launch::WaitSite other = site;
  other.number = 2;
  other.line = 19;
  guarded.guard.sites = {site, other};
  variant.images.push_back(guarded);
  return variant;
}

TEST(Whole, RunsItsGuardedBuildFirst) {
  Bench bench;
  bench.variant = waiting_stranger();
  bench.bundle.kernel("a_t") = {{"cycles", 40}, {"intercept", 3000}};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(bench.phases, (std::vector<Phase>{Phase::loading, Phase::guarded, Phase::timed}));
  EXPECT_EQ(measured->megahertz, 0);
  EXPECT_EQ(results::words_of(measured->quality),
            (std::vector<std::string>{"gate_none", "outputs_not_verified"}));
}

// No figure is wanted: the guarded build is all that runs, and without a wait the timed one,
// once.
TEST(Whole, WithoutAFigureIsRunAndNotMeasured) {
  Bench guarded;
  guarded.variant = waiting_stranger();
  guarded.variant.external->no_figure = true;
  const auto ended = guarded.measure();
  ASSERT_TRUE(ended) << ended.error().text();
  EXPECT_TRUE(ended->samples.empty());
  EXPECT_EQ(guarded.phases, (std::vector<Phase>{Phase::loading, Phase::guarded}));
  Bench hanging;
  hanging.variant = waiting_stranger();
  hanging.variant.external->no_figure = true;
  hanging.bundle.kernel("a_g") = {{"fault", "report"}};
  EXPECT_EQ(hanging.measure().error().step, Step::guard);
  Bench plain;
  plain.variant = stranger();
  plain.variant.external->no_figure = true;
  EXPECT_TRUE(plain.measure());
  Bench broken;
  broken.variant = stranger();
  broken.variant.external->no_figure = true;
  broken.bundle.kernel("a_t") = {{"launch_error", true}};
  EXPECT_EQ(broken.measure().error().step, Step::launch);
}

// A grid of five CTAs that each look at one tile: more items than those change nothing.
TEST(Whole, ThatDoesNotDependOnItsItemsHasNoFigure) {
  Bench bench;
  bench.variant = stranger();
  bench.bundle.kernel("a_t") = {{"cycles", 0}, {"intercept", 3000}};
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().step, Step::verify);
  EXPECT_NE(measured.error().message.find("a launch of 16777216 items takes 3000 ns"),
            std::string::npos)
      << measured.error().message;
}

// A map's tensor lies in a buffer of the launch, after its begin.
TEST(Whole, TakesATensorMap) {
  Bench bench;
  bench.variant = stranger();
  launch::tensor::TensorMap map;
  map.name = "m";
  map.buffer = "out";
  map.sizes = {32, 8};
  map.strides = {128};
  map.box = {32, 8};
  ExternalParameter parameter{"m", ExternalParameter::Kind::tensor_map, 64, 128, 0, {}, 1024, {},
                              map};
  parameter.buffer = bench.variant.external->parameters[0].buffer;
  bench.variant.external->parameters.push_back(parameter);
  bench.variant.external->parameter_bytes = 192;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  bench.bundle.device() = {{"refused_map", "m"}};
  EXPECT_EQ(bench.measure().error().step, Step::bundle);
}

// Launch after launch, at any byte of it: the kernel writes over what it found.
TEST(Whole, FindsWhatItsBuffersHeld) {
  Bench bench;
  bench.variant = stranger();
  const std::string file = launch::contents_file("contents", "table");
  bench.variant.external->contents = {{"out", 101, 5, file}};
  bench.bundle.kernel("a_t") = {{"cycles", 40}, {"intercept", 3000}, {"holds", "table"}};
  const fs::path path = bench.bundle.write() / file;
  const auto missing = bench.measure();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().step, Step::bundle);
  ASSERT_TRUE(base::write_file(path, "table"));
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  bench.bundle.kernel("a_t")["holds"] = "tables";
  EXPECT_EQ(bench.measure().error().message, "buffer 'out' holds 'table'");
  ASSERT_TRUE(base::write_file(path, "stale"));
  EXPECT_NE(bench.measure().error().message.find("is torn"), std::string::npos);
}

TEST(Whole, ThatHangsIsReportedWithItsPlace) {
  Bench bench;
  bench.variant = waiting_stranger();
  bench.bundle.kernel("a_g") = {{"fault", "report"}};
  const auto reported = bench.measure();
  ASSERT_FALSE(reported);
  EXPECT_EQ(reported.error().step, Step::guard);
  EXPECT_NE(reported.error().message.find("guarded build, 1 items: "), std::string::npos);
  EXPECT_NE(reported.error().message.find("s.ptx:12"), std::string::npos)
      << reported.error().text();
  EXPECT_EQ(bench.phases.back(), Phase::guarded);  // the timed one was not launched

  Bench stuck;  // what the guard cannot bound: the breadcrumb says where
  stuck.variant = waiting_stranger();
  stuck.bundle.kernel("a_g") = {{"fault", "crumbs"}};
  const auto left = stuck.measure();
  ASSERT_FALSE(left);
  EXPECT_NE(left.error().message.find("did not end within 5000 ms; left: cta 0 warp 1 at s.ptx:19"),
            std::string::npos)
      << left.error().text();
}

TEST(Whole, SaysThatARulesFileGatedIt) {
  Bench bench;
  bench.variant = stranger();
  bench.variant.images.front().gate = {launch::GateVerdict::passed, "by the rules of r.toml"};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(results::words_of(measured->quality),
            (std::vector<std::string>{"gate_by_rules_file", "outputs_not_verified"}));
  bench.variant.images.front().gate = {launch::GateVerdict::failed, "r.toml:1: no sleep"};
  EXPECT_EQ(refusal(bench.variant)->why, "the SASS is not the intended one: r.toml:1: no sleep");
}

}  // namespace
}  // namespace phasebit::test
