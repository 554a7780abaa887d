// Forks and the parents that they came from.
#pragma once

#include "gen/kernel/tuned.h"
#include "join/select/space.h"

#include <string>
#include <vector>

namespace phasebit::join::variants {

struct ForkRequest {
  select::SpaceRequest space;
  std::string variant;  // id or hash; to merge a fork's name, or "" for all
  std::string name;     // of the fork; "" for the first of tuned1, tuned2, ... that is free
};

// A fork of a variant of the templates.
Result<kernel::Fork> begin_fork(const ForkRequest& request);

// Each with its current parent; an error does not keep the others from being merged.
struct MergedForks {
  std::vector<std::string> done;  // a line each
  std::vector<Error> failed;
};
// `resolved`: takes the current parent as merged: a person has done it.
Result<MergedForks> merge_forks(const ForkRequest& request, bool resolved);

// One line for each fork whose parent has changed since, or is gone, or that cannot be read: what,
// and what to do. Empty when all are as recorded.
std::vector<std::string> drifted_forks(const base::Home& home, const fs::path& templates,
                                       const space::Catalogue& catalogue);

}  // namespace phasebit::join::variants
