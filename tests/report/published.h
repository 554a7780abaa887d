// The project's own published results, for tests.
#pragma once

#include "core/results/load.h"
#include "tests/home.h"

#include <algorithm>
#include <vector>

namespace phasebit::test {

inline std::vector<fs::path> published() {
  std::vector<fs::path> files;
  for (const auto& folder : fs::directory_iterator(home().data / "results"))
    if (folder.is_directory())
      for (const auto& file : fs::directory_iterator(folder.path()))
        if (results::is_results_file(file.path())) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Those of one name below a GPU's folder, which claims and tables ask on their own: "peers/peers"
// are other libraries' rings.
inline std::vector<fs::path> published_apart(const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& folder : fs::directory_iterator(home().data / "results"))
    if (fs::exists(folder.path() / (name + ".csv.zst")))
      files.push_back(folder.path() / (name + ".csv.zst"));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace phasebit::test
