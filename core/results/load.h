// Results from files, whatever their form.
#pragma once

#include "core/results/flat.h"
#include "core/results/record.h"
#include "core/results/store.h"

#include <string>
#include <vector>

namespace phasebit::results {

// Step::store where a variant's key is none, or cannot have that unit, without the file's name. The
// unit is empty where no row names one.
using KeyCheck = std::function<Status(const VariantRow& variant, const std::string& unit)>;

// Stores and files of results (flat.h), merged; each is told by its first bytes. Step::io when a
// file cannot be read, else as Store and read_flat say, with the file's name. `wanted`: whose
// samples are read, of files that keep them apart; their files may be named too. `keys` is asked
// about each variant.
Result<Results> load_results(const std::vector<fs::path>& paths, const SampleWish& wanted = {},
                             const KeyCheck& keys = {});

// Merges files of results and other stores into a store, which is made when it is missing. All
// files are read before the first is merged.
Result<MergeCounts> import_results(const fs::path& store, const std::vector<fs::path>& paths,
                                   const KeyCheck& keys = {});

// Results in another program's form. A point whose code was measured under another variant's name
// has that figure, of the same repetition; one without a figure has the reason.

// The form that Google Benchmark's --benchmark_format=json has. Its compare.py knows no cycles:
// they are given as this unit, and the label has their own.
inline constexpr const char* json_time_unit = "ns";
std::string to_google_benchmark_json(const Results& results);

}  // namespace phasebit::results
