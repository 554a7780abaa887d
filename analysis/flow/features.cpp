#include "analysis/flow/features.h"

#include "analysis/flow/flow.h"
#include "core/isa/opcodes.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::LiveCounts;
using cubin::SassKernel;
using isa::SassFact;
using nlohmann::ordered_json;

namespace {

VerbFeatures& entry_of(std::vector<VerbFeatures>& verbs, const std::string& role,
                       const std::string& verb) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const VerbFeatures& one) {
    return one.role == role && one.verb == verb;
  });
  if (found != verbs.end()) return *found;
  return verbs.emplace_back(VerbFeatures{role, verb, {}, {}});
}

// With what is called, unless that is known to be plain.
void add_called(CodeCounts& counts, const Instruction& instruction, bool plain) {
  add(counts, instruction);
  if (calls_function(instruction) && !plain)
    ++counts.open_calls[instruction.opcode + " " + std::string(callee_of(instruction))];
}

void add_window(const RoleWindow& window, const SassKernel& kernel, const launch::SourceMap& source,
                const std::vector<bool>& plain, Features& features) {
  LoopFeatures loop{window.role, window.problem, 0, {}, {}, {}};
  if (window.loop_header >= 0)
    loop.address = kernel.instructions[static_cast<std::size_t>(window.loop_header)].address;
  for (std::size_t i = 0; i < window.heat.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    const launch::SourceLine* line = source_line(source, instruction);
    const Heat heat = window.heat[i];
    if (heat == Heat::beside) add_called(loop.beside, instruction, plain[i]);
    if (heat != Heat::hot && heat != Heat::cold) continue;
    add_called(heat == Heat::hot ? loop.hot : loop.cold, instruction, plain[i]);
    VerbFeatures& verb = entry_of(features.verbs, window.role, line == nullptr ? "" : line->verb);
    add_called(heat == Heat::hot ? verb.hot : verb.cold, instruction, plain[i]);
    if (kernel.live.empty()) continue;
    for (std::optional<LiveCounts>* live : {&loop.live, &verb.live})
      *live = cubin::peak(live->value_or(LiveCounts{}), kernel.live[i]);
  }
  features.loops.push_back(std::move(loop));
}

}  // namespace

void add(CodeCounts& counts, const Instruction& instruction) {
  const auto& facts = isa::sass_opcode(instruction.opcode).facts;
  const bool local = facts.has(SassFact::local);
  ++counts.instructions;
  counts.issue_cycles += instruction.control.stall_cycles;
  counts.fences += facts.has(SassFact::fence) ? 1 : 0;
  counts.sleeps += facts.has(SassFact::sleep) ? 1 : 0;
  counts.yields += facts.has(SassFact::yield) ? 1 : 0;
  counts.yield_flags += instruction.control.yield ? 1 : 0;
  counts.local_stores += local && facts.has(SassFact::store) ? 1 : 0;
  counts.local_loads += local && facts.has(SassFact::load) ? 1 : 0;
  counts.calls += calls_function(instruction) ? 1 : 0;
  counts.scoreboard_waits += instruction.control.wait_mask != 0 ? 1 : 0;
  ++counts.opcodes[instruction.opcode];
}

void add(CodeCounts& counts, const CodeCounts& more) {
  counts.instructions += more.instructions;
  counts.issue_cycles += more.issue_cycles;
  counts.fences += more.fences;
  counts.sleeps += more.sleeps;
  counts.yields += more.yields;
  counts.yield_flags += more.yield_flags;
  counts.local_stores += more.local_stores;
  counts.local_loads += more.local_loads;
  counts.calls += more.calls;
  counts.scoreboard_waits += more.scoreboard_waits;
  for (const auto& [opcode, count] : more.opcodes) counts.opcodes[opcode] += count;
  for (const auto& [call, count] : more.open_calls) counts.open_calls[call] += count;
}

Features take_features(const SassKernel& kernel, const launch::SourceMap& source,
                       const std::vector<RoleWindow>& windows) {
  Features features;
  features.registers = kernel.registers;
  features.static_shared_bytes = kernel.static_shared_bytes;
  features.barriers = kernel.barriers;
  features.code_bytes = kernel.instructions.size() * cubin::instruction_bytes;
  const std::size_t used = used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const Instruction& one = kernel.instructions[i];
    const std::string_view callee = callee_of(one);  // of its own section: counted where it is
    add_called(features.kernel, one,
               callee == kernel.entry || find_function(kernel, callee) != nullptr);
  }
  for (const LiveCounts& live : kernel.live)
    features.live = cubin::peak(features.live.value_or(LiveCounts{}), live);
  const std::vector<bool> plain = find_plain_calls(kernel);
  for (const RoleWindow& window : windows) add_window(window, kernel, source, plain, features);
  return features;
}

void add_resources(Features& features, const SassKernel& kernel, const isa::Target& target,
                   const SpillBytes& spill, const CtaShape& shape) {
  features.spill = spill;
  if (auto occupancy = occupancy_of(target, needs_of(kernel, target, shape)))
    features.occupancy = std::move(*occupancy);
}

std::size_t used_instructions(const SassKernel& kernel) {
  std::size_t count = kernel.instructions.size();
  while (count > 0 && is(kernel.instructions[count - 1], SassFact::nop)) --count;
  return count;
}

namespace {

ordered_json as_json(const std::optional<SpillBytes>& spill) {
  if (!spill) return nullptr;
  return {{"stores", spill->stores}, {"loads", spill->loads}};
}

ordered_json as_json(const std::optional<Occupancy>& occupancy) {
  if (!occupancy) return nullptr;
  return {{"ctas", occupancy->ctas},
          {"warps", occupancy->warps},
          {"max_warps", occupancy->max_warps},
          {"limited_by", occupancy->limited_by}};
}

ordered_json as_json(const std::optional<cubin::LiveCounts>& live) {
  return live ? flow::as_json(*live) : ordered_json(nullptr);
}

}  // namespace

ordered_json as_json(const cubin::LiveCounts& live) {
  return {{"registers", live.registers},
          {"predicates", live.predicates},
          {"uniform_registers", live.uniform_registers},
          {"uniform_predicates", live.uniform_predicates}};
}

ordered_json as_json(const CodeCounts& counts) {
  return {{"instructions", counts.instructions},
          {"issue_cycles", counts.issue_cycles},
          {"fences", counts.fences},
          {"sleeps", counts.sleeps},
          {"yields", counts.yields},
          {"yield_flags", counts.yield_flags},
          {"calls", counts.calls},
          {"scoreboard_waits", counts.scoreboard_waits},
          {"local_stores", counts.local_stores},
          {"local_loads", counts.local_loads},
          {"opcodes", counts.opcodes}};
}

ordered_json as_json(const Features& features) {
  ordered_json loops = ordered_json::array(), verbs = ordered_json::array();
  for (const LoopFeatures& loop : features.loops)
    loops.push_back({{"role", loop.role},
                     {"problem", loop.problem},
                     {"address", loop.address},
                     {"hot", as_json(loop.hot)},
                     {"cold", as_json(loop.cold)},
                     {"beside", as_json(loop.beside)},
                     {"live", as_json(loop.live)}});
  for (const VerbFeatures& verb : features.verbs)
    verbs.push_back({{"role", verb.role},
                     {"verb", verb.verb},
                     {"hot", as_json(verb.hot)},
                     {"cold", as_json(verb.cold)},
                     {"live", as_json(verb.live)}});
  return {{"registers", features.registers},
          {"static_shared_bytes", features.static_shared_bytes},
          {"code_bytes", features.code_bytes},
          {"barriers", features.barriers},
          {"live", as_json(features.live)},
          {"spill_bytes", as_json(features.spill)},
          {"occupancy", as_json(features.occupancy)},
          {"kernel", as_json(features.kernel)},
          {"loops", loops},
          {"verbs", verbs}};
}

}  // namespace phasebit::flow
