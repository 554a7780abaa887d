#include "gen/kernel/requirements.h"

#include "core/base/text.h"
#include "core/isa/targets.h"
#include "gen/forms/form.h"
#include "gen/space/form_space.h"
#include "gen/space/point.h"

#include <algorithm>

namespace phasebit::kernel {

using launch::VariantKey;
using ptx::head::HeadRule;
using space::Catalogue;
using space::GateDeclaration;

namespace {

const isa::Version base_ptx{{6, 3}};
constexpr int base_sm = 75;

// A target with a suffix has its forms alone: it must be the highest of the needs.
Status add_need(const space::Need& need, const VariantKey& key, std::string& target,
                Requirements& all) {
  all.ptx = std::max(all.ptx, need.ptx);
  all.sm = std::max(all.sm, need.sm);
  if (!need.reason.empty()) all.reasons.push_back(need.reason);
  if (need.target.empty()) return {};
  if (!target.empty() && need.target != target)
    return fail(Step::spec, "{}: needs both {} and {}", key.id, target, need.target);
  target = need.target;
  PHASEBIT_TRY_ASSIGN(parsed, isa::parse_target(target));
  all.suffix = parsed.suffix;
  return {};
}

// A form may need a target with a suffix, which then is the target.
Status add_form_needs(const VariantKey& key, Requirements& all) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(form, forms::form_needs(*book, key.value("form")));
  if (form.sm > all.sm) {
    all.sm = form.sm;
    all.suffix = form.suffix;
  }
  all.sm = std::max(all.sm, form.around_sm);
  all.ptx = std::max(all.ptx, form.ptx);
  all.reasons.push_back(form.reason);
  return {};
}

}  // namespace

Result<Requirements> requirements(const space::Catalogue& catalogue, const VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(point, space::point_of(catalogue, key));
  Requirements all{base_ptx, base_sm, {}, {}};
  std::string target;
  for (const space::Component* part : catalogue.parts(point)) {
    for (const space::Need& need : part->needs) {
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
  if (space::is_form(key)) PHASEBIT_TRY(add_form_needs(key, all));
  return all;
}

Result<std::string> declared_target(const VariantKey& key, Requirements& needs,
                                    const std::string& target) {
  std::string declared = fmt::format("sm_{}{}", needs.sm, needs.suffix);
  if (needs.suffix.empty() || target.empty() || !space::is_form(key)) return declared;
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(form, book->table().get(key.value("form")));
  if (!book->table().accepts(*form, target)) return declared;
  needs.ptx = std::max(needs.ptx, isa::first_ptx_of_target(target));
  return target;
}

namespace {

class RuleMaker {
 public:
  RuleMaker(const Catalogue& catalogue, space::Values point,
            const std::map<std::string, int>& derived)
      : catalogue_(catalogue), point_(std::move(point)), derived_(derived) {
    for (const std::string& name : catalogue.derived())
      if (const auto value = derived.find(name); value != derived.end())
        point_[slot(name)] = value->second;
  }

  Status add(const GateDeclaration& gate, HeadRules& out) {
    if (gate.when) {
      PHASEBIT_TRY(check_derived(*gate.when, gate));
      const auto holds = gate.when->holds(point_);
      if (!holds) return tl::unexpected<Error>(at(gate, holds.error()));
      if (!*holds) return {};
    }
    HeadRule made{{gate.verb, gate.role, {}, gate.forbid, gate.passes.value_or(isa::Passes::loop)},
                  gate.families,
                  gate.ptxas};
    for (const space::OpcodeCount& opcode : gate.require) {
      PHASEBIT_TRY_ASSIGN(low, count_of(opcode.low, gate));
      PHASEBIT_TRY_ASSIGN(high, count_of(opcode.high, gate));
      if (high < low)
        return fail(Step::gate, "{}: '{}' counts from {} to {}", gate.where, opcode.pattern, low,
                    high);
      made.rule.require.push_back({opcode.pattern, {low, high}, opcode.path});
    }
    for (const isa::StatementRule& statement : gate.ptx)
      made.rule.ptx.push_back(
          {statement.opcode, space::fill_in(catalogue_, point_, statement.form)});
    out.rules.push_back(std::move(made));
    return {};
  }

 private:
  size_t slot(const std::string& name) const {
    return static_cast<size_t>(catalogue_.vocabulary().slot(name));
  }
  static Error at(const GateDeclaration& gate, const Error& error) {
    return {Step::gate, fmt::format("{}: {}", gate.where, error.message), error.hint};
  }

  Result<int> count_of(const space::Expression& count, const GateDeclaration& gate) const {
    PHASEBIT_TRY(check_derived(count, gate));
    const auto number = count.number(point_);
    if (!number) return tl::unexpected<Error>(at(gate, number.error()));
    if (*number < 0)
      return fail(Step::gate, "{}: '{}' counts {}", gate.where, count.text(), *number);
    return static_cast<int>(*number);
  }

  // A derived name that the caller did not supply must not count as 0.
  Status check_derived(const space::Expression& expression, const GateDeclaration& gate) const {
    for (const int used : expression.slots()) {
      const std::string& name = catalogue_.vocabulary().name(used).text;
      if (base::contains(catalogue_.derived(), name) && !derived_.contains(name))
        return fail(Step::gate, "{}: the plan supplies no '{}'", gate.where, name);
    }
    return {};
  }

  const Catalogue& catalogue_;
  space::Values point_;
  const std::map<std::string, int>& derived_;
};

// A form's opcodes are declared by family of the architecture.
Result<HeadRules> rules_of_form(const launch::VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  // The files are data of the program, as FormBook's are.
  static const Result<isa::TargetTable> table = isa::TargetTable::load();
  PHASEBIT_TRY_ASSIGN(targets, table);
  const forms::FormPoint point = forms::form_point(key);
  PHASEBIT_TRY_ASSIGN(form, book->table().get(point.form));
  HeadRules out;
  ptx::head::HeadCover cover{form->family, {}, {}};
  for (const std::string& family : targets.families()) {
    PHASEBIT_TRY_ASSIGN(rules, forms::form_rules(*book, point, family));
    if (rules.empty()) continue;
    cover.families.push_back(family);
    for (HeadRule& rule : rules) out.rules.push_back(std::move(rule));
  }
  out.covers = {std::move(cover)};
  return out;
}

}  // namespace

Result<HeadRules> head_rules(const Catalogue& catalogue, const launch::VariantKey& key,
                             const std::map<std::string, int>& derived) {
  if (space::is_form(key)) return rules_of_form(key);
  PHASEBIT_TRY_ASSIGN(point, space::point_of(catalogue, key));
  RuleMaker maker(catalogue, point, derived);
  HeadRules out;
  for (const space::Component* part : catalogue.parts(point)) {
    for (const GateDeclaration& gate : part->gates) PHASEBIT_TRY(maker.add(gate, out));
    if (!part->gates.empty() && !part->name.empty())
      out.covers.push_back({part->name, part->covers, part->covers_ptxas});
  }
  return out;
}

void keep_timed(std::vector<HeadRule>& rules, const std::vector<std::string>& timed_verbs) {
  if (timed_verbs.empty()) return;
  std::erase_if(rules, [&](const HeadRule& rule) {
    return rule.rule.verb != isa::any_verb && !base::contains(timed_verbs, rule.rule.verb);
  });
}

}  // namespace phasebit::kernel
