#include "analysis/compare/summary.h"

#include "analysis/compare/diff.h"
#include "analysis/compare/registers.h"
#include "analysis/flow/features.h"
#include "core/base/hash.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

namespace phasebit::compare {

using base::content_hash;
using flow::CodeCounts;

namespace {

void append_text(const cubin::Instruction& one, bool one_sm, std::string& text) {
  const std::string& operands = compared_operands(one, one_sm);
  text += one.predicate;
  text += ' ';
  if (operands.find(".reuse") == std::string::npos)
    text += operands;
  else
    text += without_reuse(operands);
  text += '\n';
}

// All fields in as many bits as they have.
void append_bits(const cubin::Control& control, std::string& text) {
  std::uint32_t bits = static_cast<std::uint32_t>(control.stall_cycles);
  for (const auto& [field, width] :
       {std::pair(control.yield ? 1 : 0, 1U), std::pair(control.write_scoreboard, 3U),
        std::pair(control.read_scoreboard, 3U), std::pair(control.wait_mask, 6U),
        std::pair(control.reuse, 3U)})
    bits = bits << width | static_cast<std::uint32_t>(field);
  for (unsigned shift = 0; shift < 32; shift += 8) text += static_cast<char>(bits >> shift & 0xffU);
}

}  // namespace

CodeSignature signature_of(const cubin::SassKernel& kernel) {
  std::string opcodes, operands, named, controls;
  const std::size_t used = flow::used_instructions(kernel);
  bool has_names = false;
  for (std::size_t i = 0; i < used; ++i) has_names |= !kernel.instructions[i].unnamed.empty();
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& instruction = kernel.instructions[i];
    opcodes += instruction.opcode;
    opcodes += instruction.predicate.empty() ? "\n" : "@\n";
    append_text(instruction, true, operands);
    if (has_names) append_text(instruction, false, named);
    append_bits(instruction.control, controls);
  }
  CodeSignature made = {content_hash(opcodes),
                        content_hash(operands),
                        content_hash(has_names ? named : operands),
                        content_hash(controls),
                        renaming_hash(kernel, used, true),
                        {}};
  made.renamed_named = has_names ? renaming_hash(kernel, used, false) : made.renamed;
  return made;
}

std::vector<LineSummary> summarise_lines(const reading::CodeSubject& subject) {
  const std::size_t count = subject.source.size();
  std::vector<LineSummary> lines(count + 1);
  for (std::size_t i = 0; i < count; ++i) lines[i].line = subject.source[i].verb;
  const std::size_t used = flow::used_instructions(subject.kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& one = subject.kernel.instructions[i];
    const auto line = static_cast<std::size_t>(one.line);
    flow::add(lines[line == 0 ? count : line - 1].counts, one);
  }
  std::erase_if(lines, [](const LineSummary& one) { return one.counts.instructions == 0; });
  return lines;
}

CodeSummary summarise(const reading::CodeSubject& subject,
                      const std::optional<isa::Target>& target) {
  return {subject.sm,
          subject.kernel.text_hash,
          subject.kernel.code,
          signature_of(subject.kernel),
          reading::features_of(subject, target),
          {}};
}

Change change_between(const CodeSummary& left, const CodeSummary& right) {
  if (left.text_hash == right.text_hash && left.sm == right.sm)
    return left.code.hash == right.code.hash ? Change::identical : Change::data;
  if (left.signature.opcodes != right.signature.opcodes) return Change::instructions;
  const bool one_sm = left.sm == right.sm;
  const CodeSignature &a = left.signature, &b = right.signature;
  if (one_sm ? a.operands != b.operands : a.named != b.named)
    return (one_sm ? a.renamed == b.renamed : a.renamed_named == b.renamed_named)
               ? Change::renamed
               : Change::operands;
  if (a.controls != b.controls) return Change::schedule;
  if (!one_sm) return Change::identical;
  // Equal in everything that is printed: the words, or the padding, still differ.
  if (left.features.code_bytes == right.features.code_bytes) return Change::operands;
  return left.code.hash == right.code.hash ? Change::identical : Change::data;
}

namespace {

// Of all changes but that of instructions, for which there is nothing here.
std::optional<std::string> describe_other(const CodeSummary& left, const CodeSummary& right) {
  const Change change = change_between(left, right);
  if (change == Change::instructions) return std::nullopt;
  if (change != Change::data) return to_string(change);
  const auto beside = cubin::differences_outside_text(left.code, right.code);
  if (beside.empty()) return "data: padding after the last branch";
  return fmt::format("data: {}", fmt::join(beside, "; "));
}

}  // namespace

std::string describe_code_change(const CodeSummary& left, const CodeSummary& right) {
  if (const auto other = describe_other(left, right)) return *other;
  const std::string opcodes = opcode_changes(left.features.kernel, right.features.kernel);
  return "instructions: " + (opcodes.empty()
                                 ? "the same opcodes in another order or under other predicates"
                                 : opcodes);
}

std::string describe_change(const CodeSummary& left, const CodeSummary& right) {
  if (const auto other = describe_other(left, right)) return *other;
  const CodeCounts a = hot_code(left.features), b = hot_code(right.features);
  if (const std::string opcodes = opcode_changes(a, b); !opcodes.empty())
    return "instructions: " + opcodes;
  if (a.issue_cycles == b.issue_cycles)
    return "instructions: the hot paths have the same opcodes and issue cycles";
  return fmt::format("instructions: the hot paths have the same opcodes, {} -> {} issue cycles",
                     a.issue_cycles, b.issue_cycles);
}

CodeCounts hot_code(const flow::Features& features) {
  CodeCounts sum;
  for (const flow::LoopFeatures& loop : features.loops) flow::add(sum, loop.hot);
  return sum;
}

namespace {

// By file, then by number; code without a line comes after all others.
struct ByPlace {
  bool operator()(const std::string& a, const std::string& b) const { return key(a) < key(b); }

 private:
  static std::tuple<bool, std::string, int> key(const std::string& line) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) return {line.empty(), line, 0};
    return {false, line.substr(0, colon), std::atoi(line.c_str() + colon + 1)};
  }
};

template <typename Value>
using ByLine = std::map<std::string, Value, ByPlace>;

std::string shown(const std::string& line) {
  return line.empty() ? "(no line)" : line;
}

}  // namespace

std::optional<base::Table> line_table(
    const std::vector<std::pair<std::string, const CodeSummary*>>& columns) {
  ByLine<std::vector<std::string>> rows;
  base::Table table;
  table.columns.push_back({"source line"});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    table.columns.push_back({columns[c].first, true});
    if (columns[c].second == nullptr) continue;
    for (const LineSummary& one : columns[c].second->lines) {
      std::vector<std::string>& cells = rows[one.line];
      cells.resize(columns.size(), "-");
      cells[c] = fmt::format("{}/{}", one.counts.instructions, one.counts.issue_cycles);
    }
  }
  if (rows.empty()) return std::nullopt;
  for (const auto& [line, cells] : rows) {
    std::vector<base::Cell> row = {shown(line)};
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string line_changes(const CodeSummary& from, const CodeSummary& to) {
  constexpr std::size_t most = 12;
  ByLine<std::pair<int, int>> counts;
  for (const LineSummary& one : from.lines) counts[one.line].first = one.counts.instructions;
  for (const LineSummary& one : to.lines) counts[one.line].second = one.counts.instructions;
  std::vector<std::pair<std::string, std::pair<int, int>>> changed;
  for (const auto& one : counts)
    if (one.second.first != one.second.second) changed.emplace_back(one);
  std::stable_sort(changed.begin(), changed.end(), [](const auto& a, const auto& b) {
    const auto far = [](const auto& one) { return std::abs(one.second.first - one.second.second); };
    return far(a) > far(b);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
    text += fmt::format("{}{} {} -> {}", i == 0 ? "" : ", ", shown(changed[i].first),
                        changed[i].second.first, changed[i].second.second);
  if (changed.size() > most) text += fmt::format(", and {} more", changed.size() - most);
  return text;
}

nlohmann::ordered_json lines_as_json(const CodeSummary& code) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const LineSummary& one : code.lines)
    lines.push_back({{"line", one.line}, {"counts", flow::as_json(one.counts)}});
  return lines;
}

}  // namespace phasebit::compare
