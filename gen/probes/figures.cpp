#include "gen/probes/figures.h"

#include "gen/space/point.h"

#include <algorithm>

namespace phasebit::probes {

using catalogue::Expression;

Result<Figures> Figures::of(const catalogue::Catalogue& catalogue,
                            const image::VariantKey& variant) {
  PHASEBIT_TRY_ASSIGN(point, space::point_of(catalogue, variant));
  Figures out;
  out.catalogue_ = &catalogue;
  out.point_ = std::move(point);
  return out;
}

void Figures::set(const std::map<std::string, int>& figures) {
  for (const auto& [name, value] : figures) {
    figures_[name] = value;
    const int slot = catalogue_->vocabulary().slot(name);
    if (slot >= 0) point_[static_cast<size_t>(slot)] = value;
  }
}

bool Figures::knows(const Expression& expression) const {
  const auto& derived = catalogue_->derived();
  for (const int slot : expression.slots()) {
    const std::string& name = catalogue_->vocabulary().name(slot).text;
    if (std::find(derived.begin(), derived.end(), name) != derived.end() &&
        !figures_.contains(name))
      return false;
  }
  return true;
}

Result<int> Figures::number(const Expression& expression) const {
  if (!knows(expression))
    return fail(Step::spec, "'{}' names a figure that the plan does not supply here",
                expression.text());
  return expression.number(point_).map([](std::int64_t value) { return static_cast<int>(value); });
}

Result<bool> Figures::holds(const Expression& expression) const {
  return number(expression).map([](int value) { return value != 0; });
}

Result<int> Figures::number(const std::optional<Expression>& expression) const {
  return expression ? number(*expression) : Result<int>(0);
}

Result<bool> Figures::holds(const std::optional<Expression>& expression) const {
  return number(expression).map([](int value) { return value != 0; });
}

}  // namespace phasebit::probes
