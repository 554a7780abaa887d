#include "gen/context.h"

#include "gen/context_cluster.h"
#include "gen/context_layout.h"
#include "gen/context_probes.h"
#include "gen/context_roles.h"

namespace phasebit {

using nlohmann::json;

json make_context(const VariantKey& variant, const Plan& plan, Build build,
                  const std::string& entry) {
  json context = {{"entry", entry}, {"role", ""}};
  context["timed"] = build == Build::timed;
  context["guarded"] = build == Build::guarded;
  context["has_readings"] = !plan.launch.readings.empty();
  for (const auto& [axis, value] : variant.axes) {
    context[axis] = value;
    context["is"][axis] = {{value, true}};
  }
  add_layout(context, variant, plan);
  add_payload(context, plan);
  add_cluster(context, variant);
  context["producer"] = role_context(variant, plan, "p");
  context["consumer"] = role_context(variant, plan, "c");
  context["both"] = {{"role", "both"}, {"item", "c_item"}};
  context["rest"] = {{"rest_of_ring", true}};
  add_probe_names(context, variant, plan);
  return context;
}

}  // namespace phasebit
