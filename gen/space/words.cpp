// [words], [flags] and [numbers]: what the verbs of a component may say in addition to the plan's
// names.
#include "core/base/text.h"
#include "core/isa/read_rule.h"
#include "core/isa/targets.h"
#include "gen/space/reader.h"

#include <algorithm>
#include <sstream>

namespace phasebit::space {

using base::TomlReader;
using base::TomlValue;
using isa::RuleText;

namespace {

// In Mustache a section for each value, and one inside the negations of all of them for the rest.
class Sections {
 public:
  void add(const std::string& name, const std::string& text) {
    out_ += fmt::format("{{{{#{0}}}}}{1}{{{{/{0}}}}}", name, text);
    names_.push_back(name);
  }
  void add_rest(const std::string& text) {
    std::string rest = text;
    for (const std::string& name : names_)
      rest = fmt::format("{{{{^{0}}}}}{1}{{{{/{0}}}}}", name, rest);
    out_ += rest;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::vector<std::string> names_;
};

}  // namespace

void CatalogueReader::read_words(const Source& source) {
  TomlReader reader = top(source);
  const TomlValue* table = reader.table("words");
  if (table == nullptr) return;
  for (size_t i = 0; i < table->keys.size() && status_; ++i) {
    Word word{table->keys[i], {}, fmt::format("{}:{}", source.file, table->items[i].line)};
    const TomlValue& value = table->items[i];
    TomlReader words(source.file, *table, "[words]", table->keys, status_);
    if (value.kind == TomlValue::Kind::text)
      word.text = value.text;
    else if (value.kind == TomlValue::Kind::table && value.keys.size() == 1 &&
             value.items.front().kind == TomlValue::Kind::table)
      word.text = spelled_by(words, word.name, value.keys.front(), value.items.front());
    else
      words.refuse(word.name, "must be a text, or { AXIS = { VALUE = \"text\" } }");
    component_of(source).words.push_back(std::move(word));
  }
}

// `choice`: an axis, or a name that is true or false (`yes`, `no`).
std::string CatalogueReader::spelled_by(TomlReader& reader, const std::string& word,
                                        const std::string& choice, const TomlValue& values) {
  if (catalogue_.compiler(choice) != nullptr)
    reader.refuse(word, catalogue_.resolve(choice).error());
  const std::vector<const Axis*> axes = catalogue_.axes_named(choice);
  std::vector<std::string> valid = {"yes", "no"};
  if (!axes.empty()) valid = catalogue_.values_of(choice);
  Sections sections;
  std::vector<std::string> missing = valid;
  for (size_t i = 0; i < values.keys.size(); ++i) {
    const std::string& value = values.keys[i];
    if (values.items[i].kind != TomlValue::Kind::text)
      reader.refuse(word, fmt::format("'{}' must be spelled by a text", value));
    if (value == "else") continue;
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      reader.refuse(word, fmt::format("{} is never '{}'", choice, value),
                    base::nearest_word_hint(value, valid));
    std::erase(missing, value);
    if (axes.empty() && value == "no") continue;
    sections.add(axes.empty() ? choice : fmt::format("is.{}.{}", choice, value),
                 values.items[i].text);
  }
  const TomlValue* rest = values.find("else");
  if (axes.empty() && rest == nullptr) rest = values.find("no");
  if (rest != nullptr) sections.add_rest(rest->text);
  // Of an axis that several components declare, its own need no more values than they have.
  if (rest == nullptr && !axes.empty() && axes.size() == 1 && !missing.empty())
    reader.refuse(word, fmt::format("says nothing for {} = '{}'", choice, missing.front()),
                  "spell it, or add else = \"text\"");
  return sections.take();
}

void CatalogueReader::read_names(const Source& source) {
  for (const bool is_flag : {true, false}) {
    TomlReader reader = top(source);
    const TomlValue* table = reader.table(is_flag ? "flags" : "numbers");
    if (table == nullptr) continue;
    TomlReader names(source.file, *table, is_flag ? "[flags]" : "[numbers]", table->keys, status_);
    for (const std::string& name : table->keys) {
      const auto kind = is_flag ? ValueKind::truth : ValueKind::number;
      if (catalogue_.vocabulary_.slot(name) >= 0)
        names.refuse(name, "is the name of an axis, or of a number of axes.toml's derived");
      if (auto compiled = expression(names, name, kind, true))
        component_of(source).names.push_back(
            {name, std::move(*compiled), is_flag, names.where(name)});
    }
  }
}

// The second pass over the files of a catalogue: conditions, rules, needs and gates.

std::optional<Expression> CatalogueReader::expression(TomlReader& reader, std::string_view key,
                                                      ValueKind wanted, bool derived_allowed) {
  if (!reader.has(key)) return {};
  auto compiled = catalogue_.compile(reader.text(key), wanted, derived_allowed);
  if (compiled) return std::move(*compiled);
  reader.refuse(key, compiled.error());
  return {};
}

// Of the axes, in their order.
void CatalogueReader::read_conditions(const Source& source) {
  size_t own = 0, compilers = 0;
  for (const TomlValue* table : top(source).tables("axis")) {
    TomlReader reader(source.file, *table, "[[axis]]", table->keys, status_);
    const bool is_own = !reader.has("compiler");
    Axis& axis = is_own ? component_of(source).axes[own++] : catalogue_.compilers_[compilers++];
    if (!reader.has("when")) continue;
    auto compiled = is_own ? catalogue_.compile(reader.text("when"), ValueKind::truth)
                           : Expression::compile(reader.text("when"), catalogue_.compiler_words_,
                                                 ValueKind::truth);
    if (compiled)
      axis.when = std::move(*compiled);
    else
      reader.refuse("when", compiled.error());
  }
}

void CatalogueReader::read_expressions(const Source& source) {
  TomlReader reader = top(source);
  Component& component = component_of(source);
  read_conditions(source);
  for (const TomlValue* table : reader.tables("rule"))
    component.rules.push_back(read_rule(source, *table));
  for (const TomlValue* table : reader.tables("needs"))
    component.needs.push_back(read_need(source, *table));
  for (const TomlValue* table : reader.tables("gate")) read_gate(source, *table, component.gates);
  if (!source.is_common) read_covers(source);
  add_alike(component);
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

// Rules for a family hold for those that are like it and that the component does not name.
void CatalogueReader::add_alike(Component& component) const {
  std::vector<std::vector<std::string>*> lists = {&component.covers};
  for (GateDeclaration& gate : component.gates) lists.push_back(&gate.families);
  const auto names = [&](const std::string& family) {
    return std::any_of(lists.begin(), lists.end(),
                       [&](const auto* list) { return base::contains(*list, family); });
  };
  for (const auto& [family, like] : alike_) {
    if (names(family)) continue;
    for (auto* list : lists)
      if (base::contains(*list, like)) list->push_back(family);
  }
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
    const auto target = isa::parse_target(need.target);
    if (!target)
      reader.refuse("target", target.error());
    else
      need.sm = std::max(need.sm, target->sm);
  }
  if (!reader.has("ptx") && !reader.has("sm") && !reader.has("target"))
    reader.refuse({}, "lacks 'ptx', 'sm' and 'target'");
  if (!reader.has("ptx")) return need;
  auto ptx = isa::parse_version(reader.text("ptx"));
  if (!ptx)
    reader.refuse("ptx", ptx.error());
  else
    need.ptx = std::move(*ptx);
  return need;
}

// One declaration a verb.
void CatalogueReader::read_gate(const Source& source, const TomlValue& table,
                                std::vector<GateDeclaration>& gates) {
  std::vector<std::string> keys = isa::rule_keys();
  keys.insert(keys.end(), {"when", "doc"});
  TomlReader reader(source.file, table, "[[gate]]", std::move(keys), status_);
  const auto rule = isa::read_rule(base::to_json(table));
  if (!rule) return reader.refuse(rule.error().key, rule.error().message, rule.error().hint);
  GateDeclaration gate;
  gate.where = reader.where();
  gate.role = rule->role;
  gate.families = rule->families;
  gate.ptxas = rule->ptxas;
  gate.when = expression(reader, "when", ValueKind::truth, true);
  gate.require = read_counts(reader, *rule);
  gate.forbid = rule->forbid;
  gate.ptx = rule->ptx;
  for (const isa::StatementRule& one : gate.ptx) check_placeholders(reader, "ptx", one.form);
  if (rule->says_passes) gate.passes = rule->passes;
  check_families(reader, "families", gate.families);
  check_range(reader, "ptxas", gate.ptxas);
  for (const std::string& verb : rule->verbs) {
    gate.verb = verb;
    if (verb == isa::any_verb && !gate.forbid.empty() &&
        !(gate.require.empty() && gate.role.empty()))
      reader.refuse("verb", "'*' with 'forbid' stands for itself, without 'role' and counts");
    gates.push_back(gate);
  }
}

std::optional<Expression> CatalogueReader::read_count(TomlReader& reader,
                                                      const RuleText::Count& count,
                                                      const std::string& text) {
  auto compiled = catalogue_.compile(text, ValueKind::number, true);
  if (compiled) return std::move(*compiled);
  reader.refuse(isa::to_string(count.path),
                Error{Step::spec, fmt::format("'{}': {}", count.pattern, compiled.error().message),
                      compiled.error().hint});
  return {};
}

// A count is an expression, or two of them with ".." between.
std::vector<OpcodeCount> CatalogueReader::read_counts(TomlReader& reader, const RuleText& rule) {
  std::vector<OpcodeCount> counts;
  for (const RuleText::Count& count : rule.counts) {
    const size_t dots = count.count.find("..");
    const bool is_range = dots != std::string::npos;
    const auto low = read_count(reader, count, count.count.substr(0, dots));
    const auto high = is_range ? read_count(reader, count, count.count.substr(dots + 2)) : low;
    if (low && high) counts.push_back({count.path, count.pattern, *low, *high});
  }
  return counts;
}

void CatalogueReader::check_families(TomlReader& reader, std::string_view key,
                                     const std::vector<std::string>& families) {
  for (const std::string& family : families)
    if (std::find(families_.begin(), families_.end(), family) == families_.end())
      reader.refuse(key, fmt::format("no SASS family '{}'", family),
                    base::nearest_word_hint(family, families_));
}

void CatalogueReader::check_range(TomlReader& reader, std::string_view key,
                                  const std::string& range) {
  // Bound by bound: a range is asked only up to the first bound that does not hold.
  std::istringstream bounds(range);
  for (std::string bound; bounds >> bound;)
    if (const auto any = isa::version_in_range(isa::Version{{0}}, bound); !any)
      reader.refuse(key, any.error());
}

// {name} must be an axis.
void CatalogueReader::check_placeholders(TomlReader& reader, std::string_view key,
                                         const std::string& reason) {
  for (size_t open = reason.find('{'); open != std::string::npos;
       open = reason.find('{', open + 1)) {
    const std::string name = reason.substr(open + 1, reason.find('}', open) - open - 1);
    const Vocabulary& known = catalogue_.vocabulary_;
    if (known.slot(name) < 0) reader.refuse(key, known.no_axis(name, known.names()));
  }
}

}  // namespace phasebit::space
