// From a variant's axes to its launch shape: warps, roles, ranks, shared memory, and the figures
// that templates and gate declarations are filled in with.
#pragma once

#include "core/base/error.h"
#include "core/launch/launch.h"
#include "core/launch/variant_key.h"
#include "gen/kernel/facts.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::kernel {

// One role of a variant, as all its units see it.
struct RolePlan {
  int units = 1;
  int turns = 1;     // units that take turns; 1 when they share every slot
  int threads = 32;  // threads that share a slot
  int warps = 1;     // warps they are in
  int first_lane = 0;
  int lane_stride = 1;
  std::uint32_t warps_mask = 0;  // bit w: warp w has the role
  int movers = 32;               // movers of a slot's payload: its threads, or fewer
  int vector_words = 1;          // payload words that one moves at once: 1, 4, or those of a copy
  int moves = 0;                 // such moves of one for a slot
};

// The parameter that holds the tensor map of a mover's tiles.
inline constexpr const char* tile_map_name = "tile_map";
// What slots are stored to, and the tensor map that they are stored by.
inline constexpr const char* stored_buffer_name = "stored";
inline constexpr const char* store_map_name = "store_map";

struct Plan {
  launch::LaunchShape launch;
  RolePlan producer, consumer;
  int num_stages = 1;
  bool unified = false;
  bool unrolled = false;
  int copies = 1;  // of an item in the body of the timed loop
  int warps_per_unit = 1;
  int threads_per_unit = 32;
  int slot_bytes = 0;
  // Offsets in the dynamic shared memory, bytes: full barriers at 0, then the empty ones.
  int empty_offset = 0, ticket_offset = 0, payload_offset = 0;
  int scratch_offset = 0;       // of 64 bytes that the load next to a measured CTA works on
  int payload_alignment = 128;  // of the slots: what the copies' places need
  int extra_offset = 0;         // of PlanFacts::extra_bytes a slot
  launch::product::ProductShape product;  // what the work multiplies in a slot
  PlanFacts facts;
  // Barriers whose end state `verify` reads back; 0 where a probe or protocol has no such state.
  int phases_checked = 0;
  // Expected arrivals of the barriers; 0: what the arrivals of the other role need.
  int full_arrivals = 0, empty_arrivals = 0;
  std::uint32_t victim_warps_mask = 0;
  // The verbs of the protocol that the probe times; the gates of others say nothing. Empty: all.
  std::vector<std::string> timed_verbs;
  // Items of one turn of the timed loop, by role name (core/isa/rule.h); one where not named.
  std::map<std::string, int> items_per_iteration;
  std::map<std::string, int> items_beside;  // see GateSpec
  // Names for expressions in gate declarations: threads, producer_moves, consumer_words, ...
  std::map<std::string, int> derived() const;
};

}  // namespace phasebit::kernel
