// Reads a rule, in the two forms in which it is written.
//   a table, of TOML or JSON: verb or verbs, role, families, ptxas, passes, require, cold, pass,
//   beside, at_once (tables PATTERN = COUNT), forbid (a list), ptx (a table OPCODE = FORM)
//   lines of text: "expect: PATTERN = COUNT", "cold: ...", "pass: ...", "beside: ...",
//   "forbid: PATTERN"
// A COUNT is a number, "1..2" or "2..". In a table it may be a text that the caller evaluates: the
// expressions of [[gate]].
#pragma once

#include "core/isa/rule.h"
#include "core/isa/version.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::isa {

// As written: counts are text still.
struct RuleText {
  struct Count {
    Path path = Path::hot;
    std::string pattern, count;
  };
  std::vector<std::string> verbs;
  std::string role;                   // "" for any
  std::vector<std::string> families;  // empty: all
  std::string ptxas;                  // a version range; "": all
  Passes passes = Passes::loop;
  bool says_passes = false;
  std::vector<Count> counts;
  std::vector<std::string> forbid;
  std::vector<StatementRule> ptx;
};

// What is wrong with a table: the caller knows where the key is.
struct RuleProblem {
  std::string key, message, hint;
};

// The keys that read_rule reads.
const std::vector<std::string>& rule_keys();
const std::vector<std::string>& rule_roles();

// The first word that is not a SASS family of core/isa/targets.toml, as a problem of 'families': a
// rule of none would never be asked.
std::optional<RuleProblem> unknown_family(const std::vector<std::string>& families);

// Keys that are not rule_keys() are the caller's. Families are not checked against core/isa.
tl::expected<RuleText, RuleProblem> read_rule(const nlohmann::ordered_json& table);

// One line of text. False when `word`, before the colon, is not a word of a rule; Step::spec for a
// wrong value, without a place.
Result<bool> read_rule_line(std::string_view word, std::string_view value, VerbRule& into);
const std::vector<std::string>& rule_words();

}  // namespace phasebit::isa
