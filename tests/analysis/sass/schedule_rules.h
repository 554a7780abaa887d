// What the control fields of correct code must hold, whatever the code does: the test of their
// decoding. The rules are those of the hardware interface, not of a listing: a result that comes at
// an unknown time is guarded by a scoreboard, one that comes at a known time by the stall count.
#pragma once

#include "analysis/cubin/instruction.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::test {

struct ScheduleReport {
  std::size_t instructions = 0;
  std::map<std::string, std::size_t> checked;  // by rule: how often it had something to say
  std::map<std::string, std::size_t> broken;
  std::vector<std::string> lines;  // the first of each rule that is broken: kernel, place, why
};
void add(ScheduleReport& sum, const ScheduleReport& more);

// Rules, by their names:
//  zeros      bits 92..104 and 125..127 of the word are 0
//  stall      the 5-bit value of stall count and yield bit is none of 16 and 28..31
//  reuse      as many reuse bits as operands that nvdisasm prints with ".reuse", all of them R
//  fixed      an instruction of fixed latency has no write scoreboard
//  result     a result of unknown latency is neither used nor overwritten before a wait for its
//             scoreboard, or for one of a later instruction of the same unit (units answer in
//             order), on any path
//  source     an operand that is read late (stores, and whatever has a read scoreboard) is not
//             overwritten before such a wait
//  someone    a scoreboard that is waited for was set by an instruction on a path to here
//  distance   a result of the 4-cycle pipeline is not used less than 4 issue cycles later (Jia et
//             al., "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", 2019, table 4.1)
// Kernels with a branch that cannot be followed are counted under "not followed" and checked by the
// rules of single words alone.
ScheduleReport check_schedule(const cubin::SassKernel& kernel);

}  // namespace phasebit::test
