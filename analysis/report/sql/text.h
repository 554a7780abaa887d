// What queries know of a variant besides its axes, and the functions that read it.
#pragma once

#include "analysis/report/data/axes.h"

#include <map>
#include <string>

struct sqlite3;

namespace phasebit::report::sql {

// Columns of `variant`.
struct VariantTexts {
  // A line "ring/mbarrier/st_shared/none", then a line "axis=value" for each axis that is named, in
  // the order of the id.
  std::string spelled;
  std::string named;  // the axes that are not at their default, in that order: "wait hint_ns"
  std::string blank;  // axes that mean nothing to its protocol and are at their default
  std::string waited_on, waited_axes, waited_order;  // the axes that waited_on stands for
  std::string warp_layout, warp_layout_order;
};
VariantTexts variant_texts(const data::VariantAxes& axes);

// The value that tables put first, by axis.
using FirstValues = std::map<std::string, std::string>;

// A text whose order is that of the values of an axis: the first one, numbers by size, words.
std::string place_of(const std::string& first, const std::string& value);

// place(axis, value), dash(value, axis, blank), only(named, axes), names(named, axis),
// rest(spelled, axes), chosen(spelled, axes), without(spelled, axis, ...), joined(word, ...),
// all_say(texts, others), none_says(texts, others), by_hand(spelled), version_place(version),
// short_hash(text), fits(pattern, text) and the aggregates median(x), quantile(x, q):
// docs/report-tables.md. `first` must outlive the connection.
void add_text_functions(sqlite3* sqlite, const FirstValues& first);

}  // namespace phasebit::report::sql
