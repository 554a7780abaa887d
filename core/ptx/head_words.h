// The words of a head: one table for its reader and its writer.
#pragma once

#include "core/image/abi.h"

#include <string>
#include <vector>

namespace phasebit {

struct RoleWord {
  Role role;
  const char* word;
};
inline constexpr RoleWord role_words[] = {{Role::producer, "producer"},
                                          {Role::consumer, "consumer"},
                                          {Role::both, "both"},
                                          {Role::bystander, "bystander"}};

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

}  // namespace phasebit
