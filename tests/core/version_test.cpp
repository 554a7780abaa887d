#include "core/isa/version.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::version_in_banner;

namespace {

isa::Version version(std::string_view text) {
  return isa::parse_version(text).value();
}

TEST(ParseVersion, TakesDottedNumbers) {
  EXPECT_EQ(version("13.5.37").parts, (std::vector<int>{13, 5, 37}));
  EXPECT_EQ(version("8").parts, (std::vector<int>{8}));
  EXPECT_EQ(version("13.5.37").text(), "13.5.37");
}

TEST(ParseVersion, RefusesEverythingElse) {
  for (const char* text : {"", ".", "8.", ".8", "8..0", "8.x", "v8.0", "8.0 ", " 8.0", "-8.0",
                           "8.-1", "+8", "8.99999999999"}) {
    const auto result = isa::parse_version(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().text(), fmt::format("spec: '{}' is not a version", text));
  }
}

TEST(Version, OrdersByNumberAndTakesAMissingPartAsZero) {
  // Ascending; numbers, not texts: 8.10 is above 8.9.
  const std::vector<const char*> ascending = {"7.8", "8", "8.0.1", "8.1", "8.9", "8.10", "13.0.48"};
  for (size_t i = 0; i < ascending.size(); ++i)
    for (size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(version(ascending[i]) <=> version(ascending[j]), i <=> j);
  EXPECT_EQ(version("8"), version("8.0"));
  EXPECT_EQ(version("8.0.0"), version("8"));
  EXPECT_NE(version("8.0.1"), version("8"));
}

struct RangeRow {
  const char *version, *range;
  bool inside;
};

TEST(VersionInRange, Table) {
  constexpr RangeRow rows[] = {
      {"12.4", "", true},
      {"12.4", ">=12.4", true},
      {"12.3.107", ">=12.4", false},
      {"12.4.131", "<=12.4", false},  // 12.4 is 12.4.0
      {"12.4", "<=12.4", true},
      {"12.4", "<12.4", false},
      {"12.3.107", "<12.4", true},
      {"12.4", ">12.4", false},
      {"12.4.1", ">12.4", true},
      {"12.4", "=12.4.0", true},
      {"12.4", "==12.4", true},
      {"12.4.1", "=12.4", false},
      {"11.8.89", ">=11.8 <12.4", true},
      {"12.4.131", ">=11.8 <12.4", false},
      {"11.7.99", ">=11.8 <12.4", false},
      {"9.0", ">=10", false},
  };
  for (const RangeRow& row : rows)
    EXPECT_EQ(isa::version_in_range(version(row.version), row.range).value(), row.inside)
        << row.version << " in " << row.range;
}

TEST(VersionInRange, AMistakeIsOneForEveryVersion) {
  constexpr const char* text_and_message[][2] = {
      {"12.4", "spec: '12.4' is not a version range"},
      {"~12.4", "spec: '~12.4' is not a version range"},
      {">=", "spec: '>=' is not a version range"},
      {">=x", "spec: '>=x' is not a version range"},
      {">=13 <", "spec: '>=13 <' is not a version range"},
      {">=12.x", "spec: '12.x' is not a version"},
  };
  for (const auto& [range, message] : text_and_message) {
    for (const char* asked : {"1.0", "99.0"}) {
      const auto result = isa::version_in_range(version(asked), range);
      ASSERT_FALSE(result) << range << " for " << asked;
      EXPECT_EQ(result.error().text(), message);
    }
  }
}

TEST(VersionInBanner, IsBehindTheV) {
  EXPECT_EQ(version_in_banner("ptxas: NVIDIA (R) Ptx optimizing assembler\n"
                              "Cuda compilation tools, release 13.5, V13.5.37\n"
                              "Build cuda_13.5.r13.5/compiler.1_0\n"),
            "13.5.37");
  EXPECT_EQ(version_in_banner("nvdisasm: NVIDIA (R) CUDA disassembler\nrelease 12.9, V12.9.86\n"),
            "12.9.86");
  EXPECT_EQ(version_in_banner("nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.39125733_0"),
            "13.5.37");
  EXPECT_EQ(version_in_banner("NVIDIA V Vx V7"), "");
  EXPECT_EQ(version_in_banner("ptxas"), "");
  EXPECT_EQ(version_in_banner(""), "");
}

}  // namespace
}  // namespace phasebit::test
