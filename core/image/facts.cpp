#include "core/image/facts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::image {

using nlohmann::json;

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

json json_of(const CatalogueFacts& facts) {
  json axes = json::object(), protocols = json::object();
  for (const auto& [name, axis] : facts.axes) {
    axes[name]["default"] = axis.default_value;
    if (!axis.label.empty()) axes[name]["label"] = axis.label;
  }
  for (const auto& [name, protocol] : facts.protocols) {
    protocols[name]["waits_on"] = protocol.waits_on;
    if (!protocol.blank.empty()) protocols[name]["blank"] = protocol.blank;
  }
  return {{"axes", axes}, {"protocols", protocols}};
}

CatalogueFacts facts_of(const json& value) {
  CatalogueFacts facts;
  for (const auto& [name, axis] : value.at("axes").items())
    facts.axes[name] = {axis.at("default").get<std::string>(), axis.value("label", "")};
  for (const auto& [name, protocol] : value.at("protocols").items())
    facts.protocols[name] = {protocol.at("waits_on").get<std::string>(),
                             protocol.value("blank", std::vector<std::string>())};
  return facts;
}

}  // namespace phasebit::image
