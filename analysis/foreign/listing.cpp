#include "analysis/foreign/listing.h"

#include "analysis/disassembly/instruction_json.h"
#include "analysis/flow/features_json.h"
#include "core/table/table.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::ordered_json;

// Loops around each instruction.
std::vector<int> depths(const ReadKernel& read) {
  std::vector<int> depth(read.kernel.instructions.size(), 0);
  for (const CodeLoop& loop : read.loops.loops)
    for (const std::uint32_t address : loop.addresses) {
      int& one = depth[address / instruction_bytes];
      one = std::max(one, loop.depth);
    }
  return depth;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

void add_instructions(std::string& text, const ReadKernel& read, const CubinKernel& of) {
  const std::vector<int> depth = depths(read);
  add_line(text, fmt::format("{:4}  {}  {:4} {:56} {}", "addr", "st y Wr Rd waits   reuse", "loop",
                             "instruction", "source"));
  const std::size_t used = used_instructions(read.kernel);
  auto function = of.functions.begin();
  for (std::size_t i = 0; i < used; ++i) {
    const Instruction& instruction = read.kernel.instructions[i];
    for (; function != of.functions.end() && function->offset == instruction.address; ++function)
      text += fmt::format("{}:\n", function->name);
    const SourceLine* line = source_line(read.source, instruction);
    add_line(text, fmt::format("{:04x}  {}  {:4} {:56} {}", instruction.address,
                               to_string(instruction.control),
                               depth[i] == 0 ? "" : std::to_string(depth[i]), text_of(instruction),
                               line == nullptr ? "" : line->verb));
  }
}

void add_lines(std::string& text, const ReadKernel& read) {
  if (read.source.empty()) {
    text += "\nno line information: nvcc -lineinfo writes it, or .loc and ptxas -lineinfo\n";
    return;
  }
  Table table{{{"source line"}, {"instr", true}, {"issue", true}, {"waits", true}}, {}, {}};
  for (const LineSummary& line : summarise_lines(read))
    table.rows.push_back({line.line.empty() ? "(no line)" : line.line, line.counts.instructions,
                          line.counts.issue_cycles, line.counts.scoreboard_waits});
  text += "\n" + render(table, TableFormat::text);
}

void add_loops(std::string& text, const ReadKernel& read) {
  Table table{{{"loop"},
               {"depth", true},
               {"instr", true},
               {"issue", true},
               {"waits", true},
               {"inside", true},
               {"source lines"}},
              {},
              {}};
  for (const CodeLoop& loop : read.loops.loops)
    table.rows.push_back({fmt::format("{:#x}-{:#x}", loop.begin, loop.end - instruction_bytes),
                          loop.depth, loop.own.instructions, loop.own.issue_cycles,
                          loop.own.scoreboard_waits, loop.inner.instructions, loop.lines});
  if (!table.rows.empty()) text += "\n" + render(table, TableFormat::text);
  if (!read.loops.problem.empty())
    text += fmt::format("\nthere may be other loops: {}\n", read.loops.problem);
}

std::string made_by(const Cubin& cubin) {
  const std::string tool = cubin.tool.empty() ? "CUDA" : cubin.tool;
  return cubin.tool_version.empty() ? "" : tool + " " + cubin.tool_version;
}

std::string as_text(const ReadKernel& read, const CodeKernel& of, const std::string& nvdisasm) {
  const std::string tool = made_by(of.image->cubin);
  std::string text =
      fmt::format("{} for {}{}{}\n", read.name, read.target, tool.empty() ? "" : ", by ", tool);
  if (const std::string plain = demangled(read.kernel.entry); !plain.empty())
    text += fmt::format("symbol {}\n", read.kernel.entry);
  add_instructions(text, read, *of.kernel);
  add_lines(text, read);
  add_loops(text, read);
  CodeCounts all;
  const std::size_t used = used_instructions(read.kernel);
  for (std::size_t i = 0; i < used; ++i) add(all, read.kernel.instructions[i]);
  const std::string registers =
      read.kernel.registers == 0 ? "unknown" : std::to_string(read.kernel.registers);
  return text + fmt::format(
                    "\n{} instructions, {} issue cycles, {} scoreboard waits, {} loops; {} "
                    "registers, {} bytes of static shared memory; .text {}, nvdisasm {}\n",
                    all.instructions, all.issue_cycles, all.scoreboard_waits,
                    read.loops.loops.size(), registers, read.kernel.static_shared_bytes,
                    read.kernel.text_hash, nvdisasm);
}

// The lines of the kernel's code with what they were inlined into: a caller stands before those
// that name it. By frame of the image: its place in that list.
struct FrameList {
  ordered_json list = ordered_json::array();
  std::map<int, std::size_t> places;
};

FrameList frames_json(const ReadKernel& read, const SourceTable& table) {
  FrameList frames;
  for (const int frame : read.frames)
    for (const int one : table.chain(frame)) frames.places.emplace(one, 0);
  for (auto& [frame, place] : frames.places) {
    place = frames.list.size();
    const SourceFrame& line = table.frames[static_cast<std::size_t>(frame)];
    const std::string& symbol = table.function_of(frame);
    const std::string plain = demangled(symbol);
    ordered_json one = {{"file", table.file_of(frame)},
                        {"line", line.line},
                        {"function", plain.empty() ? symbol : plain},
                        {"caller", nullptr}};
    if (line.caller >= 0) one["caller"] = frames.places.at(line.caller);
    frames.list.push_back(std::move(one));
  }
  return frames;
}

ordered_json instructions_json(const ReadKernel& read, const FrameList& frames) {
  const std::vector<int> depth = depths(read);
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < read.kernel.instructions.size(); ++i) {
    const Instruction& instruction = read.kernel.instructions[i];
    const SourceLine* line = source_line(read.source, instruction);
    ordered_json one = as_json(instruction);
    one["file"] = line == nullptr ? "" : line->file;
    one["line"] = line == nullptr ? 0 : line->line;
    one["frame"] = nullptr;
    if (i < read.frames.size() && read.frames[i] >= 0)
      one["frame"] = frames.places.at(read.frames[i]);
    one["loop_depth"] = depth[i];
    all.push_back(std::move(one));
  }
  return all;
}

std::string as_json_text(const ReadKernel& read, const CodeKernel& of,
                         const std::string& nvdisasm) {
  ordered_json lines = ordered_json::array(), loops = ordered_json::array();
  for (const LineSummary& line : summarise_lines(read))
    lines.push_back({{"line", line.line}, {"counts", as_json(line.counts)}});
  for (const CodeLoop& loop : read.loops.loops)
    loops.push_back({{"begin", loop.begin},
                     {"end", loop.end},
                     {"depth", loop.depth},
                     {"lines", loop.lines},
                     {"own", as_json(loop.own)},
                     {"inner", as_json(loop.inner)}});
  const Features features = take_features(read.kernel, read.source, {});
  const FrameList frames = frames_json(read, of.image->cubin.source);
  const ordered_json all = {{"name", read.name},
                            {"entry", read.kernel.entry},
                            {"demangled", demangled(read.kernel.entry)},
                            {"target", read.target},
                            {"sm", of.image->cubin.sm},
                            {"made_by", made_by(of.image->cubin)},
                            {"disassembler", nvdisasm},
                            {"text_hash", read.kernel.text_hash},
                            {"registers", features.registers},
                            {"static_shared_bytes", features.static_shared_bytes},
                            {"code_bytes", features.code_bytes},
                            {"kernel", as_json(features.kernel)},
                            {"source_files", of.image->cubin.source.files},
                            {"frames", frames.list},
                            {"lines", lines},
                            {"loops", loops},
                            {"loops_problem", read.loops.problem},
                            {"instructions", instructions_json(read, frames)}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string list_code(const ReadKernel& kernel, const CodeKernel& of,
                      const std::string& disassembler, ListingFormat format) {
  return format == ListingFormat::text ? as_text(kernel, of, disassembler)
                                       : as_json_text(kernel, of, disassembler);
}

}  // namespace phasebit
