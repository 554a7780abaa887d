// The second pass over the files of a catalogue: conditions, rules, needs and gates.
#include "core/base/nearest.h"
#include "core/isa/targets.h"
#include "gen/catalogue_reader.h"

#include <algorithm>
#include <sstream>

namespace phasebit {

std::optional<Expression> CatalogueReader::expression(TomlReader& reader, std::string_view key,
                                                      ValueKind wanted, bool derived_allowed) {
  if (!reader.has(key)) return {};
  auto compiled = catalogue_.compile(reader.text(key), wanted, derived_allowed);
  if (compiled) return std::move(*compiled);
  reader.refuse(key, compiled.error());
  return {};
}

void CatalogueReader::read_expressions(const Source& source) {
  TomlReader reader = top(source);
  Component& component = component_of(source);
  const std::vector<const TomlValue*> axes = reader.tables("axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    TomlReader axis(source.file, *axes[i], "[[axis]]", axes[i]->keys, status_);
    component.axes[i].when = expression(axis, "when", ValueKind::truth);
  }
  for (const TomlValue* table : reader.tables("rule"))
    component.rules.push_back(read_rule(source, *table));
  for (const TomlValue* table : reader.tables("needs"))
    component.needs.push_back(read_need(source, *table));
  for (const TomlValue* table : reader.tables("gate"))
    component.gates.push_back(read_gate(source, *table));
  if (!source.is_common) read_covers(source);
  read_facts(source);
  read_words(source);
  read_names(source);
}

void CatalogueReader::read_covers(const Source& source) {
  TomlReader reader = top(source);
  Component& component = component_of(source);
  component.covers = reader.words("covers");
  component.covers_ptxas = reader.text_or("covers_ptxas", {});
  check_families(reader, "covers", component.covers);
  check_range(reader, "covers_ptxas", component.covers_ptxas);
  if (!component.gates.empty() && !reader.has("covers") && !reader.has("uses"))
    reader.refuse({}, "has [[gate]] and lacks 'covers', the SASS families they speak of");
}

Rule CatalogueReader::read_rule(const Source& source, const TomlValue& table) {
  TomlReader reader(source.file, table, "[[rule]]", {"prune", "reason"}, status_);
  Rule rule;
  rule.reason = reader.text("reason");
  check_placeholders(reader, "reason", rule.reason);
  if (!reader.has("prune")) reader.refuse({}, "lacks 'prune'");
  if (auto prune = expression(reader, "prune", ValueKind::truth)) rule.prune = std::move(*prune);
  return rule;
}

Need CatalogueReader::read_need(const Source& source, const TomlValue& table) {
  TomlReader reader(source.file, table, "[[needs]]", {"when", "ptx", "sm", "target", "reason"},
                    status_);
  Need need;
  need.when = expression(reader, "when", ValueKind::truth);
  need.sm = static_cast<int>(reader.number_or("sm", 0));
  need.reason = reader.text_or("reason", {});
  need.target = reader.text_or("target", {});
  if (!need.target.empty()) {
    const auto target = parse_target(need.target);
    if (!target)
      reader.refuse("target", target.error());
    else
      need.sm = std::max(need.sm, target->sm);
  }
  if (!reader.has("ptx") && !reader.has("sm") && !reader.has("target"))
    reader.refuse({}, "lacks 'ptx', 'sm' and 'target'");
  if (!reader.has("ptx")) return need;
  auto ptx = parse_version(reader.text("ptx"));
  if (!ptx)
    reader.refuse("ptx", ptx.error());
  else
    need.ptx = std::move(*ptx);
  return need;
}

GateDeclaration CatalogueReader::read_gate(const Source& source, const TomlValue& table) {
  TomlReader reader(source.file, table, "[[gate]]",
                    {"verb", "role", "families", "ptxas", "when", "require", "forbid", "doc"},
                    status_);
  GateDeclaration gate;
  gate.where = reader.where();
  gate.verb = reader.text("verb");
  gate.role = reader.text_or("role", {});
  gate.families = reader.words("families");
  gate.ptxas = reader.text_or("ptxas", {});
  gate.when = expression(reader, "when", ValueKind::truth, true);
  gate.require = read_counts(reader);
  gate.forbid = reader.words("forbid");
  const std::vector<std::string> roles = {"producer", "consumer", "both", "bystander"};
  if (!gate.role.empty() && std::find(roles.begin(), roles.end(), gate.role) == roles.end())
    reader.refuse("role", fmt::format("no role '{}'", gate.role),
                  nearest_word_hint(gate.role, roles));
  if (gate.verb == "*" && !(gate.require.empty() && gate.role.empty()))
    reader.refuse("verb", "'*' is for 'forbid' alone, without 'role' and 'require'");
  check_families(reader, "families", gate.families);
  check_range(reader, "ptxas", gate.ptxas);
  return gate;
}

std::vector<OpcodeCount> CatalogueReader::read_counts(TomlReader& reader) {
  std::vector<OpcodeCount> counts;
  const TomlValue* table = reader.table("require");
  if (table == nullptr) return counts;
  for (size_t i = 0; i < table->keys.size(); ++i) {
    const TomlValue& count = table->items[i];
    const bool is_text = count.kind == TomlValue::Kind::text;
    if (!is_text && count.kind != TomlValue::Kind::number)
      reader.refuse("require",
                    fmt::format("'{}' must be a number or an expression", table->keys[i]));
    auto compiled = catalogue_.compile(is_text ? count.text : std::to_string(count.number),
                                       ValueKind::number, true);
    if (compiled)
      counts.push_back({table->keys[i], std::move(*compiled)});
    else
      reader.refuse(
          "require",
          Error{Step::spec, fmt::format("'{}': {}", table->keys[i], compiled.error().message),
                compiled.error().hint});
  }
  return counts;
}

void CatalogueReader::check_families(TomlReader& reader, std::string_view key,
                                     const std::vector<std::string>& families) {
  for (const std::string& family : families)
    if (std::find(families_.begin(), families_.end(), family) == families_.end())
      reader.refuse(key, fmt::format("no SASS family '{}'", family),
                    nearest_word_hint(family, families_));
}

void CatalogueReader::check_range(TomlReader& reader, std::string_view key,
                                  const std::string& range) {
  // Bound by bound: a range is asked only up to the first bound that does not hold.
  std::istringstream bounds(range);
  for (std::string bound; bounds >> bound;)
    if (const auto any = version_in_range(Version{{0}}, bound); !any)
      reader.refuse(key, any.error());
}

// {name} must be an axis.
void CatalogueReader::check_placeholders(TomlReader& reader, std::string_view key,
                                         const std::string& reason) {
  for (size_t open = reason.find('{'); open != std::string::npos;
       open = reason.find('{', open + 1)) {
    const std::string name = reason.substr(open + 1, reason.find('}', open) - open - 1);
    if (catalogue_.vocabulary_.slot(name) < 0)
      reader.refuse(key, fmt::format("no axis '{}'", name),
                    nearest_word_hint(name, catalogue_.vocabulary_.names()));
  }
}

}  // namespace phasebit
