// What single PTX forms cost, as values.
#pragma once

#include "analysis/report/data/difference.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::data {

// The two sizes of one form on one path, alone and beside busy warps.
struct FormCost {
  std::string form, path, measure, lanes;
  std::string sass_class;   // of the smaller size, alone
  std::string text_hashes;  // of both sizes: equal ones are the same code
  Figure isolated, loaded;  // cycles of one operation; reasons where there are none
  bool has_loaded = false;  // a loaded point was asked for
  // Of a latency: the same code with a NOP in the operation's place, and what is left without it.
  Figure link, alone;
  bool has_link = false;
  const Aggregate *small = nullptr,
                  *large = nullptr;  // both sizes, alone on the SM; of the points
};

// In the order of the ids; one row a form, path, measure and lanes.
std::vector<FormCost> form_costs(const std::vector<Aggregate>& points);

// By form: whether it has a figure, else why not. Forms without any point are not in it.
std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points);

}  // namespace phasebit::report::data
