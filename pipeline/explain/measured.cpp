#include "pipeline/explain/measured.h"

#include "core/store/json/lines.h"
#include "core/store/load.h"

#include <algorithm>
#include <set>

namespace phasebit {

std::vector<fs::path> published_results(const Home& home) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    if (folder.is_directory())
      for (const auto& file : fs::directory_iterator(folder.path()))
        if (file.path().extension() == ".jsonl") found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> published_histories(const Home& home) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    for (const auto& file : fs::directory_iterator(folder.path() / "history", missing))
      if (file.path().extension() == ".jsonl") found.push_back(file.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

tl::unexpected<Error> nothing_published(const Home& home, std::string_view what) {
  return with_hint(
      fail(Step::usage, "no {} published under {}", what, (home.data / "results").string()),
      "name a store or a file of JSON lines");
}

Result<ReportData> measured_data(const Home& home, std::vector<std::string> results,
                                 const std::string& device) {
  if (results.empty()) results = published_histories(home);
  if (results.empty()) return nothing_published(home, "history is");
  PHASEBIT_TRY_ASSIGN(loaded, load_results({results.begin(), results.end()}, no_samples));
  return report_data(sorted_by_run(std::move(loaded)), device);
}

Result<std::string> measured_target(const std::string& asked, const ReportData& data) {
  if (!asked.empty()) return asked;
  std::set<std::string> targets;
  for (const RunRow& run : data.results.runs) targets.insert(run.target);
  if (targets.size() == 1) return *targets.begin();
  return with_hint(fail(Step::usage, "the results are of {} targets: {}", targets.size(),
                        fmt::join(targets, ", ")),
                   "give --target");
}

}  // namespace phasebit
