#include "analysis/reading/flow_dot.h"

#include "analysis/flow/features.h"
#include "analysis/flow/loops.h"
#include "analysis/reading/notes.h"
#include "analysis/reading/pipes.h"

#include <algorithm>

namespace phasebit::reading {

using cubin::SassKernel;

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class Drawing {
 public:
  Drawing(const SassKernel& kernel, const flow::FlowGraph& graph, const std::vector<bool>& shown)
      : kernel_(kernel), graph_(graph), shown_(shown), nest_(flow::find_loops(graph)) {}

  std::string draw(const std::string& title) {
    text_ = fmt::format("digraph {} {{\n  label={};\n  labelloc=t;\n", quoted(kernel_.entry),
                        quoted(title));
    text_ += "  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
    frames(-1, "  ");
    for (int b = 0; b < static_cast<int>(graph_.blocks.size()); ++b)
      if (is_shown(b)) edges(b);
    return text_ + "}\n";
  }

 private:
  const flow::BasicBlock& block(int b) const { return graph_.blocks[static_cast<std::size_t>(b)]; }

  // Nothing leads to the branch to itself that ends a kernel, nor to the NOPs after it.
  bool is_reached(int b) const {
    const auto starts = [&](const cubin::FunctionCode& one) {
      return static_cast<int>(one.begin) == block(b).begin;
    };
    return b == 0 || std::any_of(kernel_.functions.begin(), kernel_.functions.end(), starts) ||
           std::any_of(block(b).predecessors.begin(), block(b).predecessors.end(),
                       [&](int before) { return before != b; });
  }

  bool is_shown(int b) const {
    if (!is_reached(b) || block(b).begin >= static_cast<int>(flow::used_instructions(kernel_)))
      return false;
    if (shown_.empty()) return true;
    for (int i = block(b).begin; i < block(b).end; ++i)
      if (shown_[static_cast<std::size_t>(i)]) return true;
    return false;
  }

  // The innermost loop of a block, or -1.
  int loop_of(int b) const {
    int found = -1;
    for (std::size_t l = 0; l < nest_.loops.size(); ++l)
      if (nest_.loops[l].contains[static_cast<std::size_t>(b)] &&
          (found < 0 || nest_.loops[l].depth > nest_.loops[static_cast<std::size_t>(found)].depth))
        found = static_cast<int>(l);
    return found;
  }

  // The innermost loop around a loop, or -1.
  int parent_of(std::size_t loop) const {
    const flow::Loop& inner = nest_.loops[loop];
    for (std::size_t l = 0; l < nest_.loops.size(); ++l)
      if (l != loop && nest_.loops[l].depth == inner.depth - 1 &&
          nest_.loops[l].contains[static_cast<std::size_t>(inner.header)])
        return static_cast<int>(l);
    return -1;
  }

  // The blocks of a loop at its own depth, then the loops in it, each in a frame.
  void frames(int loop, const std::string& indent) {
    for (int b = 0; b < static_cast<int>(graph_.blocks.size()); ++b)
      if (is_shown(b) && loop_of(b) == loop) node(b, indent);
    for (std::size_t l = 0; l < nest_.loops.size(); ++l) {
      if (parent_of(l) != loop) continue;
      constexpr int lightest = 97, step = 6, darkest = 61;
      const int grey = std::max(darkest, lightest - step * nest_.loops[l].depth);
      text_ += fmt::format("{}subgraph cluster_{} {{\n{}  label=\"loop, depth {}\";\n", indent, l,
                           indent, nest_.loops[l].depth);
      text_ += fmt::format("{}  style=filled;\n{}  color=gray{};\n", indent, indent, grey);
      frames(static_cast<int>(l), indent + "  ");
      text_ += indent + "}\n";
    }
  }

  void node(int b, const std::string& indent) {
    flow::CodeCounts counts;
    for (int i = block(b).begin; i < block(b).end; ++i)
      flow::add(counts, kernel_.instructions[static_cast<std::size_t>(i)]);
    std::string label =
        fmt::format("{:#x}-{:#x}\\n{} instr, {} issue, {} waits",
                    block(b).begin * int{cubin::instruction_bytes},
                    (block(b).end - 1) * int{cubin::instruction_bytes}, counts.instructions,
                    counts.issue_cycles, counts.scoreboard_waits);
    std::string key = key_opcodes(counts.opcodes);
    for (std::size_t comma = key.find(", "); comma != std::string::npos; comma = key.find(", "))
      key.replace(comma, 2, "\\n");
    if (!key.empty()) label += "\\n" + key;
    text_ +=
        fmt::format("{}b{} [label=\"{}\", style=filled, fillcolor=white];\n", indent, b, label);
  }

  void edges(int b) {
    for (const int next : block(b).successors) {
      if (!is_shown(next)) continue;
      const bool back = block(next).begin <= block(b).begin;
      text_ += fmt::format("  b{} -> b{}{};\n", b, next, back ? " [style=bold]" : "");
    }
  }

  const SassKernel& kernel_;
  const flow::FlowGraph& graph_;
  const std::vector<bool>& shown_;
  flow::LoopNest nest_;
  std::string text_;
};

}  // namespace

Result<std::string> flow_as_dot(const SassKernel& kernel, const std::string& title,
                                const std::vector<bool>& shown) {
  PHASEBIT_TRY_ASSIGN(graph, graph_of(kernel));
  return Drawing(kernel, graph, shown).draw(title);
}

}  // namespace phasebit::reading
