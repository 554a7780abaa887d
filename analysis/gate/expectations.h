// What somebody expects of machine code: the rules of `phasebit sass gate`.
#pragma once

#include "analysis/gate/expectation_file.h"

#include <string>
#include <vector>

namespace phasebit::gate {

struct BrokenExpectation {
  std::string place, rule, subject, expected, found;
  std::string file, symbol;  // of a code file's kernel
  std::string at;            // of the first instruction that breaks it: "k.cu:12 (0x00a0)", or ""
};

// A rule that names kernels, and the code files of which it says nothing: they have none of them.
struct SilentExpectation {
  std::string place, rule;
  std::vector<std::string> files;
};

struct GateReport {
  std::size_t checks = 0;
  std::vector<BrokenExpectation> broken;  // in the order of the rules
  std::vector<SilentExpectation> silent = {};
};

// Whether a rule speaks of a kernel.
bool concerns(const Expectation& rule, const GateSubject& subject);

// Step::gate when an expectation matches no subject, as it would hold whatever the code is, or when
// what it says cannot be told of one that it matches.
Result<GateReport> check_expectations(const std::vector<Expectation>& expectations,
                                      const std::vector<GateSubject>& subjects);

// {"schema", "checks", "broken": [{"place", "rule", "subject", "file", "symbol", "expected",
// "found", "at"}], "silent": [{"place", "rule", "files"}]}.
std::string gate_as_json(const GateReport& report);
std::string gate_as_text(const GateReport& report);

// Why a rule speaks of no code, and what its author may have meant.

// Step::gate, with the nearest name, target or family of what is there.
tl::unexpected<Error> nothing_found(const Expectation& rule,
                                    const std::vector<GateSubject>& subjects, std::size_t matching);

}  // namespace phasebit::gate
