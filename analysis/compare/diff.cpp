#include "analysis/compare/diff.h"

#include "analysis/compare/align/align.h"
#include "analysis/compare/numbers.h"
#include "analysis/compare/renaming.h"
#include "analysis/compare/targets.h"
#include "analysis/flow/index.h"

#include <algorithm>
#include <unordered_map>

namespace phasebit::compare {

using align::IndexPairs;
using cubin::Instruction;
using flow::index_of;
using flow::used_instructions;

namespace {

bool equal(const cubin::SassWord& a, const cubin::SassWord& b) {
  return a.low == b.low && a.high == b.high;
}

class Differ {
 public:
  Differ(const DiffSide& left, const DiffSide& right)
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
    diff_.beside = cubin::differences_beside_text(a, b);
    if (diff_.change != Change::identical) return;
    if (a.hash != b.hash && diff_.beside.empty())
      diff_.beside.push_back(
          fmt::format("padding behind the last branch: {} -> {} instructions",
                      left_.kernel.instructions.size() - index_of(left_size_),
                      right_.kernel.instructions.size() - index_of(right_size_)));
    if (!diff_.beside.empty()) diff_.change = Change::data;
  }

  const DiffSide& left_;
  const DiffSide& right_;
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

Result<KernelDiff> diff_kernels(const DiffSide& left, const DiffSide& right) {
  for (const DiffSide* side : {&left, &right})
    if (used_instructions(side->kernel) == 0)
      return fail(Step::disassemble, "{}: no instruction in it, so there is nothing to compare",
                  side->name);
  return Differ(left, right).run();
}

}  // namespace phasebit::compare
