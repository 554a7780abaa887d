#include "analysis/reading/loops.h"

#include "analysis/flow/loops.h"
#include "analysis/flow/window.h"

#include <algorithm>
#include <set>

namespace phasebit::reading {

using image::SourceMap;

namespace {

// Functions inside a kernel are entered by calls, which are no edges: an edge from the entry makes
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
  const image::SourceLine* last = nullptr;
  int run = 0;
  const auto close = [&] {
    if (run > 1) text += fmt::format("-{}", last->line);
  };
  for (const int number : numbers) {
    const image::SourceLine& line = source[static_cast<std::size_t>(number) - 1];
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

CodeLoop describe(const flow::Loop& loop, const flow::LoopNest& nest, const flow::FlowGraph& graph,
                  const cubin::SassKernel& kernel, const SourceMap& source) {
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
  result.lines = lines_of(numbers, source);
  return result;
}

}  // namespace

CodeLoops find_code_loops(const cubin::SassKernel& kernel, const SourceMap& source) {
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
    result.loops.push_back(describe(loop, nest, *graph, kernel, source));
  std::stable_sort(result.loops.begin(), result.loops.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
  });
  if (std::find(nest.irreducible.begin(), nest.irreducible.end(), true) != nest.irreducible.end())
    result.problem = "a cycle is entered in two places";
  return result;
}

}  // namespace phasebit::reading
