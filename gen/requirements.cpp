#include "gen/requirements.h"

#include "core/isa/targets.h"
#include "gen/forms/form_space.h"
#include "gen/variants.h"

#include <algorithm>

namespace phasebit {
namespace {

const Version base_ptx{{6, 3}};
constexpr int base_sm = 75;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "" when the component's gates speak of this family and ptxas.
Result<std::string> why_not_covered(const Component& part, const std::string& family,
                                    const Version& ptxas) {
  if (part.gates.empty() || part.name.empty()) return std::string();
  if (!contains(part.covers, family))
    return fmt::format("{} declares no SASS for {}", part.name, family);
  PHASEBIT_TRY_ASSIGN(in_range, version_in_range(ptxas, part.covers_ptxas));
  if (in_range) return std::string();
  return fmt::format("{} declares no SASS for ptxas {}", part.name, ptxas.text());
}

class GateBuilder {
 public:
  GateBuilder(const Catalogue& catalogue, Values point, const std::map<std::string, int>& derived)
      : catalogue_(catalogue), point_(std::move(point)), derived_(derived) {
    for (const std::string& name : catalogue.derived())
      if (const auto value = derived.find(name); value != derived.end())
        point_[slot(name)] = value->second;
  }

  Result<bool> applies(const GateDeclaration& gate, const std::string& family,
                       const Version& ptxas) {
    if (!gate.families.empty() && !contains(gate.families, family)) return false;
    PHASEBIT_TRY_ASSIGN(in_range, version_in_range(ptxas, gate.ptxas));
    if (!in_range || !gate.when) return in_range;
    PHASEBIT_TRY(check_derived(*gate.when, gate));
    return gate.when->holds(point_).map_error([&](const Error& error) { return at(gate, error); });
  }

  Status add(const GateDeclaration& gate) {
    if (gate.verb == any_verb && !gate.forbid.empty()) {
      for (const std::string& pattern : gate.forbid) keep(spec_.forbid_everywhere, pattern);
      return {};
    }
    VerbRule& rule = rule_of(spec_.verbs, gate.verb, gate.role);
    if (gate.passes) rule.passes = *gate.passes;
    for (const std::string& pattern : gate.forbid) add_forbidden(rule, pattern);
    for (const OpcodeCount& opcode : gate.require) {
      PHASEBIT_TRY_ASSIGN(low, count_of(opcode.low, gate));
      PHASEBIT_TRY_ASSIGN(high, count_of(opcode.high, gate));
      if (high < low)
        return fail(Step::gate, "{}: '{}' counts from {} to {}", gate.where, opcode.pattern, low,
                    high);
      add_count(rule, {opcode.pattern, {low, high}, opcode.path});
    }
    return {};
  }

  GateSpec take() {
    spec_.known = true;
    return std::move(spec_);
  }

 private:
  size_t slot(const std::string& name) const {
    return static_cast<size_t>(catalogue_.vocabulary().slot(name));
  }
  static Error at(const GateDeclaration& gate, const Error& error) {
    return {Step::gate, fmt::format("{}: {}", gate.where, error.message), error.hint};
  }
  static void keep(std::vector<std::string>& patterns, const std::string& pattern) {
    if (!contains(patterns, pattern)) patterns.push_back(pattern);
  }
  Result<int> count_of(const Expression& count, const GateDeclaration& gate) {
    PHASEBIT_TRY(check_derived(count, gate));
    const auto number = count.number(point_);
    if (!number) return tl::unexpected<Error>(at(gate, number.error()));
    if (*number < 0)
      return fail(Step::gate, "{}: '{}' counts {}", gate.where, count.text(), *number);
    return static_cast<int>(*number);
  }

  // A derived name that the caller did not supply must not count as 0.
  Status check_derived(const Expression& expression, const GateDeclaration& gate) const {
    for (const int used : expression.slots()) {
      const std::string& name = catalogue_.vocabulary().name(used).text;
      if (contains(catalogue_.derived(), name) && !derived_.contains(name))
        return fail(Step::gate, "{}: the plan supplies no '{}'", gate.where, name);
    }
    return {};
  }

  const Catalogue& catalogue_;
  Values point_;
  const std::map<std::string, int>& derived_;
  GateSpec spec_;
};

GateSpec unknown(std::string why) {
  GateSpec spec;
  spec.why_unknown = std::move(why);
  return spec;
}

// A target with a suffix has its forms alone: it must be the highest of the needs.
Status add_need(const Need& need, const VariantKey& key, std::string& target, Requirements& all) {
  all.ptx = std::max(all.ptx, need.ptx);
  all.sm = std::max(all.sm, need.sm);
  if (!need.reason.empty()) all.reasons.push_back(need.reason);
  if (need.target.empty()) return {};
  if (!target.empty() && need.target != target)
    return fail(Step::spec, "{}: needs both {} and {}", key.id, target, need.target);
  target = need.target;
  PHASEBIT_TRY_ASSIGN(parsed, parse_target(target));
  all.suffix = parsed.suffix;
  return {};
}

}  // namespace

Result<Requirements> requirements(const Catalogue& catalogue, const VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(point, point_of(catalogue, key));
  Requirements all{base_ptx, base_sm, {}, {}};
  std::string target;
  for (const Component* part : catalogue.parts(point)) {
    for (const Need& need : part->needs) {
      bool holds = true;
      if (need.when) {
        PHASEBIT_TRY_ASSIGN(condition, need.when->holds(point));
        holds = condition;
      }
      if (!holds) continue;
      PHASEBIT_TRY(add_need(need, key, target, all));
    }
  }
  if (!target.empty() && target != fmt::format("sm_{}{}", all.sm, all.suffix))
    return fail(Step::spec, "{}: needs both {} and sm_{}", key.id, target, all.sm);
  if (is_form(key)) PHASEBIT_TRY(add_form_needs(key, all));
  return all;
}

Result<GateSpec> gate_spec(const Catalogue& catalogue, const VariantKey& key,
                           const std::string& family, const Version& ptxas,
                           const std::map<std::string, int>& derived) {
  if (family.empty()) return unknown("the SASS family of the target is unknown");
  if (is_form(key)) {
    PHASEBIT_TRY_ASSIGN(book, FormBook::get());
    return form_gate(*book, form_point(key), family);
  }
  PHASEBIT_TRY_ASSIGN(point, point_of(catalogue, key));
  const auto parts = catalogue.parts(point);
  GateBuilder builder(catalogue, point, derived);
  for (const Component* part : parts) {
    PHASEBIT_TRY_ASSIGN(why, why_not_covered(*part, family, ptxas));
    if (!why.empty()) return unknown(why);
    for (const GateDeclaration& gate : part->gates) {
      PHASEBIT_TRY_ASSIGN(applies, builder.applies(gate, family, ptxas));
      if (applies) PHASEBIT_TRY(builder.add(gate));
    }
  }
  GateSpec spec = builder.take();
  spec.exhaustive_for = family;
  return spec;
}

}  // namespace phasebit
