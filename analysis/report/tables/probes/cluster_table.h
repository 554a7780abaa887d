// What reaching into another CTA of a cluster costs.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::tables::probes {

using AxisValues = std::map<std::string, std::string>;

// "release.cluster / acquire.cluster", "relaxed.cluster / relaxed.cluster, fenced": what is written
// on arrives and waits; "not written" where the manual's default holds.
std::string cluster_semantics(const data::VariantAxes& axes);

// A row a size, protocol, semantics and whatever else differs from the default: median, lowest and
// highest over the pairs of ranks, and the same code inside one CTA. Only points that have the
// values of `where`.
Result<table::Table> cluster_table(const data::Aggregation& all, const AxisValues& where);

// The matrix of one cluster size (cluster_size in `where`, else the largest that was measured):
// rows the rank whose clock counts, columns the other. The remaining axes are those of a token by
// the protocol of which most pairs were measured, or as in `where`.
Result<table::Table> cluster_pairs_table(const data::Aggregation& all, const AxisValues& where);

}  // namespace phasebit::report::tables::probes
