#include "app/commands.h"

#include <cstdio>

namespace phasebit::app {

Status run_fork(const ForkOptions& options) {
  if (!options.merge && !options.resolved) {
    PHASEBIT_TRY_ASSIGN(fork, join::variants::begin_fork(options));
    fmt::print("{}\nedit {}\n", fork.key().id, fork.path.string());
    return {};
  }
  PHASEBIT_TRY_ASSIGN(merged, join::variants::merge_forks(options, options.resolved));
  for (const std::string& line : merged.done) fmt::print("{}\n", line);
  if (merged.failed.empty()) {
    // Of all forks, of which another may be wrong.
    const auto faults = join::images::faults_of_forks(options.space);
    if (!faults) fmt::print(stderr, "note: {}\n", faults.error().text());
    for (const std::string& fault : faults.value_or(std::vector<std::string>{}))
      fmt::print(stderr, "note: {}\n", fault);
    return {};
  }
  const Error last = merged.failed.back();
  merged.failed.pop_back();
  for (const Error& error : merged.failed) fmt::print(stderr, "phasebit: {}\n", error.text());
  return tl::unexpected<Error>(last);
}

}  // namespace phasebit::app
