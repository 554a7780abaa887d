// Loops that poll and have a second way out: which of these are bounds, and which leave a note.
#include "tests/gen/guard_text.h"

namespace phasebit::test {

namespace {

// A register that is written twice makes the same place each turn.
TEST(GuardBounds, ARegisterThatIsUsedAgainStays) {
  EXPECT_EQ(sites_of(guarded(kernel("L: mul.wide.u32 w, a, 4; add.u64 w, x, w; ld.global.cg.u32 v, "
                                    "[w]; setp.eq.u32 q, v, 0; @q bra L;"))),
            "k flag (0) at w; ");
}

// A function that loads what its parameter names, and hands the parameter on to itself.
TEST(GuardBounds, SaysWhichFunctionLoadsAndCallsItself) {
  const auto notes = [](const std::string& next) {
    return guarded(kernel("call.uni f, (x);",
                          ".func f(.reg .b64 at)\n{\n.reg .b32 v; .reg .b64 to; .reg .pred p;\n"
                          "ld.global.cg.u32 v, [at];\nsetp.ne.u32 p, v, 0;\n@p ret;\n" +
                              next + "\nret;\n}\n"))
        .notes.size();
  };
  EXPECT_EQ(notes("call.uni f, (at);"), 1U);
  EXPECT_EQ(notes("add.u64 to, at, 8; call.uni f, (to);"), 0U);
  EXPECT_EQ(notes("ld.global.u64 to, [at+8]; call.uni f, (to);"), 0U);
}

}  // namespace
}  // namespace phasebit::test
