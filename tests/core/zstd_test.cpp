#include "core/base/file.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using base::is_zstd;
using base::most_unzstd_bytes;
using base::unzstd;
using base::zstd;

namespace {

Result<std::string> unpacked(std::string_view packed, std::uint64_t most = most_unzstd_bytes) {
  std::string text;
  const Status done = unzstd(
      packed, "a.zst",
      [&](std::string_view piece) {
        text += piece;
        return Status();
      },
      most);
  if (!done) return tl::unexpected<Error>(done.error());
  return text;
}

std::string zstd_error_of(std::string_view packed, std::uint64_t most = most_unzstd_bytes) {
  const auto made = unpacked(packed, most);
  return made ? "" : made.error().text();
}

TEST(Zstd, GivesBackWhatItPacked) {
  std::string text;
  for (int n = 0; n < 100000; ++n) text += std::to_string(n * 7919 % 1013) + ",";
  for (const std::string& content : {std::string(), std::string("a"), text}) {
    const std::string packed = zstd(content);
    EXPECT_TRUE(is_zstd(packed));
    EXPECT_EQ(packed, zstd(content));
    EXPECT_EQ(unpacked(packed).value(), content);
    EXPECT_EQ(unpacked(packed + packed).value(), content + content);
  }
}

TEST(Zstd, RefusesEveryCut) {
  const std::string packed = zstd("some text that is packed");
  for (std::size_t size = 1; size < packed.size(); ++size)
    EXPECT_FALSE(unpacked(packed.substr(0, size))) << size;
  EXPECT_EQ(zstd_error_of(packed.substr(0, packed.size() - 1)),
            "io: a.zst: cut short (copy it again from where it is whole)");
}

TEST(Zstd, RefusesWhatIsNoZstd) {
  EXPECT_EQ(zstd_error_of("\x1f\x8b"), "io: a.zst does not begin like a zstd file");
  EXPECT_EQ(zstd_error_of(""), "io: a.zst does not begin like a zstd file");
  std::string packed = zstd("some text that is packed");
  packed.back() = static_cast<char>(packed.back() ^ 1);
  EXPECT_EQ(zstd_error_of(packed),
            "io: a.zst: damaged zstd data: Restored data doesn't match checksum (copy it again "
            "from where it is whole)");
  EXPECT_FALSE(unpacked(zstd("a") + "b"));
}

// 1 GB of zeros in some 30 KB: nothing is kept of it.
TEST(Zstd, RefusesWhatExpandsTooFar) {
  const std::string packed = zstd(std::string(1000000, 'a'));
  EXPECT_LT(packed.size(), 1000U);
  EXPECT_EQ(zstd_error_of(packed, 999999), "io: a.zst: above 999999 bytes of text");
  EXPECT_TRUE(unpacked(packed, 1000000));
}

// A frame header that asks for a window of 16 MiB: RFC 8878, 3.1.1.1.2.
TEST(Zstd, RefusesLargerWindows) {
  const std::string frame("\x28\xB5\x2F\xFD\x00\x70\x01\x00\x00", 9);
  EXPECT_EQ(zstd_error_of(frame),
            "io: a.zst: its zstd window is above 8 MiB (pack it again with `zstd -19`)");
}

TEST(Zstd, EndsWithTheFirstErrorOfTheTaker) {
  const Status done = unzstd(
      zstd("a"), "a.zst", [](std::string_view) -> Status { return fail(Step::store, "no more"); });
  EXPECT_EQ(done.error().message, "no more");
}

}  // namespace
}  // namespace phasebit::test
