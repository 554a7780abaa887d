// What a user expects of machine code: the rules of `phasebit sass gate`.
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

// A rule that names kernels, and the files of which it says nothing: they have no such kernel. With
// `where`: one for code where there is some, and no kernel that it names has any.
struct SilentExpectation {
  std::string place, rule;
  std::vector<std::string> files;
  std::string where = {};
};

// What could not be read, or not be told of it.
struct UnjudgedSubject {
  std::string place, rule;  // "" of what could not be read at all
  std::string subject, file, symbol;
  Error why;
};

struct GateReport {
  std::size_t checks = 0;
  std::vector<BrokenExpectation> broken;  // in the order of the rules
  std::vector<SilentExpectation> silent = {};
  std::vector<UnjudgedSubject> unjudged = {};
};

// Whether a rule speaks of a kernel.
bool concerns(const Expectation& rule, const GateSubject& subject);

// Step::gate when an expectation matches no subject, as it would hold whatever the code is. A
// subject that cannot be read, or of which a rule cannot be told, is unjudged; the others are
// judged.
Result<GateReport> check_expectations(const std::vector<Expectation>& expectations,
                                      const std::vector<GateSubject>& subjects);

// {"schema", "checks", "broken": [{"place", "rule", "subject", "file", "symbol", "expected",
// "found", "at"}], "silent": [{"place", "rule", "files", "where"}], "unjudged": [{"place", "rule",
// "subject", "file", "symbol", "why"}]}.
std::string gate_as_json(const GateReport& report);
std::string gate_as_text(const GateReport& report);

// Why a rule speaks of no code, and what its author may have meant.

// Step::gate, with the nearest name, target or family of what is there.
tl::unexpected<Error> nothing_found(const Expectation& rule,
                                    const std::vector<GateSubject>& subjects, std::size_t matching);

}  // namespace phasebit::gate
