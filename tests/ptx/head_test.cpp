// Heads: what is written is what was read, and what is said of a head that is wrong.
#include "core/ptx/head.h"

#include "core/ptx/head_check.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

// Every key once, in the order and form in which heads are written.
const std::string whole_head =
    "//@ format = 1\n"
    "//@ id = \"ring/mine/st_shared/none/tuned=fast\"\n"
    "//@ doc = \"what was done by hand\"\n"
    "//@ build = \"guarded\"\n"
    "//@ roles = [\n"
    "//@   { role = \"producer\", warps = [0, 1], unit = 1, rank = 32 },\n"
    "//@   { role = \"consumer\", warps = [2], lanes = \"odd\", cta = 1, leaves_early = true },\n"
    "//@   { role = \"bystander\", warps = [3], clock = false },\n"
    "//@ ]\n"
    "//@ barriers = [\n"
    "//@   { name = \"full\", kind = \"mbarrier\", base = 0, count = 4, arrivals = 2 },\n"
    "//@   { name = \"pair\", kind = \"named\", base = 1, count = 2 },\n"
    "//@ ]\n"
    "//@ registers = [\n"
    "//@   { role = \"producer\", item = \"p_item\", slot = \"p_slot\", cta = \"cta\" },\n"
    "//@ ]\n"
    "//@\n"
    "//@ [key]\n"
    "//@ probe = \"ring\"\n"
    "//@ protocol = \"mine\"\n"
    "//@ num_stages = \"4\"\n"
    "//@ \"snippet.wait\" = \"a \\\"b\\\" \\\\\"\n"
    "//@\n"
    "//@ [parent]\n"
    "//@ id = \"ring/mine/st_shared/none\"\n"
    "//@ text = \"80bf89eb324800e1d64491835ec0557a\"\n"
    "//@\n"
    "//@ [launch]\n"
    "//@ threads = 128\n"
    "//@ ctas_per_sm = 2\n"
    "//@ load_ctas = 3\n"
    "//@ cluster_size = 2\n"
    "//@ shared_bytes = 2304\n"
    "//@ granule = 4\n"
    "//@ min_items = 8\n"
    "//@ max_items = 64\n"
    "//@ producer_turns = 2\n"
    "//@ consumer_turns = 4\n"
    "//@ timed_role = \"consumer\"\n"
    "//@ guarded = false\n"
    "//@ unit = \"cycles per round trip\"\n"
    "//@ work_amount = 7\n"
    "//@ delay_cycles = 4096\n"
    "//@ first_rank = 1\n"
    "//@ second_rank = 1\n"
    "//@ maxnreg = [64]\n"
    "//@ reqntid = [128, 1, 1]\n"
    "//@\n"
    "//@ [expects]\n"
    "//@ phases = 8\n"
    "//@ payload = { words = 128, threads = 32, vector = 4, period = 37 }\n"
    "//@ readings = [\n"
    "//@   { name = \"polls\", unit = \"polls per item\", role = \"consumer\", index = 1 },\n"
    "//@ ]\n"
    "//@\n"
    "//@ [resources]\n"
    "//@ buffers = [\n"
    "//@   { name = \"payload_in\", bytes = 18944, parameter = 24 },\n"
    "//@ ]\n"
    "//@\n"
    "//@ [rules]\n"
    "//@ items_per_iteration = { consumer = 4, producer = 2 }\n"
    "//@ covers = [\n"
    "//@   { part = \"mine\", families = [\"hopper\", \"ada\"], ptxas = \">=11.8\" },\n"
    "//@ ]\n"
    "//@ verbs = [\n"
    "//@   { verb = \"wait\", role = \"consumer\", families = [\"hopper\"], ptxas = \">=12.4\", "
    "require = { \"SYNCS.PHASECHK*\" = 1 }, forbid = [\"NANOSLEEP*\"] },\n"
    "//@   { verb = \"*\", forbid = [\"LDL*\", \"STL*\"] },\n"
    "//@ ]\n";

// As core/ptx hands them over: without the mark and the blank behind it.
std::vector<PtxHeadLine> lines_of(const std::string& text, int line = 1) {
  std::vector<PtxHeadLine> lines;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = text.find('\n', begin);
    std::string one = text.substr(begin + 3, end - begin - 3);
    lines.push_back({one.starts_with(' ') ? one.substr(1) : one, line});
    begin = end + 1;
  }
  return lines;
}

TEST(Head, IsWrittenAsItWasRead) {
  const auto head = read_head(lines_of(whole_head, 12), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_EQ(write_head(*head), whole_head);
}

TEST(Head, HoldsWhatItSays) {
  const auto head = read_head(lines_of(whole_head), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_EQ(head->build, Build::guarded);
  EXPECT_EQ(head->key.value("num_stages"), "4");
  EXPECT_EQ(head->key.value("snippet.wait"), "a \"b\" \\");
  const LaunchShape& launch = head->launch;
  ASSERT_EQ(launch.slices.size(), 4U);
  EXPECT_EQ(launch.slices[1].warp, 1);
  EXPECT_EQ(launch.slices[1].rank, 64);  // 32 lanes further than its neighbour
  EXPECT_EQ(launch.slices[2].first_lane, 1);
  EXPECT_EQ(launch.slices[2].lane_stride, 2);
  EXPECT_EQ(launch.slices[2].rank_in_cluster, 1);
  EXPECT_TRUE(launch.slices[2].leaves_early);
  EXPECT_EQ(launch.item_granule, 4);
  EXPECT_FALSE(launch.guarded);
  EXPECT_EQ(launch.payload.period, 37);
  EXPECT_EQ(head->launch.phases_checked, 8);
  EXPECT_EQ(head->clocks, (std::vector<Role>{Role::producer, Role::consumer}));
  EXPECT_EQ(head->bounds.at("reqntid"), (std::vector<int>{128, 1, 1}));
  EXPECT_EQ(head->where.at("threads"), "t.ptx:29");
}

const std::string small_head =
    "//@ format = 1\n"
    "//@ id = \"a/b/c/d\"\n"
    "//@ roles = [{ role = \"consumer\", warps = [0] }]\n"
    "//@ [key]\n"
    "//@ probe = \"a\"\n"
    "//@ [launch]\n"
    "//@ threads = 32\n"
    "//@ timed_role = \"consumer\"\n";

// A head with one line changed, and what is said of it.
struct Broken {
  std::string from, to, message;
};

TEST(Head, SaysWhereItIsWrong) {
  const std::vector<Broken> rows = {
      {"//@ format = 1\n", "", "spec: t.ptx:10: format: missing (write `//@ format = 1`)"},
      {"format = 1", "format = 2", "spec: t.ptx:10: format: no format 2 (write `//@ format = 1`)"},
      {"id = \"a/b/c/d\"", "name = \"a\"",
       "spec: t.ptx:11: name: no such key (one of: format, id, doc, build, key, parent, launch, "
       "roles, "
       "resources, expects, barriers, registers, ...)"},
      {"threads = 32", "thread = 32",
       "spec: t.ptx:16: thread: no such key (did you mean 'threads'?)"},
      {"//@ threads = 32\n", "",
       "spec: t.ptx:15: launch: lacks 'threads' (write `threads = 64`: the threads of a CTA)"},
      {"threads = 32", "threads = \"32\"", "spec: t.ptx:16: threads: must be a whole number"},
      {"threads = 32", "threads = -32", "spec: t.ptx:16: threads: -32 is out of range (1 or more)"},
      {"threads = 32", "threads = ",
       "spec: t.ptx:16:15: `threads = `: a value is missing (a text in quotes, a number, true, "
       "false or [...])"},
      {"\"consumer\", warps", "\"consummer\", warps",
       "spec: t.ptx:12: role: no role 'consummer' (did you mean 'consumer'?)"},
      {"warps = [0] }", "lanes = \"left\", warps = [0] }",
       "spec: t.ptx:12: lanes: no lanes 'left' (one of: all, even, odd)"},
      {"//@ timed_role = \"consumer\"\n", "",
       "spec: t.ptx:15: launch: lacks 'timed_role' (write `timed_role = \"consumer\"`)"},
      {"//@ [key]\n//@ probe = \"a\"\n", "",
       "spec: t.ptx:10: the head: lacks 'key' (write a table [key], an axis a line)"},
      {"//@ [launch]\n//@ threads = 32\n//@ timed_role = \"consumer\"\n", "",
       "spec: t.ptx:10: the head: lacks 'launch' (write a table [launch] with `threads = 64`)"},
      {"roles = [{ role = \"consumer\", warps = [0] }]", "build = \"timd\"",
       "spec: t.ptx:12: build: no build 'timd' (did you mean 'timed'?)"},
      {"roles = [{ role = \"consumer\", warps = [0] }]", "build = \"timed\"",
       "spec: t.ptx:10: the head: lacks 'roles' (write `roles = [{ role = \"consumer\", warps = "
       "[0] "
       "}]`)"},
      {"[launch]", "[rules]\n//@ verbs = [{ verb = \"wait\", ptxas = \"=>12\" }]\n//@ [launch]",
       "spec: t.ptx:16: ptxas: '=>12' is not a version range (such as \">=12.4 <13.0\")"},
      {"[launch]", "[[barriers]]\n//@ name = \"full\"\n//@ kind = \"mbar\"\n//@ [launch]",
       "spec: t.ptx:17: kind: no kind of barrier 'mbar' (one of: mbarrier, flag, named, cluster)"},
  };
  for (const Broken& row : rows) {
    std::string text = small_head;
    ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
    text.replace(text.find(row.from), row.from.size(), row.to);
    const auto head = read_head(lines_of(text, 10), "t.ptx");
    ASSERT_FALSE(head) << row.message;
    EXPECT_EQ(head.error().text(), row.message);
  }
}

// A kernel of two roles as the renderer heads it, and its clock reads.
const std::string checked_head =
    "//@ format = 1\n"
    "//@ id = \"a/b/c/d\"\n"
    "//@ roles = [{ role = \"producer\", warps = [0] }, { role = \"consumer\", warps = [1] }]\n"
    "//@ barriers = [{ name = \"full\", kind = \"mbarrier\", base = 0, count = 4 }]\n"
    "//@ registers = [{ role = \"consumer\", item = \"c_item\" }]\n"
    "//@ [key]\n"
    "//@ probe = \"a\"\n"
    "//@ [launch]\n"
    "//@ threads = 64\n"
    "//@ shared_bytes = 32\n"
    "//@ timed_role = \"consumer\"\n"
    "//@ reqntid = [64, 1, 1]\n";
const std::string checked_text =
    ".visible .entry k(.param .align 8 .b8 pb[96])\n"
    ".reqntid 64, 1, 1\n"
    "{\n"
    ".reg .b32 c_item;\n"
    ".reg .b64 start, end;\n"
    "// [producer clock_start] common/clock_start.ptx:1\n"
    "mov.u64 start, %clock64;\n"
    "// [producer clock_end] common/clock_end.ptx:1\n"
    "mov.u64 end, %clock64;\n"
    "// [consumer clock_start] common/clock_start.ptx:1\n"
    "mov.u64 start, %clock64;\n"
    "// [consumer clock_end] common/clock_end.ptx:1\n"
    "mov.u64 end, %clock64;\n"
    "}\n";

Status check(const std::string& text) {
  PHASEBIT_TRY_ASSIGN(file,
                      read_ptx(".version 8.0\n.target sm_90\n.address_size 64\n" + text, "t.ptx"));
  const PtxFunction& entry = *file.entries().front();
  PHASEBIT_TRY_ASSIGN(head, read_head(entry.head_lines, file.name));
  return check_head(head, file, entry);
}

TEST(Head, AgreesWithItsText) {
  const Status status = check(checked_head + checked_text);
  EXPECT_TRUE(status) << status.error().text();
}

TEST(Head, SaysWhatContradictsItsText) {
  const std::vector<Broken> rows = {
      {"pb[96]", "pb[64]",
       "spec: t.ptx:11: launch: 'k' does not take the parameter block of 96 bytes (write "
       "`k(.param .align 8 .b8 pb[96])`)"},
      {"// [consumer clock_end] common/clock_end.ptx:1\n", "",
       "spec: t.ptx:6: role consumer: the head declares its clock, the text reads none below "
       "[consumer clock_end] (read %clock64 below a heading `// [consumer clock_end] ...`, or "
       "write `clock = false`)"},
      {"count = 4", "count = 5",
       "spec: t.ptx:7: barrier full: it ends at byte 40, the kernel has 32 bytes of shared memory "
       "(write `shared_bytes = 40` or more in [launch])"},
      {"base = 0", "base = 4, stride = 4",
       "spec: t.ptx:7: barrier full: base 4 and stride 4 do not keep it at multiples of 8 (base "
       "and stride are multiples of 8)"},
      {"\"mbarrier\", base = 0, count = 4", "\"named\", base = 13, count = 4",
       "spec: t.ptx:7: barrier full: its last barrier is 16 (a CTA has barriers 0 to 15)"},
      {"\"c_item\"", "\"c_itm\"",
       "spec: t.ptx:8: registers consumer: the text declares no register 'c_itm' (did you mean "
       "'c_item'?)"},
      {"threads = 64", "threads = 96",
       "spec: t.ptx:12: threads: 96, the text has .reqntid 64, 1, 1 (write `threads = 64`)"},
      {"threads = 64", "threads = 60",
       "spec: t.ptx:12: threads: 60 is no multiple of 32 (a CTA is made of whole warps)"},
      {"reqntid = [64, 1, 1]", "reqntid = [96, 1, 1]",
       "spec: t.ptx:15: reqntid: [96, 1, 1], the text has .reqntid 64, 1, 1 (write `reqntid = "
       "[64, 1, 1]`)"},
      {"reqntid = [64, 1, 1]", "maxnreg = [64]",
       "spec: t.ptx:15: maxnreg: the text has no .maxnreg (write `.maxnreg 64` behind the "
       "parameters, or take it out of the head)"},
      {"warps = [1]", "warps = [2]",
       "spec: t.ptx:6: role consumer: warp 2 of 64 threads (warps 0 to 1)"},
      {"warps = [1]", "cta = 1, warps = [1]",
       "spec: t.ptx:6: role consumer: cta 1 of a cluster of 1 (write the cluster's size as "
       "`cluster_size` of [launch])"},
      {"timed_role = \"consumer\"", "timed_role = \"both\"",
       "spec: t.ptx:14: timed_role: no warp is both (name one of the roles)"},
  };
  for (const Broken& row : rows) {
    std::string text = checked_head + checked_text;
    ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
    text.replace(text.find(row.from), row.from.size(), row.to);
    const Status status = check(text);
    ASSERT_FALSE(status) << row.message;
    EXPECT_EQ(status.error().text(), row.message);
  }
}

}  // namespace
}  // namespace phasebit
