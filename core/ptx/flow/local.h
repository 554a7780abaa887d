// A thread's own memory: which bytes of it a load or a store names. A compiler that does not
// optimise keeps there what others keep in registers.
#pragma once

#include "core/ptx/scope.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::ptx::flow {

// A register or a variable: the scope that declares it, and its name. Special registers
// ("%globaltimer") and what nothing declares have the scope -1.
using PtxName = std::pair<int, std::string>;

// "[%SP+8]", "[flags]": a register or variable, and bytes after it.
struct PtxAddress {
  std::string base;
  long offset = 0;
};
std::optional<PtxAddress> address_of(std::string_view operand);

// One name for each byte, as if it were a register: "depot[8]" to "depot[11]".
using PtxLocals = std::map<std::size_t, std::vector<PtxName>>;

struct PtxLocalUses {
  PtxLocals own;   // of loads and stores
  PtxLocals lent;  // of calls: what of them the callee gets an address of
};

// For the loads and stores of .local variables at fixed places: through registers that the function
// writes once, with an address made of mov, cvta, and an added number, generic ones too. Such an
// address that is an argument lends the callee all of the variable that the function itself uses.
PtxLocalUses locals_of(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes);

}  // namespace phasebit::ptx::flow
