#include "analysis/foreign/classes.h"

#include "analysis/flow/features_json.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::ordered_json;

struct Group {
  const CodeCell* first = nullptr;
  std::vector<const CodeCell*> members;
  std::size_t nearest = 0;  // of those before it
};

// By how many instructions of each opcode two kernels differ.
int distance(const CodeSummary& a, const CodeSummary& b) {
  const auto& left = a.features.kernel.opcodes;
  const auto& right = b.features.kernel.opcodes;
  int sum = 0;
  for (const auto& [opcode, count] : left) {
    const auto other = right.find(opcode);
    sum += std::abs(count - (other == right.end() ? 0 : other->second));
  }
  for (const auto& [opcode, count] : right) sum += left.contains(opcode) ? 0 : count;
  return sum;
}

std::vector<Group> groups_of(const std::vector<CodeCell>& cells) {
  std::vector<Group> groups;
  std::map<std::tuple<int, std::string, std::string>, std::size_t> by_code;
  for (const CodeCell& cell : cells) {
    const auto [found, fresh] = by_code.emplace(
        std::tuple(cell.code.sm, cell.code.text_hash, cell.code.code.hash), groups.size());
    if (fresh) groups.push_back({&cell, {}, 0});
    groups[found->second].members.push_back(&cell);
  }
  for (std::size_t i = 1; i < groups.size(); ++i)
    for (std::size_t before = 1; before < i; ++before)
      if (distance(groups[i].first->code, groups[before].first->code) <
          distance(groups[i].first->code, groups[groups[i].nearest].first->code))
        groups[i].nearest = before;
  return groups;
}

// What differs, where most is the same; a list of nearly all opcodes would say nothing.
std::string difference_in_words(const CodeSummary& from, const CodeSummary& to) {
  const int larger = std::max(from.features.kernel.instructions, to.features.kernel.instructions);
  const int far = distance(from, to);
  if (far <= larger / 2) return describe_code_change(from, to);
  return fmt::format("instructions: other code ({} instructions more or less, by opcode)", far);
}

std::string as_text(const std::vector<Group>& groups) {
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const CodeSummary& code = groups[i].first->code;
    text += fmt::format("{}  {}  sm_{}  {} instructions\n", i + 1, code.text_hash.substr(0, 6),
                        code.sm, code.features.kernel.instructions);
    for (const CodeCell* cell : groups[i].members)
      text += fmt::format("     {}  ({})\n", cell->kernel, cell->column);
    if (i > 0)
      text += fmt::format("   nearest is {}: {}\n", groups[i].nearest + 1,
                          difference_in_words(groups[groups[i].nearest].first->code, code));
  }
  return text;
}

std::string as_json_text(const std::vector<Group>& groups) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const CodeSummary& code = groups[i].first->code;
    ordered_json members = ordered_json::array(), nearest = nullptr;
    for (const CodeCell* cell : groups[i].members)
      members.push_back({{"kernel", cell->kernel}, {"column", cell->column}});
    if (i > 0) {
      const CodeSummary& other = groups[groups[i].nearest].first->code;
      nearest = {{"class", groups[i].nearest + 1},
                 {"change", to_string(change_between(other, code))},
                 {"difference", describe_code_change(other, code)}};
    }
    all.push_back({{"class", i + 1},
                   {"text_hash", code.text_hash},
                   {"code_class", code.code.hash},
                   {"sm", code.sm},
                   {"kernels", members},
                   {"features", as_json(code.features)},
                   {"nearest", nearest}});
  }
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string print_code_classes(const std::vector<CodeCell>& cells, bool json) {
  const std::vector<Group> groups = groups_of(cells);
  return json ? as_json_text(groups) : as_text(groups);
}

}  // namespace phasebit
