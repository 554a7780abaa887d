// Assembly with the real ptxas: the same code in company as alone, with `.loc` as without, and
// refusals that lead back to the template.
#include "gen/ptxas/assemble.h"

#include "gen/ptxas/module.h"
#include "tests/gen/hand_kernels.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::AssembleOptions;
using ptxas::Assembly;
using ptxas::Kernel;

namespace {

using Codes = std::map<std::string, std::string>;  // entry -> bytes of its .text section

Codes codes_of(const Assembly& assembly) {
  Codes codes;
  for (const auto& made : assembly.kernels) {
    if (!made) {
      ADD_FAILURE() << made.error().text();
      continue;
    }
    const auto module = ptxas::module_code(assembly, nullptr, made->module_hash);
    if (!module) {
      ADD_FAILURE() << module.error().text();
      continue;
    }
    const auto sections = ptxas::code_sections(*module);
    if (sections && sections->count(made->entry) != 0)
      codes[made->entry] = std::string(sections->at(made->entry));
  }
  return codes;
}

std::vector<Kernel> kernels_for(const std::string& target) {
  std::vector<Kernel> kernels = test::kernels_for_sm_80();
  if (target == "sm_80" || target == "sm_89") return kernels;
  for (Kernel& kernel : test::kernels_for_sm_90()) kernels.push_back(std::move(kernel));
  return kernels;
}

class AssembleForTarget : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto found = test::toolchain();
    ASSERT_TRUE(found) << found.error().text();
    toolchain_ = *found;
    kernels_ = kernels_for(GetParam());
  }
  Codes assemble_with(const AssembleOptions& options) const {
    return codes_of(ptxas::assemble(toolchain_, nullptr, kernels_, GetParam(), options));
  }
  ptxas::Toolchain toolchain_;
  std::vector<Kernel> kernels_;
};

TEST_P(AssembleForTarget, CodeInCompanyIsTheCodeAlone) {
  AssembleOptions alone;
  alone.kernels_per_module = 1;
  const Codes in_company = assemble_with({});
  ASSERT_EQ(in_company.size(), kernels_.size());
  EXPECT_EQ(in_company, assemble_with(alone));
  // A comparison of nothing with nothing would pass.
  EXPECT_NE(in_company.at("hand_fma_8"), in_company.at("hand_fma_9"));
  for (const auto& [entry, code] : in_company) EXPECT_GE(code.size(), 16U) << entry;
}

TEST_P(AssembleForTarget, CodeDoesNotDependOnTheOrder) {
  const Codes forward = assemble_with({});
  std::reverse(kernels_.begin(), kernels_.end());
  EXPECT_EQ(forward, assemble_with({}));
}

TEST_P(AssembleForTarget, LineInformationLeavesTheCode) {
  AssembleOptions with_lines;
  with_lines.line_info = true;
  EXPECT_EQ(assemble_with({}), assemble_with(with_lines));
}

INSTANTIATE_TEST_SUITE_P(Targets, AssembleForTarget,
                         testing::Values("sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_107a",
                                         "sm_120a"),
                         [](const auto& target) { return std::string(target.param); });

class Assemble : public testing::Test {
 protected:
  void SetUp() override {
    auto found = test::toolchain();
    ASSERT_TRUE(found) << found.error().text();
    toolchain_ = *found;
  }
  std::string error_of(const Kernel& kernel, const std::string& target,
                       const AssembleOptions& options = {}) const {
    const Assembly made = ptxas::assemble(toolchain_, nullptr, {kernel}, target, options);
    return made.kernels[0] ? "none" : made.kernels[0].error().text();
  }
  ptxas::Toolchain toolchain_;
};

TEST_F(Assemble, ResourcesAreThoseOfTheKernel) {
  // 31 times the alignment of the dynamic shared memory, to which ptxas rounds; named barrier 2.
  const Kernel kernel = test::kernel(
      "hand_static", "sm_80",
      ".reg .b32 %r<4>;\n.shared .align 4 .b8 table[3968];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, table;\nmad.lo.u32 %r2, %r1, 4, %r2;\nst.volatile.shared.u32 [%r2], %r1;\n"
      "bar.sync 2;\nret;\n");
  const Assembly made = ptxas::assemble(toolchain_, nullptr, {kernel}, "sm_90a");
  ASSERT_TRUE(made.kernels[0]) << made.kernels[0].error().text();
  EXPECT_EQ(made.kernels[0]->resources.static_shared_bytes, 3968);
  EXPECT_EQ(made.kernels[0]->resources.barriers, 3);
  EXPECT_GT(made.kernels[0]->resources.registers, 0);
  EXPECT_EQ(made.kernels[0]->resources.spill_store_bytes, 0);
  EXPECT_EQ(made.assembled, 1U);
}

TEST_F(Assemble, OneBadKernelLeavesTheOthers) {
  std::vector<Kernel> kernels = test::kernels_for_sm_80();
  kernels.insert(kernels.begin() + 1, test::refused_kernel("hand_bad"));
  for (const bool line_info : {false, true}) {
    AssembleOptions options;
    options.line_info = line_info;
    const Assembly made = ptxas::assemble(toolchain_, nullptr, kernels, "sm_80", options);
    for (size_t n = 0; n < kernels.size(); ++n) EXPECT_EQ(made.kernels[n].has_value(), n != 1) << n;
    EXPECT_EQ(made.kernels[1].error().text(),
              "assemble: templates/probes/hand/hand_bad.ptx:4: "
              "Not a name of any known instruction: 'bogus'");
  }
}

TEST_F(Assemble, EveryMessageOfAKernelIsTold) {
  EXPECT_EQ(error_of(test::kernel("hand_two", "sm_80",
                                  ".reg .b32 %r<4>;\nmov.u32 %r1, nosuch;\n"
                                  "add.u64 %r1, %r1, 1;\nret;\n"),
                     "sm_80"),
            "assemble: templates/probes/hand/hand_two.ptx:4: "
            "Arguments mismatch for instruction 'mov'; "
            "templates/probes/hand/hand_two.ptx:4: Unknown symbol 'nosuch'; "
            "templates/probes/hand/hand_two.ptx:5: Arguments mismatch for instruction 'add'");
}

// ptxas notices the missing brace at the first line of the next kernel, which is innocent.
TEST_F(Assemble, AMissingBraceBlamesItsOwnKernel) {
  std::vector<Kernel> kernels = test::kernels_for_sm_80();
  kernels.insert(kernels.begin() + 2, test::kernel("hand_open", "sm_80", "{\nret;\n"));
  const Assembly made = ptxas::assemble(toolchain_, nullptr, kernels, "sm_80");
  for (size_t n = 0; n < kernels.size(); ++n) EXPECT_EQ(made.kernels[n].has_value(), n != 2) << n;
  EXPECT_EQ(made.kernels[2].error().step, Step::assemble);
}

TEST_F(Assemble, RepeatedFaultIsToldOnceAndManyAreCounted) {
  Kernel kernel = test::kernel(
      "hand_many", "sm_80", ".reg .b32 %r<4>;\n" + [] {
        std::string text;
        for (int n = 0; n < 11; ++n) text += "bogus.u32 %r1;\n";
        return text;
      }());
  for (size_t n = 10; n < kernel.source.size(); ++n) kernel.source[n].line = 10;
  const std::string text = error_of(kernel, "sm_80");
  // Statements 4 to 14; from statement 11 on all come from line 10, as statement 10 does: 7 lines.
  EXPECT_EQ(text.find("more"), std::string::npos) << text;
  EXPECT_NE(text.find("hand_many.ptx:10: "), std::string::npos) << text;
  EXPECT_EQ(text.find("hand_many.ptx:10: "), text.rfind("hand_many.ptx:10: ")) << text;
}

TEST_F(Assemble, KernelOfALaterTargetIsNotGivenToPtxas) {
  EXPECT_EQ(error_of(test::kernels_for_sm_90()[0], "sm_80"),
            "assemble: needs sm_90, the target is sm_80");
}

TEST_F(Assemble, UnknownTargetNamesTheNearest) {
  EXPECT_EQ(error_of(test::kernels_for_sm_80()[0], "sm_90b"),
            "usage: ptxas 13.5.37 does not know the architecture 'sm_90b' (did you mean 'sm_90'?)");
}

// What all kernels of a module share is not a fault of any of them.
TEST_F(Assemble, UnknownVersionOrFlagIsAToolchainError) {
  Kernel kernel = test::kernels_for_sm_80()[0];
  kernel.ptx_version = "9.9";
  EXPECT_EQ(error_of(kernel, "sm_80"), "assemble: needs PTX 9.9, ptxas 13.5.37 reads up to 9.5");
  // Of a release that our table does not have, ptxas itself is asked.
  toolchain_.ptx = {};
  EXPECT_EQ(error_of(kernel, "sm_80"),
            "toolchain: ptxas 13.5.37 for sm_80: Unsupported .version 9.9; "
            "current version is '9.5'");
  AssembleOptions options;
  options.flags = {"--nonsense"};
  EXPECT_EQ(error_of(test::kernels_for_sm_80()[0], "sm_80", options),
            "toolchain: ptxas 13.5.37 for sm_80: Unknown option '-nonsense'");
}

TEST_F(Assemble, SameTextIsAssembledOnceAndSameEntryApart) {
  const Kernel one = test::kernel("hand_same", "sm_80", "ret;\n");
  const Kernel other = test::kernel("hand_same", "sm_80", "bar.sync 0;\nret;\n");
  const Assembly made = ptxas::assemble(toolchain_, nullptr, {one, other, one}, "sm_80");
  for (const auto& kernel : made.kernels) ASSERT_TRUE(kernel) << kernel.error().text();
  EXPECT_EQ(made.kernels[0]->module_hash, made.kernels[2]->module_hash);
  EXPECT_NE(made.kernels[0]->module_hash, made.kernels[1]->module_hash);
  EXPECT_NE(made.kernels[0]->text_hash, made.kernels[1]->text_hash);
}

// Two points of the space that differ in their launch alone.
TEST_F(Assemble, SameTextUnderTwoNamesIsOneCode) {
  const char* body = ".reg .b32 %r<2>;\nmov.u32 %r1, %clock;\nret;\n";
  const std::vector<Kernel> kernels{test::kernel("hand_first", "sm_80", body),
                                    test::kernel("hand_second", "sm_80", body)};
  ASSERT_NE(kernels[0].hash, kernels[1].hash);
  const Assembly both = ptxas::assemble(toolchain_, nullptr, kernels, "sm_80");
  ASSERT_TRUE(both.kernels[0] && both.kernels[1]);
  EXPECT_EQ(both.modules.size(), 1U);
  EXPECT_EQ(both.kernels[1]->entry, "hand_first");
  const Assembly alone = ptxas::assemble(toolchain_, nullptr, {kernels[1]}, "sm_80");
  ASSERT_TRUE(alone.kernels[0]);
  EXPECT_EQ(alone.kernels[0]->entry, "hand_second");
  EXPECT_EQ(alone.kernels[0]->text_hash, both.kernels[1]->text_hash);
}

// A fault is told with the template and name of the kernel that was asked for.
TEST_F(Assemble, SameTextUnderTwoNamesHasItsOwnSource) {
  const std::vector<Kernel> kernels{test::refused_kernel("hand_first"),
                                    test::refused_kernel("hand_second")};
  const Assembly made = ptxas::assemble(toolchain_, nullptr, kernels, "sm_80");
  for (const size_t n : {0, 1})
    EXPECT_EQ(made.kernels[n].error().text(),
              fmt::format("assemble: templates/probes/hand/{}.ptx:4: "
                          "Not a name of any known instruction: 'bogus'",
                          kernels[n].entry));
}

// "(C7508) ... 'setmaxnreg' ignored" names neither line nor function: it must reach its kernel
// alone.
TEST_F(Assemble, AWarningWithoutAPlaceReachesItsKernel) {
  std::vector<Kernel> kernels;
  for (int n = 0; n < 5; ++n)
    kernels.push_back(
        test::kernel(fmt::format("hand_{}", n), "sm_90a",
                     n == 3 ? "setmaxnreg.inc.sync.aligned.u32 64;\nret;\n" : "ret;\n"));
  const Assembly made = ptxas::assemble(toolchain_, nullptr, kernels, "sm_90a");
  for (size_t n = 0; n < kernels.size(); ++n) {
    ASSERT_TRUE(made.kernels[n]) << made.kernels[n].error().text();
    EXPECT_EQ(made.kernels[n]->warnings.size(), n == 3 ? 1U : 0U) << n;
  }
  EXPECT_NE(made.kernels[3]->warnings[0].find("'setmaxnreg' ignored"), std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
