// The variants of a space as files of PTX.
#pragma once

#include "join/select/space.h"

#include <string>
#include <vector>

namespace phasebit::join::variants {

struct GenerateRequest {
  select::SpaceRequest space;
  std::string out;       // folder for one .ptx a variant
  bool curated = false;  // write ptx/ from specs/curated.toml
  bool check = false;    // with curated: compare instead of writing
  std::string build = "timed";
};

struct Generated {
  std::size_t files = 0;
  fs::path folder;
  decltype(space::Expansion::pruned) pruned;
  std::vector<std::string> refused;  // what LLVM makes no PTX of, a line each
  std::vector<std::string> drifted;  // forks whose parents have changed, a line each
};
// Step::render, with all that differs, where curated listings are not what the templates give.
Result<Generated> generate(const GenerateRequest& request);

}  // namespace phasebit::join::variants
