#include "core/ptx/head/forms.h"

#include "core/ptx/statement.h"

#include <optional>
#include <set>

#include <fmt/format.h>

namespace phasebit::ptx::head {

using rule::StatementRule;
using rule::VerbRule;

namespace {

// Without predicate and semicolon.
PtxStatement plain(const std::string& statement) {
  PtxStatement parsed = take_apart(plain_text(statement));
  parsed.guard.clear();
  return parsed;
}

std::string text_of(const PtxStatement& statement) {
  const std::string text = put_together(statement);
  return text.ends_with(';') ? text.substr(0, text.size() - 1) : text;
}

bool speaks_of(const std::string& verb, const image::SourceLine& line) {
  return verb == rule::any_verb || verb == line.verb;
}

class Misstated {
 public:
  Misstated(const std::vector<std::string>& statements, const image::SourceMap& source)
      : source_(source) {
    for (const std::string& statement : statements) plain_.push_back(plain(statement));
  }

  std::vector<std::string> find(const VerbRule& rule) {
    std::set<std::string> roles;
    for (const image::SourceLine& line : source_)
      if (speaks_of(rule.verb, line) && (rule.role.empty() || rule.role == line.role))
        roles.insert(line.role);
    std::vector<std::string> found;
    for (const std::string& role : roles)
      for (const StatementRule& one : rule.ptx)
        if (std::string problem = problem_of(one, rule.verb, role); !problem.empty())
          found.push_back(fmt::format("{} ({}): {}", rule.verb, role.empty() ? "no role" : role,
                                      std::move(problem)));
    return found;
  }

 private:
  std::string problem_of(const StatementRule& rule, const std::string& verb,
                         const std::string& role) const {
    bool any = false;
    for (std::size_t i = 0; i < plain_.size() && i < source_.size(); ++i) {
      if (!speaks_of(verb, source_[i]) || source_[i].role != role ||
          !rule::opcode_matches(rule.opcode, plain_[i].name))
        continue;
      any = true;
      if (const std::string text = text_of(plain_[i]); !rule::opcode_matches(rule.form, text))
        return fmt::format("'{}' at {}, expected '{}'", text, source_[i].place(), rule.form);
    }
    return any ? "" : fmt::format("no '{}', expected '{}'", rule.opcode, rule.form);
  }

  const image::SourceMap& source_;
  std::vector<PtxStatement> plain_;
};

}  // namespace

std::vector<std::string> find_misstated(const rule::GateSpec& spec,
                                        const std::vector<std::string>& statements,
                                        const image::SourceMap& source) {
  std::vector<std::string> all;
  std::optional<Misstated> misstated;  // most specs have no such rule
  for (const VerbRule& rule : spec.verbs) {
    if (rule.ptx.empty()) continue;
    if (!misstated) misstated.emplace(statements, source);
    for (std::string& one : misstated->find(rule)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace phasebit::ptx::head
