#include "pipeline/select/form_filter.h"

#include "gen/space/form_space.h"

#include <algorithm>

namespace phasebit::pipeline::select {

using image::VariantKey;

namespace {

Result<std::string> why_left_out(const forms::FormBook& book, const VariantKey& key,
                                 const std::string& target) {
  PHASEBIT_TRY_ASSIGN(placed, book.placed(key.value("form")));
  if (!book.table().accepts(*placed->form, target))
    return fmt::format("ptxas does not take the form for {}", target);
  if (!placed->needs.empty()) return fmt::format("the form needs {}", placed->needs);
  return std::string();
}

}  // namespace

Result<std::vector<std::pair<std::string, int>>> leave_out_forms(Space& space,
                                                                 const std::string& target) {
  std::vector<std::pair<std::string, int>> reasons;
  std::vector<VariantKey> kept;
  for (VariantKey& key : space.expansion.variants) {
    std::string why;
    if (space::is_form(key)) {
      PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
      PHASEBIT_TRY_ASSIGN(reason, why_left_out(*book, key, target));
      why = std::move(reason);
    }
    if (why.empty()) {
      kept.push_back(std::move(key));
      continue;
    }
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& entry) { return entry.first == why; });
    if (known == reasons.end())
      reasons.emplace_back(why, 1);
    else
      ++known->second;
  }
  space.expansion.variants = std::move(kept);
  return reasons;
}

}  // namespace phasebit::pipeline::select
