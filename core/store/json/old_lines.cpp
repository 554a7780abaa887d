#include "core/store/json/old_lines.h"

#include "core/record/statistics.h"
#include "core/store/json/rows.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace phasebit::store::json {

using base::JsonFields;
using record::Results;

using nlohmann::ordered_json;

namespace {

class LineReader {
 public:
  explicit LineReader(std::string name) : name_(std::move(name)) {}

  Status read(std::string_view line) {
    ++line_;
    const ordered_json value = ordered_json::parse(line, nullptr, false);
    if (line_ == 1 && !value.is_object()) return not_ours();
    if (value.is_discarded())
      return with_hint(complain("no JSON"), "is the file cut short, or merged by hand?");
    if (!value.is_object()) return complain("no JSON object");
    JsonFields fields(value);
    PHASEBIT_TRY(line_ == 1 ? read_header(fields) : read_row(fields));
    fields.finish();
    if (fields.mistake()) return complain(*fields.mistake());
    return {};
  }

  Result<Results> finish() {
    if (line_ == 0) return not_ours();
    for (const auto& [word, expected, found] :
         {std::tuple{"devices", devices_, results_.devices.size()},
          std::tuple{"runs", runs_, results_.runs.size()},
          std::tuple{"points", points_, results_.points.size()}})
      if (expected != found)
        return with_hint(
            complain(fmt::format("the file ends with {} {} of {}", found, word, expected)),
            "export it again");
    return std::move(results_);
  }

 private:
  tl::unexpected<Error> complain(const std::string& what) const {
    return fail(Step::store, "{}:{}: {}", name_, line_, what);
  }
  tl::unexpected<Error> not_ours() const {
    return with_hint(fail(Step::store, "{} has no header of phasebit results", name_),
                     "`phasebit export` writes such files");
  }

  Status read_header(JsonFields& fields) {
    if (fields.find("phasebit_results") == nullptr) return not_ours();
    const int version = fields.get<int>("phasebit_results");
    if (version > newest_old_version)
      return with_hint(complain(fmt::format("results of version {}, this program reads version {}",
                                            version, newest_old_version)),
                       "use a newer phasebit");
    devices_ = fields.get<size_t>("devices");
    runs_ = fields.get<size_t>("runs");
    points_ = fields.get<size_t>("points");
    return {};
  }

  Status read_row(JsonFields& fields) {
    const auto type = fields.get<std::string>("type");
    if (fields.mistake()) return complain(*fields.mistake());
    if (type == "device") {
      results_.devices.push_back(device_of(fields));
      known_devices_.insert(results_.devices.back().uuid);
    } else if (type == "run") {
      results_.runs.push_back(run_of(fields));
      known_runs_.insert(results_.runs.back().id);
    } else if (type == "point") {
      results_.points.push_back(point_of(fields));
      record::add_summary(results_.points.back());
      check_references(fields, results_.points.back());
    } else {
      return complain(fmt::format("unknown type '{}', {}", type,
                                  base::nearest_word_hint(type, {"device", "run", "point"})));
    }
    return {};
  }

  void check_references(JsonFields& fields, const record::PointRow& point) const {
    if (known_devices_.count(point.device_uuid) == 0)
      fields.complain(fmt::format("device '{}' stands on no line above", point.device_uuid));
    if (known_runs_.count(point.run_id) == 0)
      fields.complain(fmt::format("run '{}' stands on no line above", point.run_id));
  }

  std::string name_;
  int line_ = 0;
  size_t devices_ = 0, runs_ = 0, points_ = 0;
  Results results_;
  std::set<std::string> known_devices_, known_runs_;
};

}  // namespace

Result<Results> from_old_json_lines(std::string_view text, const std::string& name) {
  LineReader reader(name);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    PHASEBIT_TRY(reader.read(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace phasebit::store::json
