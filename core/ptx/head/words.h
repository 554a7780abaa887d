// The words of a head: one table for its reader and its writer; and its units, which say what is
// counted and by what.
#pragma once

#include "core/image/launch.h"

#include <cstddef>
#include <optional>
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

// What is wrong with a unit. Tables that compare two figures go by the words of their units.
struct UnitFault {
  std::string what, hint;
};

// "cycles per item", "cycles per 16 operations": the figure of the timed role's clocks. Of a launch
// on several SMs "ns per item".
std::optional<UnitFault> fault_of_figure(const std::string& unit, bool on_several_sms = false);

// "polls", "polls per item", "polls that failed, per item", "cycles from commit to wake-up",
// "low half of the barrier's word".
std::optional<UnitFault> fault_of_reading(const std::string& unit);

}  // namespace phasebit::ptx::head
