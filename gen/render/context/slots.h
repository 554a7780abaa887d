// The names of a slot: its barriers, its payload, the moves of one thread, the slot ahead of it.
#pragma once

#include "gen/probes/plan.h"

#include <string>

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

// Addresses of the slot that is `offset` slots up from the slot register of role `r` ("p" or "c").
nlohmann::json slot_names(const probes::Plan& plan, const std::string& r, int offset);

// The moves of one thread in the slot that is `offset` slots up: "stores" of the producers' role,
// "loads" of the consumers'.
void add_moves(nlohmann::json& slot, const probes::Plan& plan, const probes::RolePlan& role,
               const std::string& r, int offset);

// The steps of a work that multiplies the matrices of that slot.
void add_product_steps(nlohmann::json& slot, const probes::Plan& plan, int offset);

// One object for each copy of the loop's body: one, or as many as slots are unrolled.
nlohmann::json make_slots(const probes::Plan& plan, const probes::RolePlan& role,
                          const std::string& r, int ahead);

}  // namespace phasebit::render::context
