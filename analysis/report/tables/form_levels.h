// What forms cost, in levels: forms whose figures lie close together are one row.
#pragma once

#include "analysis/report/tables/form_costs.h"
#include "core/isa/forms.h"
#include "core/table/table.h"

namespace phasebit::report::tables {

// Forms of one path, measure and lanes, ordered by their isolated figure: a level ends where the
// next figure is more than max(0.5, 1 % of the one before) away, as in modes(). Forms without a
// figure are levels of their own, by what stands in their cell. Levels of the same forms that cost
// the same with one lane and with all, or on two paths, are one: "one, warp".
struct FormLevel {
  std::string path, measure, lanes;
  std::vector<const FormCost*> costs;  // of `costs`, the cheapest first
};
std::vector<FormLevel> form_levels(const std::vector<FormCost>& costs);

// The words that all forms of `level` have and not all forms of `others`, in the order in which
// they stand: ".release", ".cluster", "count". A text is a name and its words: each begins at a dot
// or behind a blank.
std::vector<std::string> common_words(const std::vector<std::string>& level,
                                      const std::vector<std::string>& others);

// The words that no form of `level` has, of those that some of `others` has, in the order in which
// they first stand.
std::vector<std::string> absent_words(const std::vector<std::string>& level,
                                      const std::vector<std::string>& others);

// One row a level. Texts come from `known`.
table::Table form_levels_table(const std::vector<FormCost>& costs, const isa::FormTable& known);

}  // namespace phasebit::report::tables
