// What the probes inside one CTA found. Each table is made of the points that have the values of
// `where`; costs are differences of stored figures (analysis/report/data/difference.h).
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit {

using AxisValues = std::map<std::string, std::string>;

// Cycles of one verb: the difference of its largest and smallest number of copies, over the copies
// between them; alone and beside load.
Result<Table> verbs_table(const Aggregation& all, const AxisValues& where);

// By delay: cycles from the commit to the consumer's wake-up; polls that failed until then.
Result<Table> response_table(const Aggregation& all, const AxisValues& where);
Result<Table> polls_table(const Aggregation& all, const AxisValues& where);

// Cycles of a block with nobody waiting, and by how many percent waiters change them.
Result<Table> interference_table(const Aggregation& all, const AxisValues& where);

// Cycles of a phase by number of warps.
Result<Table> fanin_table(const Aggregation& all, const AxisValues& where);

// Cycles of a phase by groups of lanes: that arrive together, that arrive apart, the difference.
Result<Table> entangle_table(const Aggregation& all, const AxisValues& where);

}  // namespace phasebit
