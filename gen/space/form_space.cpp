#include "gen/space/form_space.h"

namespace phasebit::space {

bool is_form(const launch::VariantKey& key) {
  return key.value("probe") == "form";
}

Result<std::string> why_no_form(const Catalogue& catalogue, const Values& point) {
  if (catalogue.chosen(ComponentKind::probe, point).name != "form") return std::string();
  if (catalogue.vocabulary().slot("form") < 0) return std::string();
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  const auto value = [&](const char* axis) {
    const int slot = catalogue.vocabulary().slot(axis);
    return value_text(catalogue, slot, point[static_cast<size_t>(slot)]);
  };
  return forms::why_no_form(
      *book, {value("form"), value("path"), value("measure"), value("lanes"), value("load"), 4});
}

}  // namespace phasebit::space
