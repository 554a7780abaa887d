#include "gen/render/context/components.h"

#include <algorithm>

namespace phasebit::render::context {

using catalogue::ComponentKind;
using catalogue::NamedExpression;
using probes::Figures;

namespace {

using nlohmann::json;

constexpr std::array search_order = {ComponentKind::probe, ComponentKind::protocol,
                                     ComponentKind::mover, ComponentKind::work};

// A probe, a protocol, a mover and a work that meet in a kernel must not mean two things by a name.
Status check_names(const Figures& figures) {
  for (const ComponentKind kind : search_order)
    for (const ComponentKind other : search_order)
      for (const NamedExpression& a : figures.chosen(kind).names)
        for (const NamedExpression& b : figures.chosen(other).names)
          if (kind < other && a.name == b.name)
            return fail(Step::spec, "{}: '{}' is declared at {} too", a.where, a.name, b.where);
  return {};
}

std::vector<const NamedExpression*> names_of(const Figures& figures) {
  std::vector<const NamedExpression*> all;
  const auto add = [&](const catalogue::Component& component) {
    for (const NamedExpression& name : component.names) all.push_back(&name);
  };
  add(figures.catalogue().common());
  for (auto kind = search_order.rbegin(); kind != search_order.rend(); ++kind)
    add(figures.chosen(*kind));
  return all;
}

Status add_names(json& context, const Figures& figures) {
  for (const NamedExpression* name : names_of(figures)) {
    if (!figures.knows(name->expression)) continue;
    const auto value = figures.number(name->expression);
    if (!value) return fail(Step::spec, "{}: {}", name->where, value.error().message);
    context[name->name] = name->is_flag ? json(*value != 0) : json(std::to_string(*value));
  }
  return {};
}

}  // namespace

Status add_component_names(json& context, const catalogue::Catalogue& catalogue,
                           const image::VariantKey& variant, const probes::Plan& plan) {
  PHASEBIT_TRY_ASSIGN(figures, Figures::of(catalogue, variant));
  PHASEBIT_TRY(check_names(figures));
  figures.set(plan.derived());
  PHASEBIT_TRY(add_names(context, figures));
  for (const auto& [name, role] :
       {std::pair{"producer", &plan.producer}, std::pair{"consumer", &plan.consumer}}) {
    figures.set({{"own_threads", role->threads},
                 {"own_warps", role->warps},
                 {"own_lanes", 32 / role->lane_stride}});
    PHASEBIT_TRY(add_names(context[name], figures));
  }
  return {};
}

}  // namespace phasebit::render::context
