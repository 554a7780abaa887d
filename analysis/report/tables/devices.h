// Do two GPUs give the same cycles? By class of figure.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables {

// Whether a table compares the GPUs of the results, so that it is of all of them.
bool is_of_all_devices(const std::string& table);

// The GPU of `data` beside each of the others (ReportData::others). A row a class: probe, protocol,
// and whether an operation in it orders beyond its CTA: figures that both have, how many of them
// agree within 1 cycle or 1 %, lowest, median and highest of the other's cycles over this one's,
// and the figure that is farthest apart. Figures with modes or without an interval count like all
// others. Step::usage when the results are of one GPU.
Result<table::Table> devices_table(const data::ReportData& data,
                                   const data::TableArguments& arguments);

}  // namespace phasebit::report::tables
