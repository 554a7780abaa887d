#include "analysis/gate/gate.h"

#include "analysis/disassembly/module.h"
#include "analysis/gate/uncounted.h"

#include <algorithm>

namespace phasebit::gate {

using cubin::SassKernel;
using flow::RoleWindow;
using image::GateVerdict;
using image::SourceLine;
using image::SourceMap;
using image::VerbCensus;
using rule::any_verb;
using rule::CountRange;
using rule::GateSpec;
using rule::OpcodeCounts;
using rule::Path;
using rule::VerbRule;

namespace {

void add_counts(OpcodeCounts& sum, const OpcodeCounts& more) {
  for (const auto& [opcode, count] : more) sum[opcode] += count;
}

OpcodeCounts hot_and_cold(const VerbCensus& census) {
  OpcodeCounts sum = census.hot;
  add_counts(sum, census.cold);
  return sum;
}

CountRange times(const CountRange& range, int factor) {
  return {range.low * factor, range.high == INT_MAX ? INT_MAX : range.high * factor};
}

const VerbCensus* find_census(const image::Census& census, const std::string& verb,
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
        census_(flow::take_census(windows, kernel, source)) {}

  image::GateResult apply() {
    if (!spec_.known) return {GateVerdict::ungated, spec_.why_unknown};
    for (const RoleWindow& window : windows_)
      if (!window.problem.empty()) complain("{}: {}", role_name(window.role), window.problem);
    if (reason_.empty()) {
      for (const VerbRule& rule : spec_.verbs) check(rule);
      for (const RoleWindow& window : windows_) check_everywhere(window);
      for (const std::string& found : find_uncounted(spec_, windows_, kernel_, source_, census_))
        complain("{}", found);
    }
    if (reason_.empty() && !speaks_of_text())
      return {GateVerdict::ungated, "no rule speaks of a verb of its text"};
    return {reason_.empty() ? GateVerdict::passed : GateVerdict::failed, reason_};
  }

 private:
  template <typename... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    if (!reason_.empty()) reason_ += "; ";
    reason_ += fmt::format(format, std::forward<Args>(args)...);
  }
  // Whether anything was asked of the code: rules of verbs that the text does not have hold
  // whatever the code is.
  bool speaks_of_text() const {
    if (!spec_.exhaustive_for.empty() || !spec_.forbid_everywhere.empty()) return true;
    return std::any_of(spec_.verbs.begin(), spec_.verbs.end(), [&](const VerbRule& rule) {
      return std::any_of(source_.begin(), source_.end(), [&](const SourceLine& line) {
        return !line.verb.empty() && rule::concerns(rule, line.verb, line.role);
      });
    });
  }

  // A rule for any role holds for each role whose source has the verb; one for a role that the
  // kernel does not have says nothing about it.
  void check(const VerbRule& rule) {
    if (rule.verb == any_verb) return check_any_verb(rule);
    bool applied = !rule.role.empty() && !has_role(source_, rule.role);
    for (const RoleWindow& window : windows_) {
      const bool meant = rule.role.empty() ? has_statement(source_, rule.verb, window.role)
                                           : rule.role == window.role;
      if (!meant) continue;
      applied = true;
      const VerbCensus none{rule.verb, window.role, {}, {}, {}};
      const VerbCensus* census = find_census(census_, rule.verb, window.role);
      check_counts(rule, census != nullptr ? *census : none);
      for (const std::string& pattern : rule.forbid) check_forbidden(rule.verb, pattern, window);
    }
    if (applied || rule.require.empty()) return;
    complain("{} ({}): no timed window holds it", rule.verb,
             rule.role.empty() ? "any role" : rule.role);
  }

  // A rule for any verb speaks of all that a role does.
  void check_any_verb(const VerbRule& rule) {
    for (const RoleWindow& window : windows_) {
      if (!rule::concerns(rule, any_verb, window.role)) continue;
      VerbCensus all{any_verb, window.role, {}, {}, {}};
      for (const VerbCensus& one : census_) {
        if (one.role != window.role) continue;
        add_counts(all.hot, one.hot);
        add_counts(all.cold, one.cold);
        add_counts(all.beside, one.beside);
      }
      check_counts(rule, all);
    }
  }

  void check_counts(const VerbRule& rule, const VerbCensus& census) {
    const int items = spec_.items_of(census.role);
    std::map<std::string, CountRange> beside;  // by pattern: what is counted in turns is there too
    for (const rule::OpcodeRule& one : rule.require) {
      if (one.path == Path::beside || rule.passes != rule::Passes::loop) {
        const int passes = one.path == Path::beside ? 1 : spec_.beside_of(census.role);
        const CountRange there = times(one.count, passes);
        CountRange& sum = beside.try_emplace(one.pattern, 0).first->second;
        sum.low += there.low;
        sum.high = sum.high == INT_MAX || there.high == INT_MAX ? INT_MAX : sum.high + there.high;
      }
      if (one.path == Path::beside || rule.passes == rule::Passes::beside) continue;
      const OpcodeCounts found = one.path == Path::hot    ? census.hot
                                 : one.path == Path::cold ? census.cold
                                                          : hot_and_cold(census);
      check_count(one, times(one.count, items), items, found, census);
    }
    for (const auto& [pattern, count] : beside)
      if (const int found = rule::count_opcodes(census.beside, pattern); !count.has(found))
        complain("{} ({}): expected {} {} beside the timed loop, found {} {}", census.verb,
                 role_name(census.role), pattern, rule::to_string(count), found,
                 both_lists(census));
  }

  void check_count(const rule::OpcodeRule& rule, const CountRange& wanted, int items,
                   const OpcodeCounts& counts, const VerbCensus& census) {
    const int found = rule::count_opcodes(counts, rule.pattern);
    if (wanted.has(found)) return;
    const std::string where = rule.path == Path::hot    ? " per item"
                              : rule.path == Path::cold ? " per item, off its path"
                                                        : " per item, on and off its path";
    const std::string per = items == 1 ? "" : fmt::format(" in {} items", items);
    complain("{} ({}): expected {} {}{}, found {}{} {}", census.verb, role_name(census.role),
             rule.pattern, rule::to_string(rule.count), where, found, per, both_lists(census));
  }

  // Hot, cold, and beside the timed loop.
  void check_forbidden(const std::string& verb, const std::string& pattern,
                       const RoleWindow& window) {
    std::map<std::string, int> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      const cubin::Instruction& instruction = kernel_.instructions[i];
      const SourceLine* line = flow::source_line(source_, instruction);
      if (window.heat[i] == flow::Heat::outside || line == nullptr || line->verb != verb) continue;
      if (rule::opcode_matches(pattern, instruction.opcode)) ++found[instruction.opcode];
    }
    if (found.empty()) return;
    const VerbCensus none{verb, window.role, {}, {}, {}};
    const VerbCensus* census = find_census(census_, verb, window.role);
    complain("{} ({}): forbidden {}, found {} {}", verb, role_name(window.role), pattern,
             rule::list_opcodes(found), both_lists(census != nullptr ? *census : none));
  }

  void check_everywhere(const RoleWindow& window) {
    for (const std::string& pattern : spec_.forbid_everywhere)
      for (std::size_t i = 0; i < window.heat.size(); ++i) {
        const cubin::Instruction& instruction = kernel_.instructions[i];
        if (window.heat[i] == flow::Heat::outside || flow::jumps_by_call(instruction)) continue;
        if (!rule::opcode_matches(pattern, instruction.opcode)) continue;
        complain("{}: forbidden in the timed window: {}, found {} at {:#x}", role_name(window.role),
                 pattern, instruction.opcode, instruction.address);
        break;  // the first one says enough
      }
  }

  const GateSpec& spec_;
  const std::vector<RoleWindow>& windows_;
  const SassKernel& kernel_;
  const SourceMap& source_;
  image::Census census_;
  std::string reason_;
};

}  // namespace

image::GateResult apply_gate(const GateSpec& spec, const std::vector<RoleWindow>& windows,
                             const SassKernel& kernel, const SourceMap& source) {
  return Gate(spec, windows, kernel, source).apply();
}

GateOutput gate_kernel(SassKernel kernel, const GateInput& input) {
  std::vector<RoleWindow> windows = flow::find_windows(kernel, *input.source);
  flow::promote_single_sites(windows, kernel, *input.source, input.spec, input.moves_lines);
  return GateOutput{apply_gate(input.spec, windows, kernel, *input.source),
                    flow::take_census(windows, kernel, *input.source), kernel.text_hash};
}

}  // namespace phasebit::gate
