// Whom the code of a kernel calls, and what is known of that.
#pragma once

#include "analysis/flow/flow.h"

#include <string_view>
#include <vector>

namespace phasebit::flow {

// Whether an instruction calls a function. A jump that is written as CALL does not.
bool calls_function(const cubin::Instruction& instruction);

// The function that a call names: "f" of "CALL.ABS.NOINC f"; what stands there where it goes by a
// register.
std::string_view callee_of(const cubin::Instruction& call);

// The function of that name in the kernel's own section, or null.
const cubin::FunctionCode* find_function(const cubin::SassKernel& kernel, std::string_view name);

// By instruction: calls that say nothing of synchronisation, since they are of functions that ptxas
// brings along ("$__internal_0_$__cuda_sm70_warpsync", by which it joins the lanes of a warp before
// Hopper) and whose code, looked into, holds none. All other calls have to be counted by a rule.
std::vector<bool> find_plain_calls(const cubin::SassKernel& kernel);

}  // namespace phasebit::flow
