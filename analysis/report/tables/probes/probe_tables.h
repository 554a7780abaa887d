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
Table verbs_table(const std::vector<Aggregate>& points, const AxisValues& where);

// By delay: cycles from the commit to the consumer's wake-up; polls that failed until then.
Table response_table(const std::vector<Aggregate>& points, const AxisValues& where);
Table polls_table(const std::vector<Aggregate>& points, const AxisValues& where);

// Cycles of a block with nobody waiting, and by how many percent waiters change them.
Table neighbour_table(const std::vector<Aggregate>& points, const AxisValues& where);

// Cycles of a phase by number of warps.
Table fanin_table(const std::vector<Aggregate>& points, const AxisValues& where);

// Cycles of a phase by groups of lanes: that arrive together, that arrive apart, the difference.
Table entangle_table(const std::vector<Aggregate>& points, const AxisValues& where);

}  // namespace phasebit
