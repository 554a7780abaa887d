#include "analysis/foreign/classes.h"

#include "analysis/compare/line_table.h"
#include "analysis/flow/features_json.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::foreign {

using compare::CodeSummary;

namespace {

using nlohmann::ordered_json;

struct Group {
  const CodeCell* first = nullptr;
  std::vector<const CodeCell*> members;
  std::size_t nearest = 0;  // of those before it
  int distance = 0;         // from that one, in instructions
};

// How often each opcode stands in a kernel, ascending by the opcode's number.
struct OpcodeCounts {
  std::vector<std::pair<int, int>> counts;
  int instructions = 0;
};

// By how many instructions of each opcode two kernels differ; where that is `limit` or more, some
// number that is no less.
int distance(const OpcodeCounts& a, const OpcodeCounts& b, int limit) {
  int sum = std::abs(a.instructions - b.instructions);
  if (sum >= limit) return sum;
  sum = 0;
  auto left = a.counts.begin(), right = b.counts.begin();
  while (left != a.counts.end() && right != b.counts.end() && sum < limit) {
    if (left->first == right->first)
      sum += std::abs(left++->second - right++->second);
    else
      sum += left->first < right->first ? left++->second : right++->second;
  }
  for (; left != a.counts.end(); ++left) sum += left->second;
  for (; right != b.counts.end(); ++right) sum += right->second;
  return sum;
}

class Distances {
 public:
  explicit Distances(const std::vector<Group>& groups) {
    std::map<std::string, int> numbers;
    for (const Group& group : groups) {
      OpcodeCounts& kernel = kernels_.emplace_back();
      for (const auto& [opcode, count] : group.first->code.features.kernel.opcodes) {
        const auto number = numbers.emplace(opcode, static_cast<int>(numbers.size())).first->second;
        kernel.counts.emplace_back(number, count);
        kernel.instructions += count;
      }
      std::sort(kernel.counts.begin(), kernel.counts.end());
    }
  }
  // Of those before it, the first of the nearest.
  std::size_t nearest(std::size_t group) const {
    int best = std::numeric_limits<int>::max();
    std::size_t found = 0;
    for (std::size_t before = 0; before < group; ++before)
      if (const int far = of(group, before, best); far < best) best = far, found = before;
    return found;
  }
  int of(std::size_t a, std::size_t b, int limit = std::numeric_limits<int>::max()) const {
    return distance(kernels_[a], kernels_[b], limit);
  }

 private:
  std::vector<OpcodeCounts> kernels_;
};

std::vector<Group> groups_of(const std::vector<CodeCell>& cells) {
  std::vector<Group> groups;
  std::map<std::tuple<int, std::string, std::string>, std::size_t> by_code;
  for (const CodeCell& cell : cells) {
    const auto [found, fresh] = by_code.emplace(
        std::tuple(cell.code.sm, cell.code.text_hash, cell.code.code.hash), groups.size());
    if (fresh) groups.push_back({&cell, {}, 0, 0});
    groups[found->second].members.push_back(&cell);
  }
  const Distances distances(groups);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    groups[i].nearest = distances.nearest(i);
    groups[i].distance = distances.of(i, groups[i].nearest);
  }
  return groups;
}

// What differs, where most is the same; a list of nearly all opcodes would say nothing.
std::string difference_in_words(const CodeSummary& from, const CodeSummary& to, int far) {
  const int larger = std::max(from.features.kernel.instructions, to.features.kernel.instructions);
  if (far <= larger / 2) return compare::describe_code_change(from, to);
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
      text += fmt::format(
          "   nearest is {}: {}\n", groups[i].nearest + 1,
          difference_in_words(groups[groups[i].nearest].first->code, code, groups[i].distance));
    if (i == 0 || code.lines.empty()) continue;
    if (const std::string lines =
            compare::line_changes(groups[groups[i].nearest].first->code, code);
        !lines.empty())
      text += fmt::format("   instructions by source line: {}\n", lines);
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
                 {"change", compare::to_string(compare::change_between(other, code))},
                 {"difference", compare::describe_code_change(other, code)}};
    }
    all.push_back({{"class", i + 1},
                   {"text_hash", code.text_hash},
                   {"code_class", code.code.hash},
                   {"sm", code.sm},
                   {"kernels", members},
                   {"features", flow::as_json(code.features)},
                   {"nearest", nearest}});
    if (!code.lines.empty()) all.back()["lines"] = compare::lines_as_json(code);
  }
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string print_code_classes(const std::vector<CodeCell>& cells, bool json) {
  const std::vector<Group> groups = groups_of(cells);
  return json ? as_json_text(groups) : as_text(groups);
}

}  // namespace phasebit::foreign
