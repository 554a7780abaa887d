#include "core/store/json/reader.h"

#include "core/base/hash.h"
#include "core/store/json/columns.h"
#include "core/store/json/rows.h"
#include "core/store/json/writer.h"

namespace phasebit::store::json {

using base::JsonFields;
using image::KeyAxes;

using nlohmann::ordered_json;

Result<record::Results> JsonReader::read(const fs::path& folder) {
  PHASEBIT_TRY(read_header());
  PHASEBIT_TRY(read_catalogue());
  PHASEBIT_TRY(objects("devices", [&](JsonFields& fields) {
    fields.get<std::string>("type");
    made_.results.devices.push_back(device_of(fields));
  }));
  PHASEBIT_TRY(objects("runs", [&](JsonFields& fields) {
    fields.get<std::string>("type");
    made_.results.runs.push_back(run_of(fields));
  }));
  PHASEBIT_TRY(read_keys());
  PHASEBIT_TRY(read_images());
  PHASEBIT_TRY(lines("series", [&](JsonScanner& line) { read_series(line); }));
  made_.points.reserve(counts_["points"]);
  PHASEBIT_TRY(lines("points", [&](JsonScanner& line) { read_point(line); }));
  PHASEBIT_TRY(lines("same_code", [&](JsonScanner& line) { read_same_code(line); }));
  PHASEBIT_TRY(read_samples(folder));
  return expand(std::move(made_));
}

Status JsonReader::read_header() {
  std::string_view line;
  take_line(line);
  const ordered_json value = ordered_json::parse(line, nullptr, false);
  JsonFields fields(value);
  fields.get<int>("phasebit_results");
  const ordered_json *columns = fields.find("columns"), *counts = fields.find("counts");
  sample_files_ = fields.get<std::vector<std::string>>("sample_files");
  const bool has_part = fields.find("part") != nullptr;
  fields.finish();
  if (fields.mistake()) return complain(*fields.mistake());
  if (has_part && !part_of_header(line)) return complain("'part' is not [number, of how many]");
  if (columns == nullptr || *columns != ordered_json::parse(json_columns))
    return complain("other columns than those of this version");
  if (counts == nullptr || !counts->is_object()) return complain("no 'counts'");
  JsonFields of(*counts);
  for (const char* kind : {"devices", "runs", "defaults", "variants", "codes", "modules", "images",
                           "series", "points", "same_code", "samples"})
    counts_[kind] = of.get<size_t>(kind);
  of.finish();
  if (of.mistake()) return complain(*of.mistake());
  return {};
}

Status JsonReader::read_catalogue() {
  std::string_view line;
  if (!take_line(line)) return complain("the file ends with its header");
  try {
    made_.results.catalogue = image::facts_of(nlohmann::json::parse(line));
  } catch (const nlohmann::json::exception& error) {
    return complain(error.what());
  }
  return {};
}

namespace {

KeyAxes axes_of(JsonScanner& line) {
  KeyAxes axes;
  line.begin('{');
  while (line.next()) {
    std::string axis = line.key();
    axes.emplace_back(std::move(axis), line.string());
  }
  return axes;
}

}  // namespace

Status JsonReader::read_keys() {
  PHASEBIT_TRY(lines("defaults", [&](JsonScanner& line) {
    defaults_.push_back(std::make_shared<const KeyAxes>(axes_of(line)));
  }));
  made_.results.variants.reserve(counts_["variants"]);
  return lines("variants", [&](JsonScanner& line) { read_variant(line); });
}

void JsonReader::read_variant(JsonScanner& line) {
  record::VariantRow& row = made_.results.variants.emplace_back();
  line.begin('[');
  line.expect_next();
  if (!line.null()) {
    const size_t number = reference(line, defaults_, "defaults");
    if (number < defaults_.size()) row.defaults = defaults_[number];
  }
  line.expect_next();
  row.named = axes_of(line);
  if (line.next()) {
    row.id = line.string();
    line.expect_next();
    row.hash = line.string();
    line.expect_end();
  } else if (row.has_key()) {
    row.id = record::display_id(*row.defaults, row.named);
    row.hash = base::short_hash(row.id);
  } else {
    line.fail("neither a key nor an id");
  }
  variants_.push_back({row.id, row.hash});
}

Status JsonReader::read_images() {
  PHASEBIT_TRY(lines("codes", [&](JsonScanner& line) {
    line.begin('[');
    line.expect_next();
    const Word text_hash = line.string();
    line.expect_next();
    codes_.push_back({text_hash, line.string()});
    line.expect_end();
  }));
  PHASEBIT_TRY(lines("modules", [&](JsonScanner& line) { modules_.push_back(line.string()); }));
  return lines("images", [&](JsonScanner& line) {
    Image& image = images_.emplace_back();
    line.begin('[');
    line.expect_next();
    image.code = reference(line, codes_, "code");
    line.expect_next();
    image.module = reference(line, modules_, "module");
    line.expect_next();
    image.ptx_hash = line.string();
    line.expect_end();
  });
}

}  // namespace phasebit::store::json
