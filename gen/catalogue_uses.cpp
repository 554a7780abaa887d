// What a component takes over from the one it uses, and the templates it must have.
#include "core/base/nearest.h"
#include "gen/catalogue_reader.h"
#include "gen/template_set.h"

#include <algorithm>

namespace phasebit {
namespace {

// `base` before `own`.
template <typename T>
void put_before(std::vector<T>& own, const std::vector<T>& base) {
  own.insert(own.begin(), base.begin(), base.end());
}

}  // namespace

const Component* CatalogueReader::used_by(const Component& component, ComponentKind kind) const {
  for (const Component& other : catalogue_.components(kind))
    if (other.name == component.uses) return &other;
  return nullptr;
}

void CatalogueReader::read_uses(const Source& source) {
  if (source.is_common) return;
  TomlReader reader = top(source);
  Component& component = component_of(source);
  component.uses = reader.text_or("uses", {});
  component.verbs = reader.words("verbs");
  if (!component.uses.empty()) {
    std::vector<std::string> others;
    for (const Component& other : catalogue_.components(source.kind))
      if (other.name != component.name) others.push_back(other.name);
    if (std::find(others.begin(), others.end(), component.uses) == others.end())
      return reader.refuse("uses",
                           fmt::format("no other {} '{}'", to_string(source.kind), component.uses),
                           nearest_word_hint(component.uses, others));
  }
  check_verbs(source);
}

bool CatalogueReader::has_template(const Source& source, const std::string& verb) const {
  return fs::exists(fs::path(source.file).parent_path() / (verb + ".ptx"));
}

void CatalogueReader::check_verbs(const Source& source) {
  TomlReader reader = top(source);
  const Component& component = component_of(source);
  const fs::path folder = fs::path(source.file).parent_path();
  const std::vector<std::string>& known = verb_names();
  for (const std::string& verb : component.verbs) {
    if (std::find(known.begin(), known.end(), verb) == known.end())
      return reader.refuse("verbs", fmt::format("no verb '{}'", verb),
                           nearest_word_hint(verb, known));
    const fs::path used = folder.parent_path() / component.uses / (verb + ".ptx");
    if (has_template(source, verb) || (!component.uses.empty() && fs::exists(used))) continue;
    return reader.refuse("verbs", fmt::format("{} '{}' declares the verb '{}' and has no {}.ptx",
                                              to_string(source.kind), component.name, verb, verb));
  }
}

// Axes that it does not declare itself come first, with those it does declare in the place that
// they have there. Gates speak of a template: where the component has its own, they do not hold.
void CatalogueReader::inherit(const Source& source) {
  Component& own = component_of(source);
  if (own.uses.empty() || !status_) return;
  const Component& base = *used_by(own, source.kind);
  if (!base.uses.empty()) {
    top(source).refuse("uses", fmt::format("'{}' uses '{}' itself", base.name, base.uses));
    return;
  }
  std::vector<Axis> axes = base.axes;
  for (Axis& axis : own.axes) {
    const auto same = std::find_if(axes.begin(), axes.end(),
                                   [&](const Axis& other) { return other.name == axis.name; });
    if (same == axes.end())
      axes.push_back(std::move(axis));
    else
      *same = std::move(axis);
  }
  own.axes = std::move(axes);
  put_before(own.rules, base.rules);
  put_before(own.needs, base.needs);
  std::vector<GateDeclaration> gates;
  for (const GateDeclaration& gate : base.gates)
    if (gate.verb == "*" || !has_template(source, gate.verb)) gates.push_back(gate);
  put_before(own.gates, gates);
  if (own.covers.empty()) own.covers = base.covers;
  if (own.covers_ptxas.empty()) own.covers_ptxas = base.covers_ptxas;
}

}  // namespace phasebit
