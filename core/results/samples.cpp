#include "core/results/samples.h"

#include "core/base/json_fields.h"

namespace phasebit::results {

using base::read_json;

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

// One row a round.
template <typename Value>
ordered_json table_of(const std::vector<Sample>& samples, size_t length, const Value& value_of) {
  ordered_json table = ordered_json::array();
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i % length == 0) table.push_back(ordered_json::array());
    table.back().push_back(value_of(samples[i]));
  }
  return table;
}

Status read_reading(const ordered_json& json, NamedSamples& named) {
  ReadingName name;
  const bool whole = json.is_object() && json.size() == 3 && json.contains("name") &&
                     json.contains("unit") && json.contains("sums");
  if (!whole || !read_json(json["name"], name.name) || !read_json(json["unit"], name.unit))
    return fail(Step::store, "a reading is not of 'name', 'unit' and 'sums'");
  size_t n = 0;
  for (const auto& row : json["sums"])
    for (const auto& sum : row) {
      std::uint64_t value = 0;
      if (!read_json(sum, value))
        return fail(Step::store, "{} is not a sum of {}", sum.dump(), name.name);
      if (n < named.samples.size()) named.samples[n].readings.push_back(value);
      ++n;
    }
  if (n != named.samples.size())
    return fail(Step::store, "{} sums of {} for {} launches", n, name.name, named.samples.size());
  named.readings.push_back(std::move(name));
  return {};
}

}  // namespace

SampleRows rows_of_samples(const std::vector<Sample>& samples,
                           const std::vector<ReadingName>& readings) {
  SampleRows rows{ordered_json::array(), ordered_json::array(), nullptr};
  const size_t length = samples.empty() ? 1 : row_length(samples);
  for (size_t i = 0; i < std::min(length, samples.size()); ++i)
    rows.items.push_back(samples[i].items);
  rows.cycles = table_of(samples, length, [](const Sample& sample) { return sample.cycles; });
  for (size_t n = 0; n < readings.size(); ++n)
    rows.readings.push_back({{"name", readings[n].name},
                             {"unit", readings[n].unit},
                             {"sums", table_of(samples, length, [n](const Sample& sample) {
                                return sample.readings[n];
                              })}});
  return rows;
}

Result<NamedSamples> samples_of_rows(const SampleRows& rows) {
  if (!rows.items.is_array() || !rows.cycles.is_array())
    return fail(Step::store, "'items' and 'cycles' are not both lists");
  NamedSamples named;
  for (const auto& row : rows.cycles) {
    if (!row.is_array() || row.size() != rows.items.size())
      return fail(Step::store, "a row of {} cycles for {} chain lengths",
                  row.is_array() ? row.size() : 0, rows.items.size());
    for (size_t i = 0; i < row.size(); ++i) {
      Sample sample;
      if (!read_json(rows.items[i], sample.items))
        return fail(Step::store, "{} is not a number of items", rows.items[i].dump());
      if (!read_json(row[i], sample.cycles))
        return fail(Step::store, "{} is not a number of cycles", row[i].dump());
      named.samples.push_back(std::move(sample));
    }
  }
  if (rows.readings.is_null()) return named;
  if (!rows.readings.is_array()) return fail(Step::store, "'readings' is not a list");
  for (const auto& reading : rows.readings) PHASEBIT_TRY(read_reading(reading, named));
  return named;
}

}  // namespace phasebit::results
