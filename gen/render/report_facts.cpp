#include "gen/render/report_facts.h"

#include <algorithm>

namespace phasebit::render {

using catalogue::Component;

namespace {

using nlohmann::json;

json facts_of(const catalogue::Axis& axis) {
  return {{"default", axis.default_value}, {"label", axis.label.empty() ? axis.name : axis.label}};
}

void add_axes(json& axes, const Component& component) {
  for (const catalogue::Axis& axis : component.axes) {
    const json facts = facts_of(axis);
    if (!axes.contains(axis.name))
      axes[axis.name] = facts;
    else if (axes[axis.name] != facts)
      axes[component.name + "." + axis.name] = facts;
  }
}

}  // namespace

json catalogue_facts(const catalogue::Catalogue& catalogue) {
  json facts = {{"axes", json::object()}, {"protocols", json::object()}};
  add_axes(facts["axes"], catalogue.common());
  for (const catalogue::ComponentKind kind : catalogue::component_axis_order)
    for (const Component& component : catalogue.components(kind))
      add_axes(facts["axes"], component);
  for (const Component& protocol : catalogue.components(catalogue::ComponentKind::protocol))
    facts["protocols"][protocol.name] = {{"waits_on", protocol.protocol.waits_on}};
  return facts;
}

}  // namespace phasebit::render
