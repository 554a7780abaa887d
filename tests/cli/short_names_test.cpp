#include "pipeline/sass/short_names.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

using Names = std::vector<std::string>;

TEST(ShortNames, ShortOnesStay) {
  EXPECT_EQ(short_names({"matmul", "ns::copy<float, 3>(float*)"}, 40),
            (Names{"matmul", "ns::copy<float, 3>(float*)"}));
  EXPECT_EQ(short_names({}, 40), Names{});
}

TEST(ShortNames, WhatTellsThemApartStandsBehind) {
  const std::string a = "void gemm<Tile<128, 64, half>, Linear>(Params<Tile<128, 64, half>>)",
                    b = "void gemm<Tile<128, 32, half>, Linear>(Params<Tile<128, 32, half>>)";
  const Names made = short_names({a, b, "other"}, 30);
  EXPECT_EQ(made[0], "void gemm<...>(...): 64, half>, Li...<Tile<128, 64");
  EXPECT_EQ(made[1], "void gemm<...>(...): 32, half>, Li...<Tile<128, 32");
  EXPECT_EQ(made[2], "other");
}

// Nobody demangles these.
TEST(ShortNames, SymbolsAreCutInTheMiddle) {
  const std::string long_name = "_ZN" + std::string(200, 'a') + "_end";
  const std::string made = short_names({long_name}, 30).front();
  EXPECT_EQ(made.size(), 59U);
  EXPECT_TRUE(made.starts_with("_ZNaaa")) << made;
  EXPECT_TRUE(made.ends_with("aaa_end")) << made;
  // Two of them are told apart though they are one word.
  const Names two = short_names({"_ZN" + std::string(100, 'a') + "X" + std::string(100, 'b'),
                                 "_ZN" + std::string(100, 'a') + "Y" + std::string(100, 'b')},
                                30);
  EXPECT_TRUE(two[0].ends_with(": X")) << two[0];
  EXPECT_TRUE(two[1].ends_with(": Y")) << two[1];
}

}  // namespace
}  // namespace phasebit
