#include "analysis/listing/listing.h"

#include "analysis/disassembly/instruction_json.h"
#include "analysis/disassembly/live.h"
#include "analysis/disassembly/module.h"
#include "analysis/flow/features_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::ordered_json;

struct Listing {
  const SassKernel& kernel;
  const SourceMap& source;
  std::vector<RoleWindow> windows;
  GateResult gate;
  std::string disassembler;
  Features features;
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

// Trailing blanks are cut, so that listings can be committed.
void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

// "26  2   4  -  ": general, predicate, uniform, uniform predicate registers.
std::string live_columns(const SassKernel& kernel, std::size_t index) {
  if (kernel.live.empty()) return "";
  const LiveCounts& live = kernel.live[index];
  const auto cell = [](int count) { return count == 0 ? std::string("-") : std::to_string(count); };
  return fmt::format("{:>3} {:>2} {:>3} {:>2}  ", cell(live.registers), cell(live.predicates),
                     cell(live.uniform_registers), cell(live.uniform_predicates));
}

std::string live_text(const LiveCounts& live) {
  return fmt::format("{} registers, {} predicates, {} uniform registers, {} uniform predicates",
                     live.registers, live.predicates, live.uniform_registers,
                     live.uniform_predicates);
}

// What the kernel takes of an SM.
std::string resource_lines(const Features& features) {
  std::string text;
  if (features.live) text += "live at most: " + live_text(*features.live) + "\n";
  for (const LoopFeatures& loop : features.loops)
    if (loop.live)
      text += fmt::format("  in {}'s timed loop: {}\n", loop.role, live_text(*loop.live));
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
  const Instruction& instruction = listing.kernel.instructions[index];
  const SourceLine* line = source_line(listing.source, instruction);
  return fmt::format("{:04x}  {}  {}{:6} {:20} {:56} {}", instruction.address,
                     to_string(instruction.control), live_columns(listing.kernel, index),
                     to_string(place_of(listing, index).heat), verb_name(line),
                     text_of(instruction), origin_of(line));
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

std::string as_text(const Listing& listing) {
  std::string text;
  const char* live = listing.kernel.live.empty() ? "" : "  R  P  UR UP  ";
  add_line(text, fmt::format("{:4}  {}  {}{:6} {:20} {:56} {}", "addr", "st y Wr Rd waits   reuse",
                             live, "heat", "verb", "instruction", "template"));
  const std::size_t used = used_instructions(listing.kernel);
  for (std::size_t i = 0; i < used; ++i) add_line(text, instruction_line(listing, i));
  text += '\n';
  for (const RoleWindow& window : listing.windows) text += window_line(listing, window) + '\n';
  text += resource_lines(listing.features);
  text += fmt::format("{}: {} instructions, .text {}, nvdisasm {}, gate {}{}{}\n",
                      listing.kernel.entry, used, listing.kernel.text_hash, listing.disassembler,
                      to_string(listing.gate.verdict), listing.gate.reason.empty() ? "" : ": ",
                      listing.gate.reason);
  return text;
}

ordered_json instruction_json(const Listing& listing, std::size_t index) {
  const Instruction& instruction = listing.kernel.instructions[index];
  const SourceLine* line = source_line(listing.source, instruction);
  const Place place = place_of(listing, index);
  ordered_json json = as_json(instruction);
  json["statement"] = instruction.line;
  json["verb"] = line == nullptr ? "" : line->verb;
  json["role"] = line == nullptr ? "" : line->role;
  json["template"] = line == nullptr ? "" : line->file;
  json["template_line"] = line == nullptr ? 0 : line->line;
  json["window"] = place.role;
  json["heat"] = to_string(place.heat);
  if (!listing.kernel.live.empty()) json["live"] = as_json(listing.kernel.live[index]);
  return json;
}

std::string as_json(const Listing& listing) {
  ordered_json windows = ordered_json::array(), instructions = ordered_json::array();
  for (const RoleWindow& window : listing.windows)
    windows.push_back({{"role", window.role}, {"summary", window_line(listing, window)}});
  for (std::size_t i = 0; i < listing.kernel.instructions.size(); ++i)
    instructions.push_back(instruction_json(listing, i));
  const ordered_json all = {
      {"entry", listing.kernel.entry},
      {"text_hash", listing.kernel.text_hash},
      {"disassembler", listing.disassembler},
      {"gate", {{"verdict", to_string(listing.gate.verdict)}, {"reason", listing.gate.reason}}},
      {"windows", windows},
      {"features", as_json(listing.features)},
      {"instructions", instructions}};
  return all.dump(1) + "\n";
}

}  // namespace

Result<std::string> list_kernel(const Disassembler& disassembler, std::string_view cubin,
                                const GateInput& input, const ListingRequest& request) {
  PHASEBIT_TRY_ASSIGN(read, read_cubin(cubin));
  const CubinKernel* wanted = read.find(input.entry);
  if (wanted == nullptr) return fail(Step::disassemble, "the module has no kernel {}", input.entry);
  PHASEBIT_TRY_ASSIGN(kernel, join_kernel(*wanted, disassembler.listing(read.sm, *wanted)));
  if (request.live) {
    PHASEBIT_TRY_ASSIGN(table, live_registers(disassembler, cubin, {wanted->symbol}));
    PHASEBIT_TRY(add_live_registers(kernel, table));
  }
  std::vector<RoleWindow> windows = find_windows(kernel, *input.source);
  promote_single_sites(windows, kernel, *input.source, input.spec, input.moves_lines);
  const GateResult gate = apply_gate(input.spec, windows, kernel, *input.source);
  Features features = take_features(kernel, *input.source, windows);
  if (request.target)
    add_resources(features, kernel, *request.target, request.spill, request.shape);
  const Listing listing{kernel, *input.source,          std::move(windows),
                        gate,   disassembler.version(), std::move(features)};
  return request.format == ListingFormat::text ? as_text(listing) : as_json(listing);
}

}  // namespace phasebit
