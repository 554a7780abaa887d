#include "core/store/json/writer.h"

#include "core/base/hash.h"
#include "core/base/json_fields.h"
#include "core/record/statistics.h"
#include "core/store/json/columns.h"
#include "core/store/json/flag_words.h"
#include "core/store/json/lines.h"
#include "core/store/json/rows.h"

#include <map>
#include <tuple>

namespace phasebit::store::json {

using record::PointRow;

namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + quoted(word);
  return "[" + text + "]";
}

std::string object_of(const image::KeyAxes& axes) {
  std::string text;
  for (const auto& [axis, value] : axes)
    text += (text.empty() ? "" : ",") + quoted(axis) + ":" + quoted(value);
  return "{" + text + "}";
}

// Lines of one kind, each once, with their numbers.
template <typename Key>
class Lines {
 public:
  template <typename Text>
  size_t number(const Key& key, const Text& text) {
    const auto [at, is_new] = numbers_.emplace(key, numbers_.size());
    if (is_new) text_ += text() + "\n";
    return at->second;
  }
  size_t count() const { return numbers_.size(); }
  const std::string& text() const { return text_; }

 private:
  std::map<Key, size_t> numbers_;
  std::string text_;
};

std::string figures_of(const record::Summary& made) {
  std::string readings;
  for (const record::ReadingSummary& one : made.readings)
    readings +=
        fmt::format("{}[{},{},{},{}]", readings.empty() ? "" : ",", one.value,
                    one.interval.interval.low, one.interval.interval.high, one.interval.reached);
  // The median is the one mode of nearly all.
  const bool one_mode = made.modes == std::vector<double>{made.cycles};
  return fmt::format("[{},{},{},{},{},{},{},{},{},[{}],[{}]]", made.rounds, made.cycles,
                     made.interval.interval.low, made.interval.interval.high, made.interval.reached,
                     made.fit.slope, made.fit.intercept, made.fit.r2, made.fit.worst_residual,
                     fmt::join(one_mode ? std::vector<double>() : made.modes, ","), readings);
}

class Writer {
 public:
  explicit Writer(const Arranged& arranged) : results_(arranged.results) {
    for (const record::VariantRow& variant : results_.variants)
      variants_.number(variant.id, [&] { return variant_text(variant); });
    for (const record::DeviceRow& device : results_.devices)
      devices_.emplace(device.uuid, devices_.size());
    for (const record::RunRow& run : results_.runs) runs_.emplace(run.id, runs_.size());
    for (const PointRow& point : arranged.points) add_point(point);
    for (const SameCode& group : arranged.same_code) add_same_code(group);
    points_ = arranged.points.size();
    same_code_ = arranged.same_code.size();
  }

  std::string text(const FilesBeside& files) const {
    std::string text = fmt::format(
        R"({{"phasebit_results":{},"columns":{},"counts":{{"devices":{},"runs":{},"defaults":{},)"
        R"("variants":{},"codes":{},"modules":{},"images":{},"series":{},"points":{},)"
        R"("same_code":{},"samples":{}}},"sample_files":{}{}}})",
        json_lines_version, json_columns, results_.devices.size(), results_.runs.size(),
        defaults_.count(), variants_.count(), codes_.count(), modules_.count(), images_.count(),
        series_.count(), points_, same_code_, files.samples, quoted_list(files.sample_files),
        files.part == FilePart()
            ? ""
            : fmt::format(R"(,"part":[{},{}])", files.part.number, files.part.count));
    text += "\n" + image::json_of(results_.catalogue).dump() + "\n";
    for (const record::DeviceRow& device : results_.devices) text += line_of(json_of(device));
    for (const record::RunRow& run : results_.runs) text += line_of(json_of(run));
    return text + defaults_.text() + variants_.text() + codes_.text() + modules_.text() +
           images_.text() + series_.text() + point_text_ + same_text_;
  }

 private:
  static std::string line_of(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  std::string variant_text(const record::VariantRow& row) {
    if (!row.has_key()) return fmt::format("[null,{{}},{},{}]", quoted(row.id), quoted(row.hash));
    const size_t defaults =
        defaults_.number(*row.defaults, [&] { return object_of(*row.defaults); });
    const bool made = record::display_id(*row.defaults, row.named) == row.id &&
                      base::short_hash(row.id) == row.hash;
    return fmt::format("[{},{}{}]", defaults, object_of(row.named),
                       made ? "" : fmt::format(",{},{}", quoted(row.id), quoted(row.hash)));
  }

  // All are in results.variants.
  size_t variant(const std::string& id) {
    return variants_.number(id, []() -> std::string { bug("a variant without its row"); });
  }

  size_t image(const std::string& ptx_hash, const std::string& text_hash,
               const std::string& sass_class, const std::string& module_hash) {
    const size_t code = codes_.number({text_hash, sass_class}, [&] {
      return fmt::format("[{},{}]", quoted(text_hash), quoted(sass_class));
    });
    const size_t module = modules_.number(module_hash, [&] { return quoted(module_hash); });
    return images_.number({code, module, ptx_hash}, [&] {
      return fmt::format("[{},{},{}]", code, module, quoted(ptx_hash));
    });
  }

  size_t series(const PointRow& row) {
    std::string readings;
    for (const record::ReadingName& reading : row.readings)
      readings += (readings.empty() ? "" : ",") + quoted_list({reading.name, reading.unit});
    std::string text =
        fmt::format(R"({{"kind":{},"unit":{},"device":{},"run":{},"readings":[{}]}})",
                    quoted(record::to_string(row.kind)), quoted(row.unit),
                    devices_.at(row.device_uuid), runs_.at(row.run_id), readings);
    return series_.number(text, [&] { return text; });
  }

  void add_point(const PointRow& row) {
    const auto made = record::summary_of(row);
    std::string error = "null";
    if (row.error)
      error = quoted_list({std::string(base::to_string(row.error->step)), row.error->message});
    point_text_ +=
        fmt::format("[{},{},{},{},{},{},{},{},{},{},{}]\n", series(row), variant(row.variant_id),
                    image(row.ptx_hash, row.text_hash, row.sass_class, row.module), row.repetition,
                    row.aa_control, row.conditions.sm, row.conditions.first_warp, row.megahertz,
                    quoted_list(flag_words_of(row)), error, made ? figures_of(*made) : "null");
  }

  void add_same_code(const SameCode& group) {
    std::string members;
    for (const SameCode::Member& one : group.members)
      members += fmt::format("{}[{},{}]", members.empty() ? "" : ",", variant(one.variant_id),
                             image(one.ptx_hash, one.text_hash, one.sass_class, one.module));
    std::vector<std::string> flags = flag_words_of(group.row);
    flags.pop_back();  // whose code it is stands before them
    same_text_ += fmt::format("[{},{},{},{},{},{},[{}],[{}]]\n", series(group.row),
                              variant(group.row.same_as), group.row.conditions.sm,
                              group.row.conditions.first_warp, group.row.megahertz,
                              quoted_list(flags), fmt::join(group.repetitions, ","), members);
  }

  const record::Results& results_;
  std::map<std::string, size_t> devices_, runs_;
  Lines<image::KeyAxes> defaults_;
  Lines<std::string> variants_, modules_, series_;
  Lines<std::pair<std::string, std::string>> codes_;
  Lines<std::tuple<size_t, size_t, std::string>> images_;
  std::string point_text_, same_text_;
  size_t points_ = 0, same_code_ = 0;
};

}  // namespace

std::string json_text(const Arranged& arranged, const FilesBeside& files) {
  return Writer(arranged).text(files);
}

std::optional<FilePart> part_of_header(std::string_view line) {
  const auto value = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!value.is_object() || !value.contains("phasebit_results") || !value.contains("part"))
    return {};
  const auto& part = value["part"];
  FilePart read;
  const bool good = part.is_array() && part.size() == 2 && base::read_json(part[0], read.number) &&
                    base::read_json(part[1], read.count) && read.number >= 1 &&
                    read.number <= read.count;
  return good ? std::optional(read) : std::nullopt;
}

}  // namespace phasebit::store::json
