// Whose a measured ring is, what it was made of, and what an item of it costs.
#pragma once

#include "analysis/report/data/difference.h"
#include "core/table/table.h"

#include <set>
#include <string>

namespace phasebit::report::tables::peers {

// A ring that nvcc made of another library.
bool is_peer(const data::VariantAxes& axes);

// A ring of one warp a role, alone in its CTA, with slots of so many bytes and no work.
bool is_one_to_one(const data::VariantAxes& axes, const std::string& payload_bytes);

// Items that one commit and one release hand over: 1 where the axis says nothing else.
int items_of_phase(const data::VariantAxes& axes);

// Cycles of one item, with their half width: the figure of a phase is one of all its items.
data::Figure an_item(const data::Aggregate& point);

// What was chosen, without what every kernel of a table has alike and without the axes that have a
// column of their own: "4 stages, arrival=thread". One warp a role is not said.
std::string choice_of(const data::VariantAxes& axes, const std::set<std::string>& columns = {});

// "nvcc 13.5.37 -O3 -DNDEBUG, cccl-3.5.0", "LLVM 22.1.8"; of all others "phasebit".
std::string built_by(const data::VariantAxes& axes);

// Ours over theirs; "-" without one of them. Both are points with a figure.
table::Cell ratio_cell(const data::Aggregate* ours, const data::Aggregate* theirs);

// The fewer cycles an item. Both have a figure.
bool is_faster(const data::Aggregate& a, const data::Aggregate& b);

}  // namespace phasebit::report::tables::peers
