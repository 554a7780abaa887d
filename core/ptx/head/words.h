// The words of a head: one table for its reader and its writer.
#pragma once

#include "core/image/launch.h"

#include <cstddef>
#include <string>
#include <vector>

namespace phasebit::ptx::head {

// Whose the components of a key are that the catalogue does not have: the file's own, or those of a
// library that nvcc compiled, whose key then says by which nvcc, flags and library.
struct OriginWord {
  const char* word;
};
inline constexpr const char* nvcc_origin = "nvcc";
inline constexpr OriginWord origin_words[] = {{"file"}, {nvcc_origin}};
inline constexpr const char* nvcc_axes[] = {"nvcc", "flags", "library"};

// In the list of roles: what nobody's threads have.
inline constexpr const char* no_role = "none";

// The one buffer whose address stands in the parameter block.
inline constexpr const char* payload_in_name = image::payload_in_buffer;
inline constexpr int payload_in_at = offsetof(image::KernelParams, payload_in);

// What a reading's unit begins with: what it counts.
inline constexpr const char* reading_units[] = {"cycles", "ns",        "polls",   "items",
                                                "bytes",  "high half", "low half"};
// What an item of a probe is, behind "per"; several of them with their number: "16 operations".
inline constexpr const char* item_words[] = {"item",  "operation", "block",
                                             "phase", "barrier",   "round trip"};

// The lanes of a warp that play a role: `first_lane`, `first_lane` + `lane_stride`, ...
struct LaneWord {
  int first_lane, lane_stride;
  const char* word;
};
inline constexpr LaneWord lane_words[] = {{0, 1, "all"}, {0, 2, "even"}, {1, 2, "odd"}};

// Directives behind the parameters that bound the launch, and how many numbers they take at most.
struct BoundWord {
  const char* word;
  int numbers;
};
inline constexpr BoundWord bound_words[] = {
    {"maxntid", 3},      {"reqntid", 3},           {"maxnreg", 1},        {"minnctapersm", 1},
    {"maxnctapersm", 1}, {"reqnctapercluster", 3}, {"maxclusterrank", 1}, {"explicitcluster", 0}};

template <typename Table>
std::vector<std::string> words_of(const Table& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.word);
  return words;
}

}  // namespace phasebit::ptx::head
