#include "core/store/samples.h"

#include "core/store/json_fields.h"

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

SampleRows rows_of_samples(const std::vector<Sample>& samples) {
  SampleRows rows{ordered_json::array(), ordered_json::array()};
  const size_t length = samples.empty() ? 1 : row_length(samples);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i < length) rows.items.push_back(samples[i].items);
    if (i % length == 0) rows.cycles.push_back(ordered_json::array());
    rows.cycles.back().push_back(samples[i].cycles);
  }
  return rows;
}

Result<std::vector<Sample>> samples_of_rows(const SampleRows& rows) {
  if (!rows.items.is_array() || !rows.cycles.is_array())
    return fail(Step::store, "'items' and 'cycles' are not both lists");
  std::vector<Sample> samples;
  for (const auto& row : rows.cycles) {
    if (!row.is_array() || row.size() != rows.items.size())
      return fail(Step::store, "a row of {} cycles for {} chain lengths",
                  row.is_array() ? row.size() : 0, rows.items.size());
    for (size_t i = 0; i < row.size(); ++i) {
      Sample sample;
      if (!read_json(rows.items[i], sample.items))
        return fail(Step::store, "{} is no number of items", rows.items[i].dump());
      if (!read_json(row[i], sample.cycles))
        return fail(Step::store, "{} is no number of cycles", row[i].dump());
      samples.push_back(sample);
    }
  }
  return samples;
}

}  // namespace phasebit
