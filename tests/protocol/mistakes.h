// Committed listings with one mistake each.
#pragma once

#include "core/base/file.h"

#include <string>
#include <vector>

namespace phasebit::test {

struct Mistake {
  fs::path listing;
  std::string kind;
  std::string what;  // "LISTING.ptx:120: arrival dropped: mbarrier.arrive..."
  std::string text;  // the whole file with it
};

// Every mistake that one line of the listing can have.
Result<std::vector<Mistake>> mistakes_of(const fs::path& listing);

}  // namespace phasebit::test
