// The file of `phasebit sass gate`.
#pragma once

#include "analysis/gate/subject.h"
#include "core/isa/rule.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::gate {

// One rule of a file of expectations.

enum class ExpectationKind { rule, same, differ };

struct Expectation {
  ExpectationKind kind = ExpectationKind::rule;
  std::string place;  // "specs/sass_gate.toml:12"
  std::string name;   // in words
  // Shell patterns; none: any. Variants, kernels of files, architectures, SASS families.
  std::vector<std::string> variants, kernels, targets, families;
  std::string ptxas;  // version range as in version_in_range; code of others matches "" alone
  Where where;        // opcodes, issue cycles, instructions and live registers are counted
  bool where_present = false;            // speaks of those kernels alone that have code there
  std::vector<isa::OpcodeRule> opcodes;  // their path is that of `where`
  // Synchronisation (core/isa/sass_opcodes.toml) that none of them counts is refused too.
  bool exhaustive = false;
  // How it is launched, where the code does not say; 0: as the code says.
  flow::CtaShape launch = {};
  // Of max_registers, max_live_registers, max_spill_bytes (stored and loaded), max_issue_cycles,
  // max_instructions, min_warps (resident on an SM): those that were given.
  std::map<std::string, int> limits;
};

struct ExpectationFile {
  // The code it speaks of; the command line may say otherwise. `spec` counts from the file's folder
  // unless it is a path from the root.
  std::string spec, sweep;
  std::vector<std::string> targets;
  std::vector<std::string> files;  // code files, as shell patterns that count from its folder
  std::vector<Expectation> expectations;
};

// TOML: spec, sweep, targets, files; [[rule]] with name, variants, kernels, targets, family, ptxas,
// where, where_present, must, must_not, count = { PATTERN = 2 or "1..2" or "2.." }, exhaustive,
// max_registers, max_live_registers, max_spill_bytes, max_issue_cycles, max_instructions,
// min_warps, threads, dynamic_shared_bytes; [[same]] and [[differ]] with name, variants, kernels,
// targets, family, ptxas. Step::spec, with file, line and the nearest key, when it is not that.
Result<ExpectationFile> parse_expectations(std::string_view text, const std::string& name);

}  // namespace phasebit::gate
