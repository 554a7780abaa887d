// What somebody expects of machine code: the rules of `phasebit sass gate`.
#pragma once

#include "analysis/flow/features.h"
#include "core/isa/version.h"
#include "core/rule/rule.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit {

enum class ExpectationKind { rule, same, differ };

struct Expectation {
  ExpectationKind kind = ExpectationKind::rule;
  std::string place;  // "specs/sass_gate.toml:12"
  std::string name;   // in words
  // Shell patterns; none: any. Variants or kernels, architectures, SASS families.
  std::vector<std::string> kernels, targets, families;
  std::string ptxas;  // version range as in version_in_range; code of others matches "" alone
  // Where opcodes, issue cycles and instructions are counted: "" the hot paths of all timed loops
  // (the kernel where there is none), "kernel", a role or "timed loop" its hot path, "role.verb"
  // that verb's part of it, "line 12" the instructions of that source line.
  std::string where;
  std::vector<OpcodeRule> opcodes;  // their path is that of `where`
  // Synchronisation (core/rule/synchronisation.toml) that none of them counts is refused too.
  bool exhaustive = false;
  // Of max_registers, max_spill_bytes (stored and loaded), max_issue_cycles, max_instructions,
  // min_warps (resident on an SM): those that were given.
  std::map<std::string, int> limits;
};

// One kernel of one column.
struct GateSubject {
  std::string name, target, family;
  std::optional<Version> ptxas;
  std::string code_class;
  Features features;
  std::map<int, CodeCounts> lines;  // by source line; needed only where an expectation names one
};

struct BrokenExpectation {
  std::string place, rule, subject, expected, found;
};

struct GateReport {
  std::size_t checks = 0;
  std::vector<BrokenExpectation> broken;  // in the order of the rules
};

// Whether a rule speaks of a kernel.
bool concerns(const Expectation& rule, const GateSubject& subject);

// Step::gate when an expectation matches no subject: it would hold whatever the code is.
Result<GateReport> check_expectations(const std::vector<Expectation>& expectations,
                                      const std::vector<GateSubject>& subjects);

// {"checks", "broken": [{"place", "rule", "subject", "expected", "found"}]}.
std::string gate_as_json(const GateReport& report);
std::string gate_as_text(const GateReport& report);

}  // namespace phasebit
