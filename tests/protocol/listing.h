// A committed listing, ready to be checked for a launch of a few items.
#pragma once

#include "core/base/file.h"
#include "core/ptx/head/head.h"
#include "core/ptx/run/machine.h"
#include "tests/home.h"

#include <algorithm>
#include <string>
#include <vector>

namespace phasebit::test {

struct Listing {
  ptx::PtxFile file;
  launch::LaunchShape shape;
  std::uint32_t items = 0;
  ptx::run::RunLaunch launch;
  const ptx::PtxFunction& entry() const { return *file.entries().front(); }
  // By the code that verifies a GPU's launches.
  Status verify(const ptx::run::RunOutcome& outcome) const {
    launch::ExpectedChecksums expected(shape, ptx::run::seed_of_run);
    return launch::verify_launch(shape, 0, ptx::run::output_of(shape, items, outcome.memory),
                                 expected);
  }
};

inline Result<Listing> open_listing(const std::string& text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  Listing made;
  made.file = std::move(file);
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(made.entry().head_lines, name));
  int stages = 1;
  for (const auto& barrier : head.barriers) stages = std::max(stages, barrier.count);
  made.shape = ptx::run::shape_of_run(head.launch);
  made.items = ptx::run::usual_items(made.shape, stages);
  PHASEBIT_TRY_ASSIGN(launch, ptx::run::launch_of(made.shape, made.items,
                                                  ptx::run::parameter_places(made.entry())));
  made.launch = std::move(launch);
  return made;
}

inline Result<Listing> open_listing(const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  return open_listing(text, path.filename());
}

inline std::vector<fs::path> listings() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(home().data / "ptx"))
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace phasebit::test
