// A head that contradicts what its text is known to do: where barriers are, how many arrivals they
// expect, and which role runs which verbs.
#include "core/ptx/head/check.h"
#include "tests/ptx/heads.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using test::Broken;

const std::string good =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 128 .b8 ring[];\n"
    "//@ format = 1\n"
    "//@ roles = [\n"
    "//@   { role = \"producer\", warps = [0], clock = false },\n"
    "//@   { role = \"consumer\", warps = [1] },\n"
    "//@   { role = \"none\", warps = [2] },\n"
    "//@ ]\n"
    "//@ barriers = [\n"
    "//@   { name = \"full\", kind = \"mbarrier\", base = 0, count = 2, arrivals = 1 },\n"
    "//@   { name = \"empty\", kind = \"mbarrier\", base = 16, count = 2, arrivals = 32 },\n"
    "//@   { name = \"done\", kind = \"flag\", base = 32 },\n"
    "//@   { name = \"go\", kind = \"named\", base = 3 },\n"
    "//@ ]\n"
    "//@ [key]\n"
    "//@ probe = \"a\"\n"
    "//@ [launch]\n"
    "//@ threads = 96\n"
    "//@ shared_bytes = 64\n"
    "//@ timed_role = \"consumer\"\n"
    ".visible .entry k(.param .align 8 .b8 pb[96])\n"
    "{\n"
    ".reg .b32 tid, a, n; .reg .b64 t; .reg .pred p, c, i;\n"
    "// [init] a.ptx:1\n"
    "mov.u32 tid, %tid.x;\n"
    "setp.ge.u32 p, tid, 4;\n"
    "@p bra L_ready;\n"
    "mad.lo.u32 a, tid, 8, ring;\n"
    "setp.ge.u32 p, tid, 2;\n"
    "selp.b32 n, 32, 1, p;\n"
    "mbarrier.init.shared.b64 [a], n;\n"
    "st.shared.u32 [ring+32], 0;\n"
    "L_ready:\n"
    "// [-] a.ptx:1\n"
    "bar.sync 3;\n"
    "setp.ge.u32 i, tid, 64;\n"
    "@i exit;\n"
    "setp.ge.u32 c, tid, 32;\n"
    "@c bra L_consumer;\n"
    "// [producer commit] a.ptx:1\n"
    "mbarrier.arrive.shared.b64 _, [ring];\n"
    "bra L_end;\n"
    "L_consumer:\n"
    "// [consumer release] a.ptx:1\n"
    "mbarrier.arrive.shared.b64 _, [ring+16];\n"
    "// [consumer clock_start] a.ptx:1\n"
    "mov.u64 t, %clock64;\n"
    "// [consumer clock_end] a.ptx:1\n"
    "mov.u64 t, %clock64;\n"
    "L_end:\n"
    "exit;\n"
    "}\n";

Status head_text_check(const std::string& text) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, "t.ptx"));
  const ptx::PtxFunction& entry = *file.entries().front();
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(entry.head_lines, file.name));
  return ptx::head::check_head(head, file, entry);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = good;
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

void expect_refused(const std::vector<Broken>& rows) {
  for (const Broken& row : rows) {
    const Status status = head_text_check(changed(row.from, row.to));
    ASSERT_FALSE(status) << row.message;
    EXPECT_EQ(status.error().text(), row.message);
  }
}

TEST(HeadText, Agrees) {
  const Status status = head_text_check(good);
  EXPECT_TRUE(status) << status.error().text();
}

TEST(HeadText, SaysWhatContradictsWhatItDoes) {
  const std::vector<Broken> rows = {
      {"arrivals = 32", "arrivals = 16",
       "spec: t.ptx:13: barrier empty: 16 arrivals, the mbarrier.init of t.ptx:33 has 32 (write "
       "`arrivals = 32`)"},
      {"base = 0, count = 2", "base = 40, count = 2",
       "spec: t.ptx:12: barrier full: the text initialises no mbarrier at byte 40 (t.ptx:33 "
       "initialises one at byte 0)"},
      {"base = 16, count = 2", "base = 16, count = 1",
       "spec: t.ptx:11: barriers: t.ptx:33 initialises an mbarrier at byte 24, and the head has "
       "no barrier there (write `{ name = \"...\", kind = \"mbarrier\", base = 24, arrivals = 32 "
       "}`, or "
       "the `count` and `stride` of one that reaches it)"},
      {"mbarrier.init.shared.b64 [a], n;", "",
       "spec: t.ptx:12: barrier full: the text initialises no mbarrier at byte 0 (write its "
       "`base`, `stride` and `count` as its mbarrier.init has them)"},
      {"base = 32", "base = 40",
       "spec: t.ptx:14: barrier done: the text below [init] stores to other places, the first at "
       "byte 32, not to byte 40 (write its `base`, `stride` and `count` as the text sets it up)"},
      {"\"mbarrier\", base = 0, count = 2, arrivals = 1", "\"flag\", base = 0, count = 2",
       "spec: t.ptx:12: barrier full: a flag, t.ptx:33 initialises an mbarrier at byte 0 (write "
       "`kind = \"mbarrier\"`)"},
      {"\"named\", base = 3", "\"named\", base = 4",
       "spec: t.ptx:15: barrier go: the text never comes to barrier 4 (the text has the barriers "
       "3)"},
  };
  expect_refused(rows);
}

TEST(HeadText, SaysWhoRunsOthersVerbs) {
  const std::vector<Broken> rows = {
      {"warps = [0], clock = false },\n//@   { role = \"consumer\", warps = [1]",
       "warps = [1], clock = false },\n//@   { role = \"consumer\", warps = [0]",
       "spec: t.ptx:7: role producer: warp 1 runs [consumer release] of t.ptx:47, and no verb of "
       "its own (write `{ role = \"consumer\", warps = [1] }`)"},
      {"warps = [1] },\n//@   { role = \"none\", warps = [2]",
       "warps = [2] },\n//@   { role = \"none\", warps = [1]",
       "spec: t.ptx:8: role consumer: warp 2 runs none of the role's verbs, not [consumer release] "
       "of t.ptx:47 (give the role to the warps that run them)"},
      {"@i exit;", "",
       "spec: t.ptx:9: role none: warp 2 runs [consumer release] of t.ptx:47 (write `{ role = "
       "\"consumer\", warps = [2] }`)"},
  };
  expect_refused(rows);
}

// What depends on memory, a call or the launch is the launch's to verify.
// With fixed_warps the other warps of a role's warpgroup run its verbs with it, and leave before
// its end: here warp 2, by the branch after the release, not warp 1.
TEST(HeadText, LetsAWarpgroupsOtherWarpsLeaveARole) {
  const auto all = [](std::vector<std::pair<std::string, std::string>> changes) {
    std::string text = good;
    for (const auto& [from, to] : changes) {
      EXPECT_NE(text.find(from), std::string::npos) << from;
      text.replace(text.find(from), from.size(), to);
    }
    return head_text_check(text);
  };
  const std::string leaves = "setp.ge.u32 i, tid, 64;\n@i exit;\n";
  const std::pair<std::string, std::string> later{"// [consumer clock_start]",
                                                  leaves + "// [consumer clock_start]"},
      fixed{"//@ threads = 96\n", "//@ threads = 96\n//@ fixed_warps = true\n"};
  EXPECT_FALSE(all({{leaves, ""}, later}));
  EXPECT_FALSE(all({{leaves, ""}, fixed}));
  const Status agrees = all({{leaves, ""}, later, fixed});
  EXPECT_TRUE(agrees) << agrees.error().text();
}

TEST(HeadText, LeavesAloneWhatIsNotKnown) {
  const std::vector<std::pair<std::string, std::string>> unknown = {
      {"selp.b32 n, 32, 1, p;", "ld.shared.u32 n, [ring+48];"},
      {"mad.lo.u32 a, tid, 8, ring;", "ld.shared.u32 a, [ring+48];"},
      {"setp.ge.u32 c, tid, 32;", "ld.shared.u32 n, [ring+48];\nsetp.ge.u32 c, n, 1;"},
      {"bar.sync 3;", "ld.shared.u32 n, [ring+48];\nbar.sync n;"},
      {"mov.u32 tid, %tid.x;", "call setup, (tid);\nmov.u32 tid, %warpid;"}};
  for (const auto& [from, to] : unknown) {
    const Status status = head_text_check(changed(from, to));
    EXPECT_TRUE(status) << to << ": " << status.error().text();
  }
}

}  // namespace
}  // namespace phasebit::test
