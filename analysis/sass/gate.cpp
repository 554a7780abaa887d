#include "analysis/sass/gate.h"

#include "analysis/sass/module.h"

#include <algorithm>

namespace phasebit {
namespace {

// "SYNCS.PHASECHK.TRANS64.TRYWAIT x1, BRA x2", or "none".
std::string list_of(const std::map<std::string, int>& opcodes) {
  std::string out;
  for (const auto& [opcode, count] : opcodes)
    out += fmt::format("{}{} x{}", out.empty() ? "" : ", ", opcode, count);
  return out.empty() ? "none" : out;
}

std::string both_lists(const VerbCensus& census) {
  return fmt::format("(hot: {}; cold: {})", list_of(census.hot), list_of(census.cold));
}

const VerbCensus* find_census(const Census& census, const std::string& verb,
                              const std::string& role) {
  for (const VerbCensus& entry : census)
    if (entry.verb == verb && entry.role == role) return &entry;
  return nullptr;
}

bool has_statement(const SourceMap& source, const std::string& verb, const std::string& role) {
  return std::any_of(source.begin(), source.end(), [&](const SourceLine& line) {
    return line.verb == verb && line.role == role;
  });
}

bool has_role(const SourceMap& source, const std::string& role) {
  return std::any_of(source.begin(), source.end(),
                     [&](const SourceLine& line) { return line.role == role; });
}

class Gate {
 public:
  Gate(const GateSpec& spec, const std::vector<RoleWindow>& windows, const SassKernel& kernel,
       const SourceMap& source)
      : spec_(spec),
        windows_(windows),
        kernel_(kernel),
        source_(source),
        census_(take_census(windows, kernel, source)) {}

  GateResult apply() {
    if (!spec_.known) return {GateVerdict::ungated, spec_.why_unknown};
    for (const RoleWindow& window : windows_)
      if (!window.problem.empty()) complain("{}: {}", role_name(window.role), window.problem);
    if (reason_.empty()) {
      for (const VerbRule& rule : spec_.verbs) check(rule);
      for (const RoleWindow& window : windows_) check_everywhere(window);
    }
    return {reason_.empty() ? GateVerdict::passed : GateVerdict::failed, reason_};
  }

 private:
  template <typename... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    if (!reason_.empty()) reason_ += "; ";
    reason_ += fmt::format(format, std::forward<Args>(args)...);
  }
  static std::string_view role_name(const std::string& role) {
    return role.empty() ? "no role" : std::string_view(role);
  }

  // A rule for any role holds for each role whose source has the verb; one for a role that the
  // kernel does not have says nothing about it.
  void check(const VerbRule& rule) {
    bool applied = !rule.role.empty() && !has_role(source_, rule.role);
    for (const RoleWindow& window : windows_) {
      const bool meant = rule.role.empty() ? has_statement(source_, rule.verb, window.role)
                                           : rule.role == window.role;
      if (!meant) continue;
      applied = true;
      const VerbCensus none{rule.verb, window.role, {}, {}};
      const VerbCensus* census = find_census(census_, rule.verb, window.role);
      for (const OpcodeRule& required : rule.require)
        check_count(required, census != nullptr ? *census : none);
      for (const std::string& pattern : rule.forbid) check_forbidden(rule.verb, pattern, window);
    }
    if (applied || rule.require.empty()) return;
    complain("{} ({}): no timed window holds it", rule.verb,
             rule.role.empty() ? "any role" : rule.role);
  }

  void check_count(const OpcodeRule& required, const VerbCensus& census) {
    int found = 0;
    for (const auto& [opcode, count] : census.hot)
      if (opcode_matches(required.pattern, opcode)) found += count;
    const int items = spec_.items_of(census.role);
    if (found == required.count * items) return;
    const std::string per = items == 1 ? "" : fmt::format(" in {} items", items);
    complain("{} ({}): expected {} x{} per item, found {}{} {}", census.verb,
             role_name(census.role), required.pattern, required.count, found, per,
             both_lists(census));
  }

  // Hot, cold, and beside the timed loop.
  void check_forbidden(const std::string& verb, const std::string& pattern,
                       const RoleWindow& window) {
    std::map<std::string, int> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      const Instruction& instruction = kernel_.instructions[i];
      const SourceLine* line = source_line(source_, instruction);
      if (window.heat[i] == Heat::outside || line == nullptr || line->verb != verb) continue;
      if (opcode_matches(pattern, instruction.opcode)) ++found[instruction.opcode];
    }
    if (found.empty()) return;
    const VerbCensus none{verb, window.role, {}, {}};
    const VerbCensus* census = find_census(census_, verb, window.role);
    complain("{} ({}): forbidden {}, found {} {}", verb, role_name(window.role), pattern,
             list_of(found), both_lists(census != nullptr ? *census : none));
  }

  void check_everywhere(const RoleWindow& window) {
    for (const std::string& pattern : spec_.forbid_everywhere)
      for (std::size_t i = 0; i < window.heat.size(); ++i) {
        const Instruction& instruction = kernel_.instructions[i];
        if (window.heat[i] == Heat::outside || jumps_by_call(instruction)) continue;
        if (!opcode_matches(pattern, instruction.opcode)) continue;
        complain("{}: forbidden in the timed window: {}, found {} at {:#x}", role_name(window.role),
                 pattern, instruction.opcode, instruction.address);
        break;  // the first one says enough
      }
  }

  const GateSpec& spec_;
  const std::vector<RoleWindow>& windows_;
  const SassKernel& kernel_;
  const SourceMap& source_;
  Census census_;
  std::string reason_;
};

}  // namespace

GateResult apply_gate(const GateSpec& spec, const std::vector<RoleWindow>& windows,
                      const SassKernel& kernel, const SourceMap& source) {
  return Gate(spec, windows, kernel, source).apply();
}

GateOutput gate_kernel(SassKernel kernel, const GateInput& input) {
  std::vector<RoleWindow> windows = find_windows(kernel, *input.source);
  promote_single_sites(windows, kernel, *input.source, input.spec);
  return GateOutput{apply_gate(input.spec, windows, kernel, *input.source),
                    take_census(windows, kernel, *input.source), kernel.text_hash};
}

Result<std::vector<Result<GateOutput>>> gate_module(const Disassembler& disassembler,
                                                    std::string_view cubin,
                                                    const std::vector<GateInput>& inputs) {
  PHASEBIT_TRY_ASSIGN(read, read_cubin(cubin));
  PHASEBIT_TRY_ASSIGN(kernels, read_module(disassembler, read));
  std::vector<Result<GateOutput>> outputs;
  for (const GateInput& input : inputs) {
    const auto found = kernels.find(input.entry);
    outputs.push_back(found == kernels.end()
                          ? fail(Step::disassemble, "the module has no kernel {}", input.entry)
                          : Result<GateOutput>(gate_kernel(found->second, input)));
  }
  return outputs;
}

}  // namespace phasebit
