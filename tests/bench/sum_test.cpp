// A grid on several SMs: what is verified of it, and how long it lasts.
#include "bench/point/chain.h"
#include "bench/point/verify.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::ExpectedChecksums;
using bench::point::LaunchOutput;
using image::LaunchShape;

namespace {

LaunchShape grid_of_two() {
  LaunchShape shape;
  shape.sms = 2;
  shape.threads = 32;
  shape.slices.resize(1);
  shape.slices[0].role = image::Role::consumer;
  shape.buffers = {{"data", 4096, {image::BufferFill::Kind::blocks, 3}}};
  shape.data = {4096, 512, 1};
  return shape;
}

// CTA c ran on SM c, from ns 100 + c to 200 + 10 c.
LaunchOutput output_of(const LaunchShape& shape, std::uint32_t items) {
  LaunchOutput output;
  output.items = items;
  output.records.resize(static_cast<size_t>(shape.records()));
  output.checksum.assign(static_cast<size_t>(shape.ctas() * shape.threads),
                         bench::point::payload_poison);
  const std::vector<std::uint32_t> words = image::content_of(shape.buffers[0]);
  for (std::uint32_t cta = 0; cta < 2; ++cta) {
    image::SampleRecord& record = output.records[2 * cta];
    record = {1, 2, 100 + cta, 200 + 10 * cta, items, 2, 0, cta};
    std::uint32_t sum = 0;
    for (std::uint32_t item = 0; item < items; ++item)
      for (std::uint32_t word = 0; word < 128; ++word)
        sum += words[(item * 2 + cta) % 8 * 128 + word];
    output.checksum[32 * cta] = sum;
  }
  return output;
}

TEST(Grid, TheSumOfAllThreadsIsVerified) {
  const LaunchShape shape = grid_of_two();
  ExpectedChecksums checksums(shape, 0);
  LaunchOutput output = output_of(shape, 7);
  EXPECT_TRUE(verify_launch(shape, {}, output, checksums));
  EXPECT_EQ(span_ns(output), 110U);
  const std::uint32_t right = output.checksum[0] + output.checksum[32];
  ++output.checksum[32];
  const auto wrong = verify_launch(shape, {}, output, checksums);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text(),
            fmt::format("verify: the sum of all words read is {:#010x} after 7 items, expected "
                        "{:#010x}",
                        right + 1, right));
}

TEST(Grid, EachCtaRanOnItsSm) {
  const LaunchShape shape = grid_of_two();
  ExpectedChecksums checksums(shape, 0);
  LaunchOutput output = output_of(shape, 7);
  output.records[2].sm = 0;
  const auto wrong = verify_launch(shape, {}, output, checksums);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text(), "verify: warp 0 of cta 1 (consumer) ran on SM 0, expected 1");
}

TEST(Grid, LastsAsLongAsManyCopiesOfItsStart) {
  const LaunchShape shape = grid_of_two();
  // 400 ns an item: half a millisecond is 1250 items.
  EXPECT_EQ(bench::point::chain_base(shape, {32, 20000, {}}, {128, 58400, {}}), 1250U);
}

}  // namespace
}  // namespace phasebit::test
