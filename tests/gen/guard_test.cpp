// Which waits the guard finds in texts of compilers and of ours. Whether they report is for a GPU
// (tests/bench/guard_gpu_test.cpp).
#include "tests/gen/guard_text.h"

#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using guard::GuardedPtx;
using launch::WaitSite;

namespace {

struct GuardRow {
  const char* what;
  const char* body;
  const char* sites;
};

// DESIGN's rule, one clause a row.
constexpr GuardRow guard_rows[] = {
    {"a wait by parity", "L: mbarrier.try_wait.parity.shared.b64 done, [a+8], b; @!done bra L;",
     "k parity (b) at a+8; "},
    {"a wait by state", "L: mbarrier.test_wait.shared.b64 done, [a], w; @!done bra L;",
     "k state (w) at a; "},
    {"an early try is none",
     "mbarrier.test_wait.parity.shared.b64 done, [a], b; @done mov.u32 t, 1;", ""},
    {"an early try within a loop over items is none",
     "L: mbarrier.test_wait.parity.shared.b64 done, [a], b; @done add.u32 t, t, 1; add.u32 v, v, "
     "1; "
     "setp.lt.u32 q, v, 9; @q bra L;",
     ""},
    {"a loop that also leaves by time stays",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra D; mov.u64 now, %globaltimer; "
     "setp.gt.u64 q, now, w; @q bra D; bra L; D:",
     ""},
    {"so does one that mixes both",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; mov.u32 t, %clock; setp.gt.or.u32 q, t, "
     "v, done; @!q bra L;",
     ""},
    {"one that reads the time and never leaves by it",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; mov.u64 now, %globaltimer; setp.gt.u64 "
     "q, now, w; @q nanosleep.u32 100; @!done bra L;",
     "k parity (b) at a; "},
    {"a hint from the clock is no exit by time",
     "L: mov.u32 t, %clock; mbarrier.try_wait.parity.shared.b64 done, [a], b, t; @!done bra L;",
     "k parity (b) at a; "},
    {"one that also leaves by count stays",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra D; add.u32 v, v, 1; "
     "setp.lt.u32 q, v, 9; @q bra L; D:",
     ""},
    {"through selp, setp and not",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; selp.b32 t, 1, 0, done; setp.eq.b32 q, "
     "t, "
     "0; not.pred r, q; @r bra D; bra L; D:",
     "k parity (b) at a; "},
    {"through what a branch decides",
     "L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra Y; mov.u32 t, 0; bra C; Y: "
     "mov.u32 t, 1; C: setp.eq.u32 q, t, 0; @q bra L;",
     "k parity (b) at a; "},
    {"a flag, with what it is compared with",
     "L: ld.acquire.gpu.global.u32 v, [x]; setp.ge.u32 q, v, t; @!q bra L;", "k flag (t) at x; "},
    {"a lock", "L: atom.global.cas.b32 v, [x], 0, 1; setp.ne.u32 q, v, 0; @q bra L;",
     "k atomic (0) at x; "},
    {"scopes of blocks",
     "{ .reg .pred done; L: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra L; } { "
     ".reg "
     ".pred done; L: mbarrier.try_wait.parity.shared.b64 done, [a], 1; @!done bra L; }",
     "k parity (0) at a; k parity (1) at a; "},
    {"a loop in a loop waits once",
     "I: L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @!done bra L; add.u32 v, v, 1; "
     "setp.lt.u32 q, v, 9; @q bra I;",
     "k parity (b) at a; "},
    {"a try that is bounded inside a wait that is not",
     "O: mov.u32 v, 0; L: mbarrier.try_wait.parity.shared.b64 done, [a], b; @done bra C; add.u32 "
     "v, "
     "v, 1; setp.lt.u32 q, v, 9; @q bra L; C: @!done bra O;",
     "k parity (b) at a; "},
    {"hardware barriers, their id in a register; an arrive alone does not wait",
     "bar.sync 0; bar.sync a, 64; bar.arrive b, 64; barrier.cta.red.popc.aligned.u32 v, 1, 96, q;",
     "k barrier (0); k barrier (a) at 64; k barrier (1) at 96; "},
    {"the cluster's", "barrier.cluster.arrive; barrier.cluster.wait;", "k cluster_barrier (); "},
    {"waits that cannot be looked at",
     "cp.async.wait_group 0; wgmma.wait_group.sync.aligned 1; griddepcontrol.wait;",
     "k unknown (0); k unknown (1); k unknown (); "},
    {"a load of a multicast address",
     "L: multimem.ld_reduce.acquire.sys.global.add.u32 v, [x]; setp.lt.u32 q, v, t; @q bra L;",
     "k flag (t) at x; "},
};

TEST(Guard, FindsTheWaits) {
  for (const GuardRow& row : guard_rows) {
    const GuardedPtx made = guarded(kernel(row.body));
    EXPECT_EQ(sites_of(made), row.sites) << row.what;
    EXPECT_TRUE(made.notes.empty()) << row.what;
  }
}

struct Compiled {
  const char* file;
  const char* sites;
};

// Kinds and verbs alone: registers are the compiler's choice.
std::string summary(const GuardedPtx& made) {
  std::map<std::string, int> counts;
  for (const WaitSite& site : made.sites)
    ++counts[fmt::format("{} {}{}", site.entry, launch::to_string(site.kind),
                         site.verb.empty() ? "" : " in " + site.verb)];
  std::string out;
  for (const auto& [what, count] : counts) out += fmt::format("{} x{}; ", what, count);
  return out;
}

constexpr Compiled compiled[] = {
    {"barrier_sm_80.ptx", "by_state barrier x1; by_state state x1; "},
    {"barrier_sm_90.ptx", "by_state barrier x1; by_state state x1; "},
    {"pipeline_sm_80.ptx", "pipeline barrier x1; pipeline parity x2; "},
    {"pipeline_sm_90.ptx", "pipeline barrier x1; pipeline parity x2; "},
    // ptxas's predecessor unrolled the loop by 4.
    {"cluster_sm_90.ptx", "cluster cluster_barrier x2; cluster parity x5; "},
    // The early try, the loop that leaves by time and the arrive are not waits.
    {"wait_loop_sm_90.ptx",
     "by_call call x1; id_in_register barrier x1; one_lane flag x1; waits barrier x1; waits parity "
     "in consumer_wait x5; work_list atomic in atomicAdd x1; "},
    {"memory_sm_75.ptx", "global_flag flag x1; shared_flag barrier x1; shared_flag flag x1; "},
    // Without optimisation: the value goes through local memory.
    {"memory_debug_sm_90.ptx",
     "by_reference parity x1; global_flag flag x1; shared_flag barrier x1; shared_flag flag x1; "
     "through_local parity x1; "},
};

TEST(Guard, FindsTheWaitsOfCompilers) {
  for (const Compiled& row : compiled)
    EXPECT_EQ(summary(guarded(guard_fixture(row.file), row.file)), row.sites) << row.file;
}

TEST(Guard, NamesPlaceVerbAndRole) {
  const GuardedPtx inlined = guarded(guard_fixture("wait_loop_sm_90.ptx"), "w.ptx");
  EXPECT_EQ(inlined.sites.front().place(), "wait_loop.cu:15");
  EXPECT_EQ(inlined.sites.front().verb, "consumer_wait");
  const GuardedPtx headed = guarded(
      kernel("// [producer acquire] protocols/mbarrier/acquire.ptx:7\nL: mbarrier.try_wait.parity."
             "shared.b64 done, [a], b; @!done bra L;"));
  EXPECT_EQ(headed.sites.front().place(), "t.ptx:10");
  EXPECT_EQ(headed.sites.front().heading, "protocols/mbarrier/acquire.ptx:7");
  EXPECT_EQ(headed.sites.front().verb, "acquire");
  EXPECT_EQ(headed.sites.front().role, "producer");
}

TEST(Guard, WaitsInFunctions) {
  const std::string waiter =
      ".func await(.reg .b32 bar, .reg .b32 ph)\n{\n.reg .pred d;\nL: "
      "mbarrier.try_wait.parity.shared.b64 d, [bar], ph; @!d bra L;\nret;\n}\n";
  EXPECT_EQ(sites_of(guarded(kernel("call await, (a, b);", waiter))), "await parity (ph) at bar; ");
  // Its callers are named: one, or several.
  const auto callers = [&](const std::string& body) {
    const GuardedPtx made = guarded(kernel(body, waiter));
    return made.sites.empty() ? std::string("no site") : made.sites.front().callers;
  };
  EXPECT_EQ(callers("call await, (a, b);"), "t.ptx:15");
  EXPECT_EQ(callers("call await, (a, b);\ncall await, (v, b);"), "t.ptx:15, t.ptx:16");
  EXPECT_EQ(callers("call await, (a, b);\n\ncall await, (a, b);\ncall await, (a, b);\ncall await, "
                    "(a, b);\ncall await, (a, b);"),
            "t.ptx:15, t.ptx:17, t.ptx:18 and 2 more");
  // The call gives back what it polled, or a clock.
  const std::string tries =
      ".func (.param .b32 r) try_it(.param .b32 bar)\n{\n.reg .pred d;\n.reg .b32 x, "
      "y;\nld.param.b32 "
      "x, [bar];\nmbarrier.test_wait.parity.shared.b64 d, [x], 0;\nselp.b32 y, 1, 0, "
      "d;\nst.param.b32 [r+0], y;\nret;\n}\n.func (.reg .b32 r) clock_of()\n{\nmov.u32 r, "
      "%clock;\nret;\n}\n";
  const char* call =
      "{ .param .b32 in; .param .b32 out; st.param.b32 [in+0], a; call.uni (out), try_it, (in); "
      "ld.param.b32 v, [out+0]; } ";
  EXPECT_EQ(sites_of(guarded(
                kernel(std::string("L: ") + call + "setp.eq.u32 q, v, 0; @q bra L;", tries))),
            "k call (); ");
  EXPECT_EQ(
      sites_of(guarded(kernel(std::string("L: ") + call +
                                  "call (t), clock_of, (); setp.gt.u32 r, t, b; setp.ne.or.b32 "
                                  "q, v, 0, r; @!q bra L;",
                              tries))),
      "");
}

// PTX ISA, tcgen05.alloc: blocks until so many columns are free.
TEST(Guard, SaysWhereATensorAllocationWaits) {
  std::string text = kernel("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 512;");
  text.replace(0, text.find(".address_size"), ".version 8.6\n.target sm_100a\n");
  EXPECT_EQ(sites_of(guarded(text)), "k unknown ([a]); ");
}

// A function that polls, however it is called and hands its news over.
struct Called {
  const char* what;
  const char* functions;
  const char* body;
  const char* sites;
  const char* note;  // "" for none
};

constexpr const char* pollers =
    ".func (.param .b32 r) one(.param .b32 at)\n{\n.reg .b32 x, y;\n.reg .pred d;\nld.param.b32 x, "
    "[at];\nmbarrier.test_wait.parity.shared.b64 d, [x], 0;\nselp.b32 y, 1, 0, "
    "d;\nst.param.b32 [r], y;\nret;\n}\n"
    ".func (.param .b32 r) two(.param .b32 at)\n{\n.reg .b32 x;\nld.param.b32 x, "
    "[at];\nst.param.b32 "
    "[r], x;\nret;\n}\n"
    ".func (.param .b32 r) ordinary(.param .b64 at)\n{\n.reg .b64 x;\n.reg .b32 y;\nld.param.b64 "
    "x, "
    "[at];\nld.global.cg.b32 y, [x];\nst.param.b32 [r], y;\nret;\n}\n"
    ".func into(.param .b32 at, .param .b64 to)\n{\n.reg .b32 x;\n.reg .b64 p;\n.reg .pred "
    "d;\nld.param.b32 x, [at];\nld.param.b64 p, [to];\nmbarrier.test_wait.parity.shared.b64 d, "
    "[x], "
    "0;\nselp.b32 x, 1, 0, d;\nst.u32 [p], x;\nret;\n}\n"
    ".func aside(.param .b32 at, .param .b64 to)\n{\n.reg .b32 x;\n.reg .b64 p;\nld.param.b32 x, "
    "[at];\nld.param.b64 p, [to];\nadd.u32 x, x, 1;\nst.u32 [p], x;\nret;\n}\n";

constexpr const char* through_register =
    "L: ld.global.u64 w, [x]; { .param .b32 in; .param .b32 out; st.param.b32 [in], a; proto: "
    ".callprototype (.param .b32 _) _ (.param .b32 _); call (out), w, (in), proto; ld.param.b32 v, "
    "[out]; } setp.eq.u32 q, v, 0; @q bra L;";

constexpr Called called[] = {
    {"through a table of functions, one of which polls",
     ".global .align 8 .u64 table[2] = {one, two};\n", through_register, "k call (); ", ""},
    {"through a register that holds nobody knows what", "", through_register, "",
     "the loop leaves by what a function gives back; not guarded because nothing shows what 'call' "
     "on line 57 calls"},
    {"a function of another text", ".extern .func (.reg .b32 r) other(.reg .b32 at);\n",
     "L: call (v), other, (a); setp.eq.u32 q, v, 0; @q bra L;", "",
     "the loop leaves by what a function gives back; not guarded because nothing shows what 'call' "
     "on line 58 calls"},
    {"with a count to give up by", ".extern .func (.reg .b32 r) other(.reg .b32 at);\n",
     "L: call (v), other, (a); add.u32 t, t, 1; setp.eq.u32 q, v, 0; setp.lt.and.u32 q, t, 9, q; "
     "@q "
     "bra L;",
     "", ""},
    {"into a variable of its caller", "",
     "{ .local .align 4 .b8 depot[8]; .reg .b64 s, l; mov.u64 l, depot; cvta.local.u64 s, l; "
     "add.u64 "
     "s, s, 0; L: { .param .b32 in; .param .b64 to; st.param.b32 [in], a; st.param.b64 [to], l; "
     "call "
     "into, (in, to); } ld.local.u32 v, [l]; setp.eq.u32 q, v, 0; @q bra L; }",
     "k call (); ", ""},
    {"where no poll comes", "",
     "{ .local .align 4 .b8 depot[8]; .reg .b64 l; mov.u64 l, depot; L: { .param .b32 in; .param "
     ".b64 "
     "to; st.param.b32 [in], a; st.param.b64 [to], l; call aside, (in, to); } ld.local.u32 v, [l]; "
     "setp.eq.u32 q, v, 0; @q bra L; }",
     "", ""},
    {"an ordinary load at an address that stays", "",
     "L: { .param .b64 in; .param .b32 out; st.param.b64 [in], x; call (out), ordinary, (in); "
     "ld.param.b32 v, [out]; } setp.eq.u32 q, v, 0; @q bra L;",
     "k call (); ", ""},
    {"and at another each turn", "",
     "L: { .param .b64 in; .param .b32 out; st.param.b64 [in], x; call (out), ordinary, (in); "
     "ld.param.b32 v, [out]; } add.u64 x, x, 4; setp.eq.u32 q, v, 0; @q bra L;",
     "", ""},
};

TEST(Guard, WaitsOnWhatFunctionsPoll) {
  for (const Called& row : called) {
    const std::string text = kernel(row.body, std::string(pollers) + row.functions);
    const GuardedPtx made = guarded(text);
    EXPECT_EQ(sites_of(made), row.sites) << row.what;
    std::string notes;
    for (const std::string& note : made.notes) notes += note.substr(note.find(": ") + 2);
    EXPECT_EQ(notes, row.note) << row.what;
    const bool linked = std::string(row.functions).find(".extern") == std::string::npos;
    if (linked && fs::exists(guard_ptxas())) {
      EXPECT_EQ(refused_by_ptxas(text, "sm_90a"), "") << row.what;
    }
  }
}

// PTX ISA, setmaxnreg: .inc waits until the CTA's pool has enough. The pool is what the CTA was
// launched with, by .maxnreg or by bounds; without these ptxas ignores the instruction.
struct Pool {
  const char* bounds;
  const char* begin;  // of the calls; "": a note
  guard::GuardLaunch launch = {};
};

constexpr Pool pools[] = {
    {".maxntid 384 .maxnreg 168", "168"},
    {".maxntid 512 .minnctapersm 1", "128"},
    {".maxntid 128, 3 .minnctapersm 1", "168"},
    {".reqntid 256 .minnctapersm 2", "128"},
    {".maxntid 256 .minnctapersm 1", "232"},  // no more than is asked for
    {".maxntid 384", ""},
    {".minnctapersm 1", ""},
    {"", "168", {384, 168}},  // as the driver has it
    {".maxntid 384", "160", {384, 160}},
    {"", "128", {512, 0}},  // what one CTA of so many threads leaves
    {".maxntid 512", "128", {384, 0}},
};

TEST(Guard, CountsTheRegistersThatWarpsHandOver) {
  for (const Pool& row : pools) {
    const std::string text = fmt::format(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {}\n{{\n.reg .pred "
        "p;\n@p bra P;\nsetmaxnreg.inc.sync.aligned.u32 232;\nret;\nP:\n"
        "setmaxnreg.dec.sync.aligned.u32 24;\nret;\n}}\n",
        row.bounds);
    guard::GuardOptions options;
    if (row.launch.threads > 0) options.launches["k"] = row.launch;
    const GuardedPtx made = guard::guard(ptx::read_ptx(text, "t.ptx").value(), options).value();
    const std::string out = ptx::write_ptx(made.file), begin = row.begin;
    EXPECT_EQ(out.find("setmaxnreg.inc"), std::string::npos) << row.bounds;
    EXPECT_EQ(sites_of(made), begin.empty() ? "" : "k registers (232); ") << row.bounds;
    for (const char* call : {"1, {}, 232", "0, {}, 24"})
      EXPECT_EQ(out.find(fmt::format("pb_guard_registers, (pbg_base, {}, 0xffffffffffffffff);",
                                     fmt::format(fmt::runtime(call), begin))) != std::string::npos,
                !begin.empty())
          << row.bounds << ": " << call;
    EXPECT_EQ(made.notes.size(), begin.empty() ? 2U : 0U) << row.bounds;
    if (fs::exists(guard_ptxas())) {
      EXPECT_EQ(refused_by_ptxas(text, "sm_90a"), "") << row.bounds;
    }
    for (const std::string& note : made.notes)
      EXPECT_NE(note.find("not guarded because the text does not say with how many registers"),
                std::string::npos)
          << note;
  }
}

TEST(Guard, DropsRegisterLimitsAndKeepsTheRest) {
  const std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() .maxntid 128 .maxnreg "
      "32\n{\nret;\n}\n";
  const GuardedPtx made = guarded(text);
  const std::string out = ptx::write_ptx(made.file);
  EXPECT_EQ(out.find(".maxnreg"), std::string::npos);
  EXPECT_NE(out.find(".maxntid 128"), std::string::npos);
  EXPECT_NE(out.find(".version 8.0"), std::string::npos);
  EXPECT_NE(out.find(".target sm_90a"), std::string::npos);
  EXPECT_EQ(made.origins.size(), made.file.statements.size());
}

// Where no block is set and zeroed, the module has areas of its own, and each thread that
// leaves is counted, so that the last one zeroes them. A bundle's host does both.
TEST(Guard, CountsBarriersInAProgramOfItsOwn) {
  const auto file = ptx::read_ptx(kernel("bar.sync 1, 64;"), "t.ptx");
  const auto text = [&](bool print) {
    guard::GuardOptions options;
    options.print = print;
    return ptx::write_ptx(guard::guard(*file, options)->file);
  };
  const std::string own = text(true), bundle = text(false);
  const std::string areas = fmt::format("pb_guard_areas[{}]", 4096 * sizeof(launch::GuardCta));
  EXPECT_NE(own.find(areas), std::string::npos);
  EXPECT_NE(own.find("call pb_guard_exit, (pbg_base);\nret;"), std::string::npos) << own;
  EXPECT_NE(own.find("@own call pb_guard_left, (ex_base);"), std::string::npos);
  for (const char* name : {"pb_guard_areas", "pb_guard_owned", "pb_guard_clear", "pb_guard_left"})
    EXPECT_EQ(bundle.find(name), std::string::npos) << name;
  EXPECT_EQ(bundle.find("call pb_guard_exit"), std::string::npos);
}

TEST(Guard, TheItemIsReportedWhereTheHeadNamesItsRegister) {
  const std::string head =
      "//@ format = 1\n//@ id = \"a\"\n//@ roles = [{ role = \"consumer\", warps = [0] }]\n"
      "//@ registers = [{ role = \"consumer\", item = \"t\" }, { role = \"producer\", item = "
      "\"inner\" }]\n//@ [key]\n//@ probe = \"a\"\n//@ [launch]\n//@ threads = 32\n//@ timed_role "
      "= "
      "\"consumer\"\n";
  const std::string text = kernel(
      "// [consumer wait] a.ptx:1\nL: mbarrier.try_wait.parity.shared.b64 done, [a], b; @!done bra "
      "L; bar.sync 1, 64;\n// [producer acquire] a.ptx:2\n{ .reg .b32 inner; }\nbar.sync 2, 64;\n"
      "// [-] a.ptx:3\nbar.sync 3, 64;");
  std::string with_head = text;
  with_head.insert(with_head.find(".visible .entry"), head);
  const GuardedPtx made = guarded(with_head);
  std::string items;
  for (const WaitSite& site : made.sites) items += site.operand + "=" + site.item + " ";
  EXPECT_EQ(items, "b=t 1=t 2= 3= ");
  const std::string out = ptx::write_ptx(made.file);
  EXPECT_NE(out.find("@pbg_do cvt.u64.u32 pbg_item, t;"), std::string::npos);
  EXPECT_NE(out.find("pb_guard_barrier, (pbg_base, 2, 1, 64, 1, pbg_item);"), std::string::npos);
  EXPECT_NE(out.find("pb_guard_barrier, (pbg_base, 3, 2, 64, 1, 0xffffffffffffffff);"),
            std::string::npos);
  for (const WaitSite& site : guarded(text).sites) EXPECT_EQ(site.item, "");
}

TEST(Guard, SaysWhatItCannotUnderstand) {
  const GuardedPtx made = guarded(kernel("L: wobble.sync v; setp.eq.u32 q, v, 0; @q bra L;"));
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes.front(),
            "t.ptx:9:4: 'wobble.sync v;' is kept, and not understood: a wait around it may not be "
            "bounded");
}

struct GuardRefused {
  const char* text;
  const char* message;
};

constexpr GuardRefused refused[] = {
    {".version 6.0\n.target sm_60\n.entry k() { ret; }",
     "usage: t.ptx: a guard needs sm_70 and PTX 6.3, the text is for sm_60 6.0 (raise .target and "
     ".version)"},
    {".entry k() { ret; }",
     "usage: t.ptx: no .version or no .target (write both before everything else)"},
    {".version 9.\n.target sm_90\n.entry k() { ret; }",
     "usage: t.ptx: .version: '9.' is not a version"},
    {".version 8.0\n.target sm_90\n.visible .global .align 8 .u64 pb_guard;",
     "usage: t.ptx:3:1: the text is guarded already (guard the text that it was made from)"},
};

TEST(Guard, RefusesWithAReason) {
  for (const GuardRefused& row : refused) {
    const auto made = guard::guard(ptx::read_ptx(row.text, "t.ptx").value());
    ASSERT_FALSE(made) << row.text;
    EXPECT_EQ(made.error().text(), row.message);
  }
}

// ptxas takes every guarded text, by the version and target that the text had.
TEST(Guard, PtxasTakesWhatItMakes) {
  if (!fs::exists(guard_ptxas())) GTEST_SKIP() << "no ptxas at " << guard_ptxas();
  for (const Compiled& row : compiled) {
    const std::string file = row.file;
    EXPECT_EQ(refused_by_ptxas(guard_fixture(file), file.substr(file.find("sm_"), 5)), "") << file;
  }
  for (const GuardRow& row : guard_rows) EXPECT_EQ(body_refused_by_ptxas(row.body), "") << row.what;
}

}  // namespace
}  // namespace phasebit::test
