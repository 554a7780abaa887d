#include "core/isa/read_rule.h"

#include "core/base/text.h"
#include "core/isa/targets.h"

#include <algorithm>

namespace phasebit::isa {

using base::contains;
using base::nearest_word_hint;
using base::trimmed;

namespace {

using nlohmann::ordered_json;
using Problem = tl::unexpected<RuleProblem>;

class RuleReader {
 public:
  explicit RuleReader(const ordered_json& table) : table_(table) {}

  tl::expected<RuleText, RuleProblem> read() {
    RuleText rule;
    const std::string verb = text("verb");
    rule.verbs = words("verbs");
    if (!verb.empty()) rule.verbs.push_back(verb);
    if (rule.verbs.empty()) refuse("", "lacks 'verb'");
    if (!verb.empty() && rule.verbs.size() > 1) refuse("verbs", "'verb' is there as well");
    rule.role = text("role");
    if (!rule.role.empty() && rule.role != no_role && !contains(rule_roles(), rule.role))
      refuse("role", fmt::format("no role '{}'", rule.role),
             nearest_word_hint(rule.role, rule_roles()));
    rule.families = words("families");
    rule.ptxas = text("ptxas");
    if (const auto known = version_in_range(Version{{0}}, rule.ptxas); !known)
      refuse("ptxas", known.error().message, known.error().hint);
    read_passes(rule);
    for (const Path path : all_paths) read_counts(path, rule);
    rule.forbid = words("forbid");
    read_statements(rule);
    if (problem_) return Problem(*problem_);
    return rule;
  }

 private:
  void refuse(std::string_view key, std::string message, std::string hint = {}) {
    if (!problem_) problem_ = RuleProblem{std::string(key), std::move(message), std::move(hint)};
  }

  std::string text(const char* key) {
    const auto found = table_.find(key);
    if (found == table_.end()) return {};
    if (!found->is_string()) return refuse(key, "must be a text"), std::string();
    return found->get<std::string>();
  }

  std::vector<std::string> words(const char* key) {
    std::vector<std::string> all;
    const auto found = table_.find(key);
    if (found == table_.end()) return all;
    if (!found->is_array()) return refuse(key, "must be an array"), all;
    for (const ordered_json& word : *found) {
      if (!word.is_string()) return refuse(key, "must hold words"), all;
      all.push_back(word.get<std::string>());
    }
    return all;
  }

  void read_passes(RuleText& rule) {
    rule.says_passes = table_.contains("passes");
    if (!rule.says_passes) return;
    const std::string word = text("passes");
    if (const auto passes = parse_passes(word))
      rule.passes = *passes;
    else
      refuse("passes", fmt::format("no '{}'", word),
             nearest_word_hint(word, {"loop", "beside", "both"}));
  }

  void read_counts(Path path, RuleText& rule) {
    const std::string key(to_string(path));
    const auto found = table_.find(key);
    if (found == table_.end()) return;
    if (!found->is_object()) return refuse(key, "must be a table");
    for (const auto& [pattern, count] : found->items()) {
      if (!count.is_string() && !count.is_number_integer())
        return refuse(key, fmt::format("'{}' must be a number or an expression", pattern));
      rule.counts.push_back(
          {path, pattern, count.is_string() ? count.get<std::string>() : count.dump()});
    }
  }

  void read_statements(RuleText& rule) {
    const auto found = table_.find("ptx");
    if (found == table_.end()) return;
    if (!found->is_object()) return refuse("ptx", "must be a table");
    for (const auto& [opcode, form] : found->items()) {
      if (!form.is_string())
        return refuse("ptx", fmt::format("'{}' must be the form of a statement", opcode));
      rule.ptx.push_back({opcode, form.get<std::string>()});
    }
  }

  const ordered_json& table_;
  std::optional<RuleProblem> problem_;
};

}  // namespace

const std::vector<std::string>& rule_keys() {
  static const std::vector<std::string> keys = {"verb",    "verbs",   "role", "families", "ptxas",
                                                "passes",  "require", "cold", "pass",     "beside",
                                                "at_once", "forbid",  "ptx"};
  return keys;
}

std::optional<RuleProblem> unknown_family(const std::vector<std::string>& families) {
  if (families.empty()) return std::nullopt;
  const auto targets = TargetTable::load();
  if (!targets) return RuleProblem{"families", targets.error().message, targets.error().hint};
  const std::vector<std::string> known = targets->families();
  for (const std::string& family : families)
    if (!contains(known, family))
      return RuleProblem{"families", fmt::format("no SASS family '{}'", family),
                         nearest_word_hint(family, known)};
  return std::nullopt;
}

const std::vector<std::string>& rule_roles() {
  static const std::vector<std::string> roles = {"producer", "consumer", "both", "victim"};
  return roles;
}

const std::vector<std::string>& rule_words() {
  static const std::vector<std::string> words = {"expect", "cold", "pass", "beside", "forbid"};
  return words;
}

tl::expected<RuleText, RuleProblem> read_rule(const ordered_json& table) {
  return RuleReader(table).read();
}

Result<bool> read_rule_line(std::string_view word, std::string_view value, VerbRule& into) {
  if (word == "forbid") return add_forbidden(into, std::string(trimmed(value))), true;
  OpcodeRule rule;
  if (word == "cold" || word == "pass" || word == "beside") {
    for (const Path path : all_paths)
      if (to_string(path) == word) rule.path = path;
  } else if (word != "expect") {
    return false;
  }
  const std::size_t equals = value.rfind('=');
  rule.pattern = trimmed(value.substr(0, equals));
  const auto count = equals == std::string_view::npos
                         ? std::nullopt
                         : parse_count(trimmed(value.substr(equals + 1)));
  if (!count || rule.pattern.empty())
    return with_hint(fail(Step::spec, "'{}' is not PATTERN = COUNT", value),
                     fmt::format("as in // {}: SYNCS.PHASECHK* = 1", word));
  rule.count = *count;
  add_count(into, rule);
  return true;
}

}  // namespace phasebit::isa
