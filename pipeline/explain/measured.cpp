#include "pipeline/explain/measured.h"

#include "core/image/whole.h"
#include "core/store/flat.h"
#include "core/store/load.h"
#include "gen/catalogue/catalogue.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <set>

namespace phasebit::pipeline::explain {

using base::Home;
using record::RunRow;
using report::data::ReportData;

std::vector<fs::path> published_results(const Home& home) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    if (folder.is_directory())
      for (const auto& file : fs::directory_iterator(folder.path()))
        if (store::is_results_file(file.path())) found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

// results/*/PART/*.csv.zst
std::vector<std::string> published_in(const Home& home, const char* part) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    for (const auto& file : fs::directory_iterator(folder.path() / part, missing))
      if (store::is_results_file(file.path())) found.push_back(file.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> published_histories(const Home& home) {
  return published_in(home, "history");
}

std::vector<std::string> published_llvm(const Home& home) {
  return published_in(home, "llvm");
}

fs::path tables_folder(const Home& home) {
  return home.data / "analysis" / "report" / "tables";
}

namespace {

class AxisValues {
 public:
  explicit AxisValues(catalogue::Catalogue catalogue) : catalogue_(std::move(catalogue)) {
    for (const std::string& name : space::axis_names(catalogue_))
      if (!space::is_later_axis(name)) names_.insert(name);
  }

  Status check(const record::VariantRow& variant) {
    for (const char* free : {space::templates_axis, space::file_axis})
      if (variant.find(free) != nullptr) return {};
    const std::string probe = variant.value("probe");
    if (probe == image::anchor_probe || probe == image::whole_kind) return {};
    if (variant.has_key())
      for (const auto& [axis, value] : *variant.defaults)
        PHASEBIT_TRY(check_value(variant, axis, value));
    for (const auto& [axis, value] : variant.named) PHASEBIT_TRY(check_value(variant, axis, value));
    return {};
  }

 private:
  Status check_value(const record::VariantRow& variant, const std::string& axis,
                     const std::string& value) {
    if (!names_.contains(axis) || known_.contains({axis, value})) return {};
    const Status valid = catalogue_.check_value(axis, value);
    if (!valid)
      return with_hint(fail(Step::store, "{}: axis {} has no value '{}'", variant.id, axis, value),
                       valid.error().hint);
    known_.emplace(axis, value);
    return {};
  }

  catalogue::Catalogue catalogue_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace

Result<DeclaredAxes> declared_axes(const Home& home) {
  PHASEBIT_TRY_ASSIGN(catalogue, catalogue::Catalogue::load(home.data / "templates"));
  DeclaredAxes axes{space::axis_names(catalogue), {}};
  const auto values = std::make_shared<AxisValues>(std::move(catalogue));
  axes.check = [values](const record::VariantRow& variant) { return values->check(variant); };
  return axes;
}

tl::unexpected<Error> nothing_published(const Home& home, std::string_view what) {
  return with_hint(
      fail(Step::usage, "no {} published under {}", what, (home.data / "results").string()),
      "name a store or a file of results");
}

namespace {

void keep_target(record::Results& results, const std::string& target) {
  std::set<std::string> left_out;
  for (const RunRow& run : results.runs)
    if (run.target != target) left_out.insert(run.id);
  std::erase_if(results.runs, [&](const RunRow& run) { return left_out.contains(run.id); });
  std::erase_if(results.points,
                [&](const record::PointRow& row) { return left_out.contains(row.run_id); });
}

}  // namespace

Result<ReportData> measured_data(const Home& home, std::vector<std::string> results,
                                 const std::string& device, const std::string& target) {
  if (results.empty()) results = published_histories(home);
  if (results.empty()) return nothing_published(home, "history is");
  PHASEBIT_TRY_ASSIGN(loaded,
                      store::load_results({results.begin(), results.end()}, store::no_samples));
  if (!target.empty()) keep_target(loaded, target);
  return report::data::report_data(store::sorted_by_run(std::move(loaded)), device);
}

Result<ReportData> published_data_of(const Home& home, const std::vector<std::string>& ids,
                                     const std::string& device, const std::string& target) {
  const auto has_all = [&](const ReportData& data) {
    return std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return report::data::find_variant(data.aggregation.points, id) != nullptr;
    });
  };
  if (!published_histories(home).empty()) {
    auto histories = measured_data(home, {}, device, target);
    if (!histories || has_all(*histories)) return histories;
  }
  if (const auto files = published_llvm(home); !files.empty()) {
    auto pairs = last_device_of(files, device, target);
    if (pairs && has_all(*pairs)) return pairs;
  }
  std::vector<std::string> files;
  for (const fs::path& file : published_results(home)) files.push_back(file.string());
  if (files.empty()) return nothing_published(home, "results are");
  return last_device_of(files, device, target);
}

Result<ReportData> last_device_of(const std::vector<std::string>& files, const std::string& device,
                                  const std::string& target) {
  PHASEBIT_TRY_ASSIGN(loaded, store::load_results({files.begin(), files.end()}, store::no_samples));
  if (!target.empty()) keep_target(loaded, target);
  std::string chosen = device;
  for (const record::DeviceRow& one : loaded.devices)
    if (device.empty()) chosen = std::max(chosen, one.name);
  return report::data::report_data(store::sorted_by_run(std::move(loaded)), chosen);
}

Result<std::string> target_of_rows(const std::string& asked, const ReportData& data,
                                   const std::vector<std::string>& ids) {
  if (!asked.empty()) return asked;
  std::set<std::string> runs, targets;
  for (const record::PointRow* row : data.rows)
    if (std::find(ids.begin(), ids.end(), row->variant_id) != ids.end()) runs.insert(row->run_id);
  for (const RunRow& run : data.runs)
    if (runs.contains(run.id)) targets.insert(run.target);
  if (targets.size() == 1) return *targets.begin();
  return measured_target(asked, data);
}

Result<std::string> measured_target(const std::string& asked, const ReportData& data) {
  if (!asked.empty()) return asked;
  std::set<std::string> targets;
  for (const RunRow& run : data.runs) targets.insert(run.target);
  if (targets.size() == 1) return *targets.begin();
  return with_hint(fail(Step::usage, "the results are of {} targets: {}", targets.size(),
                        fmt::join(targets, ", ")),
                   "give --target");
}

}  // namespace phasebit::pipeline::explain
