#include "gen/probes/requirements.h"

#include "core/isa/targets.h"
#include "gen/forms/form_needs.h"
#include "gen/space/form_space.h"
#include "gen/space/point.h"

#include <algorithm>

namespace phasebit::probes {

using image::VariantKey;

namespace {

const isa::Version base_ptx{{6, 3}};
constexpr int base_sm = 75;

// A target with a suffix has its forms alone: it must be the highest of the needs.
Status add_need(const catalogue::Need& need, const VariantKey& key, std::string& target,
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

Result<Requirements> requirements(const catalogue::Catalogue& catalogue, const VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(point, space::point_of(catalogue, key));
  Requirements all{base_ptx, base_sm, {}, {}};
  std::string target;
  for (const catalogue::Component* part : catalogue.parts(point)) {
    for (const catalogue::Need& need : part->needs) {
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

}  // namespace phasebit::probes
