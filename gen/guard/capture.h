// PTX that brings a register, a number or an address into a 64-bit register of the guard's.
#pragma once

#include "core/ptx/flow/flow.h"

#include <string>
#include <vector>

namespace phasebit::guard {

// `to` gets the value of the operand; nothing where the guard cannot have it (128 bits, a name).
// `guard` ("@p", or "") stands in front of each statement.
std::vector<std::string> capture_value(const ptx::PtxScopes& scopes, int scope,
                                       const std::string& operand, const std::string& to,
                                       const std::string& guard);

// The same for "[%rd1+8]" or "[flags+4]".
std::vector<std::string> capture_address(const ptx::PtxScopes& scopes, int scope,
                                         const std::string& operand, const std::string& to,
                                         const std::string& guard);

}  // namespace phasebit::guard
