// The tables that README and docs show, by name.
#pragma once

#include "analysis/report/data/report_data.h"
#include "analysis/report/data/table.h"

#include <string>

namespace phasebit {

// The tables and their arguments:
//   core: protocols, what is waited on and who arrives: round trip, cycles per item by stages
//   layouts: the same by warp layout
//   pivot: any other cut, rows=AXIS,AXIS across=AXIS:VALUE,VALUE probe=PROBE
//   counts: a sentence of what was measured, where and how well; rows for a program
//   anchors: the measurements that show that the set-up is sound
//   aa: how far two measurements of the same code differ
//   errors: variants without a figure, with the reason
//   tuned: forks and snippets beside what they were made from (analysis/report/tables/tuned.h)
//   forms: what single PTX forms cost; coverage: forms by family, taken and measured
//   beside: variants beside what they are without an axis, axis=edit
//   (analysis/report/tables/beside.h) history: each text by every ptxas; steps: where the figure
//   moved (analysis/report/tables/history.h) modes: what the modes pass found in each variant
//   cluster: round trips between CTAs by size and semantics: median, lowest and highest pair
//   cluster_pairs: the matrix of one cluster size
//   barrier_word: where the fields of an mbarrier stand, from the probe `word`
//
// core, layouts, pivot, cluster and cluster_pairs also take axis=value.
// Step::usage for an unknown name, argument or value, with the nearest one.
Result<Table> make_table(const ReportData& data, const std::string& name,
                         const TableArguments& arguments);

// One figure: of a variant (variant=ID, field=cycles, interval, half_width, low, high, intercept,
// megahertz, rounds, repetitions, sass_class, or the name of a reading), or of all (field=variants,
// measured, failed, ungated, repetitions, device, target, driver, ptxas, date, aa_median_cycles,
// aa_median_percent, aa_p95_cycles, aa_p95_percent). Step::usage for what is unknown; Step::store
// when the variant has no figure.
Result<std::string> make_figure(const ReportData& data, const TableArguments& arguments);

}  // namespace phasebit
