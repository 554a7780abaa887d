// What the probes inside one CTA found. Each table is made of the points that have the values of
// `where`; costs are differences of stored figures (analysis/report/data/difference.h).
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::tables::probes {

using AxisValues = std::map<std::string, std::string>;

// Cycles of one verb: the difference of its largest and smallest number of copies, over the copies
// between them; alone and beside load.
Result<table::Table> verbs_table(const data::Aggregation& all, const AxisValues& where);

// By delay: cycles from the commit to the consumer's wake-up; polls that failed until then.
Result<table::Table> response_table(const data::Aggregation& all, const AxisValues& where);
Result<table::Table> polls_table(const data::Aggregation& all, const AxisValues& where);

// Cycles of a block with nobody waiting, and by how many percent waiters change them.
Result<table::Table> interference_table(const data::Aggregation& all, const AxisValues& where);

// Cycles of a phase by number of warps.
Result<table::Table> fanin_table(const data::Aggregation& all, const AxisValues& where);

// Cycles of a phase by groups of lanes: that arrive together, that arrive apart, the difference.
Result<table::Table> entangle_table(const data::Aggregation& all, const AxisValues& where);

}  // namespace phasebit::report::tables::probes
