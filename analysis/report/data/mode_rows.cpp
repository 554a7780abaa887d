#include "analysis/report/data/mode_rows.h"

#include "core/record/modes.h"
#include "core/record/statistics.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report::data {

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

ModeRow row_of(const std::string& id, const Seen& seen) {
  const record::ModeReport report = record::separate_modes(seen.observations);
  ModeRow row{id};
  row.failed = seen.failed;
  row.reason = seen.reason;
  row.sms = fmt::format("{}", fmt::join(seen.sms, ", "));
  if (report.modes.empty()) return row;
  std::vector<std::string> shares;
  for (const record::ModeReport::Mode& mode : report.modes)
    shares.push_back(fmt::format("{:.2f} in {}", mode.cycles, mode.places));
  row.places = report.places;
  row.processes = seen.processes.size();
  row.modes = report.modes.size();
  row.cycles = fmt::format("{}", fmt::join(shares, ", "));
  row.lowest = report.lowest;
  row.highest = report.highest;
  row.separators = fmt::format("{}", fmt::join(report.separators, " and "));
  if (row.modes > 1 && row.separators.empty()) row.separators = "no factor alone";
  return row;
}

}  // namespace

std::vector<ModeRow> mode_rows(const record::Rows& points) {
  std::map<std::string, Seen> variants;
  for (const PointRow* row : points)
    if (row->kind == record::PointKind::modes) add(variants[row->variant_id], *row);
  std::vector<ModeRow> rows;
  for (const auto& [id, seen] : variants) rows.push_back(row_of(id, seen));
  return rows;
}

}  // namespace phasebit::report::data
