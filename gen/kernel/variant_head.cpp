#include "gen/kernel/variant_head.h"

#include "core/ptx/head/head.h"
#include "gen/space/compilers.h"

#include <algorithm>
#include <sstream>

namespace phasebit::kernel {

using launch::Role;
using launch::RoleSlice;
using ptx::head::HeadRegisters;
using ptxas::Kernel;
using space::Component;

namespace {

bool has_verb(const Kernel& kernel, const std::string& role, const char* verb) {
  return std::any_of(
      kernel.source.begin(), kernel.source.end(),
      [&](const launch::SourceLine& line) { return line.role == role && line.verb == verb; });
}

std::vector<Role> clocks_of(const Kernel& kernel) {
  std::vector<Role> clocks;
  for (const Role role : launch::all_roles)
    if (has_verb(kernel, ptx::head::word_of(role), "clock_start")) clocks.push_back(role);
  return clocks;
}

// The name where the kernel declares a register of it.
std::string declared(const Kernel& kernel, const std::string& name) {
  const std::string tail = " " + name + ";";
  const bool is_declared = std::any_of(
      kernel.statements.begin(), kernel.statements.end(), [&](const std::string& statement) {
        return statement.starts_with(".reg ") && statement.ends_with(tail);
      });
  return is_declared ? name : std::string();
}

// A role's registers begin with its letter. One that produces and consumes goes by the producer's.
std::vector<HeadRegisters> registers_of(const Plan& plan, const Kernel& kernel) {
  std::vector<HeadRegisters> all;
  for (const Role role : {Role::producer, Role::consumer, Role::both}) {
    const auto& slices = plan.launch.slices;
    if (std::none_of(slices.begin(), slices.end(),
                     [&](const RoleSlice& slice) { return slice.role == role; }))
      continue;
    const std::string letter = role == Role::consumer ? "c" : "p";
    HeadRegisters own{role, declared(kernel, letter + "_item"), declared(kernel, letter + "_slot"),
                      declared(kernel, "cta")};
    if (!own.item.empty() || !own.slot.empty() || !own.cta.empty()) all.push_back(std::move(own));
  }
  return all;
}

// Warps of the launch that no slice is in.
std::vector<RoleSlice> idle_of(const launch::LaunchShape& launch) {
  std::vector<RoleSlice> idle;
  for (int warp = 0; warp < launch.warps(); ++warp) {
    if (std::any_of(launch.slices.begin(), launch.slices.end(),
                    [&](const RoleSlice& slice) { return slice.warp == warp; }))
      continue;
    RoleSlice slice;
    slice.warp = warp;
    slice.rank = static_cast<int>(idle.size()) * slice.lanes();  // as a list of warps is read
    idle.push_back(slice);
  }
  return idle;
}

}  // namespace

std::vector<ptx::head::HeadBarrier> barriers_of(const Plan& plan) {
  const PlanFacts& facts = plan.facts;
  if (!facts.keeps_address) return {};
  const std::string kind = facts.counts_laps ? "flag" : "mbarrier";
  const auto one = [&](const char* name, int base, int fixed, int needed) {
    return ptx::head::HeadBarrier{name, kind, base, 8, plan.num_stages, fixed > 0 ? fixed : needed};
  };
  return {one("full", 0, plan.full_arrivals, facts.full_arrivals),
          one("empty", plan.empty_offset, plan.empty_arrivals, facts.empty_arrivals)};
}

std::map<std::string, std::vector<int>> bounds_of(const Kernel& kernel) {
  std::map<std::string, std::vector<int>> bounds;
  for (const std::string& statement : kernel.statements) {
    if (statement.starts_with('{')) break;
    for (const ptx::head::BoundWord& bound : ptx::head::bound_words) {
      const std::string directive = std::string(".") + bound.word;
      if (!statement.starts_with(directive)) continue;
      const std::string rest = statement.substr(directive.size());
      if (!rest.empty() && rest.front() != ' ') continue;
      std::istringstream numbers(rest);
      std::vector<int>& all = bounds[bound.word];
      for (int number = 0; numbers >> number; numbers.ignore(1)) all.push_back(number);
    }
  }
  return bounds;
}

Result<HeadRules> rules_of(const space::Catalogue& catalogue, const launch::VariantKey& templates,
                           const launch::VariantKey& key, const Plan& plan) {
  std::map<std::string, int> derived = plan.derived();
  derived["by_llvm"] = space::llvm_of(key).version.empty() ? 0 : 1;
  return head_rules(catalogue, templates, derived);
}

ptx::head::Head make_head(const launch::VariantKey& key, const Plan& plan, const Kernel& kernel,
                          HeadRules rules) {
  ptx::head::Head head;
  head.key = key;
  head.build = kernel.build;
  head.launch = plan.launch;
  head.idle = idle_of(plan.launch);
  head.bounds = bounds_of(kernel);
  head.clocks = clocks_of(kernel);
  head.barriers = barriers_of(plan);
  head.registers = registers_of(plan, kernel);
  head.rules = std::move(rules.rules);
  keep_timed(head.rules, plan.timed_verbs);
  head.covers = std::move(rules.covers);
  head.exhaustive = rules.exhaustive;
  head.items_per_iteration = plan.items_per_iteration;
  head.items_beside = plan.items_beside;
  return head;
}

namespace {

using nlohmann::json;

json facts_of(const space::Axis& axis) {
  return {{"default", axis.default_value}, {"label", axis.label.empty() ? axis.name : axis.label}};
}

void add_axes(json& axes, const Component& component) {
  for (const space::Axis& axis : component.axes) {
    const json facts = facts_of(axis);
    if (!axes.contains(axis.name))
      axes[axis.name] = facts;
    else if (axes[axis.name] != facts)
      axes[component.name + "." + axis.name] = facts;
  }
}

}  // namespace

json catalogue_facts(const space::Catalogue& catalogue) {
  json facts = {{"axes", json::object()}, {"protocols", json::object()}};
  add_axes(facts["axes"], catalogue.common());
  for (const space::ComponentKind kind : space::component_axis_order)
    for (const Component& component : catalogue.components(kind))
      add_axes(facts["axes"], component);
  for (const Component& protocol : catalogue.components(space::ComponentKind::protocol))
    facts["protocols"][protocol.name] = {{"waits_on", protocol.protocol.waits_on}};
  return facts;
}

}  // namespace phasebit::kernel
