#include "analysis/report/tables/origins/models.h"

#include <set>

namespace phasebit::report::tables::origins {

Result<std::vector<Model>> models_of(const data::ReportData& data) {
  std::vector<Model> models;
  if (data.results.devices.empty()) return fail(Step::store, "the results hold no device");
  const std::string own = data.results.devices.front().name;
  models.push_back(
      {own, std::shared_ptr<const data::ReportData>(&data, [](const data::ReportData*) {})});
  std::set<std::string> names;
  for (const record::DeviceRow& device : data.others.devices)
    if (device.name != own) names.insert(device.name);
  for (const std::string& name : names) {
    PHASEBIT_TRY_ASSIGN(other, data::report_data_alone(data.others, name));
    models.push_back({name, std::make_shared<const data::ReportData>(std::move(other))});
  }
  return models;
}

std::string short_name(const Model& model) {
  constexpr std::string_view maker = "NVIDIA ";
  const std::string name =
      model.name.starts_with(maker) ? model.name.substr(maker.size()) : model.name;
  return name.substr(0, name.find(' '));
}

}  // namespace phasebit::report::tables::origins
