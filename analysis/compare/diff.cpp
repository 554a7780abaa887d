#include "analysis/compare/diff.h"

#include "analysis/compare/align/align.h"
#include "analysis/compare/numbers.h"
#include "analysis/compare/registers.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/flow/features.h"
#include "analysis/flow/flow.h"
#include "core/base/table.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::compare {

using align::IndexPairs;
using cubin::Instruction;
using flow::CodeCounts;
using flow::index_of;
using flow::LoopFeatures;
using flow::used_instructions;
using reading::CodeSubject;

namespace {

bool equal(const cubin::SassWord& a, const cubin::SassWord& b) {
  return a.low == b.low && a.high == b.high;
}

class Differ {
 public:
  Differ(const CodeSubject& left, const CodeSubject& right)
      : left_(left),
        right_(right),
        left_size_(static_cast<int>(used_instructions(left.kernel))),
        right_size_(static_cast<int>(used_instructions(right.kernel))),
        numbers_(number_sides(left, index_of(left_size_), right, index_of(right_size_))) {}

  KernelDiff run() {
    one_to_one_ = numbers_.left.opcodes == numbers_.right.opcodes;
    pairs_ = one_to_one_ ? straight()
                         : align::align_by_anchors(numbers_.left.keys, numbers_.right.keys,
                                                   numbers_.left.whole, numbers_.right.whole);
    partner_.assign(left_.kernel.instructions.size(), -1);
    for (const auto& [left, right] : pairs_) partner_[index_of(left)] = right;
    add_rows();
    find_renamed();
    count_rows();
    count_moved();
    diff_.same_census = one_to_one_ || census(numbers_.left) == census(numbers_.right);
    if (left_.sm == right_.sm) compare_beside();
    diff_.left = flow::take_features(left_.kernel, left_.source, left_.windows);
    diff_.right = flow::take_features(right_.kernel, right_.source, right_.windows);
    return std::move(diff_);
  }

 private:
  const Instruction& left(int index) const { return left_.kernel.instructions[index_of(index)]; }
  const Instruction& right(int index) const { return right_.kernel.instructions[index_of(index)]; }
  bool one_sm() const { return left_.sm == right_.sm; }

  IndexPairs straight() const {
    IndexPairs pairs;
    for (int i = 0; i < left_size_; ++i) pairs.emplace_back(i, i);
    return pairs;
  }

  std::vector<int> census(const SideNumbers& side) const {
    std::vector<int> counts(numbers_.opcodes, 0);
    for (const int opcode : side.opcodes) ++counts[index_of(opcode)];
    return counts;
  }

  // Of two aligned instructions with targets: both go to aligned ones.
  bool same_target(const CodeTarget& a, const CodeTarget& b) const {
    return partner_[index_of(a.index)] == b.index;
  }

  bool same_operands(const Instruction& a, const Instruction& b) const {
    const CodeTarget to_a = target_of(left_.kernel, a), to_b = target_of(right_.kernel, b);
    if (to_a.index < 0 || to_b.index < 0)
      return same_without_reuse(compared_operands(a, one_sm()), compared_operands(b, one_sm()));
    return to_a.condition == to_b.condition && same_target(to_a, to_b);
  }

  // Words may differ by the distance that a jump goes; elsewhere equal text of equal control fields
  // has equal words, or nvdisasm does not print all of the operands.
  bool same_words(const Instruction& a, const Instruction& b) const {
    if (!one_sm() || equal(a.word, b.word)) return true;
    const int to_a = target_index(left_.kernel, a), to_b = target_index(right_.kernel, b);
    const auto distance = [](int to, const Instruction& from) {
      return (std::int64_t{to} - 1) * cubin::instruction_bytes -
             static_cast<std::int64_t>(from.address);
    };
    if (to_a < 0 || to_b < 0 || distance(to_a, a) == distance(to_b, b)) return false;
    const auto rest_a = without_distance(a.word, distance(to_a, a));
    const auto rest_b = without_distance(b.word, distance(to_b, b));
    return !rest_a || !rest_b || equal(*rest_a, *rest_b);
  }

  Change compare(const Instruction& a, const Instruction& b) const {
    if (a.opcode != b.opcode || a.predicate.empty() != b.predicate.empty())
      return Change::instructions;
    if (a.predicate != b.predicate || !same_operands(a, b)) return Change::operands;
    if (a.control != b.control) return Change::schedule;
    return same_words(a, b) ? Change::identical : Change::operands;
  }

  void add_rows() {
    int a = 0, b = 0;
    diff_.rows.reserve(index_of(std::max(left_size_, right_size_)));
    const auto advance_to = [&](int next_a, int next_b) {
      while (a < next_a) diff_.rows.push_back({a++, -1, Change::instructions});
      while (b < next_b) diff_.rows.push_back({-1, b++, Change::instructions});
    };
    for (const auto& [next_a, next_b] : pairs_) {
      advance_to(next_a, next_b);
      diff_.rows.push_back({a, b, compare(left(a), right(b))});
      ++a, ++b;
    }
    advance_to(left_size_, right_size_);
  }

  // Whether both are one text but for the numbers of registers, and go to the same place.
  bool same_masked(const MaskedCode& a, const MaskedCode& b, const DiffRow& row) const {
    std::string_view text_a = a.text(index_of(row.left)), text_b = b.text(index_of(row.right));
    const CodeTarget to_a = target_of(left_.kernel, left(row.left));
    const CodeTarget to_b = target_of(right_.kernel, right(row.right));
    if (to_a.index < 0 || to_b.index < 0) return text_a == text_b;
    const auto front = [](std::string_view text) {
      return text.substr(0, text.find_last_of(" ,") + 1);
    };
    return same_target(to_a, to_b) && front(text_a) == front(text_b);
  }

  // Rows of one text, but for the numbers of registers, that read the same values are no more than
  // renamed. Where all opcodes are the same one by one, rows of one text that read other values,
  // since registers have changed their places, are more than identical.
  void find_renamed() {
    const auto differs = [](const DiffRow& row) { return row.change == Change::operands; };
    if (std::none_of(diff_.rows.begin(), diff_.rows.end(), differs)) return;
    const MaskedCode a(left_.kernel, index_of(left_size_), one_sm());
    const MaskedCode b(right_.kernel, index_of(right_size_), one_sm());
    std::vector<AlignedPlace> left_places(index_of(left_size_)),
        right_places(index_of(right_size_));
    auto join = static_cast<std::uint32_t>(diff_.rows.size());
    for (std::size_t i = diff_.rows.size(); i > 0; --i) {
      const DiffRow& row = diff_.rows[i - 1];
      const auto number = static_cast<std::uint32_t>(i - 1);
      if (row.left >= 0 && row.right >= 0) join = number;
      if (row.left >= 0) left_places[index_of(row.left)] = {number, join};
      if (row.right >= 0) right_places[index_of(row.right)] = {number, join};
    }
    const auto read_a = a.values_read(left_places), read_b = b.values_read(right_places);
    for (DiffRow& row : diff_.rows) {
      if (row.left < 0 || row.right < 0 || row.change == Change::instructions) continue;
      const bool same_values = read_a[index_of(row.left)] == read_b[index_of(row.right)];
      if (!differs(row) && one_to_one_ && !same_values)
        row.change = Change::operands;
      else if (differs(row) && same_values && !same_text(row) && same_masked(a, b, row))
        row.change = Change::renamed;
    }
  }
  bool same_text(const DiffRow& row) const {
    const Instruction &a = left(row.left), &b = right(row.right);
    return a.predicate == b.predicate && same_operands(a, b);
  }

  // Verbs in the order of their first rows.
  VerbDiff& verb_entry(int verb) {
    if (verb_entries_.empty()) verb_entries_.assign(numbers_.verbs.size(), -1);
    int& entry = verb_entries_[index_of(verb)];
    if (entry < 0) {
      entry = static_cast<int>(diff_.verbs.size());
      diff_.verbs.push_back({numbers_.verbs[index_of(verb)], {}});
    }
    return diff_.verbs[index_of(entry)];
  }
  int verb_of(const DiffRow& row) const {
    return row.left >= 0 ? numbers_.left.verbs[index_of(row.left)]
                         : numbers_.right.verbs[index_of(row.right)];
  }

  void count_rows() {
    for (const DiffRow& row : diff_.rows) {
      ChangeCounts& verb = verb_entry(verb_of(row)).counts;
      diff_.change = std::max(diff_.change, row.change);
      for (ChangeCounts* counts : {&diff_.counts, &verb}) {
        if (row.right < 0)
          ++counts->only_left;
        else if (row.left < 0)
          ++counts->only_right;
        else
          ++counts->aligned[static_cast<std::size_t>(row.change)];
      }
    }
  }

  void count_moved() {
    std::unordered_map<std::uint64_t, int> waiting;  // by verb and opcode
    const auto key = [](const SideNumbers& side, int index) {
      return (static_cast<std::uint64_t>(side.shared_verbs[index_of(index)]) << 32U) |
             static_cast<std::uint64_t>(side.opcodes[index_of(index)]);
    };
    for (const DiffRow& row : diff_.rows)
      if (row.right < 0) ++waiting[key(numbers_.left, row.left)];
    for (const DiffRow& row : diff_.rows) {
      if (row.left >= 0) continue;
      const auto found = waiting.find(key(numbers_.right, row.right));
      if (found == waiting.end() || found->second == 0) continue;
      --found->second;
      ++diff_.counts.moved;
      ++verb_entry(verb_of(row)).counts.moved;
    }
  }

  // Nothing is identical whose class is another: then the bytes differ where no row is.
  void compare_beside() {
    const cubin::CodeClass &a = left_.kernel.code, &b = right_.kernel.code;
    diff_.outside_text = cubin::differences_outside_text(a, b);
    if (diff_.change != Change::identical) return;
    if (a.hash != b.hash && diff_.outside_text.empty())
      diff_.outside_text.push_back(
          fmt::format("padding after the last branch: {} -> {} instructions",
                      left_.kernel.instructions.size() - index_of(left_size_),
                      right_.kernel.instructions.size() - index_of(right_size_)));
    if (!diff_.outside_text.empty()) diff_.change = Change::data;
  }

  const CodeSubject& left_;
  const CodeSubject& right_;
  int left_size_, right_size_;
  NumberedSides numbers_;
  bool one_to_one_ = false;
  IndexPairs pairs_;
  std::vector<int> partner_;       // of each left instruction, -1: none
  std::vector<int> verb_entries_;  // by number of a verb: its place in the result, -1: none yet
  KernelDiff diff_;
};

}  // namespace

std::string to_string(Change change) {
  return change_names.at(static_cast<std::size_t>(change));
}

Result<KernelDiff> diff_kernels(const CodeSubject& left, const CodeSubject& right) {
  for (const CodeSubject* side : {&left, &right})
    if (used_instructions(side->kernel) == 0)
      return fail(Step::disassemble, "{}: no instruction in it, so there is nothing to compare",
                  side->name);
  return Differ(left, right).run();
}

namespace {

using nlohmann::ordered_json;

ordered_json side_json(const CodeSubject& side, const flow::Features& features) {
  return {{"name", side.name},
          {"sm", side.sm},
          {"entry", side.kernel.entry},
          {"text_hash", side.kernel.text_hash},
          {"code_class", side.kernel.code.hash},
          {"features", flow::as_json(features)}};
}

ordered_json counts_json(const ChangeCounts& counts) {
  ordered_json json;
  for (std::size_t i = 0; i < counts.aligned.size(); ++i) json[change_names[i]] = counts.aligned[i];
  json["only_left"] = counts.only_left;
  json["only_right"] = counts.only_right;
  json["moved"] = counts.moved;
  return json;
}

ordered_json instruction_json(const CodeSubject& side, int index) {
  if (index < 0) return nullptr;
  const cubin::Instruction& instruction = side.kernel.instructions[static_cast<std::size_t>(index)];
  ordered_json json = disassembly::as_json(instruction);
  json["verb"] = flow::verb_name(flow::source_line(side.source, instruction));
  return json;
}

}  // namespace

std::string diff_as_json(const CodeSubject& left, const CodeSubject& right,
                         const KernelDiff& diff) {
  ordered_json verbs = ordered_json::array(), rows = ordered_json::array();
  for (const VerbDiff& verb : diff.verbs)
    verbs.push_back({{"verb", verb.verb}, {"counts", counts_json(verb.counts)}});
  for (const DiffRow& row : diff.rows)
    rows.push_back({{"change", to_string(row.change)},
                    {"left", instruction_json(left, row.left)},
                    {"right", instruction_json(right, row.right)}});
  const ordered_json all = {{"left", side_json(left, diff.left)},
                            {"right", side_json(right, diff.right)},
                            {"change", to_string(diff.change)},
                            {"beside", diff.outside_text},
                            {"same_census", diff.same_census},
                            {"counts", counts_json(diff.counts)},
                            {"verbs", verbs},
                            {"rows", rows}};
  return all.dump(1) + "\n";
}

namespace {

constexpr std::size_t code_width = 52;

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string side_line(char letter, const CodeSubject& side, const flow::Features& features) {
  return fmt::format("{}  {}: {} instructions, {} issue cycles, {} registers, .text {}", letter,
                     side.name, features.kernel.instructions, features.kernel.issue_cycles,
                     features.registers == 0 ? "unknown" : std::to_string(features.registers),
                     side.kernel.text_hash.substr(0, 12));
}

std::string verdict_line(const KernelDiff& diff) {
  const ChangeCounts& counts = diff.counts;
  std::string line = fmt::format(
      "{}: {} identical, {} schedule only, {} registers renamed, {} operands, {} other opcode, {} "
      "only in A, {} only in B",
      to_string(diff.change), counts.aligned[0], counts.aligned[1], counts.aligned[2],
      counts.aligned[3], counts.aligned[4], counts.only_left, counts.only_right);
  if (counts.moved > 0)
    line += fmt::format(" ({} of both have the same verb and opcode: moved)", counts.moved);
  if (diff.change == Change::instructions && diff.same_census)
    line += counts.only_left > 0 ? "; the same opcodes in another order"
                                 : "; the same opcodes under other predicates or in another order";
  return line;
}

base::Table verb_table(const KernelDiff& diff) {
  base::Table table;
  table.columns = {{"verb"},          {"identical", true}, {"schedule", true},
                   {"renamed", true}, {"operands", true},  {"opcode", true},
                   {"only A", true},  {"only B", true},    {"moved", true}};
  for (const VerbDiff& verb : diff.verbs) {
    const ChangeCounts& counts = verb.counts;
    table.rows.push_back({verb.verb.empty() ? "(no verb)" : verb.verb, counts.aligned[0],
                          counts.aligned[1], counts.aligned[2], counts.aligned[3],
                          counts.aligned[4], counts.only_left, counts.only_right, counts.moved});
  }
  return table;
}

const LoopFeatures* find_loop(const flow::Features& features, const std::string& role) {
  for (const LoopFeatures& loop : features.loops)
    if (loop.role == role && loop.problem.empty()) return &loop;
  return nullptr;
}

std::string change_of(const char* what, const CodeCounts& a, const CodeCounts& b) {
  const std::string opcodes = opcode_changes(a, b);
  return fmt::format(
      "{} {} -> {} instructions, {} -> {} issue cycles, {} -> {} scoreboard waits{}{}", what,
      a.instructions, b.instructions, a.issue_cycles, b.issue_cycles, a.scoreboard_waits,
      b.scoreboard_waits, opcodes.empty() ? "" : ": ", opcodes);
}

void add_loops(std::string& text, const KernelDiff& diff) {
  for (const LoopFeatures& a : diff.left.loops) {
    const LoopFeatures* b = find_loop(diff.right, a.role);
    if (!a.problem.empty() || b == nullptr) continue;
    const std::string role = a.role.empty() ? "timed loop" : a.role + "'s timed loop";
    add_line(text, fmt::format("{}, {}", role, change_of("hot", a.hot, b->hot)));
    add_line(text, fmt::format("{}, {}", role, change_of("cold", a.cold, b->cold)));
  }
}

std::string code_of(const CodeSubject& side, int index) {
  if (index < 0) return std::string(4 + 2 + 26 + 1 + code_width, ' ');
  const cubin::Instruction& instruction = side.kernel.instructions[static_cast<std::size_t>(index)];
  return fmt::format("{:04x}  {:26} {:{}}", instruction.address,
                     cubin::to_string(instruction.control), disassembly::text_of(instruction),
                     code_width);
}

void add_row(std::string& text, const CodeSubject& left, const CodeSubject& right,
             const DiffRow& row) {
  const CodeSubject& side = row.left >= 0 ? left : right;
  const int index = row.left >= 0 ? row.left : row.right;
  const cubin::Instruction& instruction = side.kernel.instructions[static_cast<std::size_t>(index)];
  add_line(text, fmt::format("{}  {}  {}  {}", code_of(left, row.left), mark_of(row),
                             code_of(right, row.right),
                             flow::verb_name(flow::source_line(side.source, instruction))));
}

// Rows to show.
std::vector<bool> shown_rows(const KernelDiff& diff, const DiffView& view) {
  const int count = static_cast<int>(diff.rows.size());
  std::vector<bool> shown(diff.rows.size(), view.all);
  for (int i = 0; i < count && !view.all; ++i) {
    if (diff.rows[static_cast<std::size_t>(i)].change == Change::identical) continue;
    const int last = std::min(count - 1, i + view.context);
    for (int j = std::max(0, i - view.context); j <= last; ++j)
      shown[static_cast<std::size_t>(j)] = true;
  }
  return shown;
}

void add_rows(std::string& text, const CodeSubject& left, const CodeSubject& right,
              const KernelDiff& diff, const DiffView& view) {
  const std::vector<bool> shown = shown_rows(diff, view);
  int hidden = 0;
  const auto close_gap = [&] {
    if (hidden > 0) add_line(text, fmt::format("      ... {} identical", hidden));
    hidden = 0;
  };
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    if (!shown[i]) {
      ++hidden;
      continue;
    }
    close_gap();
    add_row(text, left, right, diff.rows[i]);
  }
  close_gap();
}

}  // namespace

char mark_of(const DiffRow& row) {
  if (row.left < 0) return '>';
  if (row.right < 0) return '<';
  return "=srox"[static_cast<std::size_t>(row.change)];
}

std::string opcode_changes(const CodeCounts& left, const CodeCounts& right) {
  std::set<std::string> opcodes;
  for (const CodeCounts* counts : {&left, &right})
    for (const auto& [opcode, count] : counts->opcodes) opcodes.insert(opcode);
  const auto count_in = [](const CodeCounts& counts, const std::string& opcode) {
    const auto found = counts.opcodes.find(opcode);
    return found == counts.opcodes.end() ? 0 : found->second;
  };
  std::string more, less;
  for (const std::string& opcode : opcodes) {
    const int change = count_in(right, opcode) - count_in(left, opcode);
    if (change > 0) more += fmt::format(", +{} x{}", opcode, change);
    if (change < 0) less += fmt::format(", -{} x{}", opcode, -change);
  }
  const std::string all = less + more;
  return all.empty() ? all : all.substr(2);
}

std::string diff_as_text(const CodeSubject& left, const CodeSubject& right, const KernelDiff& diff,
                         const DiffView& view) {
  std::string text;
  add_line(text, side_line('A', left, diff.left));
  add_line(text, side_line('B', right, diff.right));
  add_line(text, verdict_line(diff));
  for (const std::string& line : diff.outside_text)
    add_line(text, "  besides the instructions: " + line);
  text += "\n" + base::render(verb_table(diff), base::TableFormat::text) + "\n";
  add_loops(text, diff);
  const std::string header =
      fmt::format("addr  {:26} {:{}}", "st y Wr Rd waits   reuse", "instruction", code_width);
  add_line(text, fmt::format("\n{}     {}  verb", header, header));
  add_rows(text, left, right, diff, view);
  return text;
}

}  // namespace phasebit::compare
