// Operations alone: what their probes measure in a loop, with the loop subtracted.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/comparison.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::data {

// Probes whose axis `unroll` is an item so many times in the loop's body have slopes c4 and c8,
// cycles an item: each is the item and a 4th or an 8th of the loop. (8 c8 - 4 c4) / 4 is the item
// alone. The half width is what both can add up to, (8 h8 + 4 h4) / 4, and so is the spread.
// Without a value where one of them has no value. Each is under the id of the variant whose loop
// holds one item; sorted by id. Single forms have tables of their own.
std::vector<Aggregate> without_loop(const std::vector<Aggregate>& points);

// Whether the loop of the variant holds an item several times, for that difference alone.
bool is_unrolled_item(const VariantAxes& axes);

// What single PTX forms cost, as values.

// The two sizes of one form on one path, alone and next to busy warps.
struct FormCost {
  std::string form, path, measure, lanes;
  std::string sass_class;   // of the smaller size, alone
  std::string text_hashes;  // of both sizes: equal ones are the same code
  Figure isolated, loaded;  // cycles of one operation; reasons where there are none
  bool has_loaded = false;  // a loaded point was asked for
  // Of a latency: the same code with a NOP in the operation's place, and what is left without it.
  Figure link, without_link;
  bool has_link = false;
  const Aggregate *small = nullptr,
                  *large = nullptr;  // both sizes, alone on the SM; of the points
};

// In the order of the ids; one row a form, path, measure and lanes.
std::vector<FormCost> form_costs(const std::vector<Aggregate>& points);

// By form: whether it has a figure, else why not. Forms without any point are not in it.
std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points);

}  // namespace phasebit::report::data
