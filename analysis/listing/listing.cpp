#include "analysis/listing/listing.h"

#include "analysis/disassembly/disassembler.h"
#include "analysis/disassembly/live.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/flow/features.h"
#include "analysis/reading/flow_dot.h"
#include "analysis/reading/loops.h"
#include "analysis/reading/loops_json.h"
#include "core/base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::listing {

using flow::Features;
using flow::Heat;
using flow::RoleWindow;
using flow::source_line;
using flow::verb_name;
using image::GateVerdict;
using image::SourceLine;
using reading::CodeLoops;

namespace {

using nlohmann::ordered_json;

struct Listing {
  const cubin::SassKernel& kernel;
  const image::SourceMap& source;
  std::vector<RoleWindow> windows;
  image::GateResult gate;
  std::string disassembler;
  Features features;
  CodeLoops loops;
  reading::ReadingNotes notes;
  int sm = 0;
};

std::string_view to_string(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::passed: return "passed";
    case GateVerdict::failed: return "failed";
    case GateVerdict::ungated: return "ungated";
  }
  bug("unknown verdict");
}

std::string_view to_string(Heat heat) {
  switch (heat) {
    case Heat::outside: return "";
    case Heat::beside: return "beside";
    case Heat::hot: return "hot";
    case Heat::cold: return "cold";
  }
  bug("unknown heat");
}

// Where an instruction stands, and the role whose window says so.
struct Place {
  std::string_view role;
  Heat heat = Heat::outside;
};

Place place_of(const Listing& listing, std::size_t index) {
  for (const RoleWindow& window : listing.windows)
    if (index < window.heat.size() && window.heat[index] != Heat::outside)
      return {window.role, window.heat[index]};
  return {};
}

std::string origin_of(const SourceLine* line) {
  return line == nullptr ? "" : fmt::format("{}:{}", line->file, line->line);
}

// What the kernel takes of an SM.
std::string resource_lines(const Features& features) {
  std::string text;
  if (features.live) text += "live at most: " + reading::live_text(*features.live) + "\n";
  for (const flow::LoopFeatures& loop : features.loops)
    if (loop.live)
      text += fmt::format("  in {}'s timed loop: {}\n", loop.role, reading::live_text(*loop.live));
  if (features.spill)
    text += fmt::format("spills: {} bytes stored, {} loaded\n", features.spill->stores,
                        features.spill->loads);
  if (const auto& occupancy = features.occupancy)
    text +=
        fmt::format("occupancy: {} CTAs, {} of {} warps an SM, limited by {}\n", occupancy->ctas,
                    occupancy->warps, occupancy->max_warps, fmt::join(occupancy->limited_by, ", "));
  return text;
}

std::string instruction_line(const Listing& listing, std::size_t index) {
  const cubin::Instruction& instruction = listing.kernel.instructions[index];
  const SourceLine* line = source_line(listing.source, instruction);
  return fmt::format("{:04x}  {}  {}{:6} {:20} {:56} {}", instruction.address,
                     cubin::to_string(instruction.control),
                     reading::live_columns(listing.kernel, index),
                     to_string(place_of(listing, index).heat), verb_name(line),
                     disassembly::text_of(instruction), origin_of(line));
}

std::string window_line(const Listing& listing, const RoleWindow& window) {
  const std::string role = window.role.empty() ? "no role" : window.role;
  if (!window.problem.empty()) return fmt::format("{}: {}", role, window.problem);
  const auto count = [&](Heat heat) {
    return std::count(window.heat.begin(), window.heat.end(), heat);
  };
  const auto address = [&](int index) {
    return listing.kernel.instructions[static_cast<std::size_t>(index)].address;
  };
  return fmt::format("{}: clock read at {:#x} and {:#x}, loop at {:#x}: {} hot, {} cold, {} beside",
                     role, address(window.start), address(window.end), address(window.loop_header),
                     count(Heat::hot), count(Heat::cold), count(Heat::beside));
}

Result<std::string> as_text(const Listing& listing) {
  reading::ListingLines lines(listing.kernel, listing.notes);
  lines.add_heading(fmt::format("{:4}  {}  {}{:6} {:20} {:56} {}", "addr",
                                "st y Wr Rd waits   reuse", reading::live_heads(listing.kernel),
                                "heat", "verb", "instruction", "template"));
  const std::size_t used = flow::used_instructions(listing.kernel);
  for (std::size_t i = 0; i < used; ++i)
    if (lines.shows(i)) lines.add(i, instruction_line(listing, i));
  std::string text = lines.text() + '\n';
  for (const RoleWindow& window : listing.windows) text += window_line(listing, window) + '\n';
  text += resource_lines(listing.features);
  text += fmt::format("{}: {} instructions, .text {}, nvdisasm {}, gate {}{}{}\n",
                      listing.kernel.entry, used, listing.kernel.text_hash, listing.disassembler,
                      to_string(listing.gate.verdict), listing.gate.reason.empty() ? "" : ": ",
                      listing.gate.reason);
  PHASEBIT_TRY_ASSIGN(table, reading::loop_table({{"", &listing.loops}}, listing.sm, "verbs"));
  if (!table.rows.empty()) text += '\n' + table::render(table, table::TableFormat::text);
  return text;
}

ordered_json instruction_json(const Listing& listing, std::size_t index) {
  const cubin::Instruction& instruction = listing.kernel.instructions[index];
  const SourceLine* line = source_line(listing.source, instruction);
  const Place place = place_of(listing, index);
  ordered_json json = disassembly::as_json(instruction);
  json["statement"] = instruction.line;
  json["verb"] = line == nullptr ? "" : line->verb;
  json["role"] = line == nullptr ? "" : line->role;
  json["template"] = line == nullptr ? "" : line->file;
  json["template_line"] = line == nullptr ? 0 : line->line;
  json["window"] = place.role;
  json["heat"] = to_string(place.heat);
  if (!listing.notes.waits.empty())
    json["waits_for"] = reading::waits_json(listing.kernel, listing.notes.waits[index]);
  if (!listing.kernel.live.empty()) json["live"] = flow::as_json(listing.kernel.live[index]);
  return json;
}

Result<std::string> as_json(const Listing& listing) {
  PHASEBIT_TRY_ASSIGN(loops, reading::loops_json({{"", &listing.loops}}, listing.sm, "verbs"));
  ordered_json windows = ordered_json::array(), instructions = ordered_json::array();
  for (const RoleWindow& window : listing.windows)
    windows.push_back({{"role", window.role}, {"summary", window_line(listing, window)}});
  for (std::size_t i = 0; i < listing.kernel.instructions.size(); ++i)
    if (listing.notes.shown.empty() || listing.notes.shown[i])
      instructions.push_back(instruction_json(listing, i));
  const ordered_json all = {
      {"schema", disassembly::sass_json_schema},
      {"entry", listing.kernel.entry},
      {"text_hash", listing.kernel.text_hash},
      {"disassembler", listing.disassembler},
      {"gate", {{"verdict", to_string(listing.gate.verdict)}, {"reason", listing.gate.reason}}},
      {"windows", windows},
      {"loops", loops},
      {"features", flow::as_json(listing.features)},
      {"instructions", instructions}};
  return all.dump(1) + "\n";
}

// The loops, with the verbs in the place of source lines.
CodeLoops loops_with_verbs(const cubin::SassKernel& kernel, const image::SourceMap& source) {
  CodeLoops loops = reading::find_code_loops(kernel, {});
  for (reading::CodeLoop& loop : loops.loops) {
    std::vector<std::string> verbs;
    for (const std::uint32_t address : loop.addresses) {
      const std::string verb =
          verb_name(source_line(source, kernel.instructions[address / cubin::instruction_bytes]));
      if (!verb.empty() && std::find(verbs.begin(), verbs.end(), verb) == verbs.end())
        verbs.push_back(verb);
    }
    loop.lines = fmt::format("{}", fmt::join(verbs, ", "));
  }
  return loops;
}

Result<std::vector<bool>> hot_instructions(const Listing& listing) {
  std::vector<bool> shown(listing.kernel.instructions.size(), false);
  bool any = false;
  for (const RoleWindow& window : listing.windows)
    for (std::size_t i = 0; i < window.heat.size(); ++i)
      if (window.heat[i] == Heat::hot) any = shown[i] = true;
  if (any) return shown;
  return with_hint(fail(Step::usage, "--hot: {} has no timed loop", listing.kernel.entry),
                   listing.loops.loops.empty() ? "" : "--loop 1 shows a loop by its number");
}

// By their statements: "producer.acquire", or "acquire" of any role.
Result<std::vector<bool>> verb_instructions(const Listing& listing, const std::string& verb) {
  std::vector<bool> shown(listing.kernel.instructions.size(), false);
  std::vector<std::string> verbs;
  bool any = false;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const SourceLine* line = source_line(listing.source, listing.kernel.instructions[i]);
    if (line == nullptr || line->verb.empty()) continue;
    const std::string name = verb_name(line);
    if (name == verb || line->verb == verb) any = shown[i] = true;
    if (std::find(verbs.begin(), verbs.end(), name) == verbs.end()) verbs.push_back(name);
  }
  if (any) return shown;
  return with_hint(fail(Step::usage, "--verb {}: {} has no code of it", verb, listing.kernel.entry),
                   base::nearest_word_hint(verb, verbs));
}

Result<std::vector<bool>> shown_of(const Listing& listing, const reading::Excerpt& excerpt) {
  if (excerpt.hot) return hot_instructions(listing);
  if (excerpt.loop > 0) return reading::in_loop(listing.kernel, listing.loops, excerpt.loop);
  if (!excerpt.verb.empty()) return verb_instructions(listing, excerpt.verb);
  return std::vector<bool>{};
}

Result<std::string> print(Listing& listing, const ListingRequest& request) {
  PHASEBIT_TRY_ASSIGN(shown, shown_of(listing, request.excerpt));
  listing.notes.shown = std::move(shown);
  if (request.flow)
    return reading::flow_as_dot(listing.kernel, listing.kernel.entry, listing.notes.shown);
  if (request.waits || request.format == ListingFormat::json) {
    auto graph = reading::graph_of(listing.kernel);
    if (!graph && request.waits) return tl::unexpected<Error>(graph.error());
    if (graph) listing.notes.waits = reading::find_wait_sources(listing.kernel, *graph);
  }
  return request.format == ListingFormat::text ? as_text(listing) : as_json(listing);
}

}  // namespace

Result<std::string> list_kernel(const disassembly::Disassembler& disassembler,
                                std::string_view cubin, const gate::GateInput& input,
                                const ListingRequest& request) {
  PHASEBIT_TRY_ASSIGN(read, cubin::read_cubin(cubin));
  const cubin::CubinKernel* wanted = read.find(input.entry);
  if (wanted == nullptr) return fail(Step::disassemble, "the module has no kernel {}", input.entry);
  PHASEBIT_TRY_ASSIGN(kernel,
                      disassembly::join_kernel(*wanted, disassembler.listing(read.sm, *wanted)));
  if (request.live) {
    PHASEBIT_TRY_ASSIGN(table, disassembly::live_registers(disassembler, cubin, {wanted->symbol}));
    PHASEBIT_TRY(disassembly::add_live_registers(kernel, table));
  }
  std::vector<RoleWindow> windows = flow::find_windows(kernel, *input.source);
  flow::promote_single_sites(windows, kernel, *input.source, input.spec, input.moves_lines);
  const image::GateResult gate = gate::apply_gate(input.spec, windows, kernel, *input.source);
  Features features = flow::take_features(kernel, *input.source, windows);
  if (request.target)
    flow::add_resources(features, kernel, *request.target, request.spill, request.shape);
  CodeLoops loops = loops_with_verbs(kernel, *input.source);
  Listing listing{kernel,
                  *input.source,
                  std::move(windows),
                  gate,
                  disassembler.version(),
                  std::move(features),
                  std::move(loops),
                  {},
                  read.sm};
  return print(listing, request);
}

}  // namespace phasebit::listing
