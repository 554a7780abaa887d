// Which candidates to measure, and how often: few conditions of many, more of those that are left
// (docs/tune.md). What measures and what ranks are functions: of a GPU, recorded rows, a test.
#pragma once

#include "core/base/table.h"
#include "join/advise/advise.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace phasebit::join::advise {

// Repetitions of a point that a figure is made of; docs/measuring.md.
inline constexpr int all_conditions = 8;

struct SearchWorld {
  // All candidates, the fastest first, by what was measured until now.
  std::function<std::vector<Standing>()> standings;
  // Repetitions 0 to `conditions` - 1 of each; those without a figure.
  std::function<Result<std::vector<std::string>>(const std::vector<std::string>& ids,
                                                 int conditions)>
      measure;
  // By the floor of what was measured.
  std::function<bool(const std::string& best, const std::string& other)> is_slower;
};

struct Round {
  std::size_t left = 0;      // candidates that were in question
  std::size_t measured = 0;  // of these, in this round
  int conditions = 0;        // of each, those of earlier rounds too
  std::size_t points = 0;    // that were new
  std::size_t out = 0;       // candidates that it ruled out
  double percent = 0;        // the closest of these was so much slower than the best
  std::string best;
  double value = 0;
};

struct Search {
  std::vector<Round> rounds;
  std::vector<std::string> left;           // the fastest first
  std::size_t points = 0, all_points = 0;  // of the rounds; of all candidates in all conditions
  std::size_t known = 0, lost = 0;         // measured before; measured without a figure
  std::string ended;                       // why
};

// A tenth of all points, but enough to compare two.
std::size_t default_points(std::size_t candidates);

// Until one is left, those left do not differ, or `most_points` are used. On an error `search` has
// what was done until then.
Status run_search(const SearchWorld& world, std::size_t most_points, Search& search);

// `named` says which candidate an id is.
base::Table rounds_table(const Search& search, const std::string& unit,
                         const std::function<std::string(const std::string& id)>& named);

}  // namespace phasebit::join::advise
