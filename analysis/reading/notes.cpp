#include "analysis/reading/notes.h"

#include <nlohmann/json.hpp>

namespace phasebit::reading {

using cubin::SassKernel;

namespace {

const cubin::Instruction& instruction_of(const SassKernel& kernel, const WaitSource& source) {
  return kernel.instructions[static_cast<std::size_t>(source.instruction)];
}

}  // namespace

Result<flow::FlowGraph> graph_of(const SassKernel& kernel) {
  std::vector<int> entries;
  for (const cubin::FunctionCode& function : kernel.functions)
    if (function.begin < kernel.instructions.size())
      entries.push_back(static_cast<int>(function.begin));
  return flow::build_flow_graph(kernel, entries);
}

std::string waits_text(const SassKernel& kernel, const std::vector<WaitSource>& sources) {
  std::string text;
  for (const WaitSource& one : sources) {
    const cubin::Instruction& setter = instruction_of(kernel, one);
    text += fmt::format("{}{:#06x} {} (B{}{}", text.empty() ? "" : ", ", setter.address,
                        setter.opcode, one.scoreboard, one.operands ? ", its operands" : "");
    text += one.more == 0 ? ")" : fmt::format("; {} more before it)", one.more);
  }
  return text;
}

nlohmann::ordered_json waits_json(const SassKernel& kernel,
                                  const std::vector<WaitSource>& sources) {
  auto all = nlohmann::ordered_json::array();
  for (const WaitSource& one : sources)
    all.push_back({{"scoreboard", one.scoreboard},
                   {"address", instruction_of(kernel, one).address},
                   {"opcode", instruction_of(kernel, one).opcode},
                   {"operands", one.operands},
                   {"more", one.more}});
  return all;
}

std::string live_columns(const SassKernel& kernel, std::size_t index) {
  if (kernel.live.empty()) return "";
  const cubin::LiveCounts& live = kernel.live[index];
  const auto cell = [](int count) { return count == 0 ? std::string("-") : std::to_string(count); };
  return fmt::format("{:>3} {:>2} {:>3} {:>2}  ", cell(live.registers), cell(live.predicates),
                     cell(live.uniform_registers), cell(live.uniform_predicates));
}

std::string_view live_heads(const SassKernel& kernel) {
  return kernel.live.empty() ? "" : "  R  P  UR UP  ";
}

std::string live_text(const cubin::LiveCounts& live) {
  return fmt::format("{} registers, {} predicates, {} uniform registers, {} uniform predicates",
                     live.registers, live.predicates, live.uniform_registers,
                     live.uniform_predicates);
}

void ListingLines::append(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text_ += line + "\n";
}

void ListingLines::add_heading(const std::string& line) {
  append(line);
}

void ListingLines::add(std::size_t index, const std::string& line) {
  if (index > next_) append("...");
  next_ = index + 1;
  if (index < notes_.ptx.size() && notes_.ptx[index].line != 0 &&
      notes_.ptx[index].line != ptx_line_) {
    ptx_line_ = notes_.ptx[index].line;
    append(fmt::format("      ptx {}: {}", ptx_line_, notes_.ptx[index].text));
  }
  append(line);
  if (index < notes_.waits.size() && !notes_.waits[index].empty())
    append("      waits for " + waits_text(kernel_, notes_.waits[index]));
}

}  // namespace phasebit::reading
