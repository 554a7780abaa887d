// A committed listing, ready to be checked for launches of a few items.
#pragma once

#include "analysis/protocol/check.h"
#include "analysis/protocol/counts.h"
#include "core/base/file.h"
#include "core/ptx/head/head.h"
#include "core/ptx/run/machine.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace phasebit::test {

struct Listing {
  ptx::PtxFile file;
  ptx::head::Head head;
  launch::LaunchShape shape;
  int num_stages = 1;
  std::vector<protocol::ItemsLaunch> launches;  // of those items that are usual
  const ptx::PtxFunction& entry() const { return *file.entries().front(); }
  const ptx::run::RunLaunch& launch() const { return launches.front().launch; }
  protocol::Counted count() const {
    return protocol::count_executions(
        {file, entry(), head.barriers,
         [&](std::uint32_t items) {
           return ptx::run::launch_of(shape, items, ptx::run::parameter_places(entry()));
         },
         launch::allowed_items(shape, 2 * static_cast<std::uint64_t>(num_stages)), true});
  }
};

// Verified by the code that verifies a GPU's launches.
inline Result<protocol::ItemsLaunch> launch_of_items(const launch::LaunchShape& shape,
                                                     const ptx::PtxFunction& entry,
                                                     std::uint32_t items) {
  PHASEBIT_TRY_ASSIGN(launch, ptx::run::launch_of(shape, items, ptx::run::parameter_places(entry)));
  const auto verify = [shape, items](const ptx::run::RunOutcome& outcome) {
    launch::ExpectedChecksums expected(shape, ptx::run::seed_of_run);
    return launch::verify_launch(shape, 0, ptx::run::output_of(shape, items, outcome.memory),
                                 expected);
  };
  return protocol::ItemsLaunch{items, std::move(launch), verify};
}

inline Result<Listing> open_listing(const std::string& text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  Listing made;
  made.file = std::move(file);
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(made.entry().head_lines, name));
  made.head = std::move(head);
  made.num_stages = std::max(1, std::atoi(made.head.key.value("num_stages").c_str()));
  for (const auto& barrier : made.head.barriers)
    made.num_stages = std::max(made.num_stages, barrier.count);
  made.shape = ptx::run::shape_of_run(made.head.launch);
  for (const std::uint32_t items : ptx::run::usual_items(made.shape, made.num_stages)) {
    PHASEBIT_TRY_ASSIGN(launch, launch_of_items(made.shape, made.entry(), items));
    made.launches.push_back(std::move(launch));
  }
  return made;
}

// The events of a listing's run, whatever lines they come from, and what it leaves in memory.
struct Graph {
  std::uint64_t events = 0;
  ptx::run::RunMemory memory;
  bool operator==(const Graph&) const = default;
};

inline Graph graph_of(const Listing& listing) {
  const auto program = ptx::run::decode(listing.file, listing.entry());
  if (!program) return {};
  ptx::run::RunOptions options;
  options.most_steps = 1'000'000;
  options.elected = 31;
  auto outcome = ptx::run::run_launch(*program, listing.launch(), options);
  return {outcome.events, std::move(outcome.memory)};
}

// How many schedules are drawn: few, or as many as PHASEBIT_SCHEDULES says.
inline std::uint32_t drawn_schedules() {
  const char* asked = std::getenv("PHASEBIT_SCHEDULES");
  return asked == nullptr ? 3 : static_cast<std::uint32_t>(std::atoi(asked));
}

// What goes wrong in schedules that are drawn of a kernel whose first run had `events`; "":
// nothing.
inline std::string wrong_in_schedules(const Listing& listing, std::uint64_t events) {
  const auto program = ptx::run::decode(listing.file, listing.entry());
  if (!program) return program.error().message;
  const protocol::ItemsLaunch& first = listing.launches.front();
  ptx::run::RunOptions options;
  options.most_steps = 3'000'000;
  options.elected = 31;
  for (options.seed = 1; options.seed <= drawn_schedules(); ++options.seed) {
    const auto other = ptx::run::run_launch(*program, first.launch, options);
    const std::string where = fmt::format("schedule {}: ", options.seed);
    for (const ptx::run::Finding& one : other.findings)
      if (one.grade == ptx::run::Grade::error) return where + one.what;
    if (!other.ended || other.events != events) return where + "other events";
    if (const Status right = first.verify(other); !other.has_unfollowed && !right)
      return where + right.error().message;
  }
  return "";
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
