// The question of `advise` answered by measuring: the likely candidates first, on a GPU
// (docs/tune.md).
#pragma once

#include "join/advise/search.h"
#include "join/images/tools.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::advise {

struct TuneRequest : AdviseRequest {
  images::ToolOptions tools;
  std::string folder = "tuned";  // of the bundle and the store
  std::string bench;             // "": the phasebit-bench next to this program
  int points = 0;                // at most; 0: default_points()
  bool anew = false;             // those that the results have, too
  bool replay = false;           // rows of the results stand for the GPU: to test a search
};

// What there was no GPU for.
struct Waiting {
  std::string why;
  std::size_t candidates = 0, points = 0;
  std::string bundle, command;
};

struct Tuning {
  Search search;
  Advice advice;  // where something was measured, its first choice is of `search.left`
  std::size_t most_points = 0;
  std::optional<Waiting> waiting;
};

// Errors as advise(), pack and phasebit-bench have them; no GPU is none.
Result<Tuning> tune(const TuneRequest& request);

std::string tuning_text(const Tuning& tuning);
std::string tuning_json(const Tuning& tuning);

}  // namespace phasebit::join::advise
