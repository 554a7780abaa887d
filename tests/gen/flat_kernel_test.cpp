#include "gen/reduce/flat_kernel.h"

#include "gen/ptxas/assemble.h"
#include "tests/gen/hand_kernels.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::Kernel;
using reduce::as_kernel;
using reduce::flatten;

namespace {

std::string text_of(const Kernel& kernel) {
  std::string text;
  for (const std::string& line : kernel.statements) text += line + "\n";
  return text;
}

TEST(FlatKernel, TellsTheNamesOfBlocksApart) {
  const Kernel kernel = test::kernel("k", "sm_90",
                                     ".reg .b32 a;\nmov.u32 a, 0;\n"
                                     "{ .reg .pred p;\nL_1:\nsetp.eq.u32 p, a, 0;\n@p bra L_1;\n}\n"
                                     "{\n.reg .pred p;\n.reg .b32 a, w<2>;\nL_1:\n"
                                     "mov.u32 w1, a;\n@!p bra L_1;\n}\nret;\n");
  const auto flat = flatten(kernel);
  ASSERT_TRUE(flat) << flat.error().text();
  EXPECT_EQ(text_of(as_kernel(*flat, "flat")),
            ".visible .entry flat()\n{\n.reg .b32 a, a_2, w1;\n.reg .pred p, p_2;\n"
            "mov.u32 a, 0;\nL_1:\nsetp.eq.u32 p, a, 0;\n@p bra L_1;\n"
            "L_1_2:\nmov.u32 w1, a_2;\n@!p_2 bra L_1_2;\nret;\n}\n");
}

TEST(FlatKernel, KeepsParametersAndDirectivesThatAreNeeded) {
  Kernel kernel = test::kernel("k", "sm_90", ".reg .b32 a;\nld.param.u32 a, [pb+4];\nret;\n");
  kernel.statements.insert(kernel.statements.begin() + 1, ".maxntid 128");
  const auto flat = flatten(kernel);
  ASSERT_TRUE(flat) << flat.error().text();
  EXPECT_EQ(reduce::first_parameter(*flat), "pb");
  EXPECT_EQ(text_of(as_kernel(*flat, "n")),
            ".visible .entry n(.param .align 8 .b8 pb[96])\n.maxntid 128\n{\n.reg .b32 a;\n"
            "ld.param.u32 a, [pb+4];\nret;\n}\n");
}

TEST(FlatKernel, IsTheSameCode) {
  const auto toolchain = test::toolchain();
  if (!toolchain) GTEST_SKIP() << toolchain.error().text();
  std::vector<Kernel> kernels = test::kernels_for_sm_90();
  const size_t count = kernels.size();
  for (size_t i = 0; i < count; ++i) {
    const auto flat = flatten(kernels[i]);
    ASSERT_TRUE(flat) << flat.error().text();
    kernels.push_back(as_kernel(*flat, kernels[i].entry + "_flat"));
  }
  const ptxas::Assembly made = ptxas::assemble(*toolchain, nullptr, kernels, "sm_90");
  for (size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(made.kernels[i]) << made.kernels[i].error().text();
    ASSERT_TRUE(made.kernels[count + i]) << made.kernels[count + i].error().text();
    EXPECT_EQ(made.kernels[i]->text_hash, made.kernels[count + i]->text_hash) << kernels[i].entry;
  }
}

TEST(FlatKernel, NeedsABody) {
  Kernel kernel = test::kernel("k", "sm_90", "ret;\n");
  kernel.statements.pop_back();
  const auto flat = flatten(kernel);
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().text(), "assemble: k: no kernel with parameters and a body");
}

}  // namespace
}  // namespace phasebit::test
