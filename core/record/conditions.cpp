#include "core/record/conditions.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::record {

int Conditions::numbered(int launched) const {
  const int number = std::max(0, launched - first_warp);
  return number < gap_after + gap_warps ? std::min(number, gap_after) : number - gap_warps;
}

std::vector<std::string> words_of(const Conditions& conditions) {
  std::vector<std::string> words;
  if (conditions.start_offset != 0)
    words.push_back(fmt::format("start_offset:{}", conditions.start_offset));
  if (conditions.padding != 0) words.push_back(fmt::format("padding:{}", conditions.padding));
  if (conditions.gap_warps != 0)
    words.push_back(fmt::format("gap:{}@{}", conditions.gap_warps, conditions.gap_after));
  return words;
}

}  // namespace phasebit::record
