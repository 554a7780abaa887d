#include "core/ptx/head/rule_reader.h"

#include "core/ptx/head/words.h"
#include "core/rule/read_rule.h"

#include <limits>

namespace phasebit::ptx::head {

using base::TomlReader;
using base::TomlValue;

namespace {

constexpr const char* range_hint = "such as \">=12.4 <13.0\"";

class RuleReader {
 public:
  RuleReader(const std::string& file, Status& status, Head& head)
      : file_(file), status_(status), head_(head) {}

  void read(const TomlValue& value) {
    const std::vector<std::string> keys = {"covers", "exhaustive", "items_per_iteration",
                                           "items_beside", "verbs"};
    TomlReader reader = table(value, "rules", keys);
    for (const TomlValue* one : reader.tables("covers")) {
      TomlReader own = table(*one, "covers", {"part", "families", "ptxas"});
      head_.covers.push_back({own.text("part"), own.words("families"), range(own)});
      if (const auto wrong = rule::unknown_family(head_.covers.back().families))
        own.refuse(wrong->key, wrong->message, wrong->hint);
    }
    read_items(reader, "items_per_iteration", head_.items_per_iteration);
    read_items(reader, "items_beside", head_.items_beside);
    head_.exhaustive = reader.truth_or("exhaustive", true);
    for (const TomlValue* one : reader.tables("verbs")) read_rule(*one);
  }

 private:
  void read_items(TomlReader& reader, const char* name, std::map<std::string, int>& by_role) {
    const TomlValue* items = reader.table(name);
    if (items == nullptr) return;
    TomlReader own = table(*items, name, words_of(role_words));
    for (const auto& role : items->keys) by_role[role] = items_of(own, role);
  }
  static int items_of(TomlReader& reader, const std::string& role) {
    const std::int64_t items = reader.number_or(role, 1);
    if (items < 1 || items > std::numeric_limits<int>::max())
      reader.refuse(role, fmt::format("{} is out of range", items), "1 or more");
    return static_cast<int>(items);
  }
  TomlReader table(const TomlValue& value, const char* name, std::vector<std::string> known) {
    return {file_, value, name, std::move(known), status_};
  }

  std::string range(TomlReader& reader) {  // an error here, not when an image is gated
    std::string text = reader.text_or("ptxas", {});
    const auto known = isa::version_in_range(isa::Version{{1, 0}}, text);
    if (!known) reader.refuse("ptxas", known.error().message, range_hint);
    return text;
  }

  void read_rule(const TomlValue& value) {
    TomlReader reader = table(value, "verbs", rule::rule_keys());
    const auto text = rule::read_rule(base::to_json(value));
    if (!text)
      return reader.refuse(text.error().key, text.error().message,
                           text.error().key == "ptxas" ? range_hint : text.error().hint);
    if (const auto wrong = rule::unknown_family(text->families))
      return reader.refuse(wrong->key, wrong->message, wrong->hint);
    HeadRule rule{{{}, text->role, {}, text->forbid, text->passes}, text->families, text->ptxas};
    for (const rule::RuleText::Count& count : text->counts) {
      const auto range = rule::parse_count(count.count);
      if (!range)
        return reader.refuse(rule::to_string(count.path),
                             fmt::format("'{}': '{}' is no count", count.pattern, count.count),
                             "a number, or \"1..2\", \"2..\"");
      rule.rule.require.push_back({count.pattern, *range, count.path});
    }
    for (const std::string& verb : text->verbs) {
      rule.rule.verb = verb;
      if (verb == rule::any_verb && !rule.rule.forbid.empty() &&
          !(rule.rule.require.empty() && rule.rule.role.empty()))
        reader.refuse("verb", "'*' with 'forbid' is of the whole window, without role and counts",
                      "write the counts as a rule of their own");
      head_.rules.push_back(rule);
    }
  }

  const std::string& file_;
  Status& status_;
  Head& head_;
};

}  // namespace

void read_head_rules(const TomlValue& rules, const std::string& file, Status& status, Head& head) {
  RuleReader(file, status, head).read(rules);
}

}  // namespace phasebit::ptx::head
