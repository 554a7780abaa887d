#include "analysis/gate/gate.h"

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/loops.h"
#include "analysis/flow/spins.h"
#include "core/base/hash.h"
#include "core/isa/opcodes.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::gate {

using cubin::SassKernel;
using flow::Heat;
using flow::RoleWindow;
using isa::any_verb;
using isa::CountRange;
using isa::GateSpec;
using isa::list_opcodes;
using isa::OpcodeCounts;
using isa::Path;
using isa::SassFact;
using isa::VerbRule;
using launch::Census;
using launch::GateVerdict;
using launch::SourceLine;
using launch::SourceMap;
using launch::VerbCensus;

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

const VerbCensus* find_census(const launch::Census& census, const std::string& verb,
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

  launch::GateResult apply() {
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
        return !line.verb.empty() && isa::concerns(rule, line.verb, line.role);
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
      for (const isa::OpcodeRule& one : rule.require)
        if (one.path == Path::at_once) check_at_once(rule.verb, one, window);
    }
    if (applied || rule.require.empty()) return;
    complain("{} ({}): no timed window holds it", rule.verb,
             rule.role.empty() ? "any role" : rule.role);
  }

  // A rule for any verb speaks of all that a role does.
  void check_any_verb(const VerbRule& rule) {
    for (const RoleWindow& window : windows_) {
      if (!isa::concerns(rule, any_verb, window.role)) continue;
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
    for (const isa::OpcodeRule& one : rule.require) {
      if (one.path == Path::at_once) continue;
      if (one.path == Path::beside || rule.passes != isa::Passes::loop) {
        const int passes = one.path == Path::beside ? 1 : spec_.beside_of(census.role);
        const CountRange there = times(one.count, passes);
        CountRange& sum = beside.try_emplace(one.pattern, 0).first->second;
        sum.low += there.low;
        sum.high = sum.high == INT_MAX || there.high == INT_MAX ? INT_MAX : sum.high + there.high;
      }
      if (one.path == Path::beside || rule.passes == isa::Passes::beside) continue;
      const OpcodeCounts found = one.path == Path::hot    ? census.hot
                                 : one.path == Path::cold ? census.cold
                                                          : hot_and_cold(census);
      check_count(one, times(one.count, items), items, found, census);
    }
    for (const auto& [pattern, count] : beside)
      if (const int found = isa::count_opcodes(census.beside, pattern); !count.has(found))
        complain("{} ({}): expected {} {} outside the timed loop, found {} {}", census.verb,
                 role_name(census.role), pattern, isa::to_string(count), found, both_lists(census));
  }

  void check_count(const isa::OpcodeRule& rule, const CountRange& wanted, int items,
                   const OpcodeCounts& counts, const VerbCensus& census) {
    const int found = isa::count_opcodes(counts, rule.pattern);
    if (wanted.has(found)) return;
    const std::string where = rule.path == Path::hot    ? " per item"
                              : rule.path == Path::cold ? " per item, off its path"
                                                        : " per item, on and off its path";
    const std::string per = items == 1 ? "" : fmt::format(" in {} items", items);
    complain("{} ({}): expected {} {}{}, found {}{} {}", census.verb, role_name(census.role),
             rule.pattern, isa::to_string(rule.count), where, found, per, both_lists(census));
  }

  // Hot, cold, and outside the timed loop.
  void check_forbidden(const std::string& verb, const std::string& pattern,
                       const RoleWindow& window) {
    std::map<std::string, int> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      const cubin::Instruction& instruction = kernel_.instructions[i];
      const SourceLine* line = flow::source_line(source_, instruction);
      if (window.heat[i] == flow::Heat::outside || line == nullptr || line->verb != verb) continue;
      if (isa::opcode_matches(pattern, instruction.opcode)) ++found[instruction.opcode];
    }
    if (found.empty()) return;
    const VerbCensus none{verb, window.role, {}, {}, {}};
    const VerbCensus* census = find_census(census_, verb, window.role);
    complain("{} ({}): forbidden {}, found {} {}", verb, role_name(window.role), pattern,
             isa::list_opcodes(found), both_lists(census != nullptr ? *census : none));
  }

  // Most of them that are under way together: their scoreboards say when one is waited for.
  void check_at_once(const std::string& verb, const isa::OpcodeRule& rule,
                     const RoleWindow& window) {
    int most = 0, under_way = 0, scoreboards = 0;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      if (window.heat[i] != flow::Heat::hot) continue;
      const cubin::Instruction& instruction = kernel_.instructions[i];
      const cubin::Control control = cubin::decode_control(instruction.word);
      if ((control.wait_mask & scoreboards) != 0 || instruction.opcode.starts_with("DEPBAR"))
        under_way = scoreboards = 0;
      const SourceLine* line = flow::source_line(source_, instruction);
      if (line == nullptr || line->verb != verb) continue;
      if (!isa::opcode_matches(rule.pattern, instruction.opcode)) continue;
      most = std::max(most, ++under_way);
      scoreboards |= 1 << control.write_scoreboard;
    }
    if (rule.count.has(most)) return;
    complain("{} ({}): expected {} {} at once, found {} before one is waited for", verb,
             role_name(window.role), rule.pattern, isa::to_string(rule.count), most);
  }

  void check_everywhere(const RoleWindow& window) {
    for (const std::string& pattern : spec_.forbid_everywhere)
      for (std::size_t i = 0; i < window.heat.size(); ++i) {
        const cubin::Instruction& instruction = kernel_.instructions[i];
        if (window.heat[i] == flow::Heat::outside || flow::jumps_by_call(instruction)) continue;
        if (!isa::opcode_matches(pattern, instruction.opcode)) continue;
        complain("{}: forbidden in the timed window: {}, found {} at {:#x}", role_name(window.role),
                 pattern, instruction.opcode, instruction.address);
        break;  // the first one says enough
      }
  }

  const GateSpec& spec_;
  const std::vector<RoleWindow>& windows_;
  const SassKernel& kernel_;
  const SourceMap& source_;
  launch::Census census_;
  std::string reason_;
};

}  // namespace

launch::GateResult apply_gate(const GateSpec& spec, const std::vector<RoleWindow>& windows,
                              const SassKernel& kernel, const SourceMap& source) {
  return Gate(spec, windows, kernel, source).apply();
}

GateOutput gate_kernel(SassKernel kernel, const GateInput& input) {
  std::vector<RoleWindow> windows = flow::find_windows(kernel, *input.source);
  flow::promote_single_sites(windows, kernel, *input.source, input.spec, input.moves_lines);
  return GateOutput{apply_gate(input.spec, windows, kernel, *input.source),
                    flow::take_census(windows, kernel, *input.source), kernel.text_hash};
}

namespace {

using nlohmann::json;

// Lengths in front keep neighbours apart.
void put(std::string& all, std::string_view part) {
  fmt::format_to(std::back_inserter(all), "{}:", part.size());
  all += part;
}

// The bindings name every member: one more does not compile until it is put in here.
void put(std::string& all, const isa::VerbRule& rule) {
  // The forms of statements are checked in the text, not the code.
  const auto& [verb, role, require, forbid, passes, ptx] = rule;
  put(all, verb), put(all, role);
  for (const auto& [pattern, count, path] : require) {
    put(all, pattern), put(all, isa::to_string(path));
    put(all, std::to_string(count.low)), put(all, std::to_string(count.high));
  }
  fmt::format_to(std::back_inserter(all), "/{}", static_cast<int>(passes));
  for (const std::string& pattern : forbid) put(all, pattern);
  all += ';';
}

std::string as_text(const isa::GateSpec& spec) {
  const auto& [known, why_unknown, items, beside, verbs, everywhere, exhaustive_for] = spec;
  std::string all = known ? "known" : "unknown";
  put(all, why_unknown), put(all, exhaustive_for);
  for (const auto& counts : {items, beside}) {
    for (const auto& [role, count] : counts) put(all, role), put(all, std::to_string(count));
    all += ';';
  }
  for (const isa::VerbRule& rule : verbs) put(all, rule);
  for (const std::string& pattern : everywhere) put(all, pattern);
  return all;
}

}  // namespace

std::string hash_of(const launch::SourceMap& source) {
  std::string all;
  for (const launch::SourceLine& one : source) {
    const auto& [file, line, verb, role, of_templates] = one;
    put(all, file), put(all, verb), put(all, role);
    fmt::format_to(std::back_inserter(all), "{}{}", line, of_templates ? '\n' : '!');
  }
  return base::content_hash(all);
}

std::string gate_key(const std::string& source_hash, const isa::GateSpec& spec,
                     const std::string& nvdisasm_version) {
  std::string all = "gate ";
  put(all, source_hash), put(all, nvdisasm_version);
  return "gate " + base::content_hash(all + as_text(spec));
}

std::string outcome_as_text(const GateOutput& output) {
  const auto& [result, census, text_hash] = output;
  json verbs = json::array();
  for (const auto& [verb, role, hot, cold, beside] : census)
    verbs.push_back({verb, role, hot, cold, beside});
  const json all = {static_cast<int>(result.verdict), result.reason, verbs, text_hash};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<GateOutput> outcome_from_text(std::string_view text) {
  try {
    const json all = json::parse(text);
    const int verdict = all.at(0).get<int>();
    if (verdict < 0 || verdict > static_cast<int>(launch::GateVerdict::ungated))
      return std::nullopt;
    GateOutput output{{static_cast<launch::GateVerdict>(verdict), all.at(1).get<std::string>()},
                      {},
                      all.at(3).get<std::string>()};
    using Counts = std::map<std::string, int>;
    for (const json& one : all.at(2))
      output.census.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>(),
                               one.at(2).get<Counts>(), one.at(3).get<Counts>(),
                               one.at(4).get<Counts>()});
    return output;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

namespace {

Path path_of(Heat heat) {
  return heat == Heat::hot ? Path::hot : heat == Heat::cold ? Path::cold : Path::beside;
}

constexpr std::string_view prime = "prime";

// By instruction: whether a loop is around it. Without a graph: of all.
std::vector<bool> find_looped(const SassKernel& kernel) {
  const auto graph = flow::build_flow_graph(kernel);
  std::vector<bool> looped(kernel.instructions.size(), true);
  if (!graph) return looped;
  const flow::LoopNest nest = flow::find_loops(*graph);
  for (std::size_t i = 0; i < looped.size(); ++i) {
    const std::size_t block = static_cast<std::size_t>(graph->block_of[i]);
    looped[i] = nest.depth[block] > 0 || nest.irreducible[block];
  }
  return looped;
}

class Uncounted {
 public:
  Uncounted(const GateSpec& spec, const std::vector<RoleWindow>& windows, const SassKernel& kernel,
            const SourceMap& source, const Census& census)
      : spec_(spec), windows_(windows), kernel_(kernel), source_(source), census_(census) {}

  std::vector<std::string> find() {
    for (const VerbCensus& census : census_) {
      check_uncounted(census, Path::hot, "hot", census.hot);
      check_uncounted(census, Path::cold, "cold", census.cold);
      check_uncounted(census, Path::beside, "outside the timed loop", census.beside);
    }
    plain_ = flow::find_plain_calls(kernel_);
    const std::vector<bool> spins = flow::find_spins(kernel_);
    for (const RoleWindow& window : windows_) {
      check_outside(window);
      check_blocks(window);
      // What is called is outside of the window, so a rule has to know of it.
      check_each(window, "", [&](std::size_t i, const std::string& verb) {
        const cubin::Instruction& one = kernel_.instructions[i];
        const bool open =
            flow::calls_function(one) && !plain_[i] &&
            synchronisation(one.opcode, verb) != nullptr &&
            !is_counted({verb, window.role, {}, {}, {}}, path_of(window.heat[i]), one.opcode);
        return open ? one.opcode + " " + std::string(flow::callee_of(one)) : "";
      });
      // Waits in software, in verbs where a load alone is ordinary and rules count those that are.
      check_each(window, " in a loop that waits for what it reads",
                 [&](std::size_t i, const std::string& verb) {
                   const std::string& opcode = kernel_.instructions[i].opcode;
                   const bool open = spins[i] && synchronisation(opcode, verb) == nullptr;
                   return open ? opcode : "";
                 });
    }
    return std::move(complaints_);
  }

 private:
  template <typename... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    complaints_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  std::string verb_of(std::size_t instruction) const {
    const launch::SourceLine* line = flow::source_line(source_, kernel_.instructions[instruction]);
    return line == nullptr ? "" : line->verb;
  }

  // Instructions of the window that are open: `open_as` has words for them, "" for the others.
  template <typename OpenAs>
  void check_each(const RoleWindow& window, const char* what, const OpenAs& open_as) {
    std::map<std::string, OpcodeCounts> open;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      if (window.heat[i] == Heat::outside) continue;
      const std::string verb = verb_of(i), words = open_as(i, verb);
      if (!words.empty()) ++open[verb][words];
    }
    for (const auto& [verb, found] : open)
      complain("{} ({}): no rule counts {}{}", verb.empty() ? "no verb" : verb,
               role_name(window.role), list_opcodes(found), what);
  }

  // What a role waits for, copies or stores is in its window, where it is timed.
  void check_outside(const RoleWindow& window) {
    std::map<std::string, OpcodeCounts> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      const std::string& opcode = kernel_.instructions[i].opcode;
      const launch::SourceLine* line = flow::source_line(source_, kernel_.instructions[i]);
      if (window.heat[i] != Heat::outside || line == nullptr || line->role != window.role) continue;
      const auto* known = synchronisation(opcode, line->verb);
      const bool synchronises = known != nullptr && known->per_block == 0;
      const bool memory = flow::is(kernel_.instructions[i], SassFact::memory);
      if (is_timed(line->verb, window.role) ? synchronises || memory
                                            : synchronises && !prepares(i, line->verb))
        ++found[line->verb][opcode];
    }
    for (const auto& [verb, opcodes] : found)
      complain("{} ({}): outside the timed window: {}", verb.empty() ? "no verb" : verb,
               role_name(window.role), list_opcodes(opcodes));
  }

  // What prepares a role is in no loop; `prime` may arrive at every slot, by whatever an arrival is
  // made of.
  bool prepares(std::size_t i, const std::string& verb) {
    if (verb == prime && (plain_[i] || flow::is(kernel_.instructions[i], SassFact::arrives,
                                                SassFact::fence, SassFact::atomic)))
      return true;
    if (looped_.empty()) looped_ = find_looped(kernel_);  // of few kernels it is asked
    return !looped_[i];
  }

  // A rule speaks of it, and it is not the verb that prepares.
  bool is_timed(const std::string& verb, const std::string& role) const {
    return verb != prime &&
           std::any_of(spec_.verbs.begin(), spec_.verbs.end(), [&](const isa::VerbRule& rule) {
             return rule.verb != isa::any_verb && isa::concerns(rule, verb, role);
           });
  }

  bool is_counted(const VerbCensus& census, Path path, const std::string& opcode) const {
    const auto counts = [&](const isa::VerbRule& rule, const isa::OpcodeRule& one) {
      if (!isa::opcode_matches(one.pattern, opcode)) return false;
      if (path == Path::beside) return one.path == Path::beside || rule.passes != isa::Passes::loop;
      return rule.passes != isa::Passes::beside && (one.path == path || one.path == Path::pass);
    };
    return std::any_of(spec_.verbs.begin(), spec_.verbs.end(), [&](const isa::VerbRule& rule) {
      return isa::concerns(rule, census.verb, census.role) &&
             std::any_of(rule.require.begin(), rule.require.end(),
                         [&](const isa::OpcodeRule& one) { return counts(rule, one); });
    });
  }

  void check_uncounted(const VerbCensus& census, Path path, const char* where,
                       const OpcodeCounts& counts) {
    OpcodeCounts uncounted;
    for (const auto& [opcode, count] : counts) {
      if (isa::sass_opcode(opcode).facts.has(SassFact::call)) continue;
      const auto* known = synchronisation(opcode, census.verb);
      if (known != nullptr && known->per_block == 0 && !is_counted(census, path, opcode))
        uncounted.emplace(opcode, count);
    }
    if (uncounted.empty()) return;
    complain("{} ({}): no rule counts {} {} {}", census.verb.empty() ? "no verb" : census.verb,
             role_name(census.role), list_opcodes(uncounted), where, both_lists(census));
  }

  // What ptxas puts into a basic block by itself.
  void check_blocks(const RoleWindow& window) {
    std::map<std::pair<int, const isa::Synchronisation*>, int> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      if (window.heat[i] == Heat::outside || window.block[i] < 0) continue;
      const cubin::Instruction& instruction = kernel_.instructions[i];
      const auto* known = synchronisation(instruction.opcode, verb_of(i));
      if (known == nullptr || known->per_block == 0) continue;
      if (++found[{window.block[i], known}] == known->per_block + 1)
        complain("{}: more than {} {} in a basic block, at {:#x}", role_name(window.role),
                 known->per_block, flow::opcode_stem(instruction), instruction.address);
    }
  }

  const isa::Synchronisation* synchronisation(const std::string& opcode,
                                              const std::string& verb) const {
    return isa::sass_opcode(opcode).synchronisation(spec_.exhaustive_for, verb);
  }

  const GateSpec& spec_;
  const std::vector<RoleWindow>& windows_;
  const SassKernel& kernel_;
  const SourceMap& source_;
  const Census& census_;
  std::vector<bool> plain_;   // calls, by instruction
  std::vector<bool> looped_;  // find_looped, where it is asked
  std::vector<std::string> complaints_;
};

}  // namespace

std::string both_lists(const VerbCensus& census) {
  return fmt::format("(hot: {}; cold: {}{})", list_opcodes(census.hot), list_opcodes(census.cold),
                     census.beside.empty() ? "" : "; beside: " + list_opcodes(census.beside));
}

std::string_view role_name(const std::string& role) {
  return role.empty() ? "no role" : std::string_view(role);
}

std::vector<std::string> find_uncounted(const GateSpec& spec,
                                        const std::vector<RoleWindow>& windows,
                                        const SassKernel& kernel, const SourceMap& source,
                                        const Census& census) {
  if (spec.exhaustive_for.empty()) return {};
  return Uncounted(spec, windows, kernel, source, census).find();
}

}  // namespace phasebit::gate
