#include "analysis/foreign/library.h"

#include "analysis/compare/summary.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/flow/features.h"
#include "analysis/foreign/kernel.h"
#include "core/base/table.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::foreign {

using compare::Change;
using compare::change_names;
using compare::CodeSummary;
using compare::to_string;

namespace {

using nlohmann::ordered_json;

std::size_t targets_in(const std::vector<CodeCell>& cells) {
  std::set<std::string_view> targets;
  for (const CodeCell& cell : cells) targets.insert(cell.column);
  return targets.size();
}

// Finds to each kernel of the left one of the right that no other has.
class Partners {
 public:
  Partners(const std::vector<CodeCell>& left, const std::vector<CodeCell>& right)
      : right_(right), by_target_(targets_in(left) > 1 || targets_in(right) > 1) {
    for (std::size_t i = 0; i < right.size(); ++i) waiting_[key(right[i])].push_back(i);
    partner_.assign(left.size(), none);
    for (const bool same_code : {true, false})
      for (std::size_t i = 0; i < left.size(); ++i)
        if (partner_[i] == none) partner_[i] = take(left[i], same_code);
  }
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t of(std::size_t left) const { return partner_[left]; }

 private:
  using Key = std::pair<std::string, std::string>;
  Key key(const CodeCell& cell) const { return {cell.kernel, by_target_ ? cell.column : ""}; }

  std::size_t take(const CodeCell& cell, bool same_code) {
    const auto found = waiting_.find(key(cell));
    if (found == waiting_.end()) return none;
    const auto one = std::find_if(found->second.begin(), found->second.end(), [&](std::size_t i) {
      return !same_code || right_[i].code.code.hash == cell.code.code.hash;
    });
    if (one == found->second.end()) return none;
    const std::size_t place = *one;
    found->second.erase(one);
    return place;
  }

  const std::vector<CodeCell>& right_;
  bool by_target_;
  std::map<Key, std::vector<std::size_t>> waiting_;
  std::vector<std::size_t> partner_;
};

KernelPair pair_of(const CodeCell& left, const CodeCell& right) {
  KernelPair pair{left.kernel, left.column, left.code, right.code, {}, {}};
  pair.change = compare::change_between(left.code, right.code);
  std::string words = compare::describe_code_change(left.code, right.code);
  const std::string name = to_string(*pair.change);
  if (words.starts_with(name)) words.erase(0, name.size());
  if (words.starts_with(": ")) words.erase(0, 2);
  pair.difference = std::move(words);
  return pair;
}

std::string word_of(const KernelPair& pair) {
  if (pair.change) return to_string(*pair.change);
  return pair.left ? "removed" : "added";
}

// What comes first: what came and went, then the largest change.
int rank(const KernelPair& pair) {
  return pair.change ? -static_cast<int>(*pair.change) : -static_cast<int>(change_names.size());
}

std::string summary_line(const LibraryDiff& diff) {
  std::string line =
      fmt::format("{} -> {}: {} kernels", diff.left, diff.right, diff.kernels.size());
  for (std::size_t i = 0; i < diff.counts.size(); ++i)
    if (diff.counts[i] > 0) line += fmt::format(", {} {}", diff.counts[i], change_names[i]);
  return line + fmt::format(", {} added, {} removed\n", diff.added, diff.removed);
}

// "5120 -> 5088".
std::string both(const KernelPair& pair, int (*value)(const CodeSummary&)) {
  const auto text = [&](const std::optional<CodeSummary>& side) {
    return side ? std::to_string(value(*side)) : std::string("-");
  };
  const std::string a = text(pair.left), b = text(pair.right);
  return a == b ? a : a + " -> " + b;
}

ordered_json side_json(const std::optional<CodeSummary>& side) {
  if (!side) return nullptr;
  return {{"text_hash", side->text_hash},
          {"code_class", side->code.hash},
          {"features", flow::as_json(side->features)}};
}

}  // namespace

LibraryDiff diff_libraries(std::string left, const std::vector<CodeCell>& left_cells,
                           std::string right, const std::vector<CodeCell>& right_cells) {
  LibraryDiff diff{std::move(left), std::move(right), {}, {}, 0, 0, Change::identical};
  const Partners partners(left_cells, right_cells);
  std::vector<bool> taken(right_cells.size(), false);
  for (std::size_t i = 0; i < left_cells.size(); ++i) {
    const CodeCell& cell = left_cells[i];
    if (const std::size_t other = partners.of(i); other != Partners::none) {
      taken[other] = true;
      diff.kernels.push_back(pair_of(cell, right_cells[other]));
      ++diff.counts[static_cast<std::size_t>(*diff.kernels.back().change)];
      diff.change = std::max(diff.change, *diff.kernels.back().change);
    } else {
      diff.kernels.push_back({cell.kernel, cell.column, cell.code, {}, {}, {}});
      ++diff.removed;
    }
  }
  for (std::size_t i = 0; i < right_cells.size(); ++i)
    if (!taken[i]) {
      diff.kernels.push_back(
          {right_cells[i].kernel, right_cells[i].column, {}, right_cells[i].code, {}, {}});
      ++diff.added;
    }
  if (diff.added + diff.removed > 0) diff.change = std::max(diff.change, Change::instructions);
  return diff;
}

std::string library_as_text(const LibraryDiff& diff, bool all, bool full_names) {
  std::vector<const KernelPair*> shown;
  for (const KernelPair& pair : diff.kernels)
    if (all || pair.change != Change::identical) shown.push_back(&pair);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  if (shown.empty()) return summary_line(diff);
  base::Table table;
  table.columns = {{"change"},     {"target"}, {"instr", true}, {"issue", true},
                   {"regs", true}, {"kernel"}, {"difference"}};
  std::vector<std::string> names;
  for (const KernelPair* pair : shown) names.push_back(pair->kernel);
  if (!full_names) names = short_names(names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const KernelPair& pair = *shown[i];
    table.rows.push_back(
        {word_of(pair), pair.target,
         both(pair, [](const CodeSummary& one) { return one.features.kernel.instructions; }),
         both(pair, [](const CodeSummary& one) { return one.features.kernel.issue_cycles; }),
         both(pair, [](const CodeSummary& one) { return one.features.registers; }), names[i],
         pair.difference});
  }
  return summary_line(diff) + "\n" + base::render(table, base::TableFormat::text);
}

std::string library_as_json(const LibraryDiff& diff) {
  ordered_json counts, kernels = ordered_json::array();
  for (std::size_t i = 0; i < diff.counts.size(); ++i) counts[change_names[i]] = diff.counts[i];
  counts["added"] = diff.added;
  counts["removed"] = diff.removed;
  for (const KernelPair& pair : diff.kernels)
    kernels.push_back({{"kernel", pair.kernel},
                       {"target", pair.target},
                       {"change", word_of(pair)},
                       {"difference", pair.difference},
                       {"left", side_json(pair.left)},
                       {"right", side_json(pair.right)}});
  const ordered_json all = {
      {"schema", disassembly::sass_json_schema}, {"left", diff.left}, {"right", diff.right},
      {"change", to_string(diff.change)},        {"counts", counts},  {"kernels", kernels}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

using nlohmann::ordered_json;

struct CodeGroup {
  const CodeCell* first = nullptr;
  std::vector<const CodeCell*> members;
  std::size_t nearest = 0;  // of those before it
  int distance = 0;         // from that one, in instructions
};

// How often each opcode is in a kernel, ascending by the opcode's number.
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
  explicit Distances(const std::vector<CodeGroup>& groups) {
    std::map<std::string, int> numbers;
    for (const CodeGroup& group : groups) {
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

std::vector<CodeGroup> groups_of(const std::vector<CodeCell>& cells) {
  std::vector<CodeGroup> groups;
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

std::string as_text(const std::vector<CodeGroup>& groups) {
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

std::string as_json_text(const std::vector<CodeGroup>& groups) {
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
  const std::vector<CodeGroup> groups = groups_of(cells);
  return json ? as_json_text(groups) : as_text(groups);
}

}  // namespace phasebit::foreign
