// Operations alone: what their probes measure in a loop, with the loop subtracted.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/comparison.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::data {

// A loop whose body holds an operation so many times, and the cycles of a turn.
struct LoopOfSize {
  double count = 0;
  Figure cycles;
};

// Of the turn of a loop what is left without its operations: counter, compare and branch. Where no
// operation waits for the one before, a turn also ends with the wait for the last one's result.
inline constexpr double longest_loop = 30, longest_loop_and_last = 60;

// Cycles of one operation: (turn of most - turn of fewest) / (most - fewest), under each condition
// that the sizes share. Sizes below four are left out where two others are there.
// * not_separable: with a size between, that from fewest to it and that from it to most differ by
//   more than a cycle and 5 %; or what is left of the turn is below 0 or above `longest` cycles, by
//   more than half a cycle.
// * hidden: it is no more than a cycle, and 13 cycles or more are left of the turn: so long its
//   branch waits for a predicate, and the operation may lie there; or it is below 13 cycles, and
//   some size is no longer than the one before.
// * several_values, as any figure. With two sizes alone the flag two_sizes says so.
Figure per_operation(std::vector<LoopOfSize> sizes, double longest);

// `longest` for single forms and verbs by their axes, and for items.
double longest_loop_of(const VariantAxes& axes);

// Of probes whose axis `unroll` is an item so many times in the loop's body: sizes 4, 8 and 16 of
// an item. Each stands under the id of the variant whose loop holds one item; sorted by id. Single
// forms have tables of their own.
std::vector<Aggregate> without_loop(const std::vector<Aggregate>& points);

// Whether the loop of the variant holds an item several times, for that difference alone.
bool is_unrolled_item(const VariantAxes& axes);

// What single PTX forms cost, as values.

// The sizes of one form on one path, alone and beside busy warps.
struct FormCost {
  std::string form, path, measure, lanes;
  std::string sass_class;   // of the smaller size, alone
  std::string text_hashes;  // of both: equal ones are the same code
  Figure isolated, loaded;  // cycles of one operation; reasons where there are none
  bool has_loaded = false;  // a loaded point was asked for
  // Of a latency: the same code with a NOP in the operation's place, and what is left without it.
  Figure link, without_link;
  bool has_link = false;
  const Aggregate *small = nullptr,
                  *large = nullptr;  // smallest and largest, alone on the SM; of the points
};

// In the order of the ids; one row a form, path, measure and lanes.
std::vector<FormCost> form_costs(const std::vector<Aggregate>& points);

// By form: whether it has a figure, else why not. Forms without any point are not in it.
std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points);

}  // namespace phasebit::report::data
