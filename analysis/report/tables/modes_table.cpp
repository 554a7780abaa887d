#include "analysis/report/tables/modes_table.h"

#include "core/record/modes.h"
#include "core/record/statistics.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report::tables {

using record::PointRow;

namespace {

struct Seen {
  std::string text_hash;
  std::vector<record::ModeObservation> observations;
  std::map<std::pair<std::string, int>, int> processes;  // run and repetition -> number
  std::set<int> sms;                                     // of a cluster
  int failed = 0;
  std::string reason;  // of the last that failed
};

void add(Seen& seen, const PointRow& row) {
  if (seen.text_hash != row.text_hash) seen = {row.text_hash, {}, {}, {}, 0, {}};
  const auto summary = record::summary_of(row);
  if (row.error || !summary) {
    ++seen.failed;
    seen.reason = row.error
                      ? fmt::format("{}: {}", base::to_string(row.error->step), row.error->message)
                      : summary.error().message;
    return;
  }
  // A process of another run is another process, whatever its number.
  const int number = static_cast<int>(seen.processes.size());
  const int process =
      seen.processes.try_emplace({row.run_id, row.repetition}, number).first->second;
  seen.sms.insert(row.sms.begin(), row.sms.end());
  seen.observations.push_back({process, row.conditions, summary->cycles});
}

table::Cell cycles_cell(double value) {
  return {fmt::format("{:.2f}", value), value, {}};
}

std::vector<table::Cell> row_of(const std::string& id, const Seen& seen) {
  const record::ModeReport report = record::separate_modes(seen.observations);
  if (report.modes.empty()) return {id, 0, 0, {}, {}, {}, {}, {}};
  std::vector<std::string> shares;
  for (const record::ModeReport::Mode& mode : report.modes)
    shares.push_back(fmt::format("{:.2f} in {}", mode.cycles, mode.places));
  std::string separators = fmt::format("{}", fmt::join(report.separators, " and "));
  if (report.modes.size() > 1 && separators.empty()) separators = "no factor alone";
  return {id,
          report.places,
          seen.processes.size(),
          report.modes.size(),
          fmt::format("{}", fmt::join(shares, ", ")),
          cycles_cell(report.lowest),
          cycles_cell(report.highest),
          separators};
}

}  // namespace

table::Table modes_table(const std::vector<PointRow>& points) {
  std::map<std::string, Seen> variants;
  for (const PointRow& row : points)
    if (row.kind == record::PointKind::modes) add(variants[row.variant_id], row);
  table::Table table;
  table.columns = {{"variant", false}, {"places", true},       {"processes", true},
                   {"modes", true},    {"cycles", false},      {"lowest", true},
                   {"highest", true},  {"separated by", false}};
  for (const auto& [id, seen] : variants) {
    table.rows.push_back(row_of(id, seen));
    if (seen.failed > 0)
      table.notes.push_back(
          fmt::format("{}: {} places failed, the last with {}.", id, seen.failed, seen.reason));
    if (!seen.sms.empty())
      table.notes.push_back(
          fmt::format("{}: the GPU placed its cluster on SMs {}.", id, fmt::join(seen.sms, ", ")));
  }
  return table;
}

}  // namespace phasebit::report::tables
