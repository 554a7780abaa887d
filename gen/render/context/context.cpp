#include "gen/render/context/context.h"

#include "gen/render/context/components.h"
#include "gen/render/context/layout.h"
#include "gen/render/context/probes.h"
#include "gen/render/context/roles.h"

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
