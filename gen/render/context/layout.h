// The names that do not belong to a role: threads, arrivals, shared memory, payload.
#pragma once

#include "gen/probes/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

void add_resources(nlohmann::json& context, const probes::Plan& plan);
void add_layout(nlohmann::json& context, const probes::Plan& plan);
// The matrices that a work multiplies, and the registers of their product.
void add_product(nlohmann::json& context, const probes::Plan& plan);
void add_payload(nlohmann::json& context, const probes::Plan& plan);
// What of a slot is read back after the roles, and how.
void add_read_back(nlohmann::json& context, const probes::Plan& plan);
// pb.NAME: the offset of a field of the kernel's parameter block (core/image/abi.h); pb.bytes.
void add_parameter_block(nlohmann::json& context);

}  // namespace phasebit::render::context
