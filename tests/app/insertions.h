// What the gate must refuse: statements that synchronise, put into a kernel at a place of a verb.
#pragma once

#include "core/launch/facts.h"
#include "join/images/prepare.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::test {

struct Insertion {
  // Those of a number are in one kernel: no rule's pattern fits two of them.
  int kernel;
  const char* opcode;     // that the statement becomes, as a pattern
  const char* statement;  // of PTX; `ring` is shared memory of the CTA
};
inline constexpr int kernels = 5;
// All that are synchronisation in this verb: flags look like ordinary accesses elsewhere.
std::vector<Insertion> insertions_of(const std::string& verb);

enum class Where { hot, cold, beside };

struct Place {
  std::string verb, role;
  Where where = Where::hot;
  std::string name() const;
};

// Verbs that synchronise, with the roles that have them and are timed.
std::set<std::pair<std::string, std::string>> verbs_of(const ptxas::Kernel& kernel);

// The kernel under another name with the statements before the verb's first one, in a loop of
// their own there (cold), or after the start of the role's clock (beside).
join::images::Prepared insert(const join::images::Prepared& original, const Place& place,
                              const std::vector<Insertion>& what, const std::string& entry);

// Opcodes of the insertion that the code has more of than before; none where ptxas dropped it.
std::vector<std::string> added(const Insertion& what, const launch::Census& before,
                               const launch::Census& after);

// Whether the refusal speaks of the opcode: as one that no rule counts, that is forbidden, or by
// the pattern whose count is another. What it lists as found does not count.
bool names(const std::string& refusal, const std::string& opcode);

}  // namespace phasebit::test
