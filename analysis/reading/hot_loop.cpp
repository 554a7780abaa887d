#include "analysis/reading/hot_loop.h"

#include "analysis/flow/spins.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace phasebit::reading {

using cubin::SassKernel;

namespace {

bool tries(std::string_view opcode) {
  return opcode.starts_with("SYNCS.PHASECHK") || opcode.find("TRY") != std::string_view::npos ||
         opcode.starts_with("NANOSLEEP");
}

// HFMA2.MMA with zeros is how ptxas writes some constants, so it says nothing.
bool works(std::string_view opcode) {
  constexpr std::array<std::string_view, 21> stems = {
      "ST",     "RED",  "ATOM",         "SUATOM", "UTMA", "UBLK",  "UTC",
      "LDGSTS", "LDSM", "SYNCS.ARRIVE", "FADD",   "FMUL", "FFMA",  "HADD",
      "HMUL",   "DADD", "DMUL",         "DFMA",   "MUFU", "HFMA2", "FMNMX"};
  if (opcode.starts_with("HFMA2.MMA")) return false;
  if (opcode.substr(0, opcode.find('.')).ends_with("MMA")) return true;
  return std::any_of(stems.begin(), stems.end(),
                     [&](std::string_view stem) { return opcode.starts_with(stem); });
}

}  // namespace

std::vector<int> loop_depths(const SassKernel& kernel, const CodeLoops& loops) {
  std::vector<int> depth(kernel.instructions.size(), 0);
  for (const CodeLoop& loop : loops.loops)
    for (const std::uint32_t address : loop.addresses) {
      int& one = depth[address / cubin::instruction_bytes];
      one = std::max(one, loop.depth);
    }
  return depth;
}

std::vector<bool> waiting_loops(const SassKernel& kernel, const CodeLoops& loops) {
  const std::vector<bool> spins = flow::find_spins(kernel);
  std::vector<bool> waits;
  for (const CodeLoop& loop : loops.loops) {
    bool found_try = false, found_work = false;
    for (const std::uint32_t address : loop.own_addresses) {
      const std::size_t index = address / cubin::instruction_bytes;
      const std::string& opcode = kernel.instructions[index].opcode;
      found_try |= spins[index] || tries(opcode);
      found_work |= works(opcode);
    }
    waits.push_back(found_try && !found_work);
  }
  return waits;
}

std::optional<std::size_t> hottest_loop(const SassKernel& kernel, const CodeLoops& loops) {
  const std::vector<bool> waits = waiting_loops(kernel, loops);
  const auto heat = [&](std::size_t i) {
    const CodeLoop& loop = loops.loops[i];
    return std::tuple(loop.depth, loop.own.issue_cycles, loop.own.instructions);
  };
  std::optional<std::size_t> hottest;
  for (std::size_t i = 0; i < loops.loops.size(); ++i)
    if (!waits[i] && (!hottest || heat(i) > heat(*hottest))) hottest = i;
  return hottest;
}

}  // namespace phasebit::reading
