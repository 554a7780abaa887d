// What machine code must be: which opcodes a verb has, and how often. One type for all that say it:
// protocols, movers, work and probes ([[gate]]), forms, heads of PTX files, snippets, forks, and
// the files of `phasebit sass gate`. core/isa/read_rule.h reads it.
#pragma once

#include "core/base/error.h"

#include <climits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::isa {

// Counts of SASS opcodes, and shell patterns against them. A pattern is matched against the whole
// opcode with its modifiers: "SYNCS.PHASECHK*TRYWAIT*", "BAR.SYNC*".

using OpcodeCounts = std::map<std::string, int>;

bool opcode_matches(const std::string& pattern, const std::string& opcode);

// All opcodes of a pattern together.
int count_opcodes(const OpcodeCounts& counts, const std::string& pattern);

// "SYNCS.PHASECHK.TRANS64.TRYWAIT x1, BRA x2", or "none".
std::string list_opcodes(const OpcodeCounts& counts);

// From `low` to `high`, both included.
struct CountRange {
  int low = 1, high = 1;
  CountRange(int exactly = 1) : low(exactly), high(exactly) {}  // a number is a range
  CountRange(int lowest, int highest) : low(lowest), high(highest) {}
  bool has(int count) const { return count >= low && count <= high; }
  bool operator==(const CountRange&) const = default;
};

// "x2", "x1 to x2", "x1 or more"
std::string to_string(const CountRange& range);

// 2, "2", "1..2", "2..". Nullopt for anything else.
std::optional<CountRange> parse_count(std::string_view text);

// Where in the window of a role opcodes are counted. All but `beside` are counts of one pass
// through the verb: of one item, where the loop is unrolled over several.
enum class Path {
  hot,     // `require`: on the path of a turn
  cold,    // `cold`: of a turn, but off its path, such as the retry of a wait
  pass,    // `pass`: hot or cold, where that is ptxas's choice
  beside,  // `beside`: in the window, before or after the timed loop, whatever the passes there
  at_once  // `at_once`: on the path of a turn, before any instruction waits for the scoreboard of
           // one of them; of the whole turn, whatever its items
};
// The key of a rule that counts there.
std::string_view to_string(Path path);
inline constexpr Path all_paths[] = {Path::hot, Path::cold, Path::pass, Path::beside,
                                     Path::at_once};

struct OpcodeRule {
  std::string pattern;
  CountRange count;
  Path path = Path::hot;
};

// What opcodes do not show: PTX statements of the verb whose opcode fits `opcode` read as `form`
// says, there is one, and all are between the role's clock reads. Shell patterns; a form is of a
// statement without its predicate and semicolon, with single blanks.
struct StatementRule {
  std::string opcode;  // "nanosleep*"; with a blank, of the whole statement: "@!p bra *"
  // "nanosleep.u32 100"; "x4 FORM": four of them, "x0 *": none, "x0..": any number; "after fill:
  // FORM": since the last one of another passage there was a statement of that verb, or that fits
  // that pattern.
  std::string form;
};

// Where the kernel goes through the verb. A pass outside the loop has what `require`, `cold` and
// `pass` say together.
enum class Passes { loop, beside, both };
std::optional<Passes> parse_passes(std::string_view text);

// The verb of a rule for all that a role does: of opcodes whose line ptxas takes from what is
// near, such as a fence.
inline constexpr const char* any_verb = "*";
// The role of a rule for code without one, such as what writes the record: `ptx` alone.
inline constexpr const char* no_role = "-";

struct VerbRule {
  std::string verb;                 // of SourceLine, or any_verb
  std::string role;                 // producer, consumer, both; "" for any
  std::vector<OpcodeRule> require;  // on all paths, in spite of its name
  std::vector<std::string> forbid;  // none of these on any path
  Passes passes = Passes::loop;
  std::vector<StatementRule> ptx = {};
};

// Already narrowed to one variant, SASS family and ptxas version.
struct GateSpec {
  bool known = false;  // false: the family or ptxas is not covered: ungated
  std::string why_unknown;
  // Items of one turn of the timed loop, by role: more than one when the slots are unrolled.
  std::map<std::string, int> items_per_iteration;
  int items_of(const std::string& role) const {
    const auto found = items_per_iteration.find(role);
    return found == items_per_iteration.end() ? 1 : found->second;
  }
  // Items of a pass outside that loop, where it has not as many: a loop that holds one item several
  // times drains its one slot once.
  std::map<std::string, int> items_beside;
  int beside_of(const std::string& role) const {
    const auto found = items_beside.find(role);
    return found == items_beside.end() ? items_of(role) : found->second;
  }
  std::vector<VerbRule> verbs;
  // In the window, whatever the verb: local memory, calls.
  std::vector<std::string> forbid_everywhere;
  // Synchronisation of this SASS family that no rule counts is refused; "": nothing is.
  std::string exhaustive_for;
};

// Adds to the counts of the same pattern and path, or appends.
void add_count(VerbRule& rule, const OpcodeRule& count);
// Keeps each pattern once.
void add_forbidden(VerbRule& rule, const std::string& pattern);
// The rule of the verb and role, appended when there is none.
VerbRule& rule_of(std::vector<VerbRule>& rules, const std::string& verb, const std::string& role);

// Whether a rule speaks of a verb of a role.
bool concerns(const VerbRule& rule, const std::string& verb, const std::string& role);

}  // namespace phasebit::isa
