// A head that contradicts its text, or itself.
#include "tests/ptx/checked_head.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

std::string sound_file(std::string head) {
  return preamble + head.append(checked_text);
}

TEST(Head, AgreesWithItsText) {
  const Status status = check(preamble + checked_head + checked_text);
  EXPECT_TRUE(status) << status.error().text();
}

TEST(Head, SaysWhatContradictsItsText) {
  const std::vector<Broken> rows = {
      {"pb[96]", "pb[64]",
       "spec: t.ptx:11: launch: 'k' does not take the parameter block of 96 bytes (write "
       "`k(.param .align 8 .b8 pb[96])`)"},
      {"// [consumer clock_end] common/clock_end.ptx:1\n", "",
       "spec: t.ptx:6: role consumer: the head declares its clock, the text reads none below "
       "[consumer clock_end] (read %clock64 below a heading `// [consumer clock_end] ...`)"},
      {"// [producer clock_start] common/clock_start.ptx:1\n", "",
       "spec: t.ptx:6: role producer: the head declares its clock, the text reads none below "
       "[producer clock_start] (read %clock64 below a heading `// [producer clock_start] ...`, or "
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
       "spec: t.ptx:12: threads: 60 is not a multiple of 32 (a CTA is made of whole warps)"},
      {"reqntid = [64, 1, 1]", "reqntid = [96, 1, 1]",
       "spec: t.ptx:15: reqntid: [96, 1, 1], the text has .reqntid 64, 1, 1 (write `reqntid = "
       "[64, 1, 1]`)"},
      {"reqntid = [64, 1, 1]", "maxnreg = [64]",
       "spec: t.ptx:15: maxnreg: the text has no .maxnreg (write `.maxnreg 64` after the "
       "parameters, or take it out of the head)"},
      {"warps = [1]", "warps = [2]",
       "spec: t.ptx:6: role consumer: warp 2 of 64 threads (warps 0 to 1, or write `threads = "
       "96`)"},
      {"warps = [1]", "warps = [32]",
       "spec: t.ptx:6: role consumer: warp 32 of 64 threads (warps 0 to 1)"},
      {"warps = [1]", "warps = [-1]",
       "spec: t.ptx:6: role consumer: warp -1 of 64 threads (warps 0 to 1)"},
      {"warps = [1]", "cta = 1, warps = [1]",
       "spec: t.ptx:6: role consumer: cta 1 of a cluster of 1 (write the cluster's size as "
       "`cluster_size` of [launch])"},
      {"role = \"consumer\", warps = [1]", "role = \"consumer\", clock = false, warps = [1]",
       "spec: t.ptx:6: role consumer: it is the timed role, whose clocks are the figure (leave out "
       "`clock = false`)"},
      {"timed_role = \"consumer\"", "timed_role = \"both\"",
       "spec: t.ptx:14: timed_role: no warp is both (name one of the roles)"},
  };
  for (const Broken& row : rows) expect_broken(sound_file(checked_head), row);
}

// What a head says that cannot be, whatever the text is.
void expect_all_broken(const std::vector<Broken>& rows) {
  for (const Broken& row : rows) {
    std::string head = checked_head;
    if (row.from.starts_with(".target"))
      head.replace(head.find("threads = 64"), 12, "threads = 64\n//@ cluster_size = 2");
    expect_broken(sound_file(head), row);
  }
}

TEST(Head, SaysWhoHasNoRoleOrTwo) {
  expect_all_broken({
      {", { role = \"consumer\", warps = [1] }",
       ", { role = \"consumer\", warps = [1], lanes = \"odd\" }",
       "spec: t.ptx:6: roles: half of the threads of warp 1 have no role (write `{ role = "
       "\"none\", "
       "warps = [1], lanes = \"even\" }` if they do nothing)"},
      {"{ role = \"producer\", warps = [0] }, ", "",
       "spec: t.ptx:6: roles: the threads of warp 0 have no role (write `{ role = \"none\", warps "
       "= "
       "[0] }` if they do nothing)"},
      {"warps = [1]", "warps = [0]",
       "spec: t.ptx:6: role consumer: threads of warp 0 are producer already (split the warp by "
       "`lanes = \"even\"` and \"odd\", or write one role \"both\")"},
      {"warps = [1]", "warps = [1, 2]",
       "spec: t.ptx:6: role consumer: warp 2 of 64 threads (warps 0 to 1, or write `threads = "
       "96`)"},
      {"threads = 64", "threads = 2048",
       "spec: t.ptx:12: threads: 2048 is out of range (1 to 1024)"},
  });
}

TEST(Head, SaysWhatHasNoPlaceInSharedMemory) {
  expect_all_broken({
      {", arrivals = 1", "",
       "spec: t.ptx:7: barrier full: no arrivals complete a phase (write `arrivals = 1`: the count "
       "of its mbarrier.init)"},
      {", arrivals = 1", ", arrivals = 1, stride = 0",
       "spec: t.ptx:7: barrier full: byte 0 is barrier full's already (give each slot of each "
       "barrier a place of its own by `base` and `stride`)"},
      {"count = 4", "stride = 232448, count = 2147483647",
       "spec: t.ptx:7: count: 2147483647 is out of range (1 to 29056)"},
      {"arrivals = 1 }", "arrivals = 1 }, { name = \"empty\", kind = \"flag\", base = 24 }",
       "spec: t.ptx:7: barrier empty: byte 24 is barrier full's already (give each slot of each "
       "barrier a place of its own by `base` and `stride`)"},
      {"arrivals = 1 }",
       "arrivals = 1 }, { name = \"a\", kind = \"named\", base = 1, count = 3 }, { name = \"b\", "
       "kind "
       "= \"named\", base = 3 }",
       "spec: t.ptx:7: barrier b: id 3 is barrier a's already (give each slot of each barrier a "
       "place of its own by `base` and `stride`)"},
  });
}

TEST(Head, SaysWhatARunCannotLeaveBehind) {
  expect_all_broken({
      {"[launch]", "[expects]\n//@ phases = 5\n//@ [launch]",
       "spec: t.ptx:12: phases: 5 are verified, and all slots have 4 barriers (write `phases = 4` "
       "or less)"},
      {"kind = \"mbarrier\", base = 0, count = 4, arrivals = 1 }]",
       "kind = \"named\", base = 0 }]\n//@ expects = { phases = 1 }",
       "spec: t.ptx:8: phases: 1 are verified, and the head has no barriers in shared memory (list "
       "the barriers, or leave `phases` out)"},
      {"[launch]", "[expects]\n//@ payload = { words = 32, threads = 32 }\n//@ [launch]",
       "spec: t.ptx:12: payload: 4 slots of 32 words have 512 bytes, the barriers leave 0 (write "
       "`shared_bytes = 544` or more in [launch])"},
      {"[launch]",
       "[expects]\n//@ payload = { words = 768, threads = 64, period = 37, product = { rows = 16, "
       "columns = 8 } }\n//@ [launch]",
       "spec: t.ptx:12: payload: product: 64 threads multiply 32 rows, 16 are read (mend "
       "`product`, "
       "`words` or `threads`)"},
      {"[launch]", "[expects]\n//@ payload = { words = 48, threads = 32 }\n//@ [launch]",
       "spec: t.ptx:12: payload: 48 words do not go into reads of 1 words by 32 threads (write a "
       "multiple of 32 as `words`)"},
      {"[launch]",
       "[expects]\n//@ readings = [{ name = \"p\", unit = \"poll an item\", role = \"consumer\" "
       "}]\n//@ [launch]",
       "spec: t.ptx:12: reading p: unit 'poll an item': it does not begin with what it counts (did "
       "you "
       "mean 'polls'?)"},
      {"[launch]",
       "[expects]\n//@ readings = [{ name = \"p\", unit = \"polls\", role = \"victim\" }]\n//@ "
       "[launch]",
       "spec: t.ptx:12: reading p: no warp is victim (name one of the roles)"},
      {"[launch]",
       "[expects]\n//@ readings = [{ name = \"p\", unit = \"polls\", role = \"consumer\", index = "
       "2 "
       "}]\n//@ [launch]",
       "spec: t.ptx:12: index: 2 is out of range (0 to 1)"},
      {"[launch]",
       "[expects]\n//@ readings = [{ name = \"p\", unit = \"polls\", role = \"consumer\" }, { name "
       "= "
       "\"q\", unit = \"ns\", role = \"consumer\" }]\n//@ [launch]",
       "spec: t.ptx:12: reading q: it is where 'p' is, index 0 of consumer (give each its own "
       "`index`)"},
  });
}

TEST(Head, SaysWhatCannotBeLaunched) {
  expect_all_broken({
      {"threads = 64", "threads = 64\n//@ unit = \"ns per item\"",
       "spec: t.ptx:13: unit: 'ns per item': the figure is of the timed role's clocks (write "
       "`unit = \"cycles per item\"`)"},
      {"threads = 64", "threads = 64\n//@ granule = 4\n//@ min_items = 6",
       "spec: t.ptx:14: min_items: 6 is not a multiple of the granule 4 (write `min_items = 8`)"},
      {"threads = 64", "threads = 64\n//@ granule = 4\n//@ min_items = 8\n//@ max_items = 10",
       "spec: t.ptx:15: max_items: 10 is not a multiple of the granule 4 (write `max_items = 12`)"},
      {"threads = 64", "threads = 64\n//@ min_items = 8\n//@ max_items = 4",
       "spec: t.ptx:14: max_items: 4, min_items is 8 (write `max_items = 8` or more, or leave it "
       "out)"},
      {"threads = 64", "threads = 64\n//@ cluster_size = 32",
       "spec: t.ptx:13: cluster_size: 32 is out of range (1 to 16)"},
      {".target sm_90", ".target sm_89",
       "spec: t.ptx:13: cluster_size: 2 CTAs, sm_89 has no clusters (write `.target sm_90`, or "
       "leave it out)"},
      {"threads = 64", "threads = 64\n//@ cluster_size = 2\n//@ ctas_per_sm = 2",
       "spec: t.ptx:13: cluster_size: a cluster has 1 CTA an SM (leave out `ctas_per_sm`)"},
      {"threads = 64", "threads = 64\n//@ second_rank = 1",
       "spec: t.ptx:13: second_rank: CTA 1 of a cluster of 1 (0 to 0, or write the cluster's size "
       "as `cluster_size`)"},
      {"\n.reqntid 64, 1, 1\n", "\n.reqntid 64, 1, 1\n.reqnctapercluster 4, 1, 1\n",
       "spec: t.ptx:4: cluster_size: 1, the text has .reqnctapercluster 4, 1, 1 (write "
       "`cluster_size = 4`)"},
  });
}

}  // namespace
}  // namespace phasebit::test
