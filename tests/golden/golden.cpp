#include "tests/golden/golden.h"

#include "analysis/compare/registers.h"
#include "analysis/compare/summary.h"
#include "core/base/hash.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace phasebit::test {

using base::content_hash;
using compare::CodeSummary;
using cubin::Instruction;
using cubin::SassKernel;
using flow::Heat;
using flow::RoleWindow;

namespace {

// Columns of a line: heat, verb, control fields, code.
constexpr std::size_t verb_at = 7, control_at = 32, control_size = 22, code_at = 56;
constexpr std::string_view kernel_mark = "== ", same_mark = "as ", other_mark = "on ";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Renames registers by their first appearance, a kind at a time.
class Renamer {
 public:
  std::string rename(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      if (end == i) {
        out += text[i++];
        continue;
      }
      out += word(text.substr(i, end - i));
      i = end;
    }
    return out;
  }

 private:
  std::string word(const std::string& text) {
    // ptxas numbers its helpers by module: "$__internal_3_$__cuda_sm70_warpsync".
    if (text.starts_with("__internal_")) return "__internal";
    const std::size_t digits = text.find_first_of("0123456789");
    const bool number =
        digits != std::string::npos && text.find_first_not_of("0123456789", digits) == text.npos;
    const std::string kind = number ? text.substr(0, digits) : "";
    const char* prefix = kind == "R"    ? "r"
                         : kind == "UR" ? "u"
                         : kind == "P"  ? "p"
                         : kind == "UP" ? "q"
                                        : nullptr;
    if (prefix == nullptr) return text;
    std::map<std::string, std::size_t>& names = names_[kind];
    return prefix + std::to_string(names.emplace(text, names.size()).first->second);
  }

  std::map<std::string, std::map<std::string, std::size_t>> names_;
};

// What is shown of a kernel, and where its branches lead.
class Shown {
 public:
  Shown(const SassKernel& kernel, const std::vector<RoleWindow>& windows)
      : heat_(kernel.instructions.size(), Heat::outside) {
    bool any = false;
    for (const RoleWindow& window : windows)
      for (std::size_t i = 0; i < window.heat.size(); ++i)
        if (window.heat[i] == Heat::hot || window.heat[i] == Heat::cold)
          heat_[i] =
              std::min(heat_[i] == Heat::outside ? window.heat[i] : heat_[i], window.heat[i]),
          any = true;
    const std::size_t used = flow::used_instructions(kernel);
    for (std::size_t i = 0; i < used && !any; ++i) heat_[i] = Heat::beside;
  }
  bool holds(std::size_t index) const { return heat_[index] != Heat::outside; }
  const char* name(std::size_t index) const {
    return heat_[index] == Heat::hot ? "hot" : heat_[index] == Heat::cold ? "cold" : "";
  }

  // Label of an instruction that a branch names, by the order of the branches.
  std::string label(std::size_t index) {
    if (index >= heat_.size() || !holds(index)) return "out";
    return fmt::format("L{}", labels_.emplace(index, labels_.size()).first->second);
  }
  std::string label_at(std::size_t index) const {
    const auto found = labels_.find(index);
    return found == labels_.end() ? "" : fmt::format("L{}: ", found->second);
  }

 private:
  std::vector<Heat> heat_;
  std::map<std::size_t, std::size_t> labels_;
};

// Whether the last operand may be an address in the kernel: of a branch, of a place where the warp
// meets, of what a function returns to.
bool names_place(const SassKernel& kernel, const Instruction& instruction, std::size_t place) {
  const std::string_view stem = flow::opcode_stem(instruction);
  if (stem == "MOV")
    return place > 0 && place < kernel.instructions.size() &&
           flow::opcode_stem(kernel.instructions[place - 1]) == "CALL";
  if (stem == "WARPSYNC") return instruction.operands.find(',') != std::string::npos;
  return stem == "BRA" || stem == "BSSY" || stem == "CALL" || stem == "JMP";
}

// The operands with a label in the place of such an address.
std::string with_label(const SassKernel& kernel, const Instruction& instruction, Shown& shown) {
  const std::size_t comma = instruction.operands.rfind(',');
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  const std::string last = instruction.operands.substr(begin);
  std::size_t address = 0;
  const auto [end, error] = std::from_chars(last.data() + std::min<std::size_t>(2, last.size()),
                                            last.data() + last.size(), address, 16);
  if (!last.starts_with("0x") || error != std::errc() || *end != '\0' ||
      !names_place(kernel, instruction, address / cubin::instruction_bytes))
    return compare::without_reuse(instruction.operands);
  return instruction.operands.substr(0, begin) + shown.label(address / cubin::instruction_bytes);
}

std::string code_of(const std::string& line) {
  return line.size() > code_at ? line.substr(code_at) : "";
}

// A kernel of the lines' own columns, for what describe_change knows.
CodeSummary summary_of(const GoldenKernel& kernel) {
  std::string opcodes, operands, controls, all;
  CodeSummary summary;
  flow::LoopFeatures& loop = summary.features.loops.emplace_back();
  for (const std::string& line : kernel.lines) {
    std::string code = code_of(line);
    if (const std::size_t colon = code.find(": "); colon != std::string::npos)
      code.erase(0, colon + 2);
    const bool guarded = code.starts_with('@');
    const std::size_t begin = guarded ? std::min(code.find(' '), code.size() - 1) + 1 : 0;
    Instruction one;
    one.opcode = code.substr(begin, code.find(' ', begin) - begin);
    one.control.stall_cycles = std::atoi(line.substr(std::min(control_at, line.size()), 2).c_str());
    if (line.starts_with("hot ")) flow::add(loop.hot, one);
    opcodes += one.opcode + (guarded ? "@\n" : "\n");
    operands += code + "\n";
    controls += line.substr(std::min(control_at, line.size()), control_size) + "\n";
    all += line + "\n";
  }
  summary.text_hash = content_hash(all);
  const std::string hash = content_hash(operands);  // registers are numbered by appearance
  summary.signature = {content_hash(opcodes), hash, hash, content_hash(controls), hash, hash};
  return summary;
}

std::string describe(const CodeSummary& before, const CodeSummary& after) {
  const compare::CodeSignature &a = before.signature, &b = after.signature;
  if (a.opcodes == b.opcodes && a.operands == b.operands && a.controls == b.controls)
    return "the same code, but another part of it is hot or of another verb";
  return compare::describe_change(before, after);
}

std::string first_lines(const GoldenKernel& committed, const GoldenKernel& present) {
  constexpr std::size_t shown = 3;
  const auto [a, b] = std::mismatch(committed.lines.begin(), committed.lines.end(),
                                    present.lines.begin(), present.lines.end());
  std::string text;
  for (auto one = a; one != committed.lines.end() && one < a + shown; ++one)
    text += "\n  - " + *one;
  for (auto one = b; one != present.lines.end() && one < b + shown; ++one) text += "\n  + " + *one;
  return text;
}

const GoldenKernel* find(const std::vector<GoldenKernel>& kernels, const std::string& variant) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const GoldenKernel& kernel) {
    return kernel.variant == variant;
  });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace

GoldenKernel golden_kernel(const std::string& variant, const SassKernel& kernel,
                           const launch::SourceMap& source,
                           const std::vector<RoleWindow>& windows) {
  Shown shown(kernel, windows);
  Renamer renamer;
  std::vector<std::pair<std::size_t, std::string>> codes;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    if (!shown.holds(i)) continue;
    const Instruction& one = kernel.instructions[i];
    const std::string operands = with_label(kernel, one, shown);
    codes.emplace_back(i, renamer.rename(one.predicate + (one.predicate.empty() ? "" : " ")) +
                              one.opcode + (operands.empty() ? "" : " ") +
                              renamer.rename(operands));
  }
  GoldenKernel golden{variant, {}};
  for (const auto& [i, code] : codes)
    golden.lines.push_back(
        fmt::format("{:6} {:24} {}  {}{}", shown.name(i),
                    flow::verb_name(flow::source_line(source, kernel.instructions[i])),
                    cubin::to_string(kernel.instructions[i].control), shown.label_at(i), code));
  return golden;
}

std::string print_golden(const std::string& title, const std::vector<GoldenKernel>& kernels,
                         const std::vector<GoldenTarget>& earlier) {
  std::string text = "# " + title + "\n";
  std::map<std::vector<std::string>, std::string> first;
  for (const GoldenKernel& kernel : kernels) {
    text += fmt::format("\n{}{}\n", kernel_mark, kernel.variant);
    const auto [found, added] = first.emplace(kernel.lines, kernel.variant);
    const auto same = std::find_if(earlier.begin(), earlier.end(), [&](const GoldenTarget& one) {
      const GoldenKernel* there = find(one.kernels, kernel.variant);
      return there != nullptr && there->lines == kernel.lines;
    });
    if (!added)
      text += fmt::format("{}{}\n", same_mark, found->second);
    else if (same != earlier.end())
      text += fmt::format("{}{}\n", other_mark, same->target);
    else
      for (const std::string& line : kernel.lines) text += line + "\n";
  }
  return text;
}

Result<std::vector<GoldenKernel>> parse_golden(std::string_view text, const std::string& name,
                                               const std::vector<GoldenTarget>& earlier) {
  std::vector<GoldenKernel> kernels;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(kernel_mark)) {
      kernels.push_back({line.substr(kernel_mark.size()), {}});
    } else if (kernels.empty()) {
      return fail(Step::io, "{}:{}: a line before the first kernel", name, number);
    } else if (line.starts_with(same_mark)) {
      const GoldenKernel* other = find(kernels, line.substr(same_mark.size()));
      if (other == nullptr)
        return fail(Step::io, "{}:{}: no earlier kernel {}", name, number,
                    line.substr(same_mark.size()));
      kernels.back().lines = other->lines;
    } else if (line.starts_with(other_mark)) {
      const auto at = std::find_if(earlier.begin(), earlier.end(), [&](const GoldenTarget& one) {
        return one.target == line.substr(other_mark.size());
      });
      const GoldenKernel* other =
          at == earlier.end() ? nullptr : find(at->kernels, kernels.back().variant);
      if (other == nullptr)
        return fail(Step::io, "{}:{}: no listing of {} {}", name, number, kernels.back().variant,
                    line);
      kernels.back().lines = other->lines;
    } else {
      kernels.back().lines.push_back(line);
    }
  }
  return kernels;
}

std::vector<GoldenChange> compare_golden(const std::vector<GoldenKernel>& committed,
                                         const std::vector<GoldenKernel>& present) {
  std::vector<GoldenChange> changes;
  for (const GoldenKernel& kernel : present) {
    const GoldenKernel* before = find(committed, kernel.variant);
    if (before == nullptr)
      changes.push_back({kernel.variant, "new"});
    else if (before->lines != kernel.lines)
      changes.push_back({kernel.variant, describe(summary_of(*before), summary_of(kernel)) +
                                             first_lines(*before, kernel)});
  }
  for (const GoldenKernel& kernel : committed)
    if (find(present, kernel.variant) == nullptr) changes.push_back({kernel.variant, "gone"});
  return changes;
}

}  // namespace phasebit::test
