#include "gen/context.h"

#include "gen/context_components.h"
#include "gen/context_layout.h"
#include "gen/context_probes.h"
#include "gen/context_roles.h"

namespace phasebit {

using nlohmann::json;

Result<json> make_context(const Catalogue& catalogue, const VariantKey& variant, const Plan& plan,
                          const std::string& entry) {
  json context = {{"entry", entry}, {"role", ""}};
  context["has_readings"] = !plan.launch.readings.empty();
  for (const auto& [axis, value] : variant.axes) {
    context[axis] = value;
    context["is"][axis] = {{value, true}};
  }
  add_parameter_block(context);
  add_layout(context, plan);
  add_payload(context, plan);
  add_read_back(context, plan);
  context["producer"] = role_context(plan, "p");
  context["consumer"] = role_context(plan, "c");
  context["both"] = {{"role", "both"}, {"item", "c_item"}};
  context["rest"] = {{"rest_of_ring", true}};
  add_probe_names(context, variant, plan);
  PHASEBIT_TRY(add_component_names(context, catalogue, variant, plan));
  return context;
}

}  // namespace phasebit
