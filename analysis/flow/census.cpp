#include "analysis/flow/census.h"

#include "analysis/flow/features.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/loops.h"
#include "core/isa/opcodes.h"
#include "core/isa/rule.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <vector>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::instruction_bytes;
using cubin::SassKernel;
using cubin::SassWord;
using isa::concerns;
using isa::GateSpec;
using isa::opcode_matches;
using isa::OpcodeRule;
using isa::Path;
using isa::SassFact;
using isa::VerbRule;
using launch::Census;
using launch::SourceLine;
using launch::SourceMap;
using launch::VerbCensus;

namespace {

VerbCensus& entry_of(Census& census, const std::string& verb, const std::string& role) {
  const auto found = std::find_if(census.begin(), census.end(), [&](const VerbCensus& entry) {
    return entry.verb == verb && entry.role == role;
  });
  if (found != census.end()) return *found;
  return census.emplace_back(VerbCensus{verb, role, {}, {}, {}});
}

// A turn that runs a site runs its whole block: a YIELD before the try, the branch after it.
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

// Promotes for one role, verb and pattern, unless `enough` sites are hot as they are. A ptxas
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

// The sites of a pattern that the passes outside the loop have at least.
int wanted_beside(const VerbRule& rule, const std::string& pattern, int items) {
  int wanted = 0;
  for (const OpcodeRule& one : rule.require)
    if (one.pattern == pattern && one.path != Path::at_once)
      wanted += one.count.low * (one.path == Path::beside ? 1 : items);
  return wanted;
}

// The same trouble outside the loop, in the verbs that are there too: what is missing is taken from
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
        if (rule.verb != isa::any_verb && required.path == Path::hot &&
            rule.passes != isa::Passes::beside && concerns(rule, rule.verb, window.role) &&
            required.count.low > 0)
          promote(window, kernel, source, spec,
                  {rule.verb, required.pattern, required.count.low * spec.items_of(window.role)},
                  moves_lines);
  if (!moves_lines) return;
  for (const RoleWindow& window : windows)
    for (const VerbRule& rule : spec.verbs)
      for (const OpcodeRule& required : rule.require)
        if (rule.passes == isa::Passes::both && required.path == Path::hot &&
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

namespace {

// Blocks that `next` leads to from those of `work`, these included.
template <typename Next>
std::vector<bool> reachable(std::size_t blocks, std::vector<int> work, const Next& next) {
  std::vector<bool> seen(blocks, false);
  for (const int block : work) seen[index_of(block)] = true;
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    for (const int other : next(block))
      if (!seen[index_of(other)]) seen[index_of(other)] = true, work.push_back(other);
  }
  return seen;
}

bool has_endless_loop(const cubin::SassKernel& kernel, const FlowGraph& graph) {
  std::vector<int> leaving;
  for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
    const BasicBlock& one = graph.blocks[block];
    for (int i = one.begin; i < one.end; ++i)
      if (leaves_kernel(kernel.instructions[index_of(i)]))
        leaving.push_back(static_cast<int>(block));
  }
  const auto forward = reachable(graph.blocks.size(), {0}, [&](int block) {
    return graph.blocks[index_of(block)].successors;
  });
  const auto backward = reachable(graph.blocks.size(), std::move(leaving), [&](int block) {
    return graph.blocks[index_of(block)].predecessors;
  });
  for (std::size_t block = 0; block < graph.blocks.size(); ++block)
    if (forward[block] && !backward[block]) return true;
  return false;
}

}  // namespace

std::string_view to_string(CountIn where) {
  switch (where) {
    case CountIn::loops: return "in loops";
    case CountIn::kernel: return "in the kernel";
  }
  bug("no such CountIn");
}

OpcodeTally OpcodeCensus::count(const std::string& pattern) const {
  OpcodeTally sum;
  for (const auto& [opcode, count] : opcodes) {
    if (!isa::opcode_matches(pattern, opcode)) continue;
    sum.loops += count.loops;
    sum.kernel += count.kernel;
  }
  return sum;
}

Result<OpcodeCensus> take_opcode_census(const cubin::SassKernel& kernel) {
  PHASEBIT_TRY_ASSIGN(graph, build_flow_graph(kernel));
  const LoopNest nest = find_loops(graph);
  OpcodeCensus census;
  for (std::size_t i = 0; i < used_instructions(kernel); ++i) {
    const std::size_t block = index_of(graph.block_of[i]);
    OpcodeTally& count = census.opcodes[kernel.instructions[i].opcode];
    ++count.kernel;
    count.loops += nest.depth[block] > 0 || nest.irreducible[block] ? 1 : 0;
  }
  census.has_endless_loop = has_endless_loop(kernel, graph);
  return census;
}

namespace {

// Bits 72 to 90: where every modifier seen so far has been.
constexpr std::uint64_t modifier_bits = 0x7ffff00;

unsigned operation_of(const SassWord& word) {
  return static_cast<unsigned>(word.low & 0x1ff);
}

// Where the distance of a branch is, in instructions from the next one. Both are read off what we
// compile and are checked against the listings: bits 32 to 63 in bytes (sm_75 to sm_89), and bits
// 16 to 23 with bits 34 to 63 above them in units of 4 bytes (sm_90 and later).
std::int64_t plain_distance(const SassWord& word) {
  return static_cast<std::int32_t>(word.low >> 32) / static_cast<std::int64_t>(instruction_bytes);
}
std::int64_t split_distance(const SassWord& word) {
  const std::int64_t upper = static_cast<std::int64_t>(word.low) >> 34;
  const std::int64_t units = upper * 256 + static_cast<std::int64_t>((word.low >> 16) & 0xff);
  return units * 4 / static_cast<std::int64_t>(instruction_bytes);
}

// Bits 12 to 15: the guard predicate, 7 where there is none.
bool unguarded(const SassWord& word) {
  return ((word.low >> 12) & 0xf) == 7;
}

template <typename Take>
void for_each_instruction(const std::vector<const SassKernel*>& listings, const Take& take) {
  for (const SassKernel* kernel : listings)
    for (const Instruction& instruction : kernel->instructions) take(instruction);
}

}  // namespace

OpcodeWords OpcodeWords::learn(const std::vector<const SassKernel*>& listings,
                               const std::vector<const SassKernel*>& like,
                               const std::string& pattern) {
  OpcodeWords words;
  words.learn_modifiers(listings, pattern);
  words.learn_branches(like);
  return words;
}

// The modifiers are those bits that all instructions of the pattern have in common and others of
// the same operation have not.
void OpcodeWords::learn_modifiers(const std::vector<const SassKernel*>& listings,
                                  const std::string& pattern) {
  std::map<unsigned, Modifiers> common;
  for_each_instruction(listings, [&](const Instruction& one) {
    if (!isa::opcode_matches(pattern, one.opcode)) return;
    Modifiers& known =
        common.try_emplace(operation_of(one.word), Modifiers{modifier_bits, one.word.high})
            .first->second;
    known.mask &= ~(known.value ^ one.word.high);
  });
  for (const auto& [operation, known] : common) operations_[operation] = {0, known.value};
  for_each_instruction(listings, [&](const Instruction& one) {
    const auto known = common.find(operation_of(one.word));
    if (known == common.end() || isa::opcode_matches(pattern, one.opcode)) return;
    operations_[known->first].mask |= (one.word.high ^ known->second.value) & known->second.mask;
  });
}

void OpcodeWords::learn_branches(const std::vector<const SassKernel*>& listings) {
  std::vector<std::pair<const Instruction*, std::int64_t>> known;  // with its distance
  for_each_instruction(listings, [&](const Instruction& one) {
    if (leaves_kernel(one)) exits_.insert(operation_of(one.word));
    if (!is(one, SassFact::branch) || !is(one, SassFact::relative)) return;
    branches_.insert(operation_of(one.word));
    const std::size_t at = one.operands.rfind("0x");
    if (at == std::string::npos) return;
    const std::int64_t target = std::strtoll(one.operands.c_str() + at, nullptr, 16);
    known.emplace_back(&one, (target - one.address) / instruction_bytes - 1);
  });
  for (const auto distance : {plain_distance, split_distance}) {
    const bool right = std::all_of(known.begin(), known.end(), [&](const auto& branch) {
      return distance(branch.first->word) == branch.second;
    });
    if (right && !known.empty()) distance_ = distance;
  }
}

bool OpcodeWords::matches(const SassWord& word) const {
  const auto known = operations_.find(operation_of(word));
  return known != operations_.end() &&
         ((word.high ^ known->second.value) & known->second.mask) == 0;
}

// Whether the jump at `to` back to `from` is taken forever. The last instruction of a kernel, a
// jump to itself that nothing reaches, is none.
bool OpcodeWords::is_endless(const cubin::CubinKernel& kernel, std::size_t from,
                             std::size_t to) const {
  if (!unguarded(kernel.word(to))) return false;
  if (from == to && to > 0) {
    const SassWord before = kernel.word(to - 1);
    const unsigned operation = operation_of(before);
    if (unguarded(before) && (exits_.contains(operation) || branches_.contains(operation)))
      return false;
  }
  for (std::size_t i = from; i < to; ++i) {
    const SassWord word = kernel.word(i);
    const unsigned operation = operation_of(word);
    if (exits_.contains(operation)) return false;
    const std::int64_t next = static_cast<std::int64_t>(i) + 1 + distance_(word);
    if (branches_.contains(operation) &&
        (next > static_cast<std::int64_t>(to) || next < static_cast<std::int64_t>(from)))
      return false;
  }
  return true;
}

WordCount OpcodeWords::count(const cubin::CubinKernel& kernel) const {
  WordCount counted;
  std::vector<bool> in_loop(kernel.size(), !knows_branches());
  for (std::size_t i = 0; knows_branches() && i < kernel.size(); ++i) {
    const SassWord word = kernel.word(i);
    if (!branches_.contains(operation_of(word))) continue;
    const std::int64_t target = static_cast<std::int64_t>(i) + 1 + distance_(word);
    if (target < 0 || target > static_cast<std::int64_t>(i)) continue;
    const auto from = static_cast<std::size_t>(target);
    std::fill(in_loop.begin() + target, in_loop.begin() + static_cast<std::ptrdiff_t>(i) + 1, true);
    counted.has_endless_loop = counted.has_endless_loop || is_endless(kernel, from, i);
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (!matches(kernel.word(i))) continue;
    ++counted.kernel;
    counted.loops += in_loop[i] ? 1 : 0;
  }
  return counted;
}

}  // namespace phasebit::flow
