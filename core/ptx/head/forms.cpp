#include "core/ptx/head/forms.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>

#include <fmt/format.h>

namespace phasebit::ptx::head {

using isa::StatementRule;
using isa::VerbRule;

namespace {

// Without semicolon, and without predicate but where a pattern has one.
std::string text_of(PtxStatement statement, const std::string& pattern) {
  if (!pattern.starts_with('@')) statement.guard.clear();
  const std::string text = put_together(statement);
  return text.ends_with(';') ? text.substr(0, text.size() - 1) : text;
}

// A pattern with a blank is of the whole statement: one of several that have one opcode.
bool fits(const std::string& pattern, const PtxStatement& statement) {
  const bool whole = pattern.find(' ') != std::string::npos;
  return isa::opcode_matches(pattern, whole ? text_of(statement, pattern) : statement.name);
}

// "x4 FORM": so many, "x0.. FORM" any number, and without it one or more. "after PLACE: FORM": each
// has a statement of PLACE before it, a verb or a pattern as a rule's first.
struct Form {
  isa::CountRange count{1, INT_MAX};
  std::string after;
  std::string pattern;
};

Form read_form(std::string form) {
  static const std::string after = "after ";
  Form read;
  if (const std::size_t end = form.find(' '); end != std::string::npos && form.starts_with('x'))
    if (const auto count = isa::parse_count(form.substr(1, end - 1))) {
      read.count = *count;
      form = form.substr(end + 1);
    }
  if (const std::size_t end = form.find(": ");
      end != std::string::npos && form.starts_with(after)) {
    read.after = form.substr(after.size(), end - after.size());
    form = form.substr(end + 2);
  }
  read.pattern = std::move(form);
  return read;
}

bool speaks_of(const std::string& verb, const launch::SourceLine& line) {
  return verb == isa::any_verb || verb == line.verb;
}

class Misstated {
 public:
  Misstated(const std::vector<PtxStatement>& statements, const launch::SourceMap& source)
      : statements_(statements),
        source_(source),
        count_(std::min(statements.size(), source.size())) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (source_[i].verb == "clock_start") clocks_[source_[i].role].first.emplace_back(i);
      if (source_[i].verb == "clock_end") clocks_[source_[i].role].second.emplace_back(i);
    }
  }

  std::vector<std::string> find(const VerbRule& rule) const {
    std::set<std::string> roles;
    for (const launch::SourceLine& line : source_)
      if (rule.role.empty() ? speaks_of(rule.verb, line) : role_of(rule) == line.role)
        roles.insert(line.role);  // of a rule that names its role, also without a line of the verb
    std::vector<std::string> found;
    for (const std::string& role : roles)
      for (const StatementRule& one : rule.ptx)
        if (std::string problem = problem_of(one, rule.verb, role); !problem.empty())
          found.push_back(fmt::format("{} ({}): {}", rule.verb, role.empty() ? "no role" : role,
                                      std::move(problem)));
    return found;
  }

 private:
  static std::string role_of(const VerbRule& rule) {
    return rule.role == isa::no_role ? std::string() : rule.role;
  }

  std::string problem_of(const StatementRule& rule, const std::string& verb,
                         const std::string& role) const {
    const auto [wanted, after, form] = read_form(rule.form);
    int found = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_meant(i, rule, verb, role)) continue;
      ++found;
      const std::string text = text_of(statements_[i], form);
      if (!isa::opcode_matches(form, text))
        return fmt::format("'{}' at {}, expected '{}'", text, source_[i].place(), form);
      if (verb != isa::any_verb && is_outside(i))
        return fmt::format("'{}' at {} is not between the role's clock reads", text,
                           source_[i].place());
      if (!after.empty() && !is_after(i, after, rule, verb))
        return fmt::format("'{}' at {} does not come after '{}'", text, source_[i].place(), after);
    }
    if (wanted.has(found)) return "";
    return found == 0
               ? fmt::format("no '{}', expected '{}'", rule.opcode, form)
               : fmt::format("{} of '{}', expected {}", found, rule.opcode, isa::to_string(wanted));
  }

  bool is_meant(std::size_t i, const StatementRule& rule, const std::string& verb,
                const std::string& role) const {
    return speaks_of(verb, source_[i]) && source_[i].role == role &&
           fits(rule.opcode, statements_[i]);
  }

  // Whether the role has a statement of `place` between this one and the last that the rule means
  // in another passage of the verb, in the order of the text.
  bool is_after(std::size_t i, const std::string& place, const StatementRule& rule,
                const std::string& verb) const {
    const std::string& role = source_[i].role;
    bool same_passage = true;
    for (std::size_t k = i; k-- > 0;) {
      same_passage = same_passage && source_[k].role == role && source_[k].verb == source_[i].verb;
      if (source_[k].role != role) continue;
      if (source_[k].verb == place || fits(place, statements_[k])) return true;
      if (!same_passage && is_meant(k, rule, verb, role)) return false;
    }
    return false;
  }

  // In the order of the text, which is that of a template. `prime` prepares a role.
  bool is_outside(std::size_t i) const {
    const auto clocks = clocks_.find(source_[i].role);
    if (clocks == clocks_.end() || source_[i].verb == "prime") return false;
    const auto& [starts, ends] = clocks->second;
    return (!starts.empty() && i < starts.front()) || (!ends.empty() && i > ends.back());
  }

  const std::vector<PtxStatement>& statements_;
  const launch::SourceMap& source_;
  std::size_t count_;
  std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> clocks_;
};

}  // namespace

std::vector<std::string> find_misstated(const isa::GateSpec& spec,
                                        const std::vector<PtxStatement>& statements,
                                        const launch::SourceMap& source) {
  std::vector<std::string> all;
  const Misstated misstated(statements, source);
  for (const VerbRule& rule : spec.verbs)
    if (!rule.ptx.empty())
      for (std::string& one : misstated.find(rule)) all.push_back(std::move(one));
  return all;
}

}  // namespace phasebit::ptx::head
