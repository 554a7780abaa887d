#include "analysis/gate/expectations.h"

#include "analysis/disassembly/nvdisasm_json.h"
#include "core/base/text.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::gate {

using flow::CodeCounts;
using isa::list_opcodes;
using isa::opcode_matches;
using isa::OpcodeCounts;
using isa::OpcodeRule;

namespace {

bool any_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& words) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == pattern || opcode_matches(pattern, word);
    });
  });
}

// Patterns of variants speak of ids alone, patterns of kernels of what is not a variant.
bool is_named(const Expectation& rule, const GateSubject& subject) {
  if (rule.variants.empty() && rule.kernels.empty()) return true;
  const bool by_id = subject.file.empty() && !rule.variants.empty();
  if (by_id && any_matches(rule.variants, {subject.name})) return true;
  return !rule.kernels.empty() && !subject.names.empty() &&
         any_matches(rule.kernels, subject.names);
}

std::string range_text(const OpcodeRule& one) {
  return one.count == isa::CountRange(0) ? "no " + one.pattern
                                         : one.pattern + " " + isa::to_string(one.count);
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

// Where the first of a pattern is; "" where that was not noted.
std::string place_of(const GatePart& part, const std::string& pattern) {
  for (const auto& [opcode, place] : part.places)
    if (opcode_matches(pattern, opcode)) return place;
  return "";
}

class RuleCheck {
 public:
  explicit RuleCheck(const Expectation& rule) : rule_(rule) {}

  Status check(const GateSubject& subject) {
    PHASEBIT_TRY_ASSIGN(parts, parts_of(rule_.where, subject));
    for (const FoundPart& one : parts) {
      part_ = one.name;
      if (one.absent && rule_.where_present) {
        absent_ = true;
        continue;
      }
      if (!one.problem.empty()) {
        expect(false, subject, "code", one.problem);
        continue;
      }
      const OpcodeCounts& opcodes = one.part.counts.opcodes;
      for (const OpcodeRule& rule : rule_.opcodes)
        expect(rule.count.has(isa::count_opcodes(opcodes, rule.pattern)), subject, range_text(rule),
               found_text(one.part.counts, rule.pattern), place_of(one.part, rule.pattern));
      if (rule_.exhaustive) check_exhaustive(subject, opcodes);
      check_open_calls(subject, one.part.counts);
      PHASEBIT_TRY(check_limits(subject, one.part));
    }
    return {};
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
  bool was_absent() const { return absent_; }  // from a kernel, where that is not an error

 private:
  // YIELD, which ptxas puts where it likes, is left to rules that ask for it by name.
  void check_exhaustive(const GateSubject& subject, const OpcodeCounts& counts) {
    OpcodeCounts uncounted;
    for (const auto& [opcode, count] : counts) {
      const isa::SassOpcode& is = isa::sass_opcode(opcode);
      const auto* known = is.synchronisation(subject.family, rule_.where.verb);
      const bool counted = std::any_of(
          rule_.opcodes.begin(), rule_.opcodes.end(),
          [&, &name = opcode](const OpcodeRule& one) { return opcode_matches(one.pattern, name); });
      if (is.facts.has(isa::SassFact::call)) continue;  // check_open_calls
      if (known != nullptr && known->per_block == 0 && !counted) uncounted.emplace(opcode, count);
    }
    expect(uncounted.empty(), subject, "no other synchronisation", list_opcodes(uncounted));
  }

  bool limits(const char* name) const { return rule_.limits.count(name) > 0; }

  // What is called and was not looked into may hold any opcode: a rule that says how many there are
  // at most, or how many instructions, counts such calls too. A rule that wants some at least does
  // not mind.
  void check_open_calls(const GateSubject& subject, const CodeCounts& counts) {
    const bool bounded =
        rule_.exhaustive || limits("max_instructions") || limits("max_issue_cycles") ||
        std::any_of(rule_.opcodes.begin(), rule_.opcodes.end(),
                    [](const OpcodeRule& one) { return one.count.high != INT_MAX; });
    if (bounded) return refuse_open(subject, counts.open_calls);
    // Of the kernel, whatever `where` is. What ptxas said of a variant is of all that it made.
    if (limits("max_spill_bytes") && !subject.features.spill)
      refuse_open(subject, subject.features.kernel.open_calls);
  }

  void refuse_open(const GateSubject& subject, const OpcodeCounts& calls) {
    OpcodeCounts open;
    for (const auto& [call, count] : calls) {
      const std::string opcode = call.substr(0, call.find(' '));
      if (std::none_of(rule_.opcodes.begin(), rule_.opcodes.end(),
                       [&](const OpcodeRule& one) { return opcode_matches(one.pattern, opcode); }))
        open.emplace(call, count);
    }
    if (!open.empty())
      expect(false, subject, "no call of what is not in the file, or a count of CALL*",
             list_opcodes(open));
  }

  void expect(bool holds, const GateSubject& subject, const std::string& expected,
              const std::string& found, const std::string& at = "") {
    ++report_.checks;
    if (holds) return;
    std::string where = rule_.where.text + (part_.empty() ? "" : " (" + part_ + ")");
    if (!where.empty()) where += ": ";
    report_.broken.push_back({rule_.place, rule_.name, name_of(subject), where + expected, found,
                              subject.file, subject.names.empty() ? "" : subject.name, at});
  }

  Status check_limits(const GateSubject& subject, const GatePart& part) {
    for (const auto& [name, limit] : rule_.limits) {
      if (name == "min_warps") {
        PHASEBIT_TRY(check_warps(subject, limit));
      } else if (name == "max_live_registers") {
        PHASEBIT_TRY(check_live(subject, part, limit));
      } else {
        check_limit(subject, part.counts, name, limit);
      }
    }
    return {};
  }

  void at_most(const GateSubject& subject, int limit, const std::string& what, int value) {
    expect(value <= limit, subject, fmt::format("at most {} {}", limit, what),
           std::to_string(value));
  }

  void check_limit(const GateSubject& subject, const CodeCounts& counts, const std::string& name,
                   int limit) {
    const flow::Features& features = subject.features;
    if (name == "max_issue_cycles")
      return at_most(subject, limit, "issue cycles", counts.issue_cycles);
    if (name == "max_instructions")
      return at_most(subject, limit, "instructions", counts.instructions);
    if (name == "max_registers" && features.registers == 0)
      return expect(false, subject, "a register count", "the cubin does not say");
    if (name == "max_registers") return at_most(subject, limit, "registers", features.registers);
    const bool by_ptxas = features.spill.has_value();  // ptxas said it when it made the code
    const flow::SpillBytes spills = by_ptxas ? *features.spill : subject.spills->bytes;
    at_most(subject, limit, by_ptxas ? "spill bytes" : subject.spills->what,
            spills.stores + spills.loads);
  }

  Status check_live(const GateSubject& subject, const GatePart& part, int limit) {
    if (part.live) {
      at_most(subject, limit, "live registers", part.live->registers);
      return {};
    }
    return fail(Step::gate, "its live registers were not counted");
  }

  Status check_warps(const GateSubject& subject, int limit) {
    PHASEBIT_TRY_ASSIGN(occupancy, occupancy_for(subject));
    std::string found =
        fmt::format("{}, limited by {}", occupancy.warps, fmt::join(occupancy.limited_by, ", "));
    if (rule_.launch.threads == 0 && !subject.threads_from.empty())
      found +=
          fmt::format(" (CTAs of {} threads, by {})", subject.needs.threads, subject.threads_from);
    expect(occupancy.warps >= limit, subject, fmt::format("at least {} warps an SM", limit), found);
    return {};
  }

  // Of the launch that the rule names, else the one that is known.
  Result<flow::Occupancy> occupancy_for(const GateSubject& subject) const {
    const bool own = rule_.launch.threads != 0 || rule_.launch.dynamic_shared_bytes != 0;
    if (!own && subject.features.occupancy) return *subject.features.occupancy;
    flow::CtaNeeds needs = subject.needs;
    if (rule_.launch.threads != 0) needs.threads = rule_.launch.threads;
    needs.shared_bytes += rule_.launch.dynamic_shared_bytes;
    if (needs.threads == 0)
      return with_hint(fail(Step::gate, "it has no launch bounds"),
                       "say how it is launched: threads = 256");
    if (!subject.sm) return fail(Step::gate, "its occupancy is not known here");
    auto occupancy = flow::occupancy_of(*subject.sm, needs);
    if (!occupancy) return fail(Step::gate, "{}", occupancy.error().message);
    return *occupancy;
  }

  const Expectation& rule_;
  std::string part_;  // of several that the rule speaks of, the one that is looked at
  bool absent_ = false;
  GateReport report_;
};

}  // namespace

bool concerns(const Expectation& rule, const GateSubject& subject) {
  if (!is_named(rule, subject) || !any_matches(rule.targets, {subject.target}) ||
      !any_matches(rule.families, {subject.family}))
    return false;
  if (rule.ptxas.empty()) return true;
  return subject.ptxas && isa::version_in_range(*subject.ptxas, rule.ptxas).value_or(false);
}

namespace {

std::vector<std::string> silent_files(const Expectation& rule,
                                      const std::vector<GateSubject>& subjects) {
  std::vector<std::string> silent;
  std::set<std::string> spoken_of;
  for (const GateSubject& subject : subjects)
    if (concerns(rule, subject)) spoken_of.insert(subject.file);
  for (const GateSubject& subject : subjects)
    if (!subject.file.empty() && spoken_of.insert(subject.file).second)
      silent.push_back(subject.file);
  return silent;
}

}  // namespace

Result<GateReport> check_expectations(const std::vector<Expectation>& expectations,
                                      const std::vector<GateSubject>& subjects) {
  GateReport report;
  const auto leave = [&](const Expectation* rule, const GateSubject& subject, const Error& why) {
    report.unjudged.push_back({rule == nullptr ? "" : rule->place,
                               rule == nullptr ? "" : rule->name, name_of(subject), subject.file,
                               subject.names.empty() ? "" : subject.name, why});
  };
  for (const GateSubject& subject : subjects)
    if (subject.problem) leave(nullptr, subject, *subject.problem);
  for (const Expectation& rule : expectations) {
    std::vector<const GateSubject*> matching;
    bool any_unjudged = false;
    for (const GateSubject& subject : subjects)
      if (concerns(rule, subject)) {
        any_unjudged = any_unjudged || subject.problem;
        if (!subject.problem) matching.push_back(&subject);
      }
    RuleCheck gate(rule);
    if (rule.kind != ExpectationKind::rule) gate.check_classes(matching);
    for (const GateSubject* subject : matching)
      if (rule.kind == ExpectationKind::rule)
        if (const Status told = gate.check(*subject); !told) {
          leave(&rule, *subject, told.error());
          any_unjudged = true;
        }
    const bool absent = gate.was_absent();
    GateReport one = gate.take();
    if (one.checks == 0 && absent)
      report.silent.push_back({rule.place, rule.name, {}, rule.where.text});
    else if (one.checks == 0 && !any_unjudged)
      return nothing_found(rule, subjects, matching.size());
    report.checks += one.checks;
    if (!rule.kernels.empty())
      if (auto files = silent_files(rule, subjects); !files.empty())
        report.silent.push_back({rule.place, rule.name, std::move(files)});
    report.broken.insert(report.broken.end(), one.broken.begin(), one.broken.end());
  }
  return report;
}

std::string gate_as_text(const GateReport& report) {
  std::string text;
  for (const BrokenExpectation& one : report.broken)
    text +=
        fmt::format("{}: {}: {}\n  expected {}\n  found {}{}\n", one.place, one.rule, one.subject,
                    one.expected, one.found, one.at.empty() ? "" : "; first at " + one.at);
  for (const SilentExpectation& one : report.silent)
    text += one.where.empty()
                ? fmt::format("{}: {}: says nothing of {}: no kernel there that it names\n",
                              one.place, one.rule, fmt::join(one.files, ", "))
                : fmt::format("{}: {}: fits nowhere: no kernel that it names has {}\n", one.place,
                              one.rule, one.where);
  for (const UnjudgedSubject& one : report.unjudged)
    text += fmt::format("{}{}{}{}{}: not judged: {}\n", one.place, one.place.empty() ? "" : ": ",
                        one.rule, one.rule.empty() ? "" : ": ", one.subject, one.why.text());
  return text + fmt::format("{} checks, {} broken{}\n", report.checks, report.broken.size(),
                            report.unjudged.empty()
                                ? ""
                                : fmt::format(", {} not judged", report.unjudged.size()));
}

std::string gate_as_json(const GateReport& report) {
  auto broken = nlohmann::ordered_json::array();
  for (const BrokenExpectation& one : report.broken)
    broken.push_back({{"place", one.place},
                      {"rule", one.rule},
                      {"subject", one.subject},
                      {"file", one.file},
                      {"symbol", one.symbol},
                      {"expected", one.expected},
                      {"found", one.found},
                      {"at", one.at}});
  auto silent = nlohmann::ordered_json::array();
  for (const SilentExpectation& one : report.silent)
    silent.push_back(
        {{"place", one.place}, {"rule", one.rule}, {"files", one.files}, {"where", one.where}});
  auto unjudged = nlohmann::ordered_json::array();
  for (const UnjudgedSubject& one : report.unjudged)
    unjudged.push_back({{"place", one.place},
                        {"rule", one.rule},
                        {"subject", one.subject},
                        {"file", one.file},
                        {"symbol", one.symbol},
                        {"why", one.why.text()}});
  const nlohmann::ordered_json all = {{"schema", disassembly::sass_json_schema},
                                      {"checks", report.checks},
                                      {"broken", broken},
                                      {"silent", silent},
                                      {"unjudged", unjudged}};
  return all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

namespace {

struct Words {
  const char* key;
  const std::vector<std::string>& patterns;
  std::set<std::string> there;  // what the patterns are matched with
};

// "; no target fits 'sm_9a': did you mean 'sm_90a'?"
std::string miss(const Words& words) {
  for (const std::string& pattern : words.patterns) {
    if (std::any_of(words.there.begin(), words.there.end(), [&](const std::string& word) {
          return word == pattern || isa::opcode_matches(pattern, word);
        }))
      continue;
    constexpr std::size_t most = 80;  // longer ones do not help in a message
    std::vector<std::string> all;
    std::copy_if(words.there.begin(), words.there.end(), std::back_inserter(all),
                 [](const std::string& word) { return word.size() <= most; });
    if (all.empty()) return fmt::format("; there are no {} here", words.key);
    return fmt::format("; none of the {} fits '{}': {}", words.key, pattern,
                       base::nearest_word_hint(pattern, all));
  }
  return "";
}

}  // namespace

tl::unexpected<Error> nothing_found(const Expectation& rule,
                                    const std::vector<GateSubject>& subjects,
                                    std::size_t matching) {
  Words variants{"variants", rule.variants, {}}, kernels{"kernels", rule.kernels, {}},
      targets{"targets", rule.targets, {}}, families{"families", rule.families, {}};
  for (const GateSubject& subject : subjects) {
    if (subject.file.empty()) variants.there.insert(subject.name);
    kernels.there.insert(subject.names.begin(), subject.names.end());
    if (!subject.names.empty()) kernels.there.insert(subject.shown);
    targets.there.insert(subject.target);
    families.there.insert(subject.family);
  }
  std::string hint = fmt::format("{} kernels were looked at; its patterns match {} of them",
                                 subjects.size(), matching);
  for (const Words* words : {&variants, &kernels, &targets, &families}) hint += miss(*words);
  return with_hint(fail(Step::gate, "{}: '{}' speaks of no code here", rule.place, rule.name),
                   std::move(hint));
}

}  // namespace phasebit::gate
