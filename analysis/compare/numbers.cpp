#include "analysis/compare/numbers.h"

#include "core/isa/opcodes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace phasebit::compare {

using reading::CodeSubject;

namespace {

class Numbers {
 public:
  int of(std::string_view text) {
    return numbers_.try_emplace(std::string(text), static_cast<int>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts(numbers_.size());
    for (const auto& [text, number] : numbers_) texts[static_cast<std::size_t>(number)] = text;
    return texts;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> numbers_;
};

class Numberer {
 public:
  Numberer(const CodeSubject& left, const CodeSubject& right)
      : shares_verbs_(!left.source.empty() && !right.source.empty() && left.shares_verbs &&
                      right.shares_verbs) {
    verbs_.of("");
    const std::vector<int> a = verbs_of_lines(left.source), b = verbs_of_lines(right.source);
    shared_.assign(verbs_.size(), !left.has_lines || !right.has_lines);
    const std::set<int> of_left(a.begin(), a.end());
    for (const int verb : b)
      if (of_left.contains(verb)) shared_[static_cast<std::size_t>(verb)] = true;
  }

  SideNumbers number(const CodeSubject& side, std::size_t size) {
    const std::vector<int> by_line = verbs_of_lines(side.source);
    SideNumbers numbers;
    for (std::size_t i = 0; i < size; ++i) {
      const cubin::Instruction& one = side.kernel.instructions[i];
      const auto line = static_cast<std::size_t>(std::max(0, one.line));
      const int verb = line < by_line.size() ? by_line[line] : 0;
      const int shared = shares_verbs_ && shared_[static_cast<std::size_t>(verb)] ? verb : 0;
      const auto [opcode, meaning] = opcode_of(one.opcode);
      numbers.verbs.push_back(verb);
      numbers.shared_verbs.push_back(shared);
      numbers.opcodes.push_back(opcode);
      numbers.keys.push_back(key_of(shared, meaning));
      numbers.whole.push_back(whole_of(one, opcode));
    }
    return numbers;
  }
  std::vector<std::string> verbs() const { return verbs_.texts(); }
  std::size_t opcodes() const { return opcodes_.size(); }

 private:
  // By the number that instructions have for their line; 0 is none.
  std::vector<int> verbs_of_lines(const launch::SourceMap& source) {
    std::vector<int> verbs = {0};
    for (const launch::SourceLine& line : source)
      verbs.push_back(verbs_.of(flow::verb_name(&line)));
    return verbs;
  }
  std::pair<int, int> opcode_of(const std::string& opcode) {
    const int number = opcodes_.of(opcode);
    if (static_cast<std::size_t>(number) == meaning_of_.size())
      meaning_of_.push_back(meanings_.of(normalised_opcode(opcode)));
    return {number, meaning_of_[static_cast<std::size_t>(number)]};
  }
  int key_of(int verb, int meaning) {
    const auto pair =
        (static_cast<std::uint64_t>(verb) << 32U) | static_cast<std::uint64_t>(meaning);
    return keys_.try_emplace(pair, static_cast<int>(keys_.size())).first->second;
  }
  static std::uint64_t whole_of(const cubin::Instruction& one, int opcode) {
    const std::hash<std::string_view> hash;
    return (hash(one.operands) * 31 + hash(one.predicate)) * 31 +
           static_cast<std::uint64_t>(opcode);
  }

  bool shares_verbs_;
  std::vector<bool> shared_;  // by verb: a key of both sides
  Numbers verbs_, opcodes_, meanings_;
  std::vector<int> meaning_of_;  // by opcode
  std::unordered_map<std::uint64_t, int> keys_;
};

}  // namespace

std::string normalised_opcode(const std::string& opcode) {
  const std::size_t dot = opcode.find('.');
  const std::string stem = opcode.substr(0, dot);
  const isa::SassOpcode& known = isa::sass_opcode(opcode);
  const std::string& name = known.like.empty() ? stem : known.like;
  if (dot == std::string::npos || !isa::sass_opcode(name).varies) return name;
  return name + opcode.substr(dot, opcode.find('.', dot + 1) - dot);
}

NumberedSides number_sides(const CodeSubject& left, std::size_t left_size, const CodeSubject& right,
                           std::size_t right_size) {
  Numberer numberer(left, right);
  NumberedSides sides;
  sides.left = numberer.number(left, left_size);
  sides.right = numberer.number(right, right_size);
  sides.verbs = numberer.verbs();
  sides.opcodes = numberer.opcodes();
  return sides;
}

}  // namespace phasebit::compare
