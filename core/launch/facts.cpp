#include "core/launch/facts.h"

#include "core/base/fields_json.h"

#include <fmt/format.h>

namespace phasebit::launch {

const std::string* CatalogueFacts::default_of(const std::string& axis,
                                              const std::vector<std::string>& components) const {
  for (const std::string& component : components)
    if (const auto own = axes.find(fmt::format("{}.{}", component, axis)); own != axes.end())
      return &own->second.default_value;
  const auto common = axes.find(axis);
  return common == axes.end() ? nullptr : &common->second.default_value;
}

void CatalogueFacts::add(const CatalogueFacts& others) {
  axes.insert(others.axes.begin(), others.axes.end());
  protocols.insert(others.protocols.begin(), others.protocols.end());
}

nlohmann::json json_of(const CatalogueFacts& facts) {
  return base::as_json(facts);
}

CatalogueFacts facts_of(const nlohmann::json& value) {
  CatalogueFacts facts;
  base::take_json(value, facts);
  return facts;
}

}  // namespace phasebit::launch
