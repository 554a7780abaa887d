#include "core/isa/rule.h"

#include <algorithm>
#include <charconv>

#include <fnmatch.h>

namespace phasebit::isa {

namespace {

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// The upper end of a sum in which one end may be open.
int sum_of(int a, int b) {
  return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

}  // namespace

std::string to_string(const CountRange& range) {
  if (range.low == range.high) return fmt::format("x{}", range.low);
  if (range.high == INT_MAX) return fmt::format("x{} or more", range.low);
  return fmt::format("x{} to x{}", range.low, range.high);
}

std::optional<CountRange> parse_count(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto low = number_in(text.substr(0, dots));
  if (!low) return std::nullopt;
  if (dots == std::string_view::npos) return CountRange(*low);
  if (dots + 2 == text.size()) return CountRange(*low, INT_MAX);
  const auto high = number_in(text.substr(dots + 2));
  if (!high || *high < *low) return std::nullopt;
  return CountRange(*low, *high);
}

std::string_view to_string(Path path) {
  switch (path) {
    case Path::hot: return "require";
    case Path::cold: return "cold";
    case Path::pass: return "pass";
    case Path::beside: return "beside";
    case Path::at_once: return "at_once";
  }
  bug("no such Path");
}

std::optional<Passes> parse_passes(std::string_view text) {
  if (text == "loop") return Passes::loop;
  if (text == "beside") return Passes::beside;
  if (text == "both") return Passes::both;
  return std::nullopt;
}

void add_count(VerbRule& rule, const OpcodeRule& count) {
  for (OpcodeRule& known : rule.require) {
    if (known.pattern != count.pattern || known.path != count.path) continue;
    known.count.low += count.count.low;
    known.count.high = sum_of(known.count.high, count.count.high);
    return;
  }
  rule.require.push_back(count);
}

void add_forbidden(VerbRule& rule, const std::string& pattern) {
  if (std::find(rule.forbid.begin(), rule.forbid.end(), pattern) == rule.forbid.end())
    rule.forbid.push_back(pattern);
}

VerbRule& rule_of(std::vector<VerbRule>& rules, const std::string& verb, const std::string& role) {
  for (VerbRule& rule : rules)
    if (rule.verb == verb && rule.role == role) return rule;
  return rules.emplace_back(VerbRule{verb, role, {}, {}});
}

bool concerns(const VerbRule& rule, const std::string& verb, const std::string& role) {
  return (rule.verb == verb || rule.verb == any_verb) && (rule.role.empty() || rule.role == role);
}

bool opcode_matches(const std::string& pattern, const std::string& opcode) {
  return fnmatch(pattern.c_str(), opcode.c_str(), 0) == 0;
}

int count_opcodes(const OpcodeCounts& counts, const std::string& pattern) {
  int sum = 0;
  for (const auto& [opcode, count] : counts) sum += opcode_matches(pattern, opcode) ? count : 0;
  return sum;
}

std::string list_opcodes(const OpcodeCounts& counts) {
  std::string list;
  for (const auto& [opcode, count] : counts)
    list += (list.empty() ? "" : ", ") + opcode + " x" + std::to_string(count);
  return list.empty() ? "none" : list;
}

}  // namespace phasebit::isa
