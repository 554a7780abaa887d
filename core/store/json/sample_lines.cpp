#include "core/store/json/sample_lines.h"

#include "core/base/gzip.h"
#include "core/base/json_fields.h"
#include "core/record/samples.h"
#include "core/store/json/lines.h"

#include <numeric>
#include <span>

namespace phasebit::store::json {

using record::PointRow;

namespace {

using nlohmann::ordered_json;

// Below this much text the file is below that, for samples are digits: a third of their size.
constexpr size_t most_text_bytes = 2500000;

// Rounds as a file has them: the first, and of each other one its differences from it. They change
// by little, so that is a quarter less to pack.
void take_first_off(ordered_json& rounds) {
  for (size_t n = 1; n < rounds.size(); ++n)
    for (size_t i = 0; i < rounds[n].size(); ++i)
      rounds[n][i] = static_cast<std::int64_t>(rounds[n][i].get<std::uint64_t>() -
                                               rounds[0][i].get<std::uint64_t>());
}

// What is no list of numbers stays as it is: samples.h says so.
ordered_json with_first(ordered_json rounds) {
  for (size_t n = 1; rounds.is_array() && n < rounds.size(); ++n) {
    const size_t both = rounds[n].is_array() && rounds[0].is_array()
                            ? std::min(rounds[n].size(), rounds[0].size())
                            : 0;
    for (size_t i = 0; i < both; ++i)
      if (rounds[n][i].is_number_integer() && rounds[0][i].is_number_integer())
        rounds[n][i] = rounds[0][i].get<std::uint64_t>() +
                       static_cast<std::uint64_t>(rounds[n][i].get<std::int64_t>());
  }
  return rounds;
}

std::string line_of(size_t number, const PointRow& point) {
  auto [items, cycles, readings] = record::rows_of_samples(point.samples, point.readings);
  take_first_off(cycles);
  for (auto& reading : readings) take_first_off(reading["sums"]);
  ordered_json line = {
      {"point", number}, {"items", std::move(items)}, {"cycles", std::move(cycles)}};
  if (!point.readings.empty()) {
    line["readings"] = ordered_json::array();
    for (auto& reading : readings) line["readings"].push_back(std::move(reading["sums"]));
  }
  return line.dump() + "\n";
}

// The readings of a line as samples.h has them, with their names.
Result<ordered_json> with_names(const ordered_json& sums,
                                const std::vector<record::ReadingName>& names) {
  if (sums.size() != names.size())
    return fail(Step::store, "samples of {} readings for a point of {}", sums.size(), names.size());
  ordered_json readings = nullptr;
  for (size_t n = 0; n < names.size(); ++n)
    readings.push_back(
        {{"name", names[n].name}, {"unit", names[n].unit}, {"sums", with_first(sums[n])}});
  return readings;
}

// As many lines as fit a file, and its bytes.
std::pair<size_t, std::string> one_file(std::span<const std::string> lines) {
  size_t count = 0, bytes = 0;
  while (count < lines.size() && (count == 0 || bytes + lines[count].size() <= most_text_bytes))
    bytes += lines[count++].size();
  while (true) {
    const auto first = lines.first(count);
    std::string file = base::gzip(std::accumulate(first.begin(), first.end(), std::string()));
    if (file.size() <= most_file_bytes || count == 1) return {count, std::move(file)};
    count = (count + 1) / 2;
  }
}

}  // namespace

std::vector<std::string> sample_lines(const std::vector<PointRow>& points) {
  std::vector<std::string> lines;
  for (size_t n = 0; n < points.size(); ++n)
    if (!points[n].samples.empty()) lines.push_back(line_of(n, points[n]));
  return lines;
}

Status read_sample_line(std::string_view line, std::vector<PointRow>& points) {
  const ordered_json value = ordered_json::parse(line, nullptr, false);
  if (!value.is_object()) return fail(Step::store, "no JSON object");
  base::JsonFields fields(value);
  const auto number = fields.get<size_t>("point");
  const ordered_json *items = fields.find("items"), *cycles = fields.find("cycles");
  const ordered_json* sums = fields.find("readings");
  fields.finish();
  if (fields.mistake()) return fail(Step::store, "{}", *fields.mistake());
  if (items == nullptr || cycles == nullptr) return fail(Step::store, "no 'items' and 'cycles'");
  if (number >= points.size())
    return fail(Step::store, "samples of point {} of {}", number, points.size());
  PointRow& point = points[number];
  if (!point.samples.empty()) return fail(Step::store, "samples of point {} twice", number);
  PHASEBIT_TRY_ASSIGN(readings,
                      with_names(sums == nullptr ? ordered_json::array() : *sums, point.readings));
  PHASEBIT_TRY_ASSIGN(named, record::samples_of_rows({*items, with_first(*cycles), readings}));
  point.samples = std::move(named.samples);
  return {};
}

Result<std::vector<std::string>> write_sample_files(const fs::path& results,
                                                    const std::vector<std::string>& lines) {
  const std::string stem = results.stem().string() + ".samples-";
  std::vector<std::string> names;
  for (std::span<const std::string> rest = lines; !rest.empty();) {
    auto [count, file] = one_file(rest);
    names.push_back(fmt::format("{}{}.jsonl.gz", stem, names.size()));
    PHASEBIT_TRY(base::write_file(results.parent_path() / names.back(), file));
    rest = rest.subspan(count);
  }
  std::error_code ignored;
  for (size_t n = names.size();
       fs::remove(results.parent_path() / fmt::format("{}{}.jsonl.gz", stem, n), ignored);)
    ++n;
  return names;
}

}  // namespace phasebit::store::json
