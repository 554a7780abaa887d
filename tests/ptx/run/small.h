// Small kernels and what a run of them finds.
#pragma once

#include "core/ptx/run/machine.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

struct SmallLaunch {
  int threads = 64, ctas = 1, cluster = 1;
  std::uint32_t seed = 0;
};

// A kernel with 1024 bytes of shared memory `ring`, and one parameter `out` that points to 4096
// bytes. `body` may use what these lines declare.
inline std::string small_kernel(const std::string& body) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n"
         ".visible .entry small(.param .u64 out)\n{\n"
         ".shared .align 256 .b8 ring[1024];\n"
         ".reg .b32 tid, lane, warp, r<16>;\n.reg .b64 d<8>;\n.reg .pred p<8>, leader, first;\n"
         "mov.u32 tid, %tid.x;\nand.b32 lane, tid, 31;\nshr.u32 warp, tid, 5;\n"
         "setp.eq.u32 leader, lane, 0;\nsetp.eq.u32 first, tid, 0;\nld.param.u64 d0, [out];\n" +
         body + "exit;\n}\n";
}

inline ptx::run::RunOutcome run_small(const std::string& body, const SmallLaunch& small = {}) {
  const auto file = ptx::read_ptx(small_kernel(body), "small.ptx");
  EXPECT_TRUE(file) << file.error().text();
  const auto program = ptx::run::decode(*file, *file->entries().front());
  EXPECT_TRUE(program) << program.error().text();
  if (!program) return {};
  ptx::run::RunLaunch launch;
  launch.grid = {small.ctas, 1, 1};
  launch.block = {small.threads, 1, 1};
  launch.cluster = {small.cluster, 1, 1};
  launch.buffers = {{"out", 4096, {}}};
  ptx::run::put_parameter(launch, 0, ptx::run::address_of_buffer(0), 8);
  ptx::run::RunOptions options;
  options.most_steps = 1'000'000;
  options.seed = small.seed;
  return ptx::run::run_launch(*program, launch, options);
}

// "race: writes byte 0 of shared memory, ..." of each finding other than notes, in order.
inline std::vector<std::string> found_by(const ptx::run::RunOutcome& outcome) {
  std::vector<std::string> found;
  for (const ptx::run::Finding& one : outcome.findings)
    if (one.grade != ptx::run::Grade::note)
      found.push_back(std::string(to_string(one.kind)) + ": " + one.what);
  return found;
}

}  // namespace phasebit::test
