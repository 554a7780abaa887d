// Heads: what is written is what was read, and what is said of a head that is wrong.
#include "core/ptx/head/head.h"

#include "tests/ptx/heads.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::Role;
using ptx::head::read_head;

namespace {

using test::Broken;
using test::lines_of;
using test::small_head;

// Every key once, in the order and form in which heads are written.
const std::string whole_head =
    "//@ format = 1\n"
    "//@ id = \"ring/mine/st_shared/none/tuned=fast\"\n"
    "//@ origin = \"file\"\n"
    "//@ doc = \"what was done by hand\"\n"
    "//@ build = \"guarded\"\n"
    "//@ roles = [\n"
    "//@   { role = \"producer\", warps = [0, 1], unit = 1, rank = 32 },\n"
    "//@   { role = \"consumer\", warps = [2], lanes = \"odd\", cta = 1, leaves_early = true },\n"
    "//@   { role = \"victim\", warps = [3], clock = false },\n"
    "//@   { role = \"none\", warps = [2], lanes = \"even\" },\n"
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
    "//@ payload = { words = 128, threads = 32, vector = 4, period = 37, "
    "tile = { map = \"tiles\", at = [0, -1], copies = 2 } }\n"
    "//@ readings = [\n"
    "//@   { name = \"polls\", unit = \"polls per item\", role = \"consumer\", index = 1 },\n"
    "//@ ]\n"
    "//@\n"
    "//@ [resources]\n"
    "//@ buffers = [\n"
    "//@   { name = \"payload_in\", bytes = 18944, parameter = 24 },\n"
    "//@   { name = \"table\", bytes = 4096, fill = \"random:7\" },\n"
    "//@   { name = \"log\", bytes = 64 },\n"
    "//@ ]\n"
    "//@ tensor_maps = [\n"
    "//@   { name = \"tiles\", buffer = \"payload_in\", element = \"f16\", sizes = [64, 148], "
    "box = [64, 1], swizzle = \"128B\", fill = \"nan\" },\n"
    "//@   { name = \"pixels\", buffer = \"table\", element = \"u8\", sizes = [16, 4, 4], "
    "strides = [16, 256], steps = [1, 2, 1], promotion = \"128B\", im2col = { lower = [-1], "
    "upper = [0], channels = 16, pixels = 8 } },\n"
    "//@ ]\n"
    "//@\n"
    "//@ [rules]\n"
    "//@ items_per_iteration = { consumer = 4, producer = 2 }\n"
    "//@ covers = [\n"
    "//@   { part = \"mine\", families = [\"hopper\", \"ada\"], ptxas = \">=11.8\" },\n"
    "//@ ]\n"
    "//@ verbs = [\n"
    "//@   { verb = \"wait\", role = \"consumer\", families = [\"hopper\"], ptxas = \">=12.4\", "
    "require = { \"SYNCS.PHASECHK*\" = 1 }, forbid = [\"NANOSLEEP*\"], "
    "ptx = { \"mbarrier.try_wait*\" = \"*, 100\" } },\n"
    "//@   { verb = \"*\", forbid = [\"LDL*\", \"STL*\"] },\n"
    "//@ ]\n";

TEST(Head, IsWrittenAsItWasRead) {
  const auto head = read_head(lines_of(whole_head, 12), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_EQ(ptx::head::write_head(*head), whole_head);
}

// `kept` belongs to `copied`; a tile without a map is the plan's alone.
TEST(Head, SaysOfASlotWhatItsOtherFieldsMean) {
  auto head = read_head(lines_of(small_head), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  launch::LaunchShape& launch = head->launch;
  launch.payload = {128, 32, 1, 37, {"", {0, 0}}, 0, 4, 0};
  EXPECT_NE(ptx::head::write_head(*head).find(
                "payload = { words = 128, threads = 32, period = 37, copied = 4, kept = 0 }\n"),
            std::string::npos);
  launch.payload.words_per_slot = 0;
  launch.data = {8192, 4096, 2};
  const std::string text = ptx::head::write_head(*head);
  EXPECT_NE(text.find("data = { bytes = 8192, tile = 4096, readers = 2 }\n"), std::string::npos);
  EXPECT_EQ(text.find("payload ="), std::string::npos);
}

TEST(Head, HoldsWhatItSays) {
  const auto head = read_head(lines_of(whole_head), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_EQ(head->build, launch::Build::guarded);
  EXPECT_EQ(head->key.value("num_stages"), "4");
  EXPECT_EQ(head->key.value("snippet.wait"), "a \"b\" \\");
  const launch::LaunchShape& launch = head->launch;
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
  EXPECT_EQ(head->where.at("threads"), "t.ptx:31");
  EXPECT_TRUE(head->own_components());
  ASSERT_EQ(head->idle.size(), 1U);
  EXPECT_EQ(head->idle[0].lane_stride, 2);
  ASSERT_EQ(launch.buffers.size(), 2U);  // payload_in is the payload's
  EXPECT_EQ(launch.buffers[0],
            (launch::Buffer{"table", 4096, {launch::BufferFill::Kind::random, 7}}));
  ASSERT_EQ(launch.tensor_maps.size(), 2U);
  EXPECT_EQ(launch.tensor_maps[0].strides, (std::vector<std::int64_t>{128}));  // 64 halves
  EXPECT_EQ(launch.tensor_maps[1].im2col->lower, (std::vector<int>{-1}));
  EXPECT_EQ(launch.payload.tile, (launch::TilePayload{"tiles", {0, -1}, 2}));
  EXPECT_EQ(launch.buffers[1], (launch::Buffer{"log", 64, {launch::BufferFill::Kind::word, 0}}));
}

void head_expect_broken(const std::vector<Broken>& rows) {
  for (const Broken& row : rows) {
    std::string text = small_head;
    ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
    text.replace(text.find(row.from), row.from.size(), row.to);
    const auto head = read_head(lines_of(text, 10), "t.ptx");
    ASSERT_FALSE(head) << row.message;
    EXPECT_EQ(head.error().text(), row.message);
  }
}

TEST(Head, SaysWhereItIsWrong) {
  const std::vector<Broken> rows = {
      {"//@ format = 1\n", "", "spec: t.ptx:10: format: missing (write `//@ format = 1`)"},
      {"format = 1", "format = 2", "spec: t.ptx:10: format: no format 2 (write `//@ format = 1`)"},
      {"id = \"a/b/c/d\"", "name = \"a\"",
       "spec: t.ptx:11: name: no such key (one of: format, id, origin, key, parent, launch, "
       "expects, resources, rules, doc, build, roles, ...)"},
      {"threads = 32", "thread = 32",
       "spec: t.ptx:16: thread: no such key (did you mean 'threads'?)"},
      {"//@ threads = 32\n", "",
       "spec: t.ptx:15: launch: lacks 'threads' (write `threads = 64`: the threads of a CTA)"},
      {"threads = 32", "threads = \"32\"", "spec: t.ptx:16: threads: must be a whole number"},
      {"threads = 32", "threads = -32", "spec: t.ptx:16: threads: -32 is out of range (1 to 1024)"},
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
  head_expect_broken(rows);
}

TEST(Head, SaysWhatItCannotAskFor) {
  const std::vector<Broken> rows = {
      {"threads = 32", "threads = 0", "spec: t.ptx:16: threads: 0 is out of range (1 to 1024)"},
      {"format = 1", "format = 1\n//@ origin = \"mine\"",
       "spec: t.ptx:11: origin: no origin 'mine' (did you mean 'file'?)"},
      {"{ role = \"consumer\", warps = [0] }", "{ role = \"none\", warps = [0], cta = 1 }",
       "spec: t.ptx:12: cta: no such key (one of: role, warps, lanes)"},
      {"[launch]", "[resources]\n//@ tensor_maps = [{ name = \"a\" }]\n//@ [launch]",
       "spec: t.ptx:16: tensor_maps: lacks 'buffer'"},
      {"[launch]",
       "[resources]\n//@ tensor_maps = [{ name = \"a\", buffer = \"b\", swizzle = \"128\" }]\n//@ "
       "[launch]",
       "spec: t.ptx:16: swizzle: no swizzle '128' (did you mean '128B'?)"},
      {"[launch]",
       "[resources]\n//@ tensor_maps = [{ name = \"a\", buffer = \"b\", box = [\"8\"] }]\n//@ "
       "[launch]",
       "spec: t.ptx:16: box: holds what is not a whole number, or one out of range"},
      {"[launch]", "[resources]\n//@ buffers = [{ name = \"a\" }]\n//@ [launch]",
       "spec: t.ptx:16: buffers: lacks 'bytes' (write `bytes = 4096`)"},
      {"[launch]",
       "[resources]\n//@ buffers = [{ name = \"a\", bytes = 4, fill = \"zeros\" }]\n//@ [launch]",
       "spec: t.ptx:16: fill: no fill 'zeros' (zero, none, index, random:SEED, blocks:SEED, "
       "signs:SEED, normal:SEED, uniform:SEED, special:SEED, rare:SEED, "
       "bf16:normal:SEED (or another of these four), indices:MIX:BOUND:SEED or a number)"},
      {"[launch]",
       "[resources]\n//@ buffers = [{ name = \"a\", bytes = 4, parameter = 24 }]\n//@ [launch]",
       "spec: t.ptx:16: parameter: 'a' has no place in the parameter block (leave it out: it is "
       "the parameter `.param .u64 a` of the entry)"},
      {"[launch]",
       "[resources]\n//@ buffers = [{ name = \"a\", bytes = 4 }, { name = \"a\", bytes = 8 }]\n//@ "
       "[launch]",
       "spec: t.ptx:16: name: 'a' is there twice (each buffer has its own name)"},
      {"[launch]",
       "[resources]\n//@ buffers = [{ name = \"payload_in\", bytes = 4, parameter = 24 }]\n//@ "
       "[launch]",
       "spec: t.ptx:16: name: nothing is copied: the payload has no `period` (a buffer of another "
       "name is a parameter of the entry)"},
  };
  head_expect_broken(rows);
}

}  // namespace
}  // namespace phasebit::test
