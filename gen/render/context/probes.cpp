#include "gen/render/context/probes.h"

#include <fmt/format.h>

namespace phasebit::render::context {

using image::VariantKey;
using probes::Plan;

namespace {

using nlohmann::json;

// The barriers that common/verify_phases reads back: `count` from `first` (bytes) on, and how many
// phases they have passed: a number or the register `items`.
void check_phases(json& context, catalogue::ReadBack how, int first, int count,
                  const char* passed) {
  const bool checked = how == catalogue::ReadBack::phases && count > 0;
  context["checks_phases"] = checked;
  context["checked_offset"] = std::to_string(first);
  context["checked_barriers"] = std::to_string(count);
  context["checked_phase"] = passed;
  context["phases_checked"] = std::to_string(checked ? count : 0);
}

json counted(const char* name, int count) {
  json list = json::array();
  for (int i = 0; i < count; ++i) list.push_back({{name, std::to_string(i)}});
  return list;
}

void add_verb(json& context, const VariantKey& variant, const Plan& plan) {
  const std::string verb = variant.value("verb"), path = variant.value("path");
  const bool produces = plan.launch.timed_role == image::Role::producer;
  context["producer"]["is_timed"] = produces;
  context["consumer"]["is_timed"] = !produces;
  const bool arrives = verb == "commit" || verb == "release";
  const bool completes = variant.value("reads") == "completion";
  context["arrives"] = arrives;
  context["tries"] = verb.starts_with("try_");
  context["answers"] = completes && !arrives;
  context["completes"] = completes && arrives;
  // The slots are made full beforehand by the producers, empty by the consumers.
  context["made_full"] = path == "ready" && !produces;
  context["made_empty"] = path == "ready" && produces;
  // A wait for the phase that the arrival completes begins with parity 0; so does a blocked try.
  context["from_parity_0"] = path == "blocked" || (completes && arrives);
  check_phases(context, produces ? plan.facts.read_full : plan.facts.read_empty,
               produces ? 0 : plan.empty_offset, arrives ? plan.num_stages : 0,
               path == "completing" ? "items" : "0");
}

void add_response(json& context, const VariantKey& variant, const Plan& plan) {
  context["consumer"]["counts_polls"] = variant.value("counting") == "on";
  context["clock_offset"] = std::to_string(plan.ticket_offset + 8);
  context["stamps_offset"] = std::to_string(plan.scratch_offset);
}

void add_interference(json& context, const Plan& plan) {
  context["victim"] = {{"role", "victim"}, {"item", "b_item"}};
  context["victim_warps_mask"] = fmt::format("0x{:08x}", plan.victim_warps_mask);
  context["has_waiters"] = plan.consumer.threads > 0;
  context["block_turns"] = counted("turn", 8);
  check_phases(context, plan.facts.read_full, 0, 1, "1");
}

void add_fanin(json& context, const Plan& plan) {
  // A wait may arrive itself; a barrier whose halves cannot be had apart waits as it arrives.
  context["commits"] = !plan.facts.waits_arrive;
  context["waits"] = plan.facts.can_do("split");
  check_phases(context, plan.facts.read_full, 0, 1, "items");
}

void add_entangle(json& context, const VariantKey& variant, const Plan& plan) {
  const int groups = std::stoi(variant.value("groups"));
  context["lane_groups"] = counted("group", groups);
  context["lanes_of_group"] = std::to_string(32 / groups);
  check_phases(context, plan.facts.read_full, 0, 1, "items");
}

}  // namespace

void add_probe_names(json& context, const VariantKey& variant, const Plan& plan) {
  const std::string probe = variant.value("probe");
  if (plan.full_arrivals > 0) context["full_arrivals"] = std::to_string(plan.full_arrivals);
  if (plan.empty_arrivals > 0) context["empty_arrivals"] = std::to_string(plan.empty_arrivals);
  // A kernel that can be measured beside load has the code for it, loaded or not.
  context["takes_load"] = !variant.value("load").empty();
  context["counts_polls"] = false;
  if (probe == "response") add_response(context, variant, plan);
  if (probe == "verb") add_verb(context, variant, plan);
  if (probe == "interference") add_interference(context, plan);
  if (probe == "fanin") add_fanin(context, plan);
  if (probe == "entangle") add_entangle(context, variant, plan);
}

}  // namespace phasebit::render::context
