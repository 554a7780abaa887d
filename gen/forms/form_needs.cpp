#include "gen/forms/form_needs.h"

#include "core/isa/targets.h"

#include <algorithm>

namespace phasebit::forms {

using isa::Version;

Result<FormNeeds> form_needs(const FormBook& book, const std::string& id) {
  PHASEBIT_TRY_ASSIGN(placed, book.placed(id));
  const isa::Form* form = placed->form;
  const std::string lowest = book.table().lowest_target(*form);
  PHASEBIT_TRY_ASSIGN(target, isa::parse_target(lowest));
  FormNeeds needs;
  needs.sm = target.sm;
  needs.suffix = target.suffix;
  const bool barrier = placed->family->barrier;
  needs.around_sm = barrier ? 80 : 0;
  const Version around = barrier ? Version{{7, 1}} : Version{{6, 3}};
  needs.ptx = std::max({form->ptx_min, around, isa::first_ptx_of_target(lowest)});
  if (!placed->family->ptx.empty()) {
    PHASEBIT_TRY_ASSIGN(version, isa::parse_version(placed->family->ptx));
    needs.ptx = std::max(needs.ptx, version);
  }
  needs.reason = fmt::format("{} '{}'", form->id, form->text);
  return needs;
}

}  // namespace phasebit::forms
