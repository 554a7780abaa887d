// What the plan and the templates' names depend on in a protocol.
#pragma once

#include "core/image/variant_key.h"
#include "gen/plan.h"

#include <string>
#include <string_view>

namespace phasebit {

struct ProtocolTraits {
  std::string_view protocol;
  bool addresses = false;  // each slot has two words, of which a role keeps the address
  bool laps = false;       // a role counts its laps of the ring, beside their parity
  int checked = 0;         // barriers or flags of a slot whose end state is read back
  int response_bytes = 0;  // that the hardware writes for a slot, beside the payload
};

// Of a protocol that is not listed: nothing.
const ProtocolTraits& traits_of(const std::string& protocol);

// Arrivals that complete a phase of a full and of an empty barrier (or flag).
struct Arrivals {
  int full = 0, empty = 0;
};
Arrivals arrivals_of(const VariantKey& variant, const Plan& plan);

}  // namespace phasebit
