#include "core/store/load.h"

#include "core/store/json_lines.h"

namespace phasebit {

namespace {

Result<Results> load_file(const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(content, read_file(path));
  if (content.rfind(std::string("SQLite format 3\0", 16), 0) != 0)
    return from_json_lines(content, path.string());
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return store.results();
}

Result<std::vector<Results>> load_files(const std::vector<fs::path>& paths) {
  std::vector<Results> files;
  for (const fs::path& path : paths) {
    PHASEBIT_TRY_ASSIGN(file, load_file(path));
    files.push_back(std::move(file));
  }
  return files;
}

Result<MergeCounts> merge_files(Store& store, const std::vector<fs::path>& paths,
                                const std::vector<Results>& files) {
  MergeCounts sum;
  for (size_t i = 0; i < files.size(); ++i) {
    auto counts = store.merge(files[i]);
    if (!counts)
      return with_hint(fail(Step::store, "{}: {}", paths[i].string(), counts.error().message),
                       counts.error().hint);
    sum.devices += counts->devices;
    sum.runs += counts->runs;
    sum.points += counts->points;
    sum.points_known += counts->points_known;
  }
  return sum;
}

}  // namespace

Result<Results> load_results(const std::vector<fs::path>& paths) {
  PHASEBIT_TRY_ASSIGN(files, load_files(paths));
  if (files.size() == 1) return std::move(files.front());
  PHASEBIT_TRY_ASSIGN(store, Store::open_in_memory());
  PHASEBIT_TRY(merge_files(store, paths, files));
  return store.results();
}

Result<MergeCounts> import_results(const fs::path& path, const std::vector<fs::path>& paths) {
  PHASEBIT_TRY_ASSIGN(files, load_files(paths));
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return merge_files(store, paths, files);
}

}  // namespace phasebit
