#include "gen/render/context/context.h"

#include "gen/render/context/components.h"
#include "gen/render/context/layout.h"
#include "gen/render/context/probes.h"
#include "gen/render/context/roles.h"

namespace phasebit::render::context {

using nlohmann::json;

namespace {

// Copies of an item in a row. An even number of them ends in the phase that it began in, so each
// knows its parity, and none is counted.
void add_copies(json& context, const probes::Plan& plan) {
  context["copies"] = json::array();
  context["has_copies"] = plan.copies > 1;
  context["num_copies"] = std::to_string(plan.copies);
  for (int copy = 0; copy < plan.copies; ++copy) {
    json one = json::object();
    for (const char* name : {"producer", "consumer"}) {
      one[name] = context[name];
      one[name]["one_of_copies"] = plan.copies > 1;
      if (plan.copies == 1) continue;
      const bool odd = (context[name]["first_parity"] == "1") != (copy % 2 == 1);
      one[name]["parity"] = odd ? "1" : "0";
    }
    context["copies"].push_back(std::move(one));
  }
}

}  // namespace

Result<json> make_context(const catalogue::Catalogue& catalogue, const image::VariantKey& variant,
                          const probes::Plan& plan, const std::string& entry) {
  json context = {{"entry", entry}, {"role", ""}};
  context["has_readings"] = !plan.launch.readings.empty();
  for (const auto& [axis, value] : variant.axes) {
    context[axis] = value;
    context["is"][axis] = {{value, true}};
  }
  add_parameter_block(context);
  add_layout(context, plan);
  add_payload(context, plan);
  add_product(context, plan);
  add_resources(context, plan);
  add_read_back(context, plan);
  context["producer"] = role_context(plan, "p");
  context["consumer"] = role_context(plan, "c");
  context["both"] = {{"role", "both"}, {"item", "c_item"}};
  context["rest"] = {{"rest_of_ring", true}};
  add_probe_names(context, variant, plan);
  PHASEBIT_TRY(add_component_names(context, catalogue, variant, plan));
  add_copies(context, plan);
  return context;
}

}  // namespace phasebit::render::context
