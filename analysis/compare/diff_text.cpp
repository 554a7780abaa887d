#include "analysis/compare/diff_report.h"
#include "analysis/disassembly/instruction_json.h"
#include "core/table/table.h"

#include <algorithm>
#include <set>

namespace phasebit::compare {

using flow::CodeCounts;
using flow::LoopFeatures;

namespace {

constexpr std::size_t code_width = 52;

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string side_line(char letter, const DiffSide& side, const flow::Features& features) {
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

table::Table verb_table(const KernelDiff& diff) {
  table::Table table;
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

std::string code_of(const DiffSide& side, int index) {
  if (index < 0) return std::string(4 + 2 + 26 + 1 + code_width, ' ');
  const cubin::Instruction& instruction = side.kernel.instructions[static_cast<std::size_t>(index)];
  return fmt::format("{:04x}  {:26} {:{}}", instruction.address,
                     cubin::to_string(instruction.control), disassembly::text_of(instruction),
                     code_width);
}

void add_row(std::string& text, const DiffSide& left, const DiffSide& right, const DiffRow& row) {
  const DiffSide& side = row.left >= 0 ? left : right;
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

void add_rows(std::string& text, const DiffSide& left, const DiffSide& right,
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

std::string diff_as_text(const DiffSide& left, const DiffSide& right, const KernelDiff& diff,
                         const DiffView& view) {
  std::string text;
  add_line(text, side_line('A', left, diff.left));
  add_line(text, side_line('B', right, diff.right));
  add_line(text, verdict_line(diff));
  for (const std::string& line : diff.beside) add_line(text, "  beside the instructions: " + line);
  text += "\n" + table::render(verb_table(diff), table::TableFormat::text) + "\n";
  add_loops(text, diff);
  const std::string header =
      fmt::format("addr  {:26} {:{}}", "st y Wr Rd waits   reuse", "instruction", code_width);
  add_line(text, fmt::format("\n{}     {}  verb", header, header));
  add_rows(text, left, right, diff, view);
  return text;
}

}  // namespace phasebit::compare
