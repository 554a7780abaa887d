#include "core/base/gzip.h"
#include "core/record/rounding.h"
#include "core/store/json/flag_words.h"
#include "core/store/json/reader.h"

#include <fmt/ranges.h>

namespace phasebit::store::json {

using record::PointRow;

namespace {

// A value of the list that the line is in.
template <typename T>
T next_number(JsonScanner& line) {
  line.expect_next();
  return line.number<T>();
}

std::vector<std::string> next_words(JsonScanner& line) {
  std::vector<std::string> words;
  line.expect_next();
  line.begin('[');
  while (line.next()) words.push_back(line.string());
  return words;
}

std::optional<record::PointError> next_error(JsonScanner& line) {
  line.expect_next();
  if (line.null()) return std::nullopt;
  line.begin('[');
  line.expect_next();
  const std::string word = line.string();
  const auto step = record::step_named(word);
  if (!step) line.fail(fmt::format("'{}' is no step", word));
  line.expect_next();
  record::PointError error{step.value_or(Step::store), line.string()};
  line.expect_end();
  return error;
}

record::MedianInterval next_interval(JsonScanner& line) {
  record::MedianInterval interval;
  interval.interval.low = next_number<double>(line);
  interval.interval.high = next_number<double>(line);
  line.expect_next();
  interval.reached = line.boolean();
  return interval;
}

std::optional<record::Summary> next_figures(JsonScanner& line) {
  line.expect_next();
  if (line.null()) return std::nullopt;
  record::Summary made;
  line.begin('[');
  made.rounds = next_number<int>(line);
  made.cycles = next_number<double>(line);
  made.interval = next_interval(line);
  made.fit.slope = next_number<double>(line);
  made.fit.intercept = next_number<double>(line);
  made.fit.r2 = next_number<double>(line);
  made.fit.worst_residual = next_number<double>(line);
  line.expect_next();
  line.begin('[');
  while (line.next()) made.modes.push_back(line.number<double>());
  if (made.modes.empty()) made.modes = {made.cycles};
  line.expect_next();
  line.begin('[');
  while (line.next()) {
    line.begin('[');
    const auto value = next_number<double>(line);
    made.readings.push_back({value, next_interval(line)});
    line.expect_end();
  }
  line.expect_end();
  return record::rounded(std::move(made));
}

}  // namespace

void JsonReader::read_series(JsonScanner& line) {
  PointRow& row = series_.emplace_back();
  line.begin('{');
  while (line.next()) {
    const std::string key = line.key();
    if (key == "kind") {
      const std::string word = line.string();
      const auto kind = record::point_kind(word);
      if (!kind) line.fail(fmt::format("'{}' is no kind of point", word));
      row.kind = kind.value_or(record::PointKind::point);
    } else if (key == "unit") {
      row.unit = line.string();
    } else if (key == "device") {
      const size_t device = reference(line, made_.results.devices, "device");
      if (line.good()) row.device_uuid = made_.results.devices[device].uuid;
    } else if (key == "run") {
      const size_t run = reference(line, made_.results.runs, "run");
      if (line.good()) row.run_id = made_.results.runs[run].id;
    } else if (key == "readings") {
      line.begin('[');
      while (line.next()) {
        line.begin('[');
        line.expect_next();
        std::string name = line.string();
        line.expect_next();
        row.readings.push_back({std::move(name), line.string()});
        line.expect_end();
      }
    } else {
      line.fail(
          fmt::format("unknown key '{}', {}", key,
                      base::nearest_word_hint(key, {"kind", "unit", "device", "run", "readings"})));
    }
  }
  if (line.good() && (row.device_uuid.empty() || row.run_id.empty()))
    line.fail("a series without its device and run");
}

void JsonReader::set_variant(PointRow& row, size_t number) const {
  row.variant_id = variants_[number].id;
  row.variant_hash = variants_[number].hash;
}

void JsonReader::set_image(PointRow& row, size_t number) const {
  const Image& image = images_[number];
  row.text_hash = codes_[image.code].text_hash;
  row.sass_class = codes_[image.code].sass_class;
  row.module = modules_[image.module];
  row.ptx_hash = image.ptx_hash;
}

void JsonReader::read_point(JsonScanner& line) {
  line.begin('[');
  line.expect_next();
  const size_t series = reference(line, series_, "series");
  line.expect_next();
  const size_t variant = reference(line, made_.results.variants, "variant");
  line.expect_next();
  const size_t image = reference(line, images_, "image");
  if (!line.good()) return;
  PointRow row = series_[series];
  set_variant(row, variant);
  set_image(row, image);
  row.repetition = next_number<int>(line);
  line.expect_next();
  row.aa_control = line.boolean();
  row.conditions.sm = next_number<int>(line);
  row.conditions.first_warp = next_number<int>(line);
  row.megahertz = record::rounded_megahertz(next_number<double>(line));
  const std::vector<std::string> flags = next_words(line);
  row.error = next_error(line);
  if (line.good() && !set_by_flag_words(flags, row))
    line.fail(fmt::format("an unknown flag among: {}", fmt::join(flags, " ")));
  row.summary = next_figures(line);
  line.expect_end();
  if (row.summary && row.summary->readings.size() != row.readings.size())
    line.fail(fmt::format("figures of {} readings of {}", row.summary->readings.size(),
                          row.readings.size()));
  made_.points.push_back(std::move(row));
}

void JsonReader::read_same_code(JsonScanner& line) {
  line.begin('[');
  line.expect_next();
  const size_t series = reference(line, series_, "series");
  line.expect_next();
  const size_t measured = reference(line, made_.results.variants, "variant");
  if (!line.good()) return;
  SameCode group;
  group.row = series_[series];
  group.row.conditions.sm = next_number<int>(line);
  group.row.conditions.first_warp = next_number<int>(line);
  group.row.megahertz = record::rounded_megahertz(next_number<double>(line));
  if (const auto flags = next_words(line); line.good() && !set_by_flag_words(flags, group.row))
    line.fail(fmt::format("an unknown flag among: {}", fmt::join(flags, " ")));
  group.row.verdict = record::Verdict::same_code;
  group.row.same_as = variants_[measured].id;
  line.expect_next();
  line.begin('[');
  while (line.next()) group.repetitions.push_back(line.number<int>());
  line.expect_next();
  line.begin('[');
  PointRow row;
  while (line.next()) {
    line.begin('[');
    line.expect_next();
    const size_t variant = reference(line, made_.results.variants, "variant");
    line.expect_next();
    const size_t image = reference(line, images_, "image");
    line.expect_end();
    if (!line.good()) return;
    set_variant(row, variant);
    set_image(row, image);
    group.members.push_back({row.variant_id, row.variant_hash, row.ptx_hash, row.text_hash,
                             row.sass_class, row.module});
  }
  line.expect_end();
  made_.same_code.push_back(std::move(group));
}

// Lines of samples until the text ends.
Status JsonReader::read_sample_text(std::string_view text, const std::string& name, int line,
                                    size_t& found) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const Status read = read_sample_line(text.substr(0, end), made_.points);
    if (!read) return fail(Step::store, "{}:{}: {}", name, line, read.error().message);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++found;
    ++line;
  }
  return {};
}

Status JsonReader::read_samples(const fs::path& folder) {
  size_t found = 0;
  const bool inside = sample_files_.empty();
  if (!inside && !rest_.empty()) return ++line_, complain("something behind the last line");
  if (!inside && wanted_) {
    made_.results.points.swap(made_.points);
    const bool wanted = wanted_(made_.results);
    made_.results.points.swap(made_.points);
    if (!wanted) return {};
  }
  if (inside) PHASEBIT_TRY(read_sample_text(rest_, name_, line_ + 1, found));
  for (const std::string& file : sample_files_) {
    const std::string path = (folder / file).string();
    PHASEBIT_TRY_ASSIGN(packed, base::read_file(path));
    PHASEBIT_TRY_ASSIGN(text, base::gunzip(packed, path));
    PHASEBIT_TRY(read_sample_text(text, path, 1, found));
  }
  if (found != counts_["samples"]) return no_line("samples", found);
  return {};
}

namespace {

// 0 for what has no header of ours.
int version_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto value = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!value.is_object() || !value.contains("phasebit_results")) return 0;
  int version = 0;
  return base::read_json(value["phasebit_results"], version) ? version : 0;
}

}  // namespace

Result<record::Results> from_json_lines(std::string_view text, const std::string& name,
                                        const fs::path& folder, const SampleWish& wanted) {
  const int version = version_of(text);
  if (version == 0)
    return with_hint(fail(Step::store, "{} has no header of phasebit results", name),
                     "`phasebit export` writes such files");
  if (version == json_lines_version) return JsonReader(text, name, wanted).read(folder);
  return with_hint(fail(Step::store, "{}:1: results of version {}, this program reads version {}",
                        name, version, json_lines_version),
                   version > json_lines_version ? "use a newer phasebit"
                                                : "export it again with the phasebit that made it");
}

}  // namespace phasebit::store::json
