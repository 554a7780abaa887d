// Slots that consumers store to a buffer: read back after every launch, and verified.
#include "tests/bench/one_point.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// Slots of 256 words, whose images are added up in a buffer.
void store_slots(launch::LaunchShape& launch) {
  launch.payload.words_per_slot = 256;
  launch.payload.consumer_threads = 32;
  launch.payload.consumer_vector_words = 4;
  launch.payload.period = 37;
  launch.stored = {"out", "", launch::stores::StoreOperation::add_u32,
                   launch::stores::StoreRewrite::plus_one};
  launch.buffers = {{"first", 64, {launch::BufferFill::Kind::word, 1}},
                    {"out", 4 * 256 * 37, {launch::BufferFill::Kind::word, 5}}};
}

TEST(Stored, IsVerifiedBehindEachLaunch) {
  Bench bench;
  store_slots(bench.variant.launch);
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
}

// Image 36 begins at word 9216; word 255 is its last. Of a launch with fewer items than images it
// holds what the buffer was filled with.
TEST(Stored, AWordThatIsWrongIsNamed) {
  for (const char* build : {"a_g", "a_t"}) {
    Bench bench;
    store_slots(bench.variant.launch);
    bench.bundle.kernel(build) = {{"fault", "wrong_stored"}};
    const auto measured = bench.measure();
    ASSERT_FALSE(measured) << build;
    EXPECT_EQ(measured.error().step, Step::verify);
    EXPECT_NE(measured.error().text().find("in word 255 of image 36 after "), std::string::npos)
        << measured.error().text();
  }
  Bench bench;
  store_slots(bench.variant.launch);
  bench.bundle.kernel("a_g") = {{"fault", "wrong_stored"}};
  EXPECT_EQ(
      bench.measure().error().text(),
      "verify: guarded build, 1 items: 'out' holds 0x00000006 in word 255 of image 36 after 1 "
      "items, expected 0x00000005");
}

TEST(Stored, ABufferThatIsNotThereIsAnErrorOfThePoint) {
  Bench bench;
  store_slots(bench.variant.launch);
  bench.variant.launch.stored.buffer = "outs";
  EXPECT_EQ(bench.measure().error().text(),
            "bundle: slots are stored to 'outs', which is not a buffer");
}

TEST(Stored, PassesThroughTheManifest) {
  launch::Manifest manifest;
  manifest.variants = {ring_variant("a"), ring_variant("b")};
  store_slots(manifest.variants[0].launch);
  manifest.variants[0].launch.payload.copy_words = 4;
  const auto read = launch::manifest_from_json(launch::to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variants[0].launch.stored, manifest.variants[0].launch.stored);
  EXPECT_EQ(read->variants[0].launch.payload.copy_words, 4);
  EXPECT_TRUE(read->variants[1].launch.stored.buffer.empty());
}

}  // namespace
}  // namespace phasebit::test
