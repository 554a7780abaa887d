#include "analysis/reading/pipes.h"

#include "core/isa/opcodes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace phasebit::reading {

namespace {

// "a 3, b 2": the most first, then by name; eight at most.
std::string list_most(const std::map<std::string, int>& counts, const char* between) {
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < most; ++i)
    text +=
        fmt::format("{}{} {}{}", i == 0 ? "" : ", ", sorted[i].first, between, sorted[i].second);
  return sorted.size() > most ? text + ", ..." : text;
}

}  // namespace

std::map<std::string, int> count_pipes(const std::map<std::string, int>& opcodes, int sm) {
  std::map<std::string, int> counts;
  for (const auto& [opcode, count] : opcodes) counts[isa::sass_opcode(opcode).pipe(sm)] += count;
  return counts;
}

std::string pipe_mix(const std::map<std::string, int>& opcodes, int sm) {
  return list_most(count_pipes(opcodes, sm), "");
}

std::map<std::string, int> count_key_opcodes(const std::map<std::string, int>& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& [opcode, count] : opcodes)
    if (isa::sass_opcode(opcode).key) counts[opcode.substr(0, opcode.find('.'))] += count;
  return counts;
}

std::string key_opcodes(const std::map<std::string, int>& opcodes) {
  return list_most(count_key_opcodes(opcodes), "x");
}

}  // namespace phasebit::reading
