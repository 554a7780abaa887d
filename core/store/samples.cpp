#include "core/store/samples.h"

namespace phasebit {

using nlohmann::ordered_json;

namespace {

// Samples a row: the length of the first ascending run, if all others repeat its lengths.
size_t row_length(const std::vector<Sample>& samples) {
  size_t length = 1;
  while (length < samples.size() && samples[length].items > samples[length - 1].items) ++length;
  bool regular = samples.size() % length == 0;
  for (size_t i = length; regular && i < samples.size(); ++i)
    regular = samples[i].items == samples[i % length].items;
  return regular ? length : samples.size();
}

}  // namespace

ordered_json samples_to_json(const std::vector<Sample>& samples) {
  ordered_json items = ordered_json::array(), rows = ordered_json::array();
  const size_t length = samples.empty() ? 1 : row_length(samples);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i < length) items.push_back(samples[i].items);
    if (i % length == 0) rows.push_back(ordered_json::array());
    rows.back().push_back(samples[i].cycles);
  }
  return {{"items", std::move(items)}, {"cycles", std::move(rows)}};
}

Result<std::vector<Sample>> samples_from_json(const ordered_json& value) {
  const auto items = value.at("items").get<std::vector<std::uint32_t>>();
  std::vector<Sample> samples;
  for (const auto& row : value.at("cycles")) {
    const auto cycles = row.get<std::vector<std::uint64_t>>();
    if (cycles.size() != items.size())
      return fail(Step::store, "a row of {} cycles for {} chain lengths", cycles.size(),
                  items.size());
    for (size_t i = 0; i < items.size(); ++i) samples.push_back({items[i], cycles[i]});
  }
  return samples;
}

}  // namespace phasebit
