// One rule of a file of expectations.
#pragma once

#include "analysis/gate/where.h"
#include "core/rule/rule.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::gate {

enum class ExpectationKind { rule, same, differ };

struct Expectation {
  ExpectationKind kind = ExpectationKind::rule;
  std::string place;  // "specs/sass_gate.toml:12"
  std::string name;   // in words
  // Shell patterns; none: any. Variants, kernels of files, architectures, SASS families.
  std::vector<std::string> variants, kernels, targets, families;
  std::string ptxas;  // version range as in version_in_range; code of others matches "" alone
  Where where;        // opcodes, issue cycles, instructions and live registers are counted
  std::vector<rule::OpcodeRule> opcodes;  // their path is that of `where`
  // Synchronisation (core/rule/synchronisation.toml) that none of them counts is refused too.
  bool exhaustive = false;
  // How it is launched, where the code does not say; 0: as the code says.
  flow::CtaShape launch = {};
  // Of max_registers, max_live_registers, max_spill_bytes (stored and loaded), max_issue_cycles,
  // max_instructions, min_warps (resident on an SM): those that were given.
  std::map<std::string, int> limits;
};

}  // namespace phasebit::gate
