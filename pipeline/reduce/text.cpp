#include "pipeline/reduce/text.h"

#include "core/ptx/statement.h"

namespace phasebit::pipeline::reduce {
namespace {

// A shell pattern over opcodes as one for grep -E: the opcode ends at a blank or semicolon.
std::string as_grep(const std::string& pattern) {
  std::string out = " ";
  for (const char c : pattern) {
    if (c == '*')
      out += "[^ ;]*";
    else if (c == '?')
      out += "[^ ;]";
    else if (c == '.')
      out += "\\.";
    else
      out += c;
  }
  return out + "( |;|$)";
}

}  // namespace

std::string reduced_module(const ptxas::Kernel& kernel) {
  std::string body;
  bool shared = false, inside = false;
  for (const std::string& line : kernel.statements) {
    const bool brace = line == "{" || line == "}";
    const bool label = ptx::take_apart(line).part == ptx::PtxStatement::Part::label;
    if (line == "}") inside = false;
    body += (!inside || brace ? "" : label ? " " : "  ") + line + "\n";
    if (line == "{") inside = true;
    shared = shared || line.find("pb_shared") != std::string::npos;
  }
  return fmt::format(".version {}\n.target {}\n.address_size 64\n{}{}\n{}", kernel.ptx_version,
                     kernel.ptx_target, shared ? ptxas::module_shared_declaration : "",
                     shared ? "\n" : "", body);
}

std::string reduction_header(const Reduction& reduction, const std::string& variant,
                             const std::string& file) {
  const std::string cubin = file.substr(0, file.rfind(".ptx")) + ".cubin";
  std::string out = fmt::format(
      "// {} {}: {} by {}, {} by {}.\n", reduction.opcode, flow::to_string(reduction.where),
      reduction.sides[0].last.of(reduction.where), reduction.sides[0].name,
      reduction.sides[1].last.of(reduction.where), reduction.sides[1].name);
  for (const ReducedSide& side : reduction.sides) {
    out += fmt::format("//\n// {}: {} in loops, {} in the kernel\n// {}\n", side.name,
                       side.last.loops, side.last.kernel, side.banner);
    out += fmt::format("//   ptxas {} {} -o {} && nvdisasm {} | grep -cE '{}'\n", side.arguments,
                       file, cubin, cubin, as_grep(reduction.opcode));
  }
  if (reduction.sides[0].last.kernel == reduction.sides[1].last.kernel)
    out += "//\n// The kernel has as many in both: look at which stand in a loop.\n";
  out += fmt::format(
      "//\n// Reduced by phasebit from {}: {} lines to {}{}.\n// What it computes means "
      "nothing.\n\n",
      variant, reduction.first_statements, reduction.last_statements,
      reduction.finished ? "" : ", stopped by its time limit");
  return out;
}

}  // namespace phasebit::pipeline::reduce
