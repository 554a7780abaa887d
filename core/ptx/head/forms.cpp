#include "core/ptx/head/forms.h"

#include <set>

#include <fmt/format.h>

namespace phasebit::ptx::head {

using rule::StatementRule;
using rule::VerbRule;

namespace {

// Without predicate and semicolon.
std::string text_of(PtxStatement statement) {
  statement.guard.clear();
  const std::string text = put_together(statement);
  return text.ends_with(';') ? text.substr(0, text.size() - 1) : text;
}

bool speaks_of(const std::string& verb, const image::SourceLine& line) {
  return verb == rule::any_verb || verb == line.verb;
}

class Misstated {
 public:
  Misstated(const std::vector<PtxStatement>& statements, const image::SourceMap& source)
      : statements_(statements), source_(source) {}

  std::vector<std::string> find(const VerbRule& rule) const {
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
    for (std::size_t i = 0; i < statements_.size() && i < source_.size(); ++i) {
      if (!speaks_of(verb, source_[i]) || source_[i].role != role ||
          !rule::opcode_matches(rule.opcode, statements_[i].name))
        continue;
      any = true;
      if (const std::string text = text_of(statements_[i]); !rule::opcode_matches(rule.form, text))
        return fmt::format("'{}' at {}, expected '{}'", text, source_[i].place(), rule.form);
    }
    return any ? "" : fmt::format("no '{}', expected '{}'", rule.opcode, rule.form);
  }

  const std::vector<PtxStatement>& statements_;
  const image::SourceMap& source_;
};

}  // namespace

std::vector<std::string> find_misstated(const rule::GateSpec& spec,
                                        const std::vector<PtxStatement>& statements,
                                        const image::SourceMap& source) {
  std::vector<std::string> all;
  const Misstated misstated(statements, source);
  for (const VerbRule& rule : spec.verbs)
    if (!rule.ptx.empty())
      for (std::string& one : misstated.find(rule)) all.push_back(std::move(one));
  return all;
}

}  // namespace phasebit::ptx::head
