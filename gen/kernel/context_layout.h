// The names that do not belong to a role: threads, arrivals, shared memory, payload.
#pragma once

#include "gen/kernel/plan.h"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace phasebit::kernel {

void add_resources(nlohmann::json& context, const Plan& plan);
void add_layout(nlohmann::json& context, const Plan& plan);
// The matrices that a work multiplies, and the registers of their product.
void add_product(nlohmann::json& context, const Plan& plan);
void add_payload(nlohmann::json& context, const Plan& plan);
// What of a slot is read back after the roles, and how.
void add_read_back(nlohmann::json& context, const Plan& plan);
// pb.NAME: the offset of a field of the kernel's parameter block (core/launch/abi.h); pb.bytes.
void add_parameter_block(nlohmann::json& context);

// The names that components add: their flags and numbers.

// To a finished context (gen/kernel/context.h). What names a figure of one role alone
// (own_threads, own_warps, own_lanes) is known in the objects `producer` and `consumer`, the rest
// everywhere. Step::spec when an expression cannot be evaluated.
Status add_component_names(nlohmann::json& context, const space::Catalogue& catalogue,
                           const launch::VariantKey& variant, const Plan& plan);

// Numbers as they are in PTX.

std::string hex(std::uint32_t value);  // "0x0000002a"

// ceil(2^32 / divisor) for divisor >= 2: mul.hi with it divides exactly where dividend * divisor is
// below 2^32. ptxas would make a division of twenty instructions.
std::string reciprocal(int divisor);

}  // namespace phasebit::kernel
