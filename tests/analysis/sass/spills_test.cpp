#include "analysis/reading/spills.h"

#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using reading::spill_marks;

namespace {

using test::handmade;

std::string words(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values)
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

// An entry is {format 4, attribute, size} and so many bytes; 0x55 holds pairs {kind, address}, of
// which kind 1 is a spill. Before it an attribute without bytes, and one with.
TEST(Spills, MarksAreReadFromTheAttribute) {
  const std::string info = std::string("\x03\x1b\x20\x00", 4) + std::string("\x04\x37\x04\x00", 4) +
                           words({0x82}) + std::string("\x04\x55\x18\x00", 4) +
                           words({1, 0x10, 2, 0x20, 1, 0x40});
  EXPECT_EQ(spill_marks(info), (std::set<std::uint32_t>{0x10, 0x40}));
  EXPECT_TRUE(spill_marks("").empty());
  EXPECT_TRUE(spill_marks(info.substr(0, info.size() - 1)).empty());  // cut short
}

// PTX manual: .b8 to .b128; SASS names the widths that are not 32 bits.
TEST(Spills, BytesByWidth) {
  const auto code = handmade({"| STL [R1],R0", "| STL.64 [R1+0x8],R2", "| LDL.LU.128 R4,[R1]",
                              "| LDL.U8 R4,[R9]", "| STG.E.64 [R2],R4", "| LDL.S16 R1,[R8]"});
  const flow::SpillBytes all = reading::local_bytes(code.kernel);
  EXPECT_EQ(all.stores, 4 + 8);
  EXPECT_EQ(all.loads, 16 + 1 + 2);
  const flow::SpillBytes marked = reading::spilled_bytes(code.kernel, {0x10, 0x20, 0x9990});
  EXPECT_EQ(marked.stores, 8);
  EXPECT_EQ(marked.loads, 16);
}

}  // namespace
}  // namespace phasebit::test
