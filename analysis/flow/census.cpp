#include "analysis/flow/census.h"

#include <algorithm>
#include <array>
#include <map>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::SassKernel;
using image::Census;
using image::SourceLine;
using image::SourceMap;
using image::VerbCensus;
using rule::concerns;
using rule::GateSpec;
using rule::opcode_matches;
using rule::OpcodeRule;
using rule::Path;
using rule::VerbRule;

namespace {

VerbCensus& entry_of(Census& census, const std::string& verb, const std::string& role) {
  const auto found = std::find_if(census.begin(), census.end(), [&](const VerbCensus& entry) {
    return entry.verb == verb && entry.role == role;
  });
  if (found != census.end()) return *found;
  return census.emplace_back(VerbCensus{verb, role, {}, {}, {}});
}

// A turn that runs a site runs its whole block: a YIELD in front of the try, the branch behind it.
void promote_block(RoleWindow& window, int block) {
  for (std::size_t i = 0; i < window.heat.size(); ++i)
    if (window.block[i] == block && window.heat[i] == Heat::cold) window.heat[i] = Heat::hot;
}

// Sites of a pattern on the paths of a turn.
struct Sites {
  std::map<int, std::vector<std::size_t>> by_statement;  // of the verb
  std::vector<std::size_t> orphans;  // hot, and of a verb that does not require them
  int hot = 0;                       // of the verb
};

// Whether a verb of the role asks for the opcode.
bool is_required(const GateSpec& spec, const std::string& role, const std::string& verb,
                 const std::string& opcode) {
  for (const VerbRule& rule : spec.verbs) {
    if (!concerns(rule, verb, role)) continue;
    for (const OpcodeRule& required : rule.require)
      if (required.path == Path::hot && opcode_matches(required.pattern, opcode)) return true;
  }
  return false;
}

struct Wanted {
  const std::string &verb, &pattern;
  int enough = 0;  // hot sites
};

Sites find_sites(const RoleWindow& window, const SassKernel& kernel, const SourceMap& source,
                 const GateSpec& spec, const Wanted& wanted, bool moves_lines) {
  Sites sites;
  for (std::size_t i = 0; i < window.heat.size(); ++i) {
    const bool hot = window.heat[i] == Heat::hot;
    if (!hot && window.heat[i] != Heat::cold) continue;
    const Instruction& instruction = kernel.instructions[i];
    if (!opcode_matches(wanted.pattern, instruction.opcode)) continue;
    const SourceLine* line = source_line(source, instruction);
    const std::string verb = line == nullptr ? "" : line->verb;
    if (moves_lines && hot && !is_required(spec, window.role, verb, instruction.opcode))
      sites.orphans.push_back(i);
    if (verb != wanted.verb) continue;
    sites.by_statement[instruction.line].push_back(i);
    sites.hot += hot ? 1 : 0;
  }
  return sites;
}

// Promotes for one role, verb and pattern, unless `enough` sites are hot as they stand. A ptxas
// that moves lines gives the peeled try of a wait another line than that of its retry, at times one
// of another verb, which is set right.
void promote(RoleWindow& window, SassKernel& kernel, const SourceMap& source, const GateSpec& spec,
             const Wanted& wanted, bool moves_lines) {
  Sites sites = find_sites(window, kernel, source, spec, wanted, moves_lines);
  if (sites.hot >= wanted.enough) return;
  auto orphan = sites.orphans.begin();
  for (const auto& [statement, of_statement] : sites.by_statement) {
    const auto hot = [&](std::size_t i) { return window.heat[i] == Heat::hot; };
    if (std::any_of(of_statement.begin(), of_statement.end(), hot)) continue;
    if (orphan != sites.orphans.end()) {
      kernel.instructions[*orphan++].line = statement;
      continue;
    }
    const auto shallower = [&](std::size_t a, std::size_t b) {
      return window.depth[a] < window.depth[b];
    };
    const int depth =
        window.depth[*std::min_element(of_statement.begin(), of_statement.end(), shallower)];
    for (const std::size_t i : of_statement)
      if (window.depth[i] == depth) promote_block(window, window.block[i]);
  }
}

// The sites of a pattern that the passes beside the loop have at least.
int wanted_beside(const VerbRule& rule, const std::string& pattern, int items) {
  int wanted = 0;
  for (const OpcodeRule& one : rule.require)
    if (one.pattern == pattern) wanted += one.count.low * (one.path == Path::beside ? 1 : items);
  return wanted;
}

// The same trouble beside the loop, in the verbs that are there too: what is missing is taken from
// the sites of no verb.
void adopt_beside(const RoleWindow& window, SassKernel& kernel, const SourceMap& source,
                  const VerbRule& rule, const std::string& pattern, int wanted) {
  std::vector<std::size_t> orphans;
  for (std::size_t i = 0; i < window.heat.size(); ++i) {
    if (window.heat[i] != Heat::beside) continue;
    const Instruction& instruction = kernel.instructions[i];
    if (!opcode_matches(pattern, instruction.opcode)) continue;
    const SourceLine* line = source_line(source, instruction);
    if (line == nullptr || line->verb.empty() || line->verb == "clock_start") orphans.push_back(i);
    if (line != nullptr && line->verb == rule.verb) --wanted;
  }
  const auto statement = std::find_if(
      source.begin(), source.end(), [&](const SourceLine& line) { return line.verb == rule.verb; });
  if (statement == source.end()) return;
  for (std::size_t n = 0; wanted > 0 && n < orphans.size(); ++n, --wanted)
    kernel.instructions[orphans[n]].line = static_cast<int>(statement - source.begin()) + 1;
}

}  // namespace

void promote_single_sites(std::vector<RoleWindow>& windows, SassKernel& kernel,
                          const SourceMap& source, const GateSpec& spec, bool moves_lines) {
  for (RoleWindow& window : windows)
    for (const VerbRule& rule : spec.verbs)
      for (const OpcodeRule& required : rule.require)
        if (rule.verb != rule::any_verb && required.path == Path::hot &&
            rule.passes != rule::Passes::beside && concerns(rule, rule.verb, window.role) &&
            required.count.low > 0)
          promote(window, kernel, source, spec,
                  {rule.verb, required.pattern, required.count.low * spec.items_of(window.role)},
                  moves_lines);
  if (!moves_lines) return;
  for (const RoleWindow& window : windows)
    for (const VerbRule& rule : spec.verbs)
      for (const OpcodeRule& required : rule.require)
        if (rule.passes == rule::Passes::both && required.path == Path::hot &&
            concerns(rule, rule.verb, window.role))
          adopt_beside(window, kernel, source, rule, required.pattern,
                       wanted_beside(rule, required.pattern, spec.beside_of(window.role)));
}

bool moves_lines(const isa::Version& ptxas, const std::string& sass_family) {
  constexpr std::array<std::string_view, 3> polling = {"turing", "ampere", "ada"};
  return std::find(polling.begin(), polling.end(), sass_family) != polling.end() ||
         isa::version_in_range(ptxas, ">=12.8 <13.5").value_or(false);
}

Census take_census(const std::vector<RoleWindow>& windows, const SassKernel& kernel,
                   const SourceMap& source) {
  Census census;
  for (const RoleWindow& window : windows)
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      if (window.heat[i] == Heat::outside) continue;
      const Instruction& instruction = kernel.instructions[i];
      const SourceLine* line = source_line(source, instruction);
      VerbCensus& entry = entry_of(census, line == nullptr ? "" : line->verb, window.role);
      ++(window.heat[i] == Heat::hot    ? entry.hot
         : window.heat[i] == Heat::cold ? entry.cold
                                        : entry.beside)[instruction.opcode];
    }
  return census;
}

}  // namespace phasebit::flow
