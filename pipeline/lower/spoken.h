// What a verb is in IR and in PTX: the statements that synchronise or move data, each kind once.
#pragma once

#include "core/isa/forms.h"
#include "gen/render/render.h"

#include <set>
#include <string>
#include <vector>

namespace phasebit::pipeline::lower {

// Calls of NVVM intrinsics by their names without `llvm.nvvm.`, other instructions as they stand
// without result and operands: "mbarrier.arrive.scope.cta.space.cta", "atomicrmw add
// syncscope("block") release". Of the verb in the first role that has it.
std::vector<std::string> spoken_ir(const render::Rendered& ir, const std::string& verb);

// First words of the instructions that synchronise or move data: those of the forms, loads, stores
// and what else stands in verbs.
std::set<std::string> speaking_opcodes(const isa::FormTable& forms);

// "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2": of these opcodes, without guards.
std::vector<std::string> spoken_ptx(const render::Rendered& ptx, const std::string& verb,
                                    const std::set<std::string>& speaking);

// The opcodes and which operands are registers, literals or left out: what two spellings of one
// instruction have alike.
std::string shape_of(const std::vector<std::string>& ptx);

}  // namespace phasebit::pipeline::lower
