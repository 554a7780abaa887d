// Loops that poll and have a second way out: which of these are bounds, and which leave a note.
#include "tests/gen/guard_text.h"

namespace phasebit::test {

namespace {

struct Bound {
  const char* what;
  const char* body;
};

const std::string poll = "ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D;\n";

// What follows the poll in each turn, and the jump out of the loop by `r`.
std::string turn(const std::string& before, const std::string& step) {
  return before + " L: " + poll + step + " @r bra D; bra L; D:";
}

constexpr Bound bounds[] = {
    {"a count of tries", "add.u32 t, t, 1; setp.gt.u32 r, t, 100;"},
    {"the same as an equality, from any number", "add.u32 t, t, 1; setp.eq.u32 r, t, a;"},
    {"three forth and one back", "add.u32 t, t, 3; sub.u32 t, t, 1; setp.gt.u32 r, t, 100;"},
    {"down to nothing", "sub.u32 t, t, 1; setp.eq.u32 r, t, 0;"},
    {"the last number but one", "add.u32 t, t, 1; setp.gt.u32 r, t, 0xfffffffe;"},
    {"two steps of one count, and a part of it",
     "add.u32 t, t, 1; shr.u32 b, t, 4; setp.ge.u32 r, b, a;"},
    {"of two conditions the later, both by counts",
     "add.u32 t, t, 1; add.u32 b, b, 3; setp.gt.u32 r, t, 9; setp.gt.and.u32 r, b, 50, r;"},
    {"either of two", "add.u32 t, t, 1; setp.eq.u32 r, a, 7; setp.gt.or.u32 r, t, 9, r;"},
    {"what is left of a number", "add.u32 t, t, 1; sub.u32 b, a, t; setp.lt.s32 r, b, 0;"},
    {"a time since the loop began",
     "mov.u64 now, %clock64; sub.u64 now, now, w; setp.gt.u64 r, now, 1000000;"},
    {"a time of 32 bits", "mov.u32 b, %clock; sub.u32 b, b, a; setp.gt.u32 r, b, 1000000;"},
    {"a time in thousands",
     "mov.u64 now, %globaltimer; sub.u64 now, now, w; div.u64 now, now, 1000; setp.gt.u64 r, now, "
     "50;"},
    {"an end that stays", "mov.u64 now, %globaltimer; setp.ge.u64 r, now, w;"},
};

constexpr Bound no_bounds[] = {
    {"a step that passes the number", "add.u32 t, t, 2; setp.eq.u32 r, t, 7;"},
    {"three forth and three back", "add.u32 t, t, 3; sub.u32 t, t, 3; setp.gt.u32 r, t, 100;"},
    {"a step of half the range", "add.u32 t, t, 0x80000000; setp.eq.u32 r, t, 5;"},
    {"a step that may be 0", "add.u32 t, t, a; setp.gt.u32 r, t, 100;"},
    {"shifted to what it never is", "shl.b32 t, t, 1; setp.eq.u32 r, t, 3;"},
    {"shifted until nothing is left", "shr.u32 t, t, 1; setp.eq.u32 r, t, 5;"},
    {"a product of what may be 0", "mul.lo.u32 t, t, 3; setp.gt.u32 r, t, 2;"},
    {"a product that is odd", "mul.lo.u32 t, t, 3; setp.eq.u32 r, t, 2;"},
    {"half, and half again", "div.u32 t, t, 2; setp.gt.u32 r, t, 0x50000000;"},
    {"the upper half of a product", "mul.hi.u32 t, t, 2; setp.eq.u32 r, t, 7;"},
    {"below nothing", "add.u32 t, t, 1; setp.lt.u32 r, t, 0;"},
    {"above all", "add.u32 t, t, 1; setp.gt.u32 r, t, 0xffffffff;"},
    {"above all that is left of it", "add.u32 t, t, 1; shr.u32 b, t, 28; setp.gt.u32 r, b, 20;"},
    {"two counts in step", "add.u32 t, t, 1; add.u32 b, b, 1; setp.lt.u32 r, b, t;"},
    {"two conditions that never meet",
     "add.u32 t, t, 1; setp.lt.u32 r, t, 50; setp.gt.and.u32 r, t, 100, r;"},
    {"a condition that may never hold",
     "add.u32 t, t, 1; setp.ne.u32 r, a, 0; setp.gt.and.u32 r, t, 100, r;"},
    {"a ring", "add.u32 t, t, 1; setp.eq.u32 r, t, 8; selp.u32 t, 0, t, r; setp.gt.u32 r, t, 99;"},
    {"a ceiling", "setp.lt.u32 r, t, 10; @r add.u32 t, t, 1; setp.gt.u32 r, t, 100;"},
    {"a limit that may mean for ever",
     "add.u32 t, t, 1; setp.eq.u32 r, a, 0; setp.lt.or.u32 r, t, a, r; not.pred r, r;"},
    {"a start in the turn",
     "mov.u64 w, %clock64; nanosleep.u32 50; mov.u64 now, %clock64; sub.u64 now, now, w; "
     "setp.gt.u64 r, now, 1000000;"},
    {"an end in the turn",
     "mov.u64 w, %clock64; add.u64 w, w, 1000; mov.u64 now, %clock64; setp.gt.u64 r, now, w;"},
    {"the time of the turn before",
     "mov.u64 now, %clock64; sub.u64 w, now, w; setp.gt.u64 r, w, 1000000; mov.u64 w, now;"},
    {"an end that the turn puts off",
     "mov.u64 now, %clock64; max.u64 w, w, now; setp.gt.u64 r, now, w;"},
    {"an end that a poll of 0 puts off",
     "mov.u64 now, %clock64; setp.eq.u32 r, v, 0; @r add.u64 w, now, 1000; setp.gt.u64 r, now, w;"},
    {"a time before the start", "mov.u64 now, %clock64; setp.lt.u64 r, now, w;"},
    {"a time that 32 bits do not hold",
     "mov.u32 b, %clock; sub.u32 b, b, a; cvt.u64.u32 now, b; setp.gt.u64 r, now, 0x100000000;"},
    {"a few bits of a time", "mov.u32 b, %clock; and.b32 b, b, 7; setp.gt.u32 r, b, 9;"},
    {"a time beside itself",
     "mov.u64 now, %clock64; xor.b64 now, now, now; setp.gt.u64 r, now, 1000000;"},
    {"a time, if something else agrees",
     "mov.u64 now, %clock64; sub.u64 now, now, w; setp.eq.u32 r, a, 2; setp.gt.and.u64 r, now, "
     "1000000, r;"},
    {"a time, if the poll gave another number",
     "mov.u64 now, %clock64; sub.u64 now, now, w; setp.eq.u32 r, v, 2; setp.gt.and.u64 r, now, "
     "1000000, r;"},
};

TEST(GuardBounds, WhatEndsALoopLeavesNoNote) {
  for (const Bound& row : bounds) {
    const auto made = guarded(kernel(turn("", row.body)));
    EXPECT_EQ(sites_of(made), "") << row.what;
    EXPECT_EQ(fmt::format("{}", fmt::join(made.notes, "; ")), "") << row.what;
  }
}

TEST(GuardBounds, WhatMayNotEndALoopLeavesASiteOrANote) {
  for (const Bound& row : no_bounds) {
    const auto made = guarded(kernel(turn("", row.body)));
    EXPECT_EQ(made.sites.size() + made.notes.size(), 1U) << row.what;
  }
}

// With the number that it begins with: 64 bits that never are 0, and others that come to their end.
TEST(GuardBounds, AnEqualityIsMetByStepsThatComeThere) {
  const auto notes = [](const char* before, const char* step) {
    return guarded(kernel(turn(before, step))).notes.size();
  };
  EXPECT_EQ(notes("mov.u64 w, 1;", "add.u64 w, w, 2; setp.eq.u64 r, w, 0;"), 1U);
  EXPECT_EQ(notes("mov.u64 w, 1;", "add.u64 w, w, 2; setp.eq.u64 r, w, 9;"), 0U);
  EXPECT_EQ(notes("mov.u32 t, 0;", "add.u32 t, t, 4; setp.eq.u32 r, t, 100;"), 0U);
  EXPECT_EQ(notes("mov.u32 t, 0;", "add.u32 t, t, 4; setp.eq.u32 r, t, 102;"), 1U);
  EXPECT_EQ(notes("mov.u32 t, 1;", "mul.lo.u32 t, t, 2; setp.gt.u32 r, t, 1000;"), 0U);
  EXPECT_EQ(notes("mov.u32 t, 0;", "mul.lo.u32 t, t, 2; setp.gt.u32 r, t, 1000;"), 1U);
}

struct GuardBoundsNote {
  const char* what;
  const char* body;
  const char* note;
};

constexpr const char* no_bound =
    " again and again; not guarded because nothing shows what ends it, and no count or clock is "
    "sure to";
constexpr const char* comes_round =
    " again and again; not guarded because the places that it loads from come round";

const GuardBoundsNote loops[] = {
    {"bursts by a clock, for ever",
     "L: mov.u64 w, %clock64;\nM: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; "
     "mov.u64 now, %clock64; sub.u64 now, now, w; setp.lt.u64 r, now, 10000; @r bra M; bra L; D:",
     "t.ptx:9:1: the loop looks at 'ld.volatile.global.u32' on line 10"},
    {"a state of a barrier",
     "L: mbarrier.arrive.shared.b64 w, [a]; mbarrier.pending_count.b64 v, w; setp.eq.u32 q, v, 0; "
     "@q bra L;",
     "t.ptx:9:1: the loop looks at 'mbarrier.arrive.shared.b64' on line 9"},
    {"where the thread runs", "L: mov.u32 v, %warpid; setp.eq.u32 q, v, 0; @q bra L;",
     "t.ptx:9:1: the loop looks at 'mov.u32' on line 9"},
};

const GuardBoundsNote round_loops[] = {
    {"flags, one behind the other",
     "L: mul.wide.u32 w, t, 4; add.u64 now, x, w; ld.global.cg.u32 v, [now]; add.u32 t, t, 1; "
     "and.b32 t, t, 7; setp.eq.u32 q, v, 0; @q bra L;",
     "t.ptx:9:1: the loop looks at 'ld.global.cg.u32' on line 9"},
    {"all of them, each time",
     "L: mov.u32 t, 0; mov.u32 b, 0; M: mul.wide.u32 w, t, 4; add.u64 now, x, w; ld.global.cg.u32 "
     "v, [now]; add.u32 b, b, v; add.u32 t, t, 1; setp.lt.u32 q, t, 8; @q bra M; setp.ne.u32 r, "
     "b, 8; @r bra L;",
     "t.ptx:9:1: the loop looks at 'ld.global.cg.u32' on line 9"},
};

// A step of 0 makes a poll of a search: of a register of which nothing is known, a parameter, or
// what the launch may make 0.
TEST(GuardBounds, SaysWhichSearchesMayStay) {
  for (const char* step : {"", "ld.param.u64 w, [p];", "mov.u32 t, %tid.x; mul.wide.u32 w, t, 4;",
                           "ld.param.u32 t, [p]; cvt.u64.u32 w, t; shl.b64 w, w, 2;",
                           "mov.u32 t, %ntid.x; sub.u32 t, t, 1; cvt.u64.u32 w, t;"})
    EXPECT_EQ(fmt::format("{}", fmt::join(guarded(kernel(std::string(step) +
                                                         "\nL: ld.global.u32 v, [x]; add.u64 x, "
                                                         "x, w; setp.ne.u32 q, v, a; @q bra L;"))
                                              .notes,
                                          "; ")),
              "t.ptx:10:1: the loop looks at 'ld.global.u32' on line 10 again and again; not "
              "guarded because what its place goes on by may be 0")
        << step;
}

TEST(GuardBounds, SaysWhichLoopsLookAgainAndAgain) {
  for (const GuardBoundsNote& row : loops)
    EXPECT_EQ(fmt::format("{}", fmt::join(guarded(kernel(row.body)).notes, "; ")),
              std::string(row.note) + no_bound)
        << row.what;
  for (const GuardBoundsNote& row : round_loops)
    EXPECT_EQ(fmt::format("{}", fmt::join(guarded(kernel(row.body)).notes, "; ")),
              std::string(row.note) + comes_round)
        << row.what;
}

// A search goes on, in halves or by rows; a walk goes where it is told.
TEST(GuardBounds, ASearchIsNoWait) {
  for (const char* body :
       {"L: ld.global.u32 v, [x]; add.u64 x, x, 4; setp.ne.u32 q, v, t; @q bra L;",
        "mov.u64 w, -4; L: ld.global.u32 v, [x]; add.u64 x, x, w; setp.ne.u32 q, v, t; @q bra L;",
        "mov.u32 b, %ntid.x; mul.wide.u32 w, b, 4; L: ld.global.u32 v, [x]; add.u64 x, x, w; "
        "setp.ne.u32 q, v, t; @q bra L;",
        "L: mul.wide.u32 w, v, 4; add.u64 w, x, w; ld.global.u32 v, [w]; setp.ne.u32 q, v, 0; @q "
        "bra L;",
        "L: add.u32 v, a, b; shr.u32 v, v, 1; mul.wide.u32 w, v, 4; add.u64 w, x, w; "
        "ld.global.u32 t, [w]; setp.lt.u32 q, t, 9; @q add.u32 a, v, 1; @!q mov.u32 b, v; "
        "setp.lt.u32 r, a, b; @r bra L;",
        "L: mov.u32 t, 0; M: mul.wide.u32 w, t, 4; add.u64 now, x, w; ld.global.u32 v, [now]; "
        "setp.eq.u32 q, v, a; @q bra D; add.u32 t, t, 1; setp.lt.u32 q, t, 8; @q bra M; add.u64 x, "
        "x, 32; bra L; D:"}) {
    const auto made = guarded(kernel(body));
    EXPECT_EQ(sites_of(made) + fmt::format("{}", fmt::join(made.notes, "; ")), "") << body;
  }
}

// A register that is written twice makes the same place each turn.
TEST(GuardBounds, ARegisterThatIsUsedAgainStays) {
  EXPECT_EQ(sites_of(guarded(kernel("L: mul.wide.u32 w, a, 4; add.u64 w, x, w; ld.global.cg.u32 v, "
                                    "[w]; setp.eq.u32 q, v, 0; @q bra L;"))),
            "k flag (0) at w; ");
}

// The only way out is in what is called.
TEST(GuardBounds, SaysWhichLoopsEndInWhatTheyCall) {
  const auto notes = [](const std::string& end) {
    return fmt::format(
        "{}", fmt::join(guarded(kernel("L: call.uni f, (x); bra L;",
                                       ".func f(.reg .b64 at)\n{\n.reg .b32 v; .reg .pred p;\n"
                                       "ld.volatile.u32 v, [at];\nsetp.ne.u32 p, v, 0;\n" +
                                           end + "\nret;\n}\n"))
                            .notes,
                        "; "));
  };
  const std::string note =
      "t.ptx:17:1: the loop has no exit; not guarded because 'call.uni' on line 17 ends the thread "
      "as a poll says";
  EXPECT_EQ(notes("@p exit;"), note);
  EXPECT_EQ(notes("@p trap;"), note);
  EXPECT_EQ(notes("@p ret;"), "");
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

// How a loop comes by what an ordinary load gives: bounded, noted, or left as it ends by itself.
struct AskedAgain {
  const char* what;
  const char* body;
  const char* becomes;
};

constexpr AskedAgain asked_again[] = {
    {"a store to the same space",
     "L: st.global.u32 [w], t; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;", "note"},
    {"one to another space",
     "L: st.shared.u32 [w], t; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;", "site"},
    {"a count of turns that is stored",
     "L: add.u32 t, t, 1; st.global.u32 [w], t; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra "
     "L;",
     "note"},
    {"red", "L: red.global.add.u32 [w], 1; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;",
     "note"},
    {"red of another space",
     "L: red.shared.add.u32 [w], 1; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;", "site"},
    {"a store, and a count of turns that ends it",
     "L: add.u32 t, t, 1; st.global.u32 [w], t; ld.global.u32 v, [x]; setp.lt.u32 q, t, 99; "
     "setp.eq.and.u32 q, v, 0, q; @q bra L;",
     "none"},
    {"or over turns", "L: ld.global.u32 v, [x]; or.b32 t, t, v; setp.eq.u32 q, t, 0; @q bra L;",
     "site"},
    {"a sum over turns",
     "L: ld.global.u32 v, [x]; add.u32 t, t, v; setp.lt.u32 q, t, 10; @q bra L;", "site"},
    {"a largest over turns",
     "L: ld.global.u32 v, [x]; max.u32 t, t, v; setp.lt.u32 q, t, 10; @q bra L;", "site"},
    {"a count of good turns",
     "L: ld.global.u32 v, [x]; setp.ne.u32 r, v, 0; @r add.u32 t, t, 1; setp.lt.u32 q, t, 10; @q "
     "bra L;",
     "site"},
    {"a sum over a ring of flags",
     "mov.u32 a, 0; L: and.b32 b, a, 7; mul.wide.u32 w, b, 4; add.u64 w, w, x; ld.global.u32 v, "
     "[w]; add.u32 a, a, 1; add.u32 t, t, v; setp.lt.u32 q, t, 8; @q bra L;",
     "note"},
    {"a sum along an array",
     "L: ld.global.u32 v, [x]; add.u64 x, x, 4; add.u32 t, t, v; setp.lt.u32 q, t, 8; @q bra L;",
     "none"},
    {"a sum with a count of turns",
     "L: add.u32 a, a, 1; ld.global.u32 v, [x]; add.u32 t, t, v; setp.lt.u32 q, a, 99; "
     "setp.lt.and.u32 q, t, 5, q; @q bra L;",
     "none"},
    {"loaded ahead",
     "ld.global.u32 v, [x]; L: setp.ne.u32 q, v, 0; @q bra D; ld.global.u32 v, [x]; bra L; D:",
     "site"},
    {"loaded two turns ahead",
     "ld.global.u32 v, [x]; mov.u32 t, v; L: mov.u32 a, t; mov.u32 t, v; ld.global.u32 v, [x]; "
     "setp.eq.u32 q, a, 0; @q bra L;",
     "site"},
    {"loaded ahead where it has not come",
     "ld.global.u32 v, [x]; L: setp.ne.u32 q, v, 0; @!q ld.global.u32 v, [x]; @!q bra L;", "site"},
    {"loaded ahead, and added up",
     "ld.global.u32 v, [x]; L: add.u32 t, t, v; ld.global.u32 v, [x]; setp.lt.u32 q, t, 10; @q bra "
     "L;",
     "site"},
    {"loaded ahead, with a store",
     "ld.global.u32 v, [x]; L: setp.ne.u32 q, v, 0; st.global.u32 [w], t; ld.global.u32 v, [x]; "
     "@!q bra L;",
     "note"},
    {"loaded ahead, with a count of turns",
     "ld.global.u32 v, [x]; L: add.u32 t, t, 1; setp.lt.u32 q, t, 99; setp.eq.and.u32 q, v, 0, q; "
     "ld.global.u32 v, [x]; @q bra L;",
     "none"},
    {"a constant, loaded ahead",
     "ld.const.u32 v, [x]; L: setp.ne.u32 q, v, 0; @q bra D; ld.const.u32 v, [x]; bra L; D:",
     "site"},
    {"a constant, and a store that cannot change it",
     "L: st.u32 [w], t; ld.const.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;", "site"},
    {"a count to a constant",
     "L: add.u32 t, t, 1; ld.const.u32 v, [x]; setp.lt.u32 q, t, v; @q bra L;", "none"},
    {"a table of constants",
     "L: ld.const.u32 v, [x]; add.u64 x, x, 4; setp.ne.u32 q, v, 0; @q bra L;", "none"},
};

TEST(GuardBounds, OrdinaryLoadsAreBoundedOrNotedOrEnd) {
  for (const AskedAgain& row : asked_again) {
    const auto made = guarded(kernel(row.body));
    const std::string becomes = !made.sites.empty()   ? "site"
                                : !made.notes.empty() ? "note"
                                                      : "none";
    EXPECT_EQ(becomes, row.becomes) << row.what;
    EXPECT_LE(made.sites.size() + made.notes.size(), 1U) << row.what;
  }
}

}  // namespace
}  // namespace phasebit::test
