// What a buffer holds before a launch.
#include "core/launch/buffer.h"

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
                      {"signs:7", "signs:7", {Kind::signs, 7}}};
  for (const Row& row : rows) {
    const auto fill = launch::BufferFill::of_text(row.text);
    ASSERT_TRUE(fill) << row.text;
    EXPECT_EQ(*fill, row.fill) << row.text;
    EXPECT_EQ(launch::to_string(*fill), row.written);
  }
  for (const char* text : {"", "zeros", "random", "random:", "random:x", "-1", "7 ", "4294967296"})
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

}  // namespace
}  // namespace phasebit::test
