// Kernels that hang on purpose, one for each kind of wait, and a clean one that takes long. All of
// warp 0 runs the body (both warps where there are two); they obey the ABI up to where they hang.
#pragma once

#include "tests/bench/hand_kernel.h"

#include <string>
#include <vector>

namespace phasebit::test {

struct HangingKernel {
  const char* name;
  const char* body;
  // Parts of the error that the bench must report, in this order; none: it must run. " || " is
  // between alternatives.
  std::vector<const char*> expected;
  int threads = 32;
  int cluster_size = 1;
};

inline std::string hanging_kernel(const std::string& entry, const HangingKernel& kernel) {
  const std::string claim = kernel.cluster_size > 1 ? "mov.u32 cta, %cluster_ctarank;\n" : R"(
mov.u32 here, %smid;
setp.ne.u32 other, here, wanted;
@other exit;
setp.ne.u32 other, tid, 0;
@!other atom.global.add.u32 cta, [ticket], 1;
@!other st.shared.u32 [claimed], cta;
bar.sync 0;
ld.shared.u32 cta, [claimed];
setp.ne.u32 other, cta, 0;
@other exit;
)";
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + hand_prologue(entry) +
         ".shared .align 8 .b64 barrier, second;\n.shared .align 4 .b32 claimed, flag;\n" + claim +
         hand_clocks + R"(mov.u32 at, barrier;
setp.eq.u32 mine, tid, 0;
@mine mbarrier.init.shared.b64 [barrier], 2;
@mine mbarrier.init.shared.b64 [second], 1;
@mine st.shared.u32 [flag], 3;
bar.sync 0;
)" + kernel.body +
         hand_epilogue;
}

inline std::vector<HangingKernel> polling_kernels() {
  return {
      {"parity",
       "// [consumer wait] a.ptx:1\nL: mbarrier.try_wait.parity.shared.b64 done, [at], 0;\n@!done "
       "bra "
       "L;\n",
       {"deadlock: warp 0 lane ", "waits on ",
        "parity 0 at parity.ptx:", "(a.ptx:1, consumer wait, cta ", "2 of 2 arrivals || word 0x"}},
      {"state",
       "// [consumer wait] a.ptx:2\nsetp.ne.u32 other, lane, 0;\n@other bra D;\n"
       "mbarrier.arrive.noComplete.shared.b64 state, [at], 1;\nL: "
       "mbarrier.test_wait.shared.b64 done, [at], state;\n@!done bra L;\nD:\n",
       {"deadlock: warp 0 lane ", "waits on ", "state 0x",
        "at state.ptx:", "(a.ptx:2, consumer wait"}},
      {"library_loop",
       "// [consumer wait] a.ptx:3\n{\n.reg .pred complete;\nL_try:\n"
       "mbarrier.try_wait.parity.shared::cta.b64 complete, [at], 0;\n@complete bra L_done;\nbra "
       "L_try;\nL_done:\n}\n",
       {"deadlock: warp 0 lane ", "parity 0 at library_loop.ptx:", "(a.ptx:3"}},
      {"reads_a_clock_and_never_leaves_by_it",
       "// [consumer wait] a.ptx:4\nL: mbarrier.try_wait.parity.shared.b64 done, [at], 0;\n@done "
       "bra "
       "D;\nmov.u64 now, %globaltimer;\nsub.u64 now, now, since;\nsetp.gt.u64 other, now, "
       "100000;\n@other nanosleep.u32 1000;\nbra L;\nD:\n",
       {"deadlock: warp 0 lane ",
        "parity 0 at reads_a_clock_and_never_leaves_by_it.ptx:", "(a.ptx:4"}},
      {"flag",
       "// [consumer wait] a.ptx:5\nL: ld.volatile.shared.u32 value, [flag];\nsetp.eq.u32 done, "
       "value, 4;\n@!done bra L;\n",
       {"deadlock: warp 0 lane ", "waits for ", "= 4, found 3, at flag.ptx:", "(a.ptx:5"}},
      {"one_lane_polls",
       "// [consumer wait] a.ptx:6\nmov.u32 value, 0;\nsetp.ne.u32 other, lane, 0;\nL:\n@other bra "
       "S;\nld.volatile.shared.u32 value, [flag];\nS:\nshfl.sync.idx.b32 value, value, 0, 31, "
       "0xffffffff;\nsetp.eq.u32 done, value, 4;\n@!done bra L;\n",
       {"deadlock: warp 0 lane ", "= 4, found 3, at one_lane_polls.ptx:", "(a.ptx:6"}},
  };
}

// Polls that are ordinary loads, values that go through local memory, exits by a table; and loops
// that leave by what they load and are not waits: they last longer than the limit.
inline std::vector<HangingKernel> memory_kernels() {
  return {
      {"ordinary_load",
       "// [consumer wait] a.ptx:11\nL: ld.shared.u32 value, [flag];\nmembar.cta;\nsetp.eq.u32 "
       "done, value, 4;\n@!done bra L;\n",
       {"deadlock: warp 0 lane ", "waits for ",
        "= 4, found 3, at ordinary_load.ptx:", "(a.ptx:11, consumer wait"}},
      {"generic_load",
       "// [consumer wait] a.ptx:12\nmov.u64 far, flag;\ncvta.shared.u64 far, far;\nL: ld.u32 "
       "value, "
       "[far];\nmembar.cta;\nsetp.eq.u32 done, value, 4;\n@!done bra L;\n",
       {"deadlock: warp 0 lane ", "= 4, found 3, at generic_load.ptx:", "(a.ptx:12"}},
      {"through_local_memory",
       "// [consumer wait] a.ptx:13\n{\n.local .align 8 .b8 depot[16];\n.reg .b64 base, own, "
       "place;\nmov.u64 base, depot;\ncvta.local.u64 own, base;\nadd.u64 place, own, 8;\nst.u32 "
       "[place], 0;\nL: ld.volatile.u32 value, [own+8];\nsetp.ne.u32 other, value, 0;\n@other bra "
       "D;\nmbarrier.try_wait.parity.shared.b64 done, [at], 0;\nselp.b32 value, 1, 0, "
       "done;\nst.u32 "
       "[place], value;\nbra L;\nD:\n}\n",
       {"deadlock: warp 0 lane ", "parity 0 at through_local_memory.ptx:", "(a.ptx:13"}},
      {"exit_by_table",
       "// [consumer wait] a.ptx:14\nL: ld.volatile.shared.u32 value, [flag];\nts: .branchtargets "
       "D, "
       "D, D, L, D;\nbrx.idx value, ts;\nD:\n",
       {"deadlock: warp 0 lane ", "found 3, at exit_by_table.ptx:", "(a.ptx:14"}},
      // Each look lasts 1 ms, and 300 of them 300 ms: nothing of the grid ends meanwhile.
      {"clean_search",
       "mov.u64 far, flag;\ncvta.shared.u64 far, far;\nmov.u32 value, 0;\nL: ld.volatile.u32 id, "
       "[far];\nmul.lo.u32 id, id, 100;\nadd.u32 value, value, 1;\nnanosleep.u32 1000000;\n"
       "setp.lt.u32 other, value, id;\n@other bra L;\nmov.u32 value, 0;\nM: ld.u32 id, "
       "[far];\nmul.lo.u32 id, id, 100;\nadd.u32 value, value, 1;\nnanosleep.u32 1000000;\n"
       "setp.ne.u32 other, value, id;\n@other bra M;\n",
       {}},
      // Items of 1 ms each, whose wait is at the head of their loop: it ends with each of them.
      {"clean_items",
       "mov.u32 value, 0;\n@!mine bra D;\nI: mbarrier.try_wait.parity.shared.b64 done, [second], "
       "1;\n@!done bra I;\nadd.u32 value, value, 1;\nnanosleep.u32 1000000;\nsetp.lt.u32 other, "
       "value, 300;\n@other bra I;\nD:\n",
       {}},
  };
}

inline std::vector<HangingKernel> barrier_kernels() {
  return {
      {"barrier_by_register",
       "// [producer acquire] a.ptx:7\nadd.u32 id, cta, 5;\nbar.sync id, 64;\n",
       {"deadlock: warp 0 lane ",
        "waits at barrier 5 with 32 of 64 arrivals at barrier_by_register.ptx:",
        "(a.ptx:7, producer acquire"}},
      {"barrier_of_the_cta",
       "// [consumer wait] a.ptx:8\nsetp.ge.u32 other, tid, 32;\n@other bra W;\nbar.sync 3;\nbra "
       "D;\nW:\nmbarrier.try_wait.parity.shared.b64 done, [at], 0;\n@!done bra W;\nD:\n",
       {"deadlock: warp ",
        "waits at barrier 3 with 32 of 64 arrivals || parity 0 at barrier_of_the_cta.ptx:",
        "(a.ptx:8"},
       64},
      {"barrier_of_the_cluster",
       "// [both wait] a.ptx:9\nsetp.eq.u32 other, cta, 0;\n@other bra C;\nW:\n"
       "mbarrier.try_wait.parity.shared.b64 done, [at], 0;\n@!done bra W;\nC:\n"
       "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
       {"deadlock: warp 0 lane ",
        "waits at the cluster barrier with 32 of 64 arrivals || parity 0 at "
        "barrier_of_the_cluster.ptx:",
        "(a.ptx:9"},
       32,
       2},
      {"remote_barrier",
       "// [consumer wait] a.ptx:10\nxor.b32 rank, cta, 1;\nmapa.shared::cluster.u32 id, at, "
       "rank;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
       "@mine mbarrier.arrive.release.cluster.shared::cluster.b64 _, [id];\nW:\n"
       "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [at], 0;\n@!done bra W;\n"
       "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
       {"deadlock: warp 0 lane ", "parity 0 at remote_barrier.ptx:", "(a.ptx:10"},
       32,
       2},
      // One warp waits for 600 ms, while waits of the other end every millisecond.
      {"clean_for_ten_limits",
       "setp.ge.u32 other, tid, 32;\n@other bra W;\nmov.u32 value, 0;\n@!mine bra D;\nI:\n"
       "mbarrier.arrive.shared.b64 state, [second];\nA: mbarrier.try_wait.shared.b64 done, "
       "[second], "
       "state;\n@!done bra A;\nnanosleep.u32 500000;\nmov.u64 now, %globaltimer;\nsub.u64 now, "
       "now, "
       "since;\nsetp.lt.u64 other, now, 600000000;\n@other bra I;\n"
       "mbarrier.arrive.shared.b64 state, [at];\nmbarrier.arrive.shared.b64 state, [at];\nbra D;\n"
       "W: mbarrier.try_wait.parity.shared.b64 done, [at], 0;\n@!done bra W;\nD:\nbar.sync 0;\n",
       {},
       64},
  };
}

// A stranger's kernel, with parameters of its own: it waits until the word of its buffer is 4.
inline const char* const waiting_stranger =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry stranger(.param .u64 flag, .param .u32 n)\n{\n"
    ".reg .b64 at;\n.reg .b32 value, left;\n.reg .pred done;\n"
    "ld.param.u64 at, [flag];\nld.param.u32 left, [n];\n"
    "L: ld.volatile.global.u32 value, [at];\nsetp.eq.u32 done, value, 4;\n@!done bra L;\n"
    "W: nanosleep.u32 20;\nsub.u32 left, left, 1;\nsetp.ne.u32 done, left, 0;\n@done bra W;\n"
    "ret;\n}\n";
inline constexpr int waiting_stranger_line = 11;  // of its poll

inline std::vector<HangingKernel> hanging_kernels() {
  std::vector<HangingKernel> all = polling_kernels();
  for (const HangingKernel& one : memory_kernels()) all.push_back(one);
  for (const HangingKernel& one : barrier_kernels()) all.push_back(one);
  return all;
}

}  // namespace phasebit::test
