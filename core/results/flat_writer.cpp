#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/results/csv_rows.h"
#include "core/results/flat.h"
#include "core/results/flat_columns.h"
#include "core/results/flat_keys.h"
#include "core/results/same_code.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::results {

namespace {

class FlatWriter {
 public:
  FlatWriter(const Results& results, bool with_samples)
      : results_(results), with_samples_(with_samples), measured_(measured_code(results)) {
    for (const VariantRow& variant : results.variants) variants_.emplace(variant.id, &variant);
    for (const DeviceRow& device : results.devices) devices_.emplace(device.uuid, &device);
    for (const RunRow& run : results.runs) runs_.emplace(run.id, &run);
    find_axes();
    for (const PointRow& point : results.points) {
      const nlohmann::json extra = extra_of(point);
      for (const auto& [name, value] : extra.items()) extra_.insert(name);
    }
  }

  std::string text() {
    std::string text = header();
    for (const PointRow& point : results_.points) add_row(point, text);
    return text;
  }

 private:
  static nlohmann::json extra_of(const PointRow& point) {
    if (point.extra.empty()) return nlohmann::json::object();
    return nlohmann::json::parse(point.extra.text());
  }
  void find_axes() {
    std::vector<const VariantRow*> used;
    std::set<const VariantRow*> seen;
    for (const PointRow& point : results_.points)
      if (const auto at = variants_.find(point.variant_id);
          at != variants_.end() && seen.insert(at->second).second)
        used.push_back(at->second);
    axes_ = axis_columns(used);
  }
  std::string header() const {
    std::string text;
    for (const Column& column : flat_columns()) text += column.name + ",";
    for (const std::string& axis : axes_) text += csv_text(std::string(axis_prefix) + axis) + ",";
    text += "named,axis_order,waits_on,blank";
    for (const std::string& name : extra_) text += "," + csv_text(name);
    return text + "\n";
  }
  const std::set<std::string>& lacks_of(const PointRow& point) {
    if (point.lacks == lacks_) return lacking_;
    lacks_ = point.lacks;
    lacking_.clear();
    for (std::string_view rest = lacks_; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      lacking_.emplace(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lacking_;
  }
  void fill(const PointRow& point) {
    set_point(row_, point);
    row_.number = number_++;
    if (point.verdict == Verdict::same_code)
      if (const PointRow* measured = measured_.find(point))
        row_.figure_point = static_cast<std::uint64_t>(measured - results_.points.data());
    if (with_samples_) row_.samples = point.samples.size();
    if (base::short_hash(point.variant_id) != point.variant_hash.text())
      row_.hash = point.variant_hash;
    const auto device = devices_.find(point.device_uuid);
    if (device != devices_.end() && row_.device.uuid != point.device_uuid.text())
      row_.device = *device->second;
    const auto run = runs_.find(point.run_id);
    if (run != runs_.end() && row_.run.id != point.run_id.text()) row_.run = *run->second;
  }
  void add_row(const PointRow& point, std::string& text) {
    fill(point);
    const std::set<std::string>& lacking = lacks_of(point);
    for (const Column& column : flat_columns()) {
      const bool is_null = (column.expected && !column.expected(row_)) ||
                           (!lacking.empty() && lacking.contains(column.name));
      if (!is_null) column.write(row_, text);
      text += ',';
    }
    text += key_of(point.variant_id);
    const nlohmann::json extra = extra_of(point);
    for (const std::string& name : extra_)
      text += "," + (extra.contains(name) ? csv_text(extra[name].get<std::string>()) : "");
    text += '\n';
  }
  // The columns from the axes on.
  const std::string& key_of(const Word& id) {
    const auto [at, is_new] = keys_.try_emplace(id);
    if (!is_new) return at->second;
    const auto variant = variants_.find(id);
    const VariantRow none;
    const VariantRow& row = variant == variants_.end() ? none : *variant->second;
    const KeyColumns key = columns_of(row, axes_);
    const auto nullable = [](const std::string& words) {
      return words.empty() ? std::string() : csv_text(words);
    };
    std::string& text = at->second;
    for (const auto& value : key.values) text += (value ? csv_text(*value) : "") + ",";
    text += nullable(key.named) + "," + nullable(key.axis_order) + ",";
    const auto labels = results_.catalogue.protocols.find(row.value("protocol"));
    if (labels == results_.catalogue.protocols.end()) return text += ",";
    return text +=
           csv_text(labels->second.waits_on) + "," + nullable(joined_words(labels->second.blank));
  }

  const Results& results_;
  bool with_samples_;
  MeasuredCode measured_;
  std::unordered_map<Word, const VariantRow*> variants_;
  std::unordered_map<Word, const DeviceRow*> devices_;
  std::unordered_map<Word, const RunRow*> runs_;
  std::vector<std::string> axes_;
  std::set<std::string> extra_;
  std::unordered_map<Word, std::string> keys_;
  Word lacks_;
  std::set<std::string> lacking_;
  std::uint64_t number_ = 0;
  FlatRow row_;
};

Status write_text(const fs::path& path, const std::string& text) {
  return base::write_file(path, path.extension() == ".zst" ? base::zstd(text) : text);
}

}  // namespace

std::string to_csv(const Results& results) {
  const Results ordered = in_file_order(results);
  return FlatWriter(ordered, false).text();
}

Status write_flat(const fs::path& path, const Results& results) {
  const auto samples = samples_path(path);
  const Results ordered = in_file_order(results);
  const bool any = std::ranges::any_of(
      ordered.points, [](const PointRow& point) { return !point.samples.empty(); });
  std::error_code ignored;
  if (samples && !any && fs::exists(*samples, ignored))
    return with_hint(
        fail(Step::store, "{} has the samples of an earlier file, and these rows have no samples",
             samples->string()),
        "move it, or choose another name");
  PHASEBIT_TRY(write_text(path, FlatWriter(ordered, samples.has_value()).text()));
  return samples && any ? write_text(*samples, samples_csv(ordered.points)) : Status();
}

}  // namespace phasebit::results
