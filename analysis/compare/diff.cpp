#include "analysis/compare/diff.h"

#include "analysis/compare/align.h"

#include <algorithm>

namespace phasebit {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// Opcodes of one meaning, by the start of their name.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"IMAD.MOV", "MOV"}, {"IMAD.IADD", "IADD"}, {"IMAD.SHL", "SHF"}, {"UIADD3", "IADD"},
    {"IADD3", "IADD"},   {"VIADD", "IADD"},     {"UMOV", "MOV"},     {"ULDC", "LDC"},
    {"LDCU", "LDC"},     {"ULOP3", "LOP3"},     {"USHF", "SHF"},     {"ULEA", "LEA"},
    {"UISETP", "ISETP"}, {"USEL", "SEL"},       {"UPLOP3", "PLOP3"}, {"S2UR", "S2R"},
    {"CS2UR", "CS2R"},   {"UIMAD", "IMAD"},     {"USYNCS", "SYNCS"},
};
// Stems whose first modifier says which operation it is.
constexpr std::string_view families[] = {"SYNCS", "BAR", "BRA", "ATOMS", "FENCE", "UCGABAR"};

// Where the last operand is an address in the kernel: the instruction it names, and what stands in
// front of it. Only branches and what names a place of convergence have one.
struct Target {
  int index = -1;
  std::string condition;
};

Target target_of(const SassKernel& kernel, const Instruction& instruction) {
  const std::string_view stem = opcode_stem(instruction);
  if (stem != "BRA" && stem != "BSSY" && stem != "WARPSYNC" && stem != "CALL" && stem != "JMP")
    return {};
  const std::string& operands = instruction.code_operands();
  const std::size_t comma = operands.rfind(',');
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  const std::string last = operands.substr(begin);
  if (!last.starts_with("0x") || last.size() > 10) return {};
  const std::size_t index = std::stoul(last, nullptr, 16) / instruction_bytes;
  if (index >= kernel.instructions.size()) return {};
  return {static_cast<int>(index), operands.substr(0, begin)};
}

class Differ {
 public:
  Differ(const DiffSide& left, const DiffSide& right)
      : left_(left),
        right_(right),
        left_size_(static_cast<int>(used_instructions(left.kernel))),
        right_size_(static_cast<int>(used_instructions(right.kernel))) {}

  KernelDiff run() {
    pairs_ = one_to_one() ? straight() : align(keys(left_, left_size_), keys(right_, right_size_));
    partner_.assign(left_.kernel.instructions.size(), -1);
    for (const auto& [left, right] : pairs_) partner_[at(left)] = right;
    add_rows();
    count_moved();
    diff_.same_census = census(left_, left_size_) == census(right_, right_size_);
    if (left_.sm == right_.sm)
      diff_.beside = differences_beside_text(left_.kernel.code, right_.kernel.code);
    if (diff_.change == Change::identical && !diff_.beside.empty()) diff_.change = Change::data;
    diff_.left = take_features(left_.kernel, left_.source, left_.windows);
    diff_.right = take_features(right_.kernel, right_.source, right_.windows);
    return std::move(diff_);
  }

 private:
  using Pairs = std::vector<std::pair<int, int>>;

  const Instruction& left(int index) const { return left_.kernel.instructions[at(index)]; }
  const Instruction& right(int index) const { return right_.kernel.instructions[at(index)]; }

  bool one_to_one() const {
    for (int i = 0; i < std::min(left_size_, right_size_); ++i)
      if (left(i).opcode != right(i).opcode) return false;
    return left_size_ == right_size_;
  }
  Pairs straight() const {
    Pairs pairs;
    for (int i = 0; i < left_size_; ++i) pairs.emplace_back(i, i);
    return pairs;
  }

  bool shares_verbs() const {
    return !left_.source.empty() && !right_.source.empty() && left_.shares_verbs &&
           right_.shares_verbs;
  }
  // The verb that both sides go by.
  std::string common_verb(const DiffSide& side, const Instruction& instruction) const {
    return shares_verbs() ? verb_name(source_line(side.source, instruction)) : "";
  }

  // Numbers of (verb, normalised opcode).
  std::vector<int> keys(const DiffSide& side, int size) {
    std::vector<int> keys;
    for (int i = 0; i < size; ++i) {
      const Instruction& instruction = side.kernel.instructions[at(i)];
      const std::string verb = common_verb(side, instruction);
      const auto next = static_cast<int>(numbers_.size());
      keys.push_back(
          numbers_.emplace(verb + '|' + normalised_opcode(instruction.opcode), next).first->second);
    }
    return keys;
  }

  static std::map<std::string, int> census(const DiffSide& side, int size) {
    std::map<std::string, int> counts;
    for (int i = 0; i < size; ++i) ++counts[side.kernel.instructions[at(i)].opcode];
    return counts;
  }

  bool same_operands(const Instruction& a, const Instruction& b) const {
    const Target to_a = target_of(left_.kernel, a), to_b = target_of(right_.kernel, b);
    if (to_a.index < 0 || to_b.index < 0)
      return compared_operands(a, left_.sm == right_.sm) ==
             compared_operands(b, left_.sm == right_.sm);
    return to_a.condition == to_b.condition && partner_[at(to_a.index)] == to_b.index;
  }

  // Words may differ where a branch has moved; elsewhere equal text of equal control fields has
  // equal words, or nvdisasm does not print all of the operands.
  bool same_words(const Instruction& a, const Instruction& b) const {
    return left_.sm != right_.sm || target_of(left_.kernel, a).index >= 0 ||
           (a.word.low == b.word.low && a.word.high == b.word.high);
  }

  Change compare(const Instruction& a, const Instruction& b) const {
    if (a.opcode != b.opcode || a.predicate.empty() != b.predicate.empty())
      return Change::instructions;
    if (a.predicate != b.predicate || !same_operands(a, b)) return Change::operands;
    if (a.control != b.control) return Change::schedule;
    return same_words(a, b) ? Change::identical : Change::operands;
  }

  VerbDiff& verb_entry(const std::string& verb) {
    for (VerbDiff& one : diff_.verbs)
      if (one.verb == verb) return one;
    return diff_.verbs.emplace_back(VerbDiff{verb, {}});
  }

  void add_row(int a, int b) {
    const DiffSide& side = a >= 0 ? left_ : right_;
    const Instruction& instruction = a >= 0 ? left(a) : right(b);
    ChangeCounts& verb = verb_entry(verb_name(source_line(side.source, instruction))).counts;
    DiffRow row{a, b, Change::instructions};
    if (a >= 0 && b >= 0) {
      row.change = compare(left(a), right(b));
      ++diff_.counts.aligned[static_cast<std::size_t>(row.change)];
      ++verb.aligned[static_cast<std::size_t>(row.change)];
    } else {
      ++(a >= 0 ? diff_.counts.only_left : diff_.counts.only_right);
      ++(a >= 0 ? verb.only_left : verb.only_right);
    }
    diff_.change = std::max(diff_.change, row.change);
    diff_.rows.push_back(row);
  }

  void add_rows() {
    int a = 0, b = 0;
    Pairs pairs = pairs_;
    pairs.emplace_back(left_size_, right_size_);
    for (const auto& [next_a, next_b] : pairs) {
      while (a < next_a) add_row(a++, -1);
      while (b < next_b) add_row(-1, b++);
      if (a < left_size_ && b < right_size_) add_row(a++, b++);
    }
  }

  void count_moved() {
    std::map<std::pair<std::string, std::string>, int> waiting;  // by verb and opcode
    const auto key = [this](const DiffSide& side, int index) {
      const Instruction& instruction = side.kernel.instructions[at(index)];
      return std::pair(common_verb(side, instruction), instruction.opcode);
    };
    for (const DiffRow& row : diff_.rows)
      if (row.right < 0) ++waiting[key(left_, row.left)];
    for (const DiffRow& row : diff_.rows) {
      if (row.left >= 0) continue;
      const auto found = waiting.find(key(right_, row.right));
      if (found == waiting.end() || found->second == 0) continue;
      --found->second;
      ++diff_.counts.moved;
      ++verb_entry(verb_name(source_line(right_.source, right(row.right)))).counts.moved;
    }
  }

  const DiffSide& left_;
  const DiffSide& right_;
  int left_size_, right_size_;
  std::map<std::string, int> numbers_;
  Pairs pairs_;
  std::vector<int> partner_;  // of each left instruction, -1: none
  KernelDiff diff_;
};

}  // namespace

std::string to_string(Change change) {
  return change_names.at(static_cast<std::size_t>(change));
}

std::string without_reuse(std::string operands) {
  constexpr std::string_view reuse = ".reuse";
  for (std::size_t found = operands.find(reuse); found != std::string::npos;
       found = operands.find(reuse, found))
    operands.erase(found, reuse.size());
  return operands;
}

std::string compared_operands(const Instruction& instruction, bool one_sm) {
  return without_reuse(one_sm ? instruction.code_operands() : instruction.operands);
}

std::string normalised_opcode(const std::string& opcode) {
  const std::size_t dot = opcode.find('.');
  const std::string two =
      opcode.substr(0, dot == std::string::npos ? dot : opcode.find('.', dot + 1));
  for (const auto& [from, to] : aliases)
    if (two == from || two.substr(0, two.find('.')) == from) {
      if (std::find(std::begin(families), std::end(families), to) == std::end(families))
        return std::string(to);
      return std::string(to) + two.substr(std::min(two.size(), from.size()));
    }
  const std::string stem = opcode.substr(0, dot);
  const bool family =
      std::find(std::begin(families), std::end(families), stem) != std::end(families);
  return family ? two : stem;
}

Result<KernelDiff> diff_kernels(const DiffSide& left, const DiffSide& right) {
  for (const DiffSide* side : {&left, &right})
    if (used_instructions(side->kernel) == 0)
      return fail(Step::disassemble, "{}: no instruction in it, so there is nothing to compare",
                  side->name);
  return Differ(left, right).run();
}

}  // namespace phasebit
