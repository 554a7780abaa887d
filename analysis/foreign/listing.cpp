#include "analysis/foreign/listing.h"

#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/flow/features.h"
#include "analysis/reading/flow_dot.h"
#include "analysis/reading/loops.h"
#include "analysis/reading/loops_json.h"
#include "core/table/table.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::foreign {

using cubin::LiveCounts;
using cubin::source::demangled;
using reading::FunctionLoops;
using reading::ReadingNotes;

namespace {

using nlohmann::ordered_json;

// Loops around each instruction.
std::vector<int> depths(const ReadKernel& read) {
  std::vector<int> depth(read.kernel.instructions.size(), 0);
  for (const reading::CodeLoop& loop : read.loops.loops)
    for (const std::uint32_t address : loop.addresses) {
      int& one = depth[address / cubin::instruction_bytes];
      one = std::max(one, loop.depth);
    }
  return depth;
}

std::string instruction_lines(const ReadKernel& read, const cubin::CubinKernel& of,
                              const ReadingNotes& notes) {
  const std::vector<int> depth = depths(read);
  const cubin::SassKernel& kernel = read.kernel;
  reading::ListingLines lines(kernel, notes);
  lines.add_heading(fmt::format("{:4}  {}  {}{:4} {:56} {}", "addr", "st y Wr Rd waits   reuse",
                                reading::live_heads(kernel), "loop", "instruction", "source"));
  const std::size_t used = flow::used_instructions(kernel);
  auto function = of.functions.begin();
  for (std::size_t i = 0; i < used; ++i) {
    if (!lines.shows(i)) continue;
    const cubin::Instruction& instruction = kernel.instructions[i];
    for (; function != of.functions.end() && function->offset <= instruction.address; ++function)
      if (function->offset == instruction.address) lines.add_heading(function->name + ":");
    const image::SourceLine* line = flow::source_line(read.source, instruction);
    lines.add(i,
              fmt::format("{:04x}  {}  {}{:4} {:56} {}", instruction.address,
                          cubin::to_string(instruction.control), reading::live_columns(kernel, i),
                          depth[i] == 0 ? "" : std::to_string(depth[i]),
                          disassembly::text_of(instruction), line == nullptr ? "" : line->verb));
  }
  return lines.text();
}

void add_lines(std::string& text, const ReadKernel& read) {
  if (read.source.empty()) {
    text += "\nno line information: nvcc -lineinfo writes it, or .loc and ptxas -lineinfo\n";
    return;
  }
  table::Table table{{{"source line"}, {"instr", true}, {"issue", true}, {"waits", true}}, {}, {}};
  for (const LineSummary& line : summarise_lines(read))
    table.rows.push_back({line.line.empty() ? "(no line)" : line.line, line.counts.instructions,
                          line.counts.issue_cycles, line.counts.scoreboard_waits});
  text += "\n" + table::render(table, table::TableFormat::text);
}

std::vector<FunctionLoops> loops_of(const ReadKernel& read, const CodeListingRequest& request) {
  std::vector<FunctionLoops> loops = {{"", &read.loops}};
  for (const ReadKernel* callee : request.callees)
    loops.push_back({request.full_names || request.format == listing::ListingFormat::json
                         ? full_kernel_name(callee->kernel.entry)
                         : short_kernel_name(callee->kernel.entry),
                     &callee->loops});
  return loops;
}

Status add_loops(std::string& text, const std::vector<FunctionLoops>& functions, int sm) {
  PHASEBIT_TRY_ASSIGN(table, reading::loop_table(functions, sm, "source lines"));
  if (!table.rows.empty()) text += "\n" + table::render(table, table::TableFormat::text);
  for (const FunctionLoops& one : functions)
    if (!one.loops->problem.empty())
      text += fmt::format("\nthere may be other loops: {}\n", one.loops->problem);
  return {};
}

std::string live_lines(const ReadKernel& read) {
  if (read.kernel.live.empty()) return "";
  LiveCounts most;
  for (const LiveCounts& live : read.kernel.live) most = cubin::peak(most, live);
  std::string text = "\nlive at most: " + reading::live_text(most) + "\n";
  int number = 0;
  for (const reading::CodeLoop& loop : read.loops.loops) {
    LiveCounts in;
    for (const std::uint32_t address : loop.addresses)
      in = cubin::peak(in, read.kernel.live[address / cubin::instruction_bytes]);
    text += fmt::format("  in loop {}: {}\n", ++number, reading::live_text(in));
  }
  return text;
}

std::string made_by(const cubin::Cubin& cubin) {
  const std::string tool = cubin.tool.empty() ? "CUDA" : cubin.tool;
  return cubin.tool_version.empty() ? "" : tool + " " + cubin.tool_version;
}

Result<std::string> as_text(const ReadKernel& read, const CodeKernel& of,
                            const CodeListingRequest& request, const ReadingNotes& notes) {
  const std::string tool = made_by(of.image->cubin);
  std::string text = fmt::format("{} for {}{}{}\n", title_of(of, request.full_names), read.target,
                                 tool.empty() ? "" : ", by ", tool);
  if (const std::string plain = demangled(read.kernel.entry); !plain.empty())
    text += fmt::format("symbol {}\n", read.kernel.entry);
  text += instruction_lines(read, *of.kernel, notes);
  if (notes.shown.empty()) add_lines(text, read);
  PHASEBIT_TRY(add_loops(text, loops_of(read, request), of.image->cubin.sm));
  text += live_lines(read);
  flow::CodeCounts all;
  const std::size_t used = flow::used_instructions(read.kernel);
  for (std::size_t i = 0; i < used; ++i) flow::add(all, read.kernel.instructions[i]);
  const std::string registers =
      read.kernel.registers == 0 ? "unknown" : std::to_string(read.kernel.registers);
  const auto loops = read.loops.count();
  return text + fmt::format(
                    "\n{} instructions, {} issue cycles, {} scoreboard waits, {} loops; {} "
                    "registers, {} bytes of static shared memory; .text {}, nvdisasm {}\n",
                    all.instructions, all.issue_cycles, all.scoreboard_waits,
                    loops ? std::to_string(*loops) : "?", registers,
                    read.kernel.static_shared_bytes, read.kernel.text_hash, request.disassembler);
}

// The lines of the kernel's code with what they were inlined into: a caller stands before those
// that name it. By frame of the image: its place in that list.
struct FrameList {
  ordered_json list = ordered_json::array();
  std::map<int, std::size_t> places;
};

FrameList frames_json(const ReadKernel& read, const cubin::source::SourceTable& table) {
  FrameList frames;
  for (const int frame : read.frames)
    for (const int one : table.chain(frame)) frames.places.emplace(one, 0);
  for (auto& [frame, place] : frames.places) {
    place = frames.list.size();
    const cubin::source::SourceFrame& line = table.frames[static_cast<std::size_t>(frame)];
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

ordered_json instructions_json(const ReadKernel& read, const FrameList& frames,
                               const ReadingNotes& notes) {
  const std::vector<int> depth = depths(read);
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < read.kernel.instructions.size(); ++i) {
    if (!notes.shown.empty() && !notes.shown[i]) continue;
    const cubin::Instruction& instruction = read.kernel.instructions[i];
    const image::SourceLine* line = flow::source_line(read.source, instruction);
    ordered_json one = disassembly::as_json(instruction);
    one["file"] = line == nullptr ? "" : line->file;
    one["line"] = line == nullptr ? 0 : line->line;
    one["frame"] = nullptr;
    if (i < read.frames.size() && read.frames[i] >= 0)
      one["frame"] = frames.places.at(read.frames[i]);
    one["loop_depth"] = depth[i];
    if (!notes.waits.empty()) one["waits_for"] = reading::waits_json(read.kernel, notes.waits[i]);
    if (!read.kernel.live.empty()) one["live"] = flow::as_json(read.kernel.live[i]);
    if (!notes.ptx.empty()) one["ptx"] = {{"line", notes.ptx[i].line}, {"text", notes.ptx[i].text}};
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::string> as_json_text(const ReadKernel& read, const CodeKernel& of,
                                 const CodeListingRequest& request, const ReadingNotes& notes) {
  PHASEBIT_TRY_ASSIGN(loops,
                      reading::loops_json(loops_of(read, request), of.image->cubin.sm, "lines"));
  ordered_json lines = ordered_json::array();
  for (const LineSummary& line : summarise_lines(read))
    lines.push_back({{"line", line.line}, {"counts", flow::as_json(line.counts)}});
  const flow::Features features = flow::take_features(read.kernel, read.source, {});
  const FrameList frames = frames_json(read, of.image->cubin.source);
  const ordered_json all = {{"schema", disassembly::sass_json_schema},
                            {"name", read.name},
                            {"entry", read.kernel.entry},
                            {"demangled", demangled(read.kernel.entry)},
                            {"target", read.target},
                            {"sm", of.image->cubin.sm},
                            {"made_by", made_by(of.image->cubin)},
                            {"disassembler", request.disassembler},
                            {"text_hash", read.kernel.text_hash},
                            {"registers", features.registers},
                            {"static_shared_bytes", features.static_shared_bytes},
                            {"code_bytes", features.code_bytes},
                            {"kernel", flow::as_json(features.kernel)},
                            {"source_files", of.image->cubin.source.files},
                            {"frames", frames.list},
                            {"lines", lines},
                            {"loops", read.loops.count() ? loops : ordered_json(nullptr)},
                            {"loops_problem", read.loops.problem},
                            {"instructions", instructions_json(read, frames, notes)}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<std::vector<bool>> shown_of(const ReadKernel& read, const reading::Excerpt& excerpt) {
  if (excerpt.loop > 0) return reading::in_loop(read.kernel, read.loops, excerpt.loop);
  if (!excerpt.hot) return std::vector<bool>{};
  if (read.loops.loops.empty())
    return with_hint(fail(Step::usage, "--hot: {} has no loop", read.name), read.loops.problem);
  return reading::in_any_loop(read.kernel, read.loops);
}

}  // namespace

Result<std::string> list_code(const ReadKernel& kernel, const CodeKernel& of,
                              const CodeListingRequest& request) {
  PHASEBIT_TRY_ASSIGN(shown, shown_of(kernel, request.excerpt));
  ReadingNotes notes{std::move(shown), {}, request.ptx};
  if (request.flow) return reading::flow_as_dot(kernel.kernel, kernel.name, notes.shown);
  if (request.waits || request.format == listing::ListingFormat::json) {
    auto graph = reading::graph_of(kernel.kernel);
    if (!graph && request.waits) return tl::unexpected<Error>(graph.error());
    if (graph) notes.waits = reading::find_wait_sources(kernel.kernel, *graph);
  }
  return request.format == listing::ListingFormat::text ? as_text(kernel, of, request, notes)
                                                        : as_json_text(kernel, of, request, notes);
}

}  // namespace phasebit::foreign
