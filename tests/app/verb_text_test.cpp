// A function that an LLVM made of a verb, as the texts that are made of it.
#include "join/lower/verb_table.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using namespace join::lower;

// As LLVM 13 writes it: labels without a mark, an inline asm of several statements on one line.
const std::string wait = R"(.version 7.0
.target sm_80
.address_size 64

.visible .func verb(
	.param .b32 verb_param_0,
	.param .b32 verb_param_1
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;

// %bb.0:
	ld.param.u32 	%r5, [verb_param_1];
	ld.param.u32 	%r4, [verb_param_0];
LBB0_1:                                 // %wait
	// begin inline asm
	{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%r4], %r5; selp.u32 %r3, 1, 0, p; }
	// end inline asm
	setp.eq.s32 	%p1, %r3, 0;
	@%p1 bra 	LBB0_1;
	ret;
}
)";

// As LLVM 22 writes it.
const std::string load = R"(.visible .func  (.param .b32 func_retval0) verb(
	.param .b64 verb_param_0
)
{
	.reg .b32 	%r<2>;
	.reg .b64 	%rd<2>;

	ld.param.b64 	%rd1, [verb_param_0];
$L__BB0_1:
	ld.acquire.cta.shared.b32 	%r1, [%rd1];
	bra 	$L__BB0_1;
	st.param.b32 	[func_retval0], %r1;
	ret;
}
)";

TEST(VerbText, InstructionsAreWithoutArgumentsAndMarks) {
  EXPECT_EQ(instructions_of(wait),
            "mbarrier.try_wait.parity.shared.b64 p, [%r4], %r5; selp.u32 %r3, 1, 0, p; "
            "setp.eq.s32 %p1, %r3, 0; @%p1 bra LBB0_1;");
  EXPECT_EQ(instructions_of(load),
            "ld.acquire.cta.shared.b32 %r1, [%rd1]; bra LBB0_1; "
            "st.param.b32 [func_retval0], %r1;");
}

TEST(VerbText, AKernelHasTheTargetThatItIsAssembledFor) {
  const std::string kernel = as_kernel(wait, "sm_90a");
  EXPECT_TRUE(
      kernel.starts_with(".version 9.1\n.target sm_90a\n.address_size 64\n\n"
                         ".visible .entry verb(\n\t.param .b32 verb_param_0,\n"))
      << kernel;
  EXPECT_EQ(kernel.find("sm_80"), std::string::npos);
  EXPECT_NE(as_kernel(load, "sm_90a").find("\nst.volatile.local.b32 [0], %r1;\n"),
            std::string::npos);
  EXPECT_EQ(as_kernel(".visible .func verb()\n{\n", "sm_90a"),
            ".version 9.1\n.target sm_90a\n.address_size 64\n.visible .entry verb()\n{\n");
}

TEST(VerbText, ASnippetTakesItsArgumentsFromTheTemplates) {
  EXPECT_EQ(as_snippet(wait, {"full_barrier", "parity"}, "// expect: X = 1\n"),
            "// expect: X = 1\n"
            "{\n.reg .b32 address;\n.reg .pred %p<2>;\n.reg .b32 %r<6>;\n"
            "mov.u32 %r5, {{parity}};\n"
            "mad.lo.u32 address, {{slot_offset}}, 8, {{r}}_barrier;\n"
            "mov.u32 %r4, address;\n"
            "LBB0_1:\n"
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%r4], %r5;\n"
            "selp.u32 %r3, 1, 0, p;\n}\n"
            "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra LBB0_1;\n}\n");
  EXPECT_NE(as_snippet(load, {"empty_barrier"}, "")
                .find("add.u32 address, address, {{empty_offset}};\ncvt.u64.u32 %rd1, address;\n"),
            std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
