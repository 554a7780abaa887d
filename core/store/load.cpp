#include "core/store/load.h"

#include "core/base/parallel.h"
#include "core/store/flat_samples.h"
#include "core/store/merge.h"

#include <set>

namespace phasebit::store {

using record::MergeCounts;
using record::Results;

namespace {

Result<Results> read_results(const fs::path& path, const SampleWish& wanted) {
  PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
  if (content.rfind(std::string("SQLite format 3\0", 16), 0) != 0)
    return read_flat(path, content, wanted);
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return store.results();
}

// Without samples of the others: `NAME*` names both.
std::vector<fs::path> with_rows(std::vector<fs::path> paths) {
  std::set<fs::path> samples;
  for (const fs::path& path : paths) samples.insert(samples_path(path).value_or(fs::path()));
  std::erase_if(paths, [&](const fs::path& path) { return samples.contains(path); });
  return paths;
}

// What was found in a file, with its name.
Error named(const fs::path& path, const Error& error) {
  return {Step::store, fmt::format("{}: {}", path.string(), error.message), error.hint};
}

Result<std::vector<Results>> load_files(const std::vector<fs::path>& paths,
                                        const SampleWish& wanted, const KeyCheck& keys) {
  std::vector<Result<Results>> read(paths.size(), Results());
  base::parallel_for(paths.size(), 0, [&](size_t n) { read[n] = read_results(paths[n], wanted); });
  std::vector<Results> files;
  for (size_t n = 0; n < paths.size(); ++n) {
    if (!read[n]) return tl::unexpected<Error>(read[n].error());
    for (const record::VariantRow& variant : read[n]->variants)
      if (const Status is_key = keys ? keys(variant) : Status(); !is_key)
        return tl::unexpected<Error>(named(paths[n], is_key.error()));
    files.push_back(std::move(*read[n]));
  }
  return files;
}

Result<MergeCounts> merge_files(Store& store, const std::vector<fs::path>& paths,
                                const std::vector<Results>& files) {
  MergeCounts sum;
  for (size_t i = 0; i < files.size(); ++i) {
    auto counts = store.merge(files[i]);
    if (!counts) return tl::unexpected<Error>(named(paths[i], counts.error()));
    sum.devices += counts->devices;
    sum.runs += counts->runs;
    sum.points += counts->points;
    sum.points_known += counts->points_known;
  }
  return sum;
}

}  // namespace

Result<Results> load_results(const std::vector<fs::path>& named_paths, const SampleWish& wanted,
                             const KeyCheck& keys) {
  const std::vector<fs::path> paths = with_rows(named_paths);
  PHASEBIT_TRY_ASSIGN(files, load_files(paths, wanted, keys));
  MergedResults whole;
  size_t points = 0, variants = 0;
  for (const Results& file : files) {
    points += file.points.size();
    variants += file.variants.size();
  }
  whole.reserve(points, variants);
  for (size_t n = 0; n < files.size(); ++n)
    if (const Status merged = whole.add(std::move(files[n])); !merged)
      return tl::unexpected<Error>(named(paths[n], merged.error()));
  Results results = whole.take();
  results.catalogue = facts_of(results);
  return results;
}

Result<MergeCounts> import_results(const fs::path& path, const std::vector<fs::path>& named_paths,
                                   const KeyCheck& keys) {
  const std::vector<fs::path> paths = with_rows(named_paths);
  PHASEBIT_TRY_ASSIGN(files, load_files(paths, {}, keys));
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return merge_files(store, paths, files);
}

}  // namespace phasebit::store
