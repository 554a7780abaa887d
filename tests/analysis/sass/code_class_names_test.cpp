// Names: which make no difference between two kernels, and which do.
#include "tests/analysis/sass/class_pairs.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// As nvcc names it: memory of a kernel's own, with the kernel's name in it, and a static variable,
// with that of its file. ptxas puts a counter after the first.
const std::string scoped = R"(
.global .u32 stack;
.global .u32 heap;
.global .u32 __nv_static_19__d2f2d2db_5_n1_cu_k_count;
.visible .entry k(.param .u64 out)
{
  .shared .align 4 .b8 _ZZ1kE1s[128];
  .reg .b32 x, y;
  mov.u32 x, %tid.x;
  mov.u32 y, _ZZ1kE1s;
  mad.lo.u32 y, x, 4, y;
  st.shared.u32 [y], x;
  st.global.u32 [stack], x;
  st.global.u32 [__nv_static_19__d2f2d2db_5_n1_cu_k_count], x;
  ret;
}
)";

// A function called through a pointer: numbers of prototypes are in the call graph too.
const std::string through_pointer = R"(
.func (.param .b32 result) twice(.param .b32 given)
{
  .reg .b32 x;
  ld.param.b32 x, [given];
  add.u32 x, x, x;
  st.param.b32 [result], x;
  ret;
}
.global .u64 pointer = twice;
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .b32 x;
  ld.global.u64 o, [pointer];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], 7;
    like: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), o, (a), like;
    ld.param.b32 x, [b];
  }
  st.global.u32 [o], x;
  ret;
}
)";

std::vector<Pair> name_pairs() {
  const std::string other =
      ".visible .entry first()\n{\n.shared .b32 a, b;\nst.shared.u32 [a], 1;\n"
      "st.shared.u32 [b], 2;\nret;\n}\n.visible .entry k(";
  const std::string with_file = "__nv_static_19__d2f2d2db_5_n1_cu_k_count";
  const std::string of_another = "__nv_static_24__c0477d35_5_n2_cu_kernel_count";
  std::vector<Pair> all;
  for (const Flags& flags : {Flags{}, Flags{"-c"}})
    for (const char* target : {"sm_80", "sm_90a", "sm_120"}) {
      all.push_back({"the kernel's name, also in that of its memory",
                     target,
                     scoped,
                     " k(",
                     " name_of_its_own(",
                     flags,
                     {}});
      all.push_back(
          {"the kernel's name in C++", target, scoped, "_ZZ1kE1s", "_ZZ4kernE1s", flags, {}});
      all.push_back({"counters", target, scoped, ".visible .entry k(", other, flags, {}});
      all.push_back(
          {"the file of a static variable", target, scoped, with_file, of_another, flags, {}});
      all.push_back({"the static variable itself",
                     target,
                     scoped,
                     with_file,
                     replaced(with_file, "count", "total"),
                     flags,
                     {flags.empty() ? "constant bank 4" : "relocation"}});
      if (!flags.empty())  // else their pointers have places of their own
        all.push_back({"another global of the same size",
                       target,
                       scoped,
                       "[stack]",
                       "[heap]",
                       flags,
                       {"relocation"}});
    }
  return all;
}

TEST(CodeClassNames, AreNoDifferenceUnlessSomebodyAsksForThem) {
  PHASEBIT_NEEDS_TOOLS();
  for (const Pair& pair : name_pairs()) expect_pair(pair);
}

// What the second numbers of {0, -2} and {0, -3} mean is not a function.
TEST(CodeClassNames, TakeNoPrototypeForACallee) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = kernel_of(through_pointer, "sm_90", {"-c"});
  ASSERT_TRUE(kernel) << kernel.error().text();
  for (const cubin::CodeFact& fact : kernel->code.facts)
    if (fact.name == "callee") {
      EXPECT_TRUE(fact.value.starts_with("code ")) << fact.value;
    }
}

// A static variable of the kernel has the kernel's name in its own; its pointer is in bank 4.
TEST(CodeClassNames, AVariableInTheKernelsScopeIsNoDifference) {
  PHASEBIT_NEEDS_TOOLS();
  const auto text = [](const std::string& kernel, const std::string& variable) {
    return ".global .u32 " + variable + ";\n.visible .entry " + kernel +
           "()\n{\n.reg .b32 x;\nld.global.u32 x, [" + variable +
           "];\nadd.u32 x, x, 1;\nst.global.u32 [" + variable + "], x;\nret;\n}\n";
  };
  for (const Flags& flags : {Flags{}, Flags{"-c"}}) {
    const auto one = kernel_of(text("k", "_ZZ1kE1v"), "sm_90a", flags);
    const auto other =
        kernel_of(text("name_of_its_own", "_ZZ15name_of_its_ownE1v"), "sm_90a", flags);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->code.hash, other->code.hash);
  }
}

}  // namespace
}  // namespace phasebit::test
