// Loops that leave by what is in memory, by tables, or in more than one place: which of them
// wait, which do not, and which leave a note.
#include "tests/gen/guard_text.h"

namespace phasebit::test {

using guard::GuardedPtx;

namespace {

struct GuardLoopsRow {
  const char* what;
  const char* body;
  const char* sites;
};

constexpr GuardLoopsRow guard_loops_rows[] = {
    {"an ordinary load at an address that stays",
     "L: ld.global.u32 v, [x]; setp.ge.u32 q, v, t; @!q bra L;", "k flag (t) at x; "},
    {"generic, cached in L2 alone, uniform, of a vector",
     "L: ld.b32 v, [x]; setp.eq.u32 q, v, 0; @q bra L; M: ld.global.cg.b32 v, [x+4]; setp.eq.u32 "
     "q, "
     "v, 0; @q bra M; N: ldu.global.b32 v, [x]; setp.eq.u32 q, v, 0; @q bra N; O: "
     "ld.global.v2.b32 {v, t}, [x]; setp.eq.u32 q, t, 0; @q bra O;",
     "k flag (0) at x; k flag (0) at x+4; k flag (0) at x; k flag (0) at x; "},
    {"an address that is made anew and is the same",
     "L: add.u64 w, x, 64; ld.global.b32 v, [w+4]; setp.eq.u32 q, v, 0; @q bra L;",
     "k flag (0) at w+4; "},
    {"with a flag to give up by",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra D; ld.global.u32 v, [x]; "
     "setp.ne.u32 q, v, 0; @!q bra L; D:",
     "k parity (b) at a; "},
    {"another address each turn is a search",
     "L: ld.global.u32 v, [x]; add.u64 x, x, 4; setp.ne.u32 q, v, t; @q bra L;", ""},
    {"so is a search for what is loaded each turn",
     "L: ld.global.u32 v, [x]; ld.global.u32 t, [w]; add.u64 x, x, 4; setp.ne.u32 q, v, t; @q bra "
     "L;",
     ""},
    {"a walk along a list", "L: ld.global.u64 x, [x]; setp.ne.u64 q, x, 0; @q bra L;", ""},
    {"a count to what is loaded each turn, volatile or not",
     "L: add.u32 t, t, 1; ld.global.u32 v, [x]; setp.lt.u32 q, t, v; @q bra L; M: add.u32 t, t, 1; "
     "ld.volatile.global.u32 v, [x]; setp.lt.u32 q, t, v; @q bra M;",
     ""},
    {"a sum against what is loaded each turn",
     "L: ld.global.u32 v, [x]; add.u64 x, x, 4; add.u32 t, t, v; ld.global.u32 a, [w]; setp.lt.u32 "
     "q, t, a; @q bra L;",
     ""},
    {"a count in the thread's own memory, volatile",
     "{ .local .align 4 .b8 n[4]; mov.u64 w, n; cvta.local.u64 x, w; M: ld.volatile.u32 v, [x]; "
     "add.u32 v, v, 1; st.volatile.u32 [x], v; setp.lt.u32 q, v, 9; @q bra M; }",
     ""},
    {"what the host alone can change", "L: ld.const.u32 v, [a]; setp.eq.u32 q, v, 0; @q bra L;",
     "k flag (0) at a; "},
    {"what nobody can change", "L: ld.param.u32 v, [p]; setp.eq.u32 q, v, 0; @q bra L;", ""},
    {"through the thread's own memory",
     "{ .local .align 8 .b8 depot[16]; .reg .b64 s, l; mov.u64 l, depot; cvta.local.u64 s, l; "
     "add.u64 "
     "w, s, 8; st.u32 [w], 0; L: ld.volatile.u32 v, [s+8]; setp.ne.s32 q, v, 0; @q bra D; "
     "mbarrier.try_wait.parity.shared.b64 done, [a], b; selp.b32 t, 1, 0, done; st.u32 [w], t; bra "
     "L; D: }",
     "k parity (b) at a; "},
    {"not through another place of it",
     "{ .local .align 8 .b8 depot[16]; L: ld.local.u32 v, [depot+8]; setp.ne.s32 q, v, 0; @q bra "
     "D; "
     "mbarrier.try_wait.parity.shared.b64 done, [a], b; selp.b32 t, 1, 0, done; st.local.u32 "
     "[depot+4], t; bra L; D: }",
     ""},
    {"an exit that never changes is none",
     "L: mov.pred q, 0; @q bra D; mbarrier.try_wait.parity.shared.b64 done, [a], b; @!done bra L; "
     "D:",
     "k parity (b) at a; "},
    {"exits by a table",
     "L: ld.volatile.global.u32 v, [x]; ts: .branchtargets L, D, L, E; brx.idx v, ts; D: mov.u32 "
     "t, "
     "1; E:",
     "k flag () at x; "},
    {"a count with its exit by a table",
     "L: add.u32 v, v, 1; ts: .branchtargets L, D; brx.idx v, ts; D:", ""},
    {"a count that goes on when the poll says so: by a predicate, by a branch, by its value",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done xor.b32 b, b, 1; @done add.u32 v, "
     "v, 1; setp.lt.u32 q, v, t; @q bra L; M: mbarrier.try_wait.parity.shared.b64 done, [a+8], b; "
     "@!done bra C; add.u32 v, v, 1; C: setp.lt.u32 q, v, t; @q bra M; { .reg .b32 n; N: "
     "mbarrier.try_wait.parity.shared.b64 done, [a+16], b; selp.u32 n, 1, 0, done; add.u32 v, v, "
     "n; setp.lt.u32 q, v, t; @q bra N; }",
     "k parity (b) at a; k parity (b) at a+16; k parity (b) at a+8; "},
    {"and only then, with what is compared with it",
     "L: ld.volatile.global.u32 v, [x]; setp.eq.u32 q, v, b; @q add.u32 t, t, 1; setp.lt.u32 r, t, "
     "a; @r bra L;",
     "k flag (b) at x; "},
    {"down to nothing, and by what an exchange finds",
     "L: ld.volatile.global.u32 v, [x]; sub.u32 t, t, v; setp.ne.u32 q, t, 0; @q bra L; M: "
     "atom.global.exch.b32 v, [x], 0; add.u32 t, v, t; setp.lt.u32 q, t, a; @q bra M;",
     "k flag () at x; k atomic () at x; "},
    {"a sum of flags, made anew each turn; a mask of them",
     "L: mov.u32 t, 0; mov.u64 w, x; S: ld.volatile.global.u32 v, [w]; add.u32 t, t, v; add.u64 w, "
     "w, 4; setp.lt.u64 q, w, now; @q bra S; setp.lt.u32 r, t, a; @r bra L; { .reg .b32 m, j; .reg "
     ".pred g; M: mov.u32 j, 0; N: ld.volatile.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra O; "
     "shl.b32 m, 1, j; or.b32 t, t, m; O: add.u32 j, j, 1; setp.lt.u32 g, j, a; @g bra N; "
     "setp.ne.u32 r, t, b; @r bra M; }",
     "k flag () at w; k flag (0) at x; "},
    {"a try that was too many, each or in all, is a bound",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @!done bra N; add.u32 v, v, 1; "
     "setp.eq.u32 q, v, 9; @q bra D; mov.u32 t, 0; bra L; N: add.u32 t, t, 1; setp.lt.u32 q, t, 5; "
     "@q bra L; D: { .reg .b32 n; M: mbarrier.try_wait.parity.shared.b64 done, [a], b; selp.u32 n, "
     "1, 0, done; add.u32 v, v, n; selp.u32 n, 0, 1, done; add.u32 t, t, n; setp.lt.u32 q, v, 9; "
     "setp.lt.and.u32 q, t, 5, q; @q bra M; } O: mbarrier.try_wait.parity.shared.b64 done, [a], b; "
     "add.u32 t, t, 1; selp.b32 t, 0, t, done; @done add.u32 v, v, 1; setp.lt.u32 q, v, 9; "
     "setp.lt.and.u32 q, t, 5, q; @q bra O;",
     ""},
    {"a lock that one thread takes and all read of, through shared memory",
     "{ .shared .align 4 .b8 s[4]; mov.u32 t, s; L: @r atom.global.cas.b32 v, [x], 0, 1; @r "
     "st.shared.b32 [t], v; bar.sync 0; ld.shared.b32 v, [t]; setp.ne.u32 q, v, 0; @q bra L; }",
     "k atomic (0) at x; k barrier (0); "},
    {"what a warp shall do next, behind a barrier",
     "L: bar.sync 1, 64; ld.shared.b8 v, [a]; ts: .branchtargets M, N, D; brx.idx v, ts; M: "
     "st.global.b32 [x], t; bra L; N: add.u32 t, t, 1; bra L; D:",
     "k barrier (1) at 64; "},
    {"a count within that each turn sets back at its end",
     "L: mov.u32 v, 1; M: ld.volatile.global.u32 b, [x]; and.b32 v, v, b; add.u32 t, t, 1; "
     "setp.lt.u32 q, t, a; @q bra M; mov.u32 t, 0; setp.eq.u32 q, v, 0; @q bra L;",
     "k flag () at x; "},
    {"but one that goes on from turn to turn is a bound",
     "L: mov.u32 v, 1; M: ld.volatile.global.u32 b, [x]; and.b32 v, v, b; add.u32 t, t, 1; "
     "setp.lt.u32 q, t, a; @q bra M; setp.eq.u32 q, v, 0; setp.lt.and.u32 q, t, 99, q; @q bra L;",
     ""},
    {"a mask of the lanes that are done, of those that are left, and how many they are",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; vote.sync.ballot.b32 v, q, -1; or.b32 "
     "t, t, v; setp.ne.u32 q, t, -1; @q bra L; M: ld.volatile.global.u32 v, [x]; setp.eq.u32 q, v, "
     "0; vote.sync.ballot.b32 v, q, -1; and.b32 t, t, v; setp.ne.u32 q, t, 0; @q bra M; N: "
     "ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; vote.sync.ballot.b32 v, q, -1; popc.b32 "
     "v, v; add.u32 t, t, v; setp.lt.u32 q, t, a; @q bra N;",
     "k flag (0) at x; k flag (0) at x; k flag (0) at x; "},
    {"a choice between two that are polled",
     "L: ld.volatile.global.u32 v, [x]; ld.volatile.global.u32 b, [x+4]; selp.b32 v, v, b, r; "
     "setp.ne.u32 q, v, 0; @q add.u32 t, t, 1; setp.lt.u32 q, t, a; @q bra L;",
     "k flag (0) at x; "},
    {"a count that one number of the poll holds: a state, a bit, a sign, a range, a NaN",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 9; @q add.u32 t, t, 1; setp.lt.u32 r, t, "
     "a; @r bra L; M: ld.volatile.global.u32 v, [x+4]; and.b32 v, v, 64; setp.eq.u32 q, v, 0; @q "
     "add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra M; N: ld.volatile.global.u32 v, [x+8]; "
     "setp.ge.s32 q, v, 0; @q add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra N; O: "
     "ld.volatile.global.u32 v, [x+12]; setp.lt.u32 q, v, 5; setp.gt.or.u32 q, v, 9, q; @q add.u32 "
     "t, t, 1; setp.lt.u32 r, t, a; @r bra O; { .reg .f32 f; P: ld.volatile.global.f32 f, [x+16]; "
     "setp.eq.f32 q, f, f; @q add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra P; }",
     "k flag (9) at x; k flag (0) at x+4; k flag (0) at x+8; k flag (5) at x+12; k flag (f) at "
     "x+16; "},
    {"what two polls are to each other: apart by four, in order",
     "L: ld.volatile.global.u32 v, [x]; ld.volatile.global.u32 b, [x+4]; add.u32 b, b, 4; "
     "setp.ne.u32 q, v, b; @q add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra L; M: "
     "ld.volatile.global.u32 v, [x]; ld.volatile.global.u32 b, [x+4]; setp.le.u32 q, v, b; @q "
     "add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra M;",
     "k flag (b) at x; k flag (b) at x; "},
    {"a poll's upper half, its bits, and what else is made of it",
     "{ .reg .b64 y, z; L: ld.volatile.global.u64 y, [x]; shr.u64 z, y, 40; setp.ne.u64 q, z, 0; "
     "@q "
     "add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra L; } M: ld.volatile.global.u32 v, [x+4]; "
     "popc.b32 b, v; setp.eq.u32 q, b, 32; @q add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra M; N: "
     "ld.volatile.global.u32 v, [x+8]; bfe.u32 b, v, 8, 1; xor.b32 b, b, 1; add.u32 t, t, b; "
     "setp.lt.u32 r, t, a; @r bra N; O: ld.volatile.global.u32 v, [x+12]; prmt.b32 b, v, 0, "
     "0x4443; setp.ne.u32 q, b, 0; @q add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra O; P: "
     "ld.volatile.global.u32 v, [x+16]; slct.u32.s32 b, 0, 1, v; add.u32 t, t, b; setp.lt.u32 r, "
     "t, a; @r bra P; Q: ld.volatile.global.u32 v, [x+20]; set.ne.u32.u32 b, v, 0; and.b32 b, b, "
     "1; add.u32 t, t, b; setp.lt.u32 r, t, a; @r bra Q; R: ld.volatile.global.u32 v, [x+24]; "
     "clz.b32 b, v; sub.u32 b, 32, b; max.u32 t, t, b; setp.lt.u32 r, t, 32; @r bra R;",
     "k flag () at x; k flag () at x+4; k flag () at x+8; k flag () at x+12; k flag () at x+16; k "
     "flag () at x+20; k flag () at x+24; "},
    {"a count or the poll, whichever goes on",
     "L: ld.volatile.global.u32 v, [x]; add.u32 t, t, 1; setp.lt.u32 r, t, a; setp.eq.u32 q, v, 0; "
     "or.pred q, q, r; @q bra L;",
     "k flag (0) at x; "},
    {"a count that goes back, begins anew, or is cut off",
     "L: ld.volatile.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q sub.u32 t, t, 1; add.u32 t, t, 1; "
     "setp.lt.u32 r, t, a; @r bra L; M: ld.volatile.global.u32 v, [x+4]; setp.ne.u32 q, v, 0; @q "
     "bra C; mov.u32 t, -1; C: add.u32 t, t, 1; setp.lt.u32 r, t, a; @r bra M; N: "
     "ld.volatile.global.u32 v, [x+8]; max.u32 t, t, v; setp.lt.u32 r, t, a; @r bra N; O: "
     "ld.volatile.global.u32 v, [x+12]; min.u32 b, t, v; add.u32 t, t, 1; setp.lt.u32 r, b, a; @r "
     "bra O;",
     "k flag (0) at x; k flag () at x+8; k flag () at x+12; k flag (0) at x+4; "},
    {"no waits: tries, a stride, twice as many each turn, half, a list",
     "mov.u32 b, %ntid.x; L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; add.u32 "
     "t, t, b; setp.lt.u32 r, t, a; @r bra L; D: { .reg .b32 g, h; mov.u32 g, 1; M: "
     "ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra E; shl.b32 g, g, 1; setp.lt.u32 "
     "r, g, a; @r bra M; E: N: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra F; "
     "shr.u32 h, h, 1; setp.ne.u32 r, h, 0; @r bra N; F: } O: ld.volatile.global.u32 v, [x]; "
     "setp.ne.u32 q, v, 0; @q bra G; mad.lo.u32 t, b, 2, t; setp.lt.u32 r, t, a; @r bra O; G:",
     ""},
    {"a texture, a matrix of shared memory, and which lanes are there",
     "{ .reg .b64 y; .reg .b32 c, d; L: tex.1d.v4.s32.s32 {v, b, c, d}, [y, {t}]; setp.eq.u32 q, "
     "v, "
     "0; @q bra L; } M: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {v}, [a]; setp.eq.u32 q, v, 0; @q "
     "bra M; N: activemask.b32 v; setp.ne.u32 q, v, -1; @q bra N;",
     "k flag (0) at y, {t}; k flag (0) at a; k flag (-1); "},
    {"a table of its own, in which a thread keeps what it polled",
     "{ .local .align 4 .b8 s[32]; .reg .b64 l, m, n; mov.u64 l, s; mul.wide.u32 m, b, 4; add.u64 "
     "m, l, m; L: mul.wide.u32 n, t, 4; add.u64 n, l, n; ld.volatile.global.u32 v, [x]; "
     "st.local.u32 [n], v; add.u32 t, t, 1; and.b32 t, t, 7; ld.local.u32 v, [m]; setp.eq.u32 q, "
     "v, 0; @q bra L; }",
     "k flag (0) at x; "},
    {"no waits: a deadline, a time since, a deadline that is set anew",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; mov.u64 now, %clock64; "
     "setp.lt.u64 r, now, w; @r bra L; D: M: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; "
     "@q "
     "bra E; mov.u64 now, %clock64; sub.u64 now, now, w; setp.lt.u64 r, now, 1000; @r bra M; E: N: "
     "ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra F; mov.u64 now, %clock64; "
     "setp.eq.u32 "
     "q, v, 1; @q add.u64 w, now, 1000; setp.lt.u64 r, now, w; @r bra N; F:",
     ""},
    {"a step of one or of two counts",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; selp.u32 v, 1, 2, q; add.u32 t, t, v; "
     "setp.lt.u32 q, t, a; @q bra L;",
     ""},
};

TEST(GuardLoops, WaitsAndOthers) {
  for (const GuardLoopsRow& row : guard_loops_rows) {
    const GuardedPtx made = guarded(kernel(row.body));
    EXPECT_EQ(sites_of(made), row.sites) << row.what;
    EXPECT_TRUE(made.notes.empty()) << row.what << ": " << made.notes.front();
  }
}

// Where a wait ends it says so to the grid: nowhere else, or a loop that hangs would seem to go on.
TEST(GuardLoops, ProgressIsWhereTheLoopIsLeft) {
  const auto behind = [](const std::string& body, const std::string& from) {
    std::string out;
    for (const ptx::PlacedStatement& one : guarded(kernel(body)).file.statements)
      out += ptx::plain_text(one.text) + " ";
    return out.substr(out.rfind(from));
  };
  const std::string store =
      "mov.u64 pbg_now, %globaltimer; st.volatile.global.u64 [pbg_base], pbg_now";
  const std::string table = behind(
      "L: ld.volatile.global.u32 v, [x]; ts: .branchtargets L, D, L, E; @!r brx.idx v, ts; bra "
      "L; D: mov.u32 t, 1; E:",
      ".branchtargets");
  EXPECT_NE(
      table.find("setp.eq.u32 pbg_out, v, 1; setp.eq.or.u32 pbg_out, v, 3, pbg_out; .reg .pred "
                 "pbg_taken; not.pred pbg_taken, r; and.pred pbg_out, pbg_out, pbg_taken; "
                 "@pbg_out mov.u64 pbg_now, %globaltimer; @pbg_out st.volatile"),
      std::string::npos)
      << table;
  // A wait at the head of a loop over items ends with the wait.
  const std::string items = behind(
      "I: mbarrier.try_wait.parity.shared.b64 done, [a], b; @!done bra I; add.u32 v, v, 1; "
      "setp.lt.u32 q, v, 9; @q bra I;",
      "@!done bra I;");
  EXPECT_LT(items.find(store), items.find("add.u32 v, v, 1;")) << items;
  // Both ways out of one branch, and a function that is left.
  const std::string both = behind(
      "L: ld.volatile.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra M; setp.eq.u32 r, v, 1; @r "
      "bra "
      "D; bra E; M: bra L; D: mov.u32 t, 1; E:",
      "setp.eq.u32 q, v, 0;");
  EXPECT_NE(both.find(store), std::string::npos) << both;
}

// One thread takes work from a list and all hear of it, here through shared memory: what it takes
// is progress of the grid, and each thread's value is the work.
TEST(GuardLoops, WorkThatOneThreadTakesIsProgressOfAll) {
  const std::string out = ptx::write_ptx(
      guarded(kernel("{ .shared .align 4 .b8 s[4]; mov.u32 t, s; L: @r atom.global.add.u32 v, [x], "
                     "1; @r st.shared.b32 [t], v; bar.sync 0; ld.shared.b32 v, [t]; bar.sync 0; "
                     "setp.lt.u32 q, v, 40; @q bra L; }"))
          .file);
  EXPECT_NE(out.find("setp.ne.b64 pbg_do, pbg_value_0, pbg_seen_0;\n"
                     "@pbg_do st.volatile.global.u64 [pbg_base], pbg_now;"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("@r cvt.u64.u32 pbg_value_0, v;"), std::string::npos);
  EXPECT_NE(out.find("ld.shared.b32 v, [t];\ncvt.u64.u32 pbg_value_0, v;"), std::string::npos);
}

// A barrier that a wait passes each turn is not progress; one after it is.
TEST(GuardLoops, ABarrierWithinAWaitIsNoProgress) {
  const std::string out = ptx::write_ptx(
      guarded(kernel("L: mbarrier.try_wait.parity.shared.b64 done, [a], b; barrier.cluster.arrive; "
                     "barrier.cluster.wait; bar.sync 0; @!done bra L; bar.sync 0;"))
          .file);
  EXPECT_NE(out.find(fmt::format("pb_guard_cluster_wait, (pbg_base, {}, ", 2 + (1U << 30))),
            std::string::npos);
  EXPECT_NE(out.find(fmt::format("pb_guard_barrier, (pbg_base, {}, ", 3 + (1U << 30))),
            std::string::npos);
  EXPECT_NE(out.find("pb_guard_barrier, (pbg_base, 4, "), std::string::npos);
}

struct Note {
  const char* what;
  const char* body;
  const char* note;
};

constexpr Note loop_notes[] = {
    {"it writes where it loads",
     "L: ld.global.u32 v, [x]; st.global.u32 [w], v; setp.eq.u32 q, v, 0; @q bra L;",
     "t.ptx:9:1: the loop leaves by a value that it loads; not guarded because 'st.global.u32' on "
     "line 9 may change that value"},
    {"what it calls may write", "L: call f; ld.global.u32 v, [x]; setp.eq.u32 q, v, 0; @q bra L;",
     "t.ptx:10:1: the loop leaves by a value that it loads; not guarded because 'call' on line 10 "
     "may "
     "change that value"},
    {"other memory cannot be it",
     "L: ld.global.u32 v, [x]; st.shared.u32 [a], v; setp.eq.u32 q, v, 0; @q bra L;", ""},
    {"an exit that nothing explains",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra D; call (v), g, (); "
     "setp.eq.u32 "
     "q, v, 0; @q bra L; D:",
     "t.ptx:10:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows "
     "what decides 'bra' on line 10"},
    {"a table of what follows: it may lead back",
     "L: ld.volatile.global.u32 v, [x]; mad.lo.u32 t, t, 2, v; mul.wide.u32 w, t, 4; "
     "ld.const.u32 t, [w]; setp.ne.u32 q, t, 7; @q bra L;",
     "t.ptx:9:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"what comes round, or stays below its end, is no count",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; xor.b32 t, t, 1; "
     "setp.gt.u32 "
     "r, t, 7; @!r bra L; D:",
     "t.ptx:9:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"a back-off with a ceiling",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; nanosleep.u32 t; shl.b32 t, "
     "t, 1; min.u32 t, t, 256; setp.lt.u32 r, t, 512; @r bra L; D:",
     "t.ptx:9:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"a float that stays where it is great",
     "{ .reg .f32 f; L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; add.f32 f, "
     "f, "
     "0f3F800000; setp.lt.f32 r, f, 0f4E6E6B28; @r bra L; D: }",
     "t.ptx:9:16: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"a deadline that the loop puts off",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; add.u64 w, w, 1000; mov.u64 "
     "now, %clock64; setp.lt.u64 r, now, w; @r bra L; D:",
     "t.ptx:9:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"the sign of a clock",
     "L: ld.volatile.global.u32 v, [x]; setp.ne.u32 q, v, 0; @q bra D; mov.u64 now, %clock64; "
     "setp.ge.s64 r, now, 0; @r bra L; D:",
     "t.ptx:9:1: the loop polls, and leaves by something else too; not guarded because nothing "
     "shows what decides 'bra' on line 9"},
    {"two entries", "@q bra B; A: ld.volatile.global.u32 v, [x]; B: setp.eq.u32 r, v, 0; @r bra A;",
     "t.ptx:9:45: the loop has two entries; not guarded because it has no one place that each turn "
     "passes"},
};

TEST(GuardLoops, SaysWhichLoopsItDoesNotBound) {
  for (const Note& row : loop_notes) {
    const std::string body = row.body;
    const std::string extern_function =
        body.find("call f") != std::string::npos ? ".extern .func f();\n"
        : body.find(" g,") != std::string::npos  ? ".extern .func (.reg .b32 r) g();\n"
                                                 : "";
    const GuardedPtx made = guarded(kernel(body, extern_function));
    EXPECT_EQ(fmt::format("{}", fmt::join(made.notes, "; ")), row.note) << row.what;
    EXPECT_EQ(made.sites.size(), row.note[0] == '\0' ? 1U : 0U) << row.what;
  }
}

// A function that polls and calls itself until the poll says so waits without a loop.
TEST(GuardLoops, SaysWhichFunctionCallsItselfAsAPollSays) {
  const auto notes = [](const std::string& again) {
    return fmt::format(
        "{}", fmt::join(guarded(kernel("call.uni (v), one, (x);",
                                       ".func (.reg .b32 r) two(.reg .b64 at);\n"
                                       ".func (.reg .b32 r) one(.reg .b64 at)\n{\n.reg .pred p;\n"
                                       "ld.volatile.u32 r, [at];\nsetp.ne.u32 p, r, 0;\n" +
                                           again +
                                           "\nret;\n}\n.func (.reg .b32 r) two(.reg .b64 at)\n{\n"
                                           "call.uni (r), one, (at);\nret;\n}\n"))
                            .notes,
                        "; "));
  };
  const std::string why = " calls itself as a poll says; not guarded because it is not a loop";
  EXPECT_EQ(notes("@p ret;\ncall.uni (r), one, (at);"), "t.ptx:11:1: 'one'" + why);
  EXPECT_EQ(notes("@p ret;\ncall.uni (r), two, (at);"), "t.ptx:11:1: 'one'" + why);
  EXPECT_EQ(notes("call.uni (r), one, (at);"), "");
  EXPECT_EQ(notes("@p ret;"), "");
}

// nvcc's own: waits, and loops that leave by memory and are not waits.
TEST(GuardLoops, TellsWaitsFromOtherLoopsThatLeaveByMemory) {
  for (const char* file : {"memory_sm_75.ptx", "memory_debug_sm_90.ptx"}) {
    const GuardedPtx made = guarded(guard_fixture(file), file);
    ASSERT_EQ(made.notes.size(), 1U) << file;
    EXPECT_NE(made.notes.front().find("may change that value"), std::string::npos);
  }
}

// ptxas takes every guarded text.
TEST(GuardLoops, PtxasTakesWhatTheGuardMakes) {
  if (!fs::exists(guard_ptxas())) GTEST_SKIP() << "no ptxas at " << guard_ptxas();
  for (const GuardLoopsRow& row : guard_loops_rows)
    EXPECT_EQ(body_refused_by_ptxas(row.body), "") << row.what;
  const std::string plain =
      "L: ld.global.u32 v, [x]; setp.ge.u32 q, v, t; @!q bra L; ts: .branchtargets M, D; M: "
      "brx.idx "
      "v, ts; D: bar.sync 1, 64;";
  std::string text = kernel(plain);
  text.replace(0, text.find(".address_size"), ".version 8.0\n.target sm_75\n");
  EXPECT_EQ(refused_by_ptxas(text, "sm_75"), "");
}

}  // namespace
}  // namespace phasebit::test
