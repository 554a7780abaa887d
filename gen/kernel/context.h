// The names a template may use, with their values for one variant. templates/README.md lists them.
#pragma once

#include "gen/kernel/plan.h"

#include <string>

#include <nlohmann/json.hpp>

namespace phasebit::kernel {

// An object: every axis by its name, `is.AXIS.VALUE`, the plan's figures, the flags and numbers of
// the components, and the objects `producer` and `consumer` (and `both`) with the names of that
// role's registers. Step::spec when a flag or number cannot be evaluated.
Result<nlohmann::json> make_context(const space::Catalogue& catalogue,
                                    const launch::VariantKey& variant, const Plan& plan,
                                    const std::string& entry);

// The names of one role: cursor, tokens, which threads arrive, the steps through the ring, the
// slots.

// `r` is "p" for the producer, "c" for the consumer.
nlohmann::json role_context(const Plan& plan, const std::string& r);

// The names of a slot: its barriers, its payload, the moves of one thread, the slot ahead of it.

// Addresses of the slot that is `offset` slots up from the slot register of role `r` ("p" or "c").
nlohmann::json slot_names(const Plan& plan, const std::string& r, int offset);

// The moves of one thread in the slot that is `offset` slots up: "stores" of the producers' role,
// "loads" of the consumers'.
void add_moves(nlohmann::json& slot, const Plan& plan, const RolePlan& role, const std::string& r,
               int offset);

// The steps of a work that multiplies the matrices of that slot.
void add_product_steps(nlohmann::json& slot, const Plan& plan, int offset);

// One object for each copy of the loop's body: one, or as many as slots are unrolled.
nlohmann::json make_slots(const Plan& plan, const RolePlan& role, const std::string& r, int ahead);

// The names that the templates of one probe need, or that mean something else there.

// Adds to the finished context of a variant (gen/kernel/context.h).
void add_probe_names(nlohmann::json& context, const launch::VariantKey& variant, const Plan& plan);

}  // namespace phasebit::kernel
