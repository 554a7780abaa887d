// What a buffer holds before a launch.
#include "core/launch/buffer.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::content_of;

namespace {

using Kind = launch::BufferFill::Kind;

TEST(Buffer, FillsAreReadAndWritten) {
  struct Row {
    const char *text, *written;
    launch::BufferFill fill;
  };
  const Row rows[] = {{"zero", "zero", {Kind::word, 0}},
                      {"0", "zero", {Kind::word, 0}},
                      {"7", "7", {Kind::word, 7}},
                      {"0x3f800000", "1065353216", {Kind::word, 0x3f800000}},
                      {"none", "none", {Kind::none, 0}},
                      {"index", "index", {Kind::index, 0}},
                      {"random:7", "random:7", {Kind::random, 7}},
                      {"blocks:7", "blocks:7", {Kind::blocks, 7}},
                      {"signs:7", "signs:7", {Kind::signs, 7}},
                      {"bf16:rare:7", "bf16:rare:7", {Kind::rare, 7, {}, 0, true}}};
  for (const Row& row : rows) {
    const auto fill = launch::BufferFill::of_text(row.text);
    ASSERT_TRUE(fill) << row.text;
    EXPECT_EQ(*fill, row.fill) << row.text;
    EXPECT_EQ(launch::to_string(*fill), row.written);
  }
  for (const char* text : {"", "zeros", "random", "random:", "random:x", "-1", "7 ", "4294967296",
                           "bf16:", "bf16:random:7", "bf16:bf16:normal:7"})
    EXPECT_FALSE(launch::BufferFill::of_text(text)) << text;
}

// The draws are those of MT19937 as another implementation gives them.
TEST(Buffer, ContentIsWhatAnybodyCanMake) {
  EXPECT_EQ(content_of({"a", 10, {Kind::index, 0}}), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(content_of({"a", 12, {Kind::random, 1}}),
            (std::vector<std::uint32_t>{1791095845, 4282876139, 3093770124}));
  EXPECT_EQ(content_of({"a", 8, {Kind::random, 7}}),
            (std::vector<std::uint32_t>{327741615, 976413892}));
  EXPECT_TRUE(content_of({"a", 64, {Kind::word, 7}}).empty());
  // Those of tests/core/product_test.cpp; after 257 * 64 KiB the first again.
  const auto signs = content_of({"a", 4 * (launch::sign_words + 2), {Kind::signs, 1}});
  EXPECT_EQ(signs[0], 0x3f803f80U);
  EXPECT_EQ(signs[1], 0xbf80bf80U);
  EXPECT_EQ(signs[257 * 65536 / 4 + 1], 0xbf80bf80U);
}

// Two numbers a word, the lower one first: those of a buffer of f32, rounded; after all of them the
// first again, in the other half.
TEST(Buffer, HalvesAreTheNumbersRounded) {
  const std::size_t words = launch::float_words;
  const auto whole = content_of({"a", 4 * words, {Kind::normal, 3}});
  const auto halves = content_of({"a", 4 * words, {Kind::normal, 3, {}, 0, true}});
  const auto number = [&](std::size_t n) { return std::bit_cast<float>(whole[n % words]); };
  const auto half = [&](std::size_t n) {
    return std::bit_cast<float>(halves[n / 2] >> (n % 2 * 16) << 16U);
  };
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, words - 1, words, 2 * words - 1})
    EXPECT_LE(std::abs(half(n) - number(n)), std::abs(number(n)) / 256) << n;
  EXPECT_NE(half(0), half(1));
  const auto numbers = launch::numbers_of({"a", 4 * words, {Kind::normal, 3, {}, 0, true}});
  EXPECT_EQ(numbers.size(), words);
  EXPECT_EQ(numbers[words - 1], half(words - 1));
}

}  // namespace
}  // namespace phasebit::test
