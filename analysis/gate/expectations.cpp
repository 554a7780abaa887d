#include "analysis/gate/expectations.h"

#include "core/rule/synchronisation.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

bool any_matches(const std::vector<std::string>& patterns, const std::string& word) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& one) {
           return opcode_matches(one, word);
         });
}

std::string name_of(const GateSubject& subject) {
  std::string name = subject.name + " for " + subject.target;
  if (subject.ptxas) name += " by ptxas " + subject.ptxas->text();
  return name;
}

// The code that a rule speaks of, or why there is none.
struct Code {
  CodeCounts counts;
  std::string problem;
};

Code loops_of(const Features& features, const std::string& role) {
  Code code;
  bool any = false;
  for (const LoopFeatures& loop : features.loops) {
    const std::string name = loop.role.empty() ? "timed loop" : loop.role;
    if (!role.empty() && role != name) continue;
    any = true;
    if (!loop.problem.empty()) code.problem = name + ": " + loop.problem;
    add(code.counts, loop.hot);
  }
  if (!any) code.problem = "no such timed loop";
  return code;
}

Code code_of(const Expectation& rule, const GateSubject& subject) {
  const Features& features = subject.features;
  if (rule.where == "kernel") return {features.kernel, ""};
  if (rule.where.starts_with("line ")) {
    const auto found = subject.lines.find(std::atoi(rule.where.c_str() + 5));
    if (found == subject.lines.end()) return {{}, "no instruction of that line"};
    return {found->second, ""};
  }
  const bool has_loop = std::any_of(features.loops.begin(), features.loops.end(),
                                    [](const LoopFeatures& loop) { return loop.problem.empty(); });
  if (rule.where.empty() && !has_loop) return {features.kernel, ""};
  const std::size_t dot = rule.where.find('.');
  if (dot == std::string::npos) return loops_of(features, rule.where);
  std::string known;
  for (const VerbFeatures& verb : features.verbs) {
    if (verb.role == rule.where.substr(0, dot) && verb.verb == rule.where.substr(dot + 1))
      return {verb.hot, ""};
    known += (known.empty() ? "" : ", ") + verb.role + "." + verb.verb;
  }
  return {{}, "no code of that verb in a timed loop, only of " + known};
}

// "consumer.wait" -> "wait"
std::string verb_of(const std::string& where) {
  const std::size_t dot = where.find('.');
  return dot == std::string::npos ? "" : where.substr(dot + 1);
}

std::string range_text(const OpcodeRule& one) {
  return one.count == CountRange(0) ? "no " + one.pattern
                                    : one.pattern + " " + to_string(one.count);
}

// The opcodes that match, else those that are there.
std::string found_text(const CodeCounts& counts, const std::string& pattern) {
  OpcodeCounts matching;
  for (const auto& [opcode, count] : counts.opcodes)
    if (opcode_matches(pattern, opcode)) matching.emplace(opcode, count);
  if (!matching.empty()) return list_opcodes(matching);
  return "none; there are " +
         (counts.opcodes.empty() ? "no instructions" : list_opcodes(counts.opcodes));
}

class Gate {
 public:
  explicit Gate(const Expectation& rule) : rule_(rule) {}

  void check(const GateSubject& subject) {
    const Code code = code_of(rule_, subject);
    if (!code.problem.empty()) return expect(false, subject, "code", code.problem);
    for (const OpcodeRule& one : rule_.opcodes)
      expect(one.count.has(count_opcodes(code.counts.opcodes, one.pattern)), subject,
             range_text(one), found_text(code.counts, one.pattern));
    if (rule_.exhaustive) check_exhaustive(subject, code.counts.opcodes);
    check_open_calls(subject, code.counts);
    for (const auto& [name, limit] : rule_.limits) check_limit(subject, code.counts, name, limit);
  }

  void check_classes(const std::vector<const GateSubject*>& subjects) {
    for (std::size_t i = 1; i < subjects.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (subjects[i]->target != subjects[j]->target) continue;
        const bool same = subjects[i]->code_class == subjects[j]->code_class;
        const bool wanted = rule_.kind == ExpectationKind::same;
        expect(same == wanted, *subjects[i],
               std::string(wanted ? "the code of " : "other code than ") + subjects[j]->name,
               fmt::format("{} and {}", subjects[i]->code_class.substr(0, 12),
                           subjects[j]->code_class.substr(0, 12)));
      }
  }
  GateReport take() { return std::move(report_); }

 private:
  // YIELD, which ptxas puts where it likes, is left to who asks for it by name.
  void check_exhaustive(const GateSubject& subject, const OpcodeCounts& counts) {
    const auto table = SynchronisationTable::get();
    if (!table) return expect(false, subject, "a list of opcodes", table.error().text());
    OpcodeCounts uncounted;
    for (const auto& [opcode, count] : counts) {
      const auto* known = (*table)->find(opcode, subject.family, verb_of(rule_.where));
      const bool counted = std::any_of(
          rule_.opcodes.begin(), rule_.opcodes.end(),
          [&, &name = opcode](const OpcodeRule& one) { return opcode_matches(one.pattern, name); });
      if (opcode.starts_with("CALL")) continue;  // check_open_calls
      if (known != nullptr && known->per_block == 0 && !counted) uncounted.emplace(opcode, count);
    }
    expect(uncounted.empty(), subject, "no other synchronisation", list_opcodes(uncounted));
  }

  // What is called and was not looked into may hold any opcode: whoever says how many there are at
  // most counts such calls too. A rule that wants some at least does not mind.
  void check_open_calls(const GateSubject& subject, const CodeCounts& counts) {
    const bool bounded = rule_.exhaustive || std::any_of(rule_.opcodes.begin(), rule_.opcodes.end(),
                                                         [](const OpcodeRule& one) {
                                                           return one.count.high != INT_MAX;
                                                         });
    OpcodeCounts open;
    for (const auto& [call, count] : counts.open_calls) {
      const std::string opcode = call.substr(0, call.find(' '));
      if (std::none_of(rule_.opcodes.begin(), rule_.opcodes.end(),
                       [&](const OpcodeRule& one) { return opcode_matches(one.pattern, opcode); }))
        open.emplace(call, count);
    }
    if (bounded && !open.empty())
      expect(false, subject, "no call of what is not in the file, or a count of CALL*",
             list_opcodes(open));
  }

  void expect(bool holds, const GateSubject& subject, const std::string& expected,
              const std::string& found) {
    ++report_.checks;
    const std::string where = rule_.where.empty() ? "" : rule_.where + ": ";
    if (!holds)
      report_.broken.push_back(
          {rule_.place, rule_.name, name_of(subject), where + expected, found});
  }

  void check_limit(const GateSubject& subject, const CodeCounts& counts, const std::string& name,
                   int limit) {
    const Features& features = subject.features;
    const auto at_most = [&](const char* what, int value) {
      expect(value <= limit, subject, fmt::format("at most {} {}", limit, what),
             std::to_string(value));
    };
    if (name == "max_issue_cycles") return at_most("issue cycles", counts.issue_cycles);
    if (name == "max_instructions") return at_most("instructions", counts.instructions);
    if (name == "max_registers" && features.registers == 0)
      return expect(false, subject, "a register count", "the cubin does not say");
    if (name == "max_registers") return at_most("registers", features.registers);
    if (name == "max_spill_bytes" && features.spill)
      return at_most("spill bytes", features.spill->stores + features.spill->loads);
    if (name == "max_spill_bytes")  // others' code: each access of local memory counts 4 bytes
      return at_most("bytes of local memory accesses",
                     4 * (features.kernel.local_stores + features.kernel.local_loads));
    if (!features.occupancy) return expect(false, subject, "an occupancy", "it is not known here");
    expect(features.occupancy->warps >= limit, subject,
           fmt::format("at least {} warps an SM", limit),
           fmt::format("{}, limited by {}", features.occupancy->warps,
                       fmt::join(features.occupancy->limited_by, ", ")));
  }

  const Expectation& rule_;
  GateReport report_;
};

}  // namespace

bool concerns(const Expectation& rule, const GateSubject& subject) {
  if (!any_matches(rule.kernels, subject.name) || !any_matches(rule.targets, subject.target) ||
      !any_matches(rule.families, subject.family))
    return false;
  if (rule.ptxas.empty()) return true;
  return subject.ptxas && version_in_range(*subject.ptxas, rule.ptxas).value_or(false);
}

Result<GateReport> check_expectations(const std::vector<Expectation>& expectations,
                                      const std::vector<GateSubject>& subjects) {
  GateReport report;
  for (const Expectation& rule : expectations) {
    std::vector<const GateSubject*> matching;
    for (const GateSubject& subject : subjects)
      if (concerns(rule, subject)) matching.push_back(&subject);
    Gate gate(rule);
    if (rule.kind == ExpectationKind::rule)
      for (const GateSubject* subject : matching) gate.check(*subject);
    else
      gate.check_classes(matching);
    GateReport one = gate.take();
    if (one.checks == 0)
      return with_hint(fail(Step::gate, "{}: '{}' speaks of no code here", rule.place, rule.name),
                       fmt::format("{} kernels were looked at; its patterns match {} of them",
                                   subjects.size(), matching.size()));
    report.checks += one.checks;
    report.broken.insert(report.broken.end(), one.broken.begin(), one.broken.end());
  }
  return report;
}

std::string gate_as_text(const GateReport& report) {
  std::string text;
  for (const BrokenExpectation& one : report.broken)
    text += fmt::format("{}: {}: {}\n  expected {}\n  found {}\n", one.place, one.rule, one.subject,
                        one.expected, one.found);
  return text + fmt::format("{} checks, {} broken\n", report.checks, report.broken.size());
}

std::string gate_as_json(const GateReport& report) {
  auto broken = nlohmann::ordered_json::array();
  for (const BrokenExpectation& one : report.broken)
    broken.push_back({{"place", one.place},
                      {"rule", one.rule},
                      {"subject", one.subject},
                      {"expected", one.expected},
                      {"found", one.found}});
  const nlohmann::ordered_json all = {{"checks", report.checks}, {"broken", broken}};
  return all.dump(1) + "\n";
}

}  // namespace phasebit
