#include "gen/render/nearby_texts.h"

#include "gen/probes/make_plan.h"
#include "gen/space/variants.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace phasebit::render {

using image::KeyAxes;
using image::VariantKey;

namespace {

std::vector<std::string> sorted_statements(const ptxas::Kernel& kernel) {
  std::vector<std::string> found;
  for (const std::string& statement : kernel.statements)
    if (statement.find(kernel.entry) == std::string::npos) found.push_back(statement);
  std::ranges::sort(found);
  return found;
}

// Decimal numbers of statements that one text has and the other lacks: an edit that puts another
// value of a range into the text puts one of these there.
std::set<std::string> numbers_of_one_alone(const std::vector<std::string>& text,
                                           const std::vector<std::string>& other) {
  std::vector<std::string> alone;
  std::ranges::set_difference(text, other, std::back_inserter(alone));
  std::set<std::string> found;
  for (const std::string& statement : alone)
    for (size_t at = 0; (at = statement.find_first_of("0123456789", at)) != std::string::npos;) {
      const size_t end = std::min(statement.find_first_not_of("0123456789", at), statement.size());
      found.insert(statement.substr(at, end - at));
      at = end;
    }
  return found;
}

// The values of an axis that a text may be of.
std::vector<std::string> candidates(const catalogue::Catalogue& catalogue, const std::string& axis,
                                    const std::set<std::string>& numbers) {
  const auto declared = catalogue.axes_named(axis);
  if (std::ranges::none_of(declared, &catalogue::Axis::is_range)) return catalogue.values_of(axis);
  std::vector<std::string> found;
  for (const std::string& number : numbers)
    if (catalogue.check_value(axis, number)) found.push_back(number);
  return found;
}

// Statements that one of two texts has and the other lacks.
size_t difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> differ;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(differ));
  return differ.size();
}

}  // namespace

Result<const NearbyTexts::Text*> NearbyTexts::text_of(const VariantKey& key) {
  const auto known = texts_.find(key.id);
  if (known != texts_.end()) return &known->second;
  PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(catalogue_, key));
  // Version and target are no statements.
  PHASEBIT_TRY_ASSIGN(rendered, renderer_.render(key, plan, image::Build::timed, "", ""));
  return &texts_.emplace(key.id, sorted_statements(rendered.kernel)).first->second;
}

Result<std::string> NearbyTexts::nearer(const ptxas::Kernel& kernel, const VariantKey& key) {
  const Text text = sorted_statements(kernel);
  PHASEBIT_TRY_ASSIGN(own, text_of(key));
  size_t nearest = difference(text, *own);
  const std::set<std::string> numbers = numbers_of_one_alone(text, *own);
  std::string found;
  KeyAxes axes = key.axes;
  for (size_t n = 0; nearest > 0 && n < axes.size(); ++n) {
    auto& [axis, value] = axes[n];
    const std::string said = value;
    for (const std::string& other : candidates(catalogue_, axis, numbers)) {
      value = other;
      const auto neighbour = space::make_key(catalogue_, axes);
      if (!neighbour) continue;  // pruned
      const auto theirs = text_of(*neighbour);
      if (!theirs) continue;  // no plan, so no variant has this text
      const size_t differ = difference(text, **theirs);
      if (differ >= nearest) continue;
      nearest = differ;
      found = fmt::format("{}={}", axis, other);
    }
    value = said;
  }
  return found;
}

}  // namespace phasebit::render
