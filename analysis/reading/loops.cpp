#include "analysis/reading/loops.h"

#include "analysis/flow/loops.h"
#include "analysis/flow/spins.h"
#include "analysis/flow/window.h"
#include "analysis/reading/pipes.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace phasebit::reading {

using cubin::SassKernel;
using isa::SassFact;
using launch::SourceMap;

namespace {

// Functions inside a kernel are entered by calls, which are not edges: an edge from the entry makes
// their blocks reachable and changes no loop.
void enter_functions(flow::FlowGraph& graph, const std::vector<int>& entries) {
  for (const int entry : entries) {
    const int block = graph.block_of[static_cast<std::size_t>(entry)];
    if (block == 0) continue;
    graph.blocks[0].successors.push_back(block);
    graph.blocks[static_cast<std::size_t>(block)].predecessors.push_back(0);
  }
}

// "k.cu:9-12, k.cu:20, inc.h:5": neighbouring lines of a file together.
std::string lines_of(const std::set<int>& numbers, const SourceMap& source) {
  std::string text;
  const launch::SourceLine* last = nullptr;
  int run = 0;
  const auto close = [&] {
    if (run > 1) text += fmt::format("-{}", last->line);
  };
  for (const int number : numbers) {
    const launch::SourceLine& line = source[static_cast<std::size_t>(number) - 1];
    if (last != nullptr && line.file == last->file && line.line == last->line + 1) {
      ++run;
    } else {
      close();
      text += (text.empty() ? "" : ", ") + line.verb;
      run = 1;
    }
    last = &line;
  }
  close();
  return text;
}

// Each once, in the order of the code.
std::string verbs_of(const std::vector<std::uint32_t>& addresses, const SassKernel& kernel,
                     const SourceMap& source) {
  std::vector<std::string> verbs;
  for (const std::uint32_t address : addresses) {
    const std::string verb = flow::verb_name(
        flow::source_line(source, kernel.instructions[address / cubin::instruction_bytes]));
    if (!verb.empty() && std::find(verbs.begin(), verbs.end(), verb) == verbs.end())
      verbs.push_back(verb);
  }
  return fmt::format("{}", fmt::join(verbs, ", "));
}

CodeLoop describe(const flow::Loop& loop, const flow::LoopNest& nest, const flow::FlowGraph& graph,
                  const cubin::SassKernel& kernel, const SourceMap& source, bool has_lines) {
  CodeLoop result;
  const auto instruction = [&](int i) -> const cubin::Instruction& {
    return kernel.instructions[static_cast<std::size_t>(i)];
  };
  std::set<int> numbers;
  result.depth = loop.depth;
  result.begin = instruction(graph.blocks[static_cast<std::size_t>(loop.header)].begin).address;
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    if (!loop.contains[b]) continue;
    const flow::BasicBlock& block = graph.blocks[b];
    for (int i = block.begin; i < block.end; ++i) {
      const bool own = nest.depth[b] == loop.depth;
      flow::add(own ? result.own : result.inner, instruction(i));
      if (own) result.own_addresses.push_back(instruction(i).address);
      result.addresses.push_back(instruction(i).address);
      if (flow::source_line(source, instruction(i)) != nullptr) numbers.insert(instruction(i).line);
    }
    result.end =
        std::max(result.end, instruction(block.end - 1).address + cubin::instruction_bytes);
  }
  result.lines = has_lines ? lines_of(numbers, source) : verbs_of(result.addresses, kernel, source);
  return result;
}

}  // namespace

CodeLoops find_code_loops(const cubin::SassKernel& kernel, const SourceMap& source,
                          bool has_lines) {
  std::vector<int> entries;
  for (const cubin::FunctionCode& function : kernel.functions)
    if (function.begin < kernel.instructions.size())
      entries.push_back(static_cast<int>(function.begin));
  CodeLoops result;
  auto graph = flow::build_flow_graph(kernel, entries);
  if (!graph) {
    result.problem = graph.error().message;
    result.followed = false;
    return result;
  }
  enter_functions(*graph, entries);
  const flow::LoopNest nest = flow::find_loops(*graph);
  for (const flow::Loop& loop : nest.loops)
    result.loops.push_back(describe(loop, nest, *graph, kernel, source, has_lines));
  std::stable_sort(result.loops.begin(), result.loops.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
  });
  if (std::find(nest.irreducible.begin(), nest.irreducible.end(), true) != nest.irreducible.end())
    result.problem = "a cycle is entered in two places";
  return result;
}

namespace {

void mark(std::vector<bool>& shown, const CodeLoop& loop) {
  for (const std::uint32_t address : loop.addresses)
    shown[address / cubin::instruction_bytes] = true;
}

}  // namespace

Result<base::Table> loop_table(const std::vector<FunctionLoops>& functions, int sm,
                               const std::string& lines) {
  base::Table table{{{"loop", true},
                     {"addresses"},
                     {"depth", true},
                     {"instr", true},
                     {"issue", true},
                     {"waits", true},
                     {"inside", true},
                     {"key opcodes"},
                     {"pipelines"},
                     {lines}},
                    {},
                    {}};
  int number = 0;
  for (const FunctionLoops& function : functions)
    for (const CodeLoop& loop : function.loops->loops)
      table.rows.push_back(
          {++number,
           fmt::format("{}{}{:#x}-{:#x}", function.function, function.function.empty() ? "" : " ",
                       loop.begin, loop.end - cubin::instruction_bytes),
           loop.depth, loop.own.instructions, loop.own.issue_cycles, loop.own.scoreboard_waits,
           loop.inner.instructions, key_opcodes(loop.own.opcodes), pipe_mix(loop.own.opcodes, sm),
           first_lines(loop.lines)});
  return table;
}

std::vector<bool> in_any_loop(const cubin::SassKernel& kernel, const CodeLoops& loops) {
  std::vector<bool> shown(kernel.instructions.size(), false);
  for (const CodeLoop& loop : loops.loops) mark(shown, loop);
  return shown;
}

Result<std::vector<bool>> in_loop(const cubin::SassKernel& kernel, const CodeLoops& loops,
                                  int number) {
  const std::size_t count = loops.loops.size();
  if (number < 1 || static_cast<std::size_t>(number) > count)
    return with_hint(fail(Step::usage, "--loop {}: there are {} loops", number, count),
                     loops.problem.empty() ? "the table below the listing numbers them"
                                           : "there may be others: " + loops.problem);
  std::vector<bool> shown(kernel.instructions.size(), false);
  mark(shown, loops.loops[static_cast<std::size_t>(number) - 1]);
  return shown;
}

std::string first_lines(const std::string& lines) {
  std::size_t comma = lines.find(", ");
  if (comma != std::string::npos) comma = lines.find(", ", comma + 1);
  return comma == std::string::npos ? lines : lines.substr(0, comma) + ", ...";
}

std::vector<int> loop_depths(const SassKernel& kernel, const CodeLoops& loops) {
  std::vector<int> depth(kernel.instructions.size(), 0);
  for (const CodeLoop& loop : loops.loops)
    for (const std::uint32_t address : loop.addresses) {
      int& one = depth[address / cubin::instruction_bytes];
      one = std::max(one, loop.depth);
    }
  return depth;
}

std::vector<bool> waiting_loops(const SassKernel& kernel, const CodeLoops& loops) {
  const std::vector<bool> spins = flow::find_spins(kernel);
  std::vector<bool> waits;
  for (const CodeLoop& loop : loops.loops) {
    bool found_try = false, found_work = false;
    for (const std::uint32_t address : loop.own_addresses) {
      const std::size_t index = address / cubin::instruction_bytes;
      found_try |= spins[index] || flow::is(kernel.instructions[index], SassFact::tries);
      found_work |= flow::is(kernel.instructions[index], SassFact::works);
    }
    waits.push_back(found_try && !found_work);
  }
  return waits;
}

std::optional<std::size_t> hottest_loop(const SassKernel& kernel, const CodeLoops& loops) {
  const std::vector<bool> waits = waiting_loops(kernel, loops);
  const auto heat = [&](std::size_t i) {
    const CodeLoop& loop = loops.loops[i];
    return std::tuple(loop.depth, loop.own.issue_cycles, loop.own.instructions);
  };
  std::optional<std::size_t> hottest;
  for (std::size_t i = 0; i < loops.loops.size(); ++i)
    if (!waits[i] && (!hottest || heat(i) > heat(*hottest))) hottest = i;
  return hottest;
}

}  // namespace phasebit::reading
