// The names of one role: cursor, tokens, who arrives, the steps through the ring, the slots.
#pragma once

#include "gen/probes/plan.h"

#include <string>

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

// `r` is "p" for the producer, "c" for the consumer.
nlohmann::json role_context(const probes::Plan& plan, const std::string& r);

}  // namespace phasebit::render::context
