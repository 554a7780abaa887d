#include "analysis/gate/uncounted.h"

#include "analysis/flow/calls.h"
#include "analysis/flow/loops.h"
#include "analysis/flow/spins.h"
#include "core/rule/synchronisation.h"

#include <algorithm>

namespace phasebit::gate {

using cubin::SassKernel;
using flow::Heat;
using flow::RoleWindow;
using image::Census;
using image::SourceMap;
using image::VerbCensus;
using rule::GateSpec;
using rule::list_opcodes;
using rule::OpcodeCounts;
using rule::Path;
using rule::SynchronisationTable;

namespace {

Path path_of(Heat heat) {
  return heat == Heat::hot ? Path::hot : heat == Heat::cold ? Path::cold : Path::beside;
}

constexpr std::string_view prime = "prime";

bool touches_memory(const std::string& opcode) {
  constexpr const char* kinds[] = {"LD", "LDS*", "LDSM*", "LDG*", "LD.*",
                                   "ST", "ST.*", "STS*",  "STG*"};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](const char* kind) { return rule::opcode_matches(kind, opcode); });
}

bool arrives(const std::string& opcode) {
  return rule::opcode_matches("*ARRIVE*", opcode) || rule::opcode_matches("BAR.ARV*", opcode);
}

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
    const auto table = SynchronisationTable::get();
    if (!table) return {table.error().text()};
    for (const VerbCensus& census : census_) {
      check_uncounted(**table, census, Path::hot, "hot", census.hot);
      check_uncounted(**table, census, Path::cold, "cold", census.cold);
      check_uncounted(**table, census, Path::beside, "beside the timed loop", census.beside);
    }
    const std::vector<bool> plain = flow::find_plain_calls(kernel_),
                            spins = flow::find_spins(kernel_);
    for (const RoleWindow& window : windows_) {
      check_outside(**table, window);
      check_blocks(**table, window);
      // What is called is outside of the window, so a rule has to know of it.
      check_each(window, "", [&](std::size_t i, const std::string& verb) {
        const cubin::Instruction& one = kernel_.instructions[i];
        const bool open =
            flow::calls_function(one) && !plain[i] &&
            (*table)->find(one.opcode, spec_.exhaustive_for, verb) != nullptr &&
            !is_counted({verb, window.role, {}, {}, {}}, path_of(window.heat[i]), one.opcode);
        return open ? one.opcode + " " + std::string(flow::callee_of(one)) : "";
      });
      // Waits in software, in verbs where a load alone is ordinary and rules count those that are.
      check_each(window, " in a loop that waits for what it reads",
                 [&](std::size_t i, const std::string& verb) {
                   const std::string& opcode = kernel_.instructions[i].opcode;
                   const bool open =
                       spins[i] && (*table)->find(opcode, spec_.exhaustive_for, verb) == nullptr;
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
    const image::SourceLine* line = flow::source_line(source_, kernel_.instructions[instruction]);
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
  void check_outside(const SynchronisationTable& table, const RoleWindow& window) {
    std::map<std::string, OpcodeCounts> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      const std::string& opcode = kernel_.instructions[i].opcode;
      const image::SourceLine* line = flow::source_line(source_, kernel_.instructions[i]);
      if (window.heat[i] != Heat::outside || line == nullptr || line->role != window.role) continue;
      const auto* known = table.find(opcode, spec_.exhaustive_for, line->verb);
      const bool synchronises = known != nullptr && known->per_block == 0;
      if (is_timed(line->verb, window.role) ? synchronises || touches_memory(opcode)
                                            : synchronises && !prepares(i, line->verb))
        ++found[line->verb][opcode];
    }
    for (const auto& [verb, opcodes] : found)
      complain("{} ({}): outside the timed window: {}", verb.empty() ? "no verb" : verb,
               role_name(window.role), list_opcodes(opcodes));
  }

  // What prepares a role is in no loop; `prime` may arrive at every slot.
  bool prepares(std::size_t i, const std::string& verb) {
    if (verb == prime && arrives(kernel_.instructions[i].opcode)) return true;
    if (looped_.empty()) looped_ = find_looped(kernel_);  // of few kernels it is asked
    return !looped_[i];
  }

  // A rule speaks of it, and it is not the verb that prepares.
  bool is_timed(const std::string& verb, const std::string& role) const {
    return verb != prime &&
           std::any_of(spec_.verbs.begin(), spec_.verbs.end(), [&](const rule::VerbRule& rule) {
             return rule.verb != rule::any_verb && rule::concerns(rule, verb, role);
           });
  }

  bool is_counted(const VerbCensus& census, Path path, const std::string& opcode) const {
    const auto counts = [&](const rule::VerbRule& rule, const rule::OpcodeRule& one) {
      if (!rule::opcode_matches(one.pattern, opcode)) return false;
      if (path == Path::beside)
        return one.path == Path::beside || rule.passes != rule::Passes::loop;
      return rule.passes != rule::Passes::beside && (one.path == path || one.path == Path::pass);
    };
    return std::any_of(spec_.verbs.begin(), spec_.verbs.end(), [&](const rule::VerbRule& rule) {
      return rule::concerns(rule, census.verb, census.role) &&
             std::any_of(rule.require.begin(), rule.require.end(),
                         [&](const rule::OpcodeRule& one) { return counts(rule, one); });
    });
  }

  void check_uncounted(const SynchronisationTable& table, const VerbCensus& census, Path path,
                       const char* where, const OpcodeCounts& counts) {
    OpcodeCounts uncounted;
    for (const auto& [opcode, count] : counts) {
      if (opcode.starts_with("CALL")) continue;  // the calls
      const auto* known = table.find(opcode, spec_.exhaustive_for, census.verb);
      if (known != nullptr && known->per_block == 0 && !is_counted(census, path, opcode))
        uncounted.emplace(opcode, count);
    }
    if (uncounted.empty()) return;
    complain("{} ({}): no rule counts {} {} {}", census.verb.empty() ? "no verb" : census.verb,
             role_name(census.role), list_opcodes(uncounted), where, both_lists(census));
  }

  // What ptxas puts into a basic block by itself.
  void check_blocks(const SynchronisationTable& table, const RoleWindow& window) {
    std::map<std::pair<int, const rule::SynchronisationOpcode*>, int> found;
    for (std::size_t i = 0; i < window.heat.size(); ++i) {
      if (window.heat[i] == Heat::outside || window.block[i] < 0) continue;
      const cubin::Instruction& instruction = kernel_.instructions[i];
      const auto* known = table.find(instruction.opcode, spec_.exhaustive_for, verb_of(i));
      if (known == nullptr || known->per_block == 0) continue;
      if (++found[{window.block[i], known}] == known->per_block + 1)
        complain("{}: more than {} {} in a basic block, at {:#x}", role_name(window.role),
                 known->per_block, known->pattern, instruction.address);
    }
  }

  const GateSpec& spec_;
  const std::vector<RoleWindow>& windows_;
  const SassKernel& kernel_;
  const SourceMap& source_;
  const Census& census_;
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
