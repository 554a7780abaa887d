// The tables that are made from the points of one probe, by name.
#pragma once

#include "analysis/report/tables/probes/probe_tables.h"

#include <map>
#include <string>

namespace phasebit::report::tables::probes {

struct GroupTable {
  Result<table::Table> (*make)(const data::Aggregation& all, const AxisValues& where);
  const char* doc;     // one line: what it shows
  const char* spec;    // whose sweep it is made from
  const char* legend;  // what the numbers are
};

const std::map<std::string, GroupTable>& group_tables();

}  // namespace phasebit::report::tables::probes
