#include "analysis/gate/statements.h"

#include "analysis/gate/uncounted.h"

#include <set>

namespace phasebit::gate {

using rule::StatementRule;
using rule::VerbRule;

namespace {

// Without predicate and semicolon, blanks in a row as one.
std::string plain(const std::string& statement) {
  std::string text;
  std::size_t at = statement.starts_with('@') ? statement.find(' ') : 0;
  for (; at < statement.size() && statement[at] != ';'; ++at) {
    const char c = statement[at] == '\t' || statement[at] == '\n' ? ' ' : statement[at];
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
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
          found.push_back(
              fmt::format("{} ({}): {}", rule.verb, role_name(role), std::move(problem)));
    return found;
  }

 private:
  std::string problem_of(const StatementRule& rule, const std::string& verb,
                         const std::string& role) const {
    bool any = false;
    for (std::size_t i = 0; i < plain_.size() && i < source_.size(); ++i) {
      const std::string opcode = plain_[i].substr(0, plain_[i].find(' '));
      if (!speaks_of(verb, source_[i]) || source_[i].role != role ||
          !rule::opcode_matches(rule.opcode, opcode))
        continue;
      any = true;
      if (!rule::opcode_matches(rule.form, plain_[i]))
        return fmt::format("'{}' at {}, expected '{}'", plain_[i], source_[i].place(), rule.form);
    }
    return any ? "" : fmt::format("no '{}', expected '{}'", rule.opcode, rule.form);
  }

  const image::SourceMap& source_;
  std::vector<std::string> plain_;
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

}  // namespace phasebit::gate
