#include "gen/forms/form_space.h"

#include "core/isa/targets.h"
#include "gen/point.h"

#include <algorithm>

namespace phasebit {

bool is_form(const VariantKey& key) {
  return key.value("probe") == "form";
}

Result<std::vector<std::string>> form_ids() {
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  std::vector<std::string> ids;
  for (const Form& form : book->table().forms()) ids.push_back(form.id);
  return ids;
}

Result<std::string> why_no_form(const Catalogue& catalogue, const Values& point) {
  if (catalogue.chosen(ComponentKind::probe, point).name != "form") return std::string();
  if (catalogue.vocabulary().slot("form") < 0) return std::string();
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  const auto value = [&](const char* axis) {
    const int slot = catalogue.vocabulary().slot(axis);
    return value_text(catalogue, slot, point[static_cast<size_t>(slot)]);
  };
  return why_no_form(
      *book, {value("form"), value("path"), value("chain"), value("lanes"), value("load"), 4});
}

Status add_form_needs(const VariantKey& key, Requirements& all) {
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  PHASEBIT_TRY_ASSIGN(placed, book->placed(key.value("form")));
  const Form* form = placed->form;
  const std::string lowest = book->table().lowest_target(*form);
  PHASEBIT_TRY_ASSIGN(target, parse_target(lowest));
  if (target.sm > all.sm) {
    all.sm = target.sm;
    all.suffix = target.suffix;
  }
  // What the kernel's own statements around it need.
  if (placed->family->barrier) all.sm = std::max(all.sm, 80);
  const Version around = placed->family->barrier ? Version{{7, 1}} : Version{{6, 3}};
  all.ptx = std::max({all.ptx, form->ptx_min, around, first_ptx_of_target(lowest)});
  if (!placed->family->ptx.empty()) {
    PHASEBIT_TRY_ASSIGN(version, parse_version(placed->family->ptx));
    all.ptx = std::max(all.ptx, version);
  }
  all.reasons.push_back(fmt::format("{} '{}'", form->id, form->text));
  return {};
}

Result<std::string> declared_target(const VariantKey& key, Requirements& needs,
                                    const std::string& target) {
  std::string declared = fmt::format("sm_{}{}", needs.sm, needs.suffix);
  if (needs.suffix.empty() || target.empty() || !is_form(key)) return declared;
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  PHASEBIT_TRY_ASSIGN(form, book->table().get(key.value("form")));
  if (!book->table().accepts(*form, target)) return declared;
  needs.ptx = std::max(needs.ptx, first_ptx_of_target(target));
  return target;
}

}  // namespace phasebit
