#include "analysis/compare/summary.h"

#include "analysis/compare/diff_report.h"
#include "core/base/hash.h"

#include <optional>

namespace phasebit {

CodeSignature signature_of(const SassKernel& kernel) {
  std::string opcodes, operands, named, controls;
  const std::size_t used = used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const Instruction& instruction = kernel.instructions[i];
    opcodes += instruction.opcode + (instruction.predicate.empty() ? "\n" : "@\n");
    operands += instruction.predicate + ' ' + compared_operands(instruction, true) + '\n';
    named += instruction.predicate + ' ' + compared_operands(instruction, false) + '\n';
    controls += to_string(instruction.control) + '\n';
  }
  return {content_hash(opcodes), content_hash(operands), content_hash(named),
          content_hash(controls)};
}

CodeSummary summarise(int sm, const SassKernel& kernel, const SourceMap& source,
                      const std::vector<RoleWindow>& windows) {
  return {sm, kernel.text_hash, kernel.code, signature_of(kernel),
          take_features(kernel, source, windows)};
}

Change change_between(const CodeSummary& left, const CodeSummary& right) {
  if (left.text_hash == right.text_hash && left.sm == right.sm)
    return left.code.hash == right.code.hash ? Change::identical : Change::data;
  if (left.signature.opcodes != right.signature.opcodes) return Change::instructions;
  const bool one_sm = left.sm == right.sm;
  if (one_sm ? left.signature.operands != right.signature.operands
             : left.signature.named != right.signature.named)
    return Change::operands;
  if (left.signature.controls != right.signature.controls) return Change::schedule;
  // Equal in everything that is printed: on one SM the words, or the padding, still differ.
  return left.sm == right.sm && left.features.code_bytes == right.features.code_bytes
             ? Change::operands
             : Change::identical;
}

namespace {

// Of all changes but that of instructions, for which there is nothing here.
std::optional<std::string> describe_other(const CodeSummary& left, const CodeSummary& right) {
  const Change change = change_between(left, right);
  if (change == Change::instructions) return std::nullopt;
  if (change != Change::data) return to_string(change);
  return fmt::format("data: {}", fmt::join(differences_beside_text(left.code, right.code), "; "));
}

}  // namespace

std::string describe_code_change(const CodeSummary& left, const CodeSummary& right) {
  if (const auto other = describe_other(left, right)) return *other;
  const std::string opcodes = opcode_changes(left.features.kernel, right.features.kernel);
  return "instructions: " + (opcodes.empty() ? "the same opcodes in another order" : opcodes);
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

CodeCounts hot_code(const Features& features) {
  CodeCounts sum;
  for (const LoopFeatures& loop : features.loops) add(sum, loop.hot);
  return sum;
}

}  // namespace phasebit
