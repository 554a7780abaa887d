#include "analysis/report/tables/counts.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/figures.h"
#include "core/isa/version.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace phasebit::report::tables {

using data::Aggregate;
using data::ReportData;
using record::RunRow;

namespace {

// The distinct values of a field of all runs, ascending, none empty.
template <typename Field>
std::string distinct(const std::vector<RunRow>& runs, Field field) {
  std::set<std::string> values;
  for (const RunRow& run : runs) values.insert(field(run));
  values.erase("");
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string dates(const std::vector<RunRow>& runs) {
  std::set<std::string> days;
  for (const RunRow& run : runs) days.insert(run.started.substr(0, 10));
  if (days.empty()) return {};
  return days.size() == 1 ? *days.begin() : *days.begin() + " to " + *days.rbegin();
}

struct Tally {
  std::set<std::string> variants, measured, shared, failed, ungated;
  int fewest = 0, most = 0;  // repetitions of what was measured itself
  std::string repetitions() const {
    return fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  }
};

Tally tally_of(const std::vector<Aggregate>& points) {
  Tally tally;
  for (const Aggregate& point : points) {
    tally.variants.insert(point.id);
    auto& group = point.reason.what == data::Missing::ungated ? tally.ungated
                  : !point.reason.empty()                     ? tally.failed
                  : !point.same_as.empty()                    ? tally.shared
                                                              : tally.measured;
    group.insert(point.id);
    if (!point.reason.empty() || !point.same_as.empty()) continue;
    tally.most = std::max(tally.most, point.repetitions);
    tally.fewest =
        tally.fewest == 0 ? point.repetitions : std::min(tally.fewest, point.repetitions);
  }
  return tally;
}

std::string number(double value) {
  return fmt::format("{:.3f}", value);
}

}  // namespace

namespace {

// The versions of the runs and those that variants name: "13.5.37", or "11.8.89 to 13.5.37 (16
// versions)".
std::string ptxas_of(const ReportData& data) {
  std::string of_runs = distinct(data.results.runs, [](const RunRow& run) { return run.ptxas; });
  std::set<std::string> named;
  for (const Aggregate& point : data.aggregation.points)
    if (std::string version = point.axes.value("ptxas"); !version.empty())
      named.insert(std::move(version));
  if (named.empty()) return of_runs;
  for (const RunRow& run : data.results.runs) named.insert(run.ptxas);
  return fmt::format(
      "{} to {} ({} versions)", *std::min_element(named.begin(), named.end(), isa::older_version),
      *std::max_element(named.begin(), named.end(), isa::older_version), named.size());
}

// B/B of the variants that were measured more than once themselves.
struct SpreadSummary {
  std::size_t variants = 0;
  double median_cycles = 0, median_percent = 0, p95_cycles = 0, p95_percent = 0;
};

SpreadSummary summarise_spreads(const std::vector<Aggregate>& points) {
  std::vector<double> cycles, percents;
  for (const Aggregate& point : points) {
    if (!point.reason.empty() || !point.same_as.empty() || point.repetitions < 2) continue;
    cycles.push_back(point.spread_cycles);
    percents.push_back(point.cycles == 0 ? 0 : 100 * point.spread_cycles / std::abs(point.cycles));
  }
  if (cycles.empty()) return {};
  constexpr double most = 0.95;
  return {cycles.size(), record::median(cycles), record::median(percents),
          record::quantile(cycles, most), record::quantile(percents, most)};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> counts_of(const ReportData& data) {
  const Tally tally = tally_of(data.aggregation.points);
  const data::AaSummary aa = data::summarise_aa(data.aggregation.aa);
  const SpreadSummary bb = summarise_spreads(data.aggregation.points);
  const auto& devices = data.results.devices;
  const auto& runs = data.results.runs;
  std::string driver = distinct(runs, [](const RunRow& run) { return run.driver; });
  if (driver.empty() && !devices.empty()) driver = devices.front().driver;
  return {{"variants", std::to_string(tally.variants.size())},
          {"measured", std::to_string(tally.measured.size())},
          {"same_code", std::to_string(tally.shared.size())},
          {"failed", std::to_string(tally.failed.size())},
          {"ungated", std::to_string(tally.ungated.size())},
          {"repetitions", tally.repetitions()},
          {"device", devices.empty() ? "no device" : devices.front().name},
          {"target", distinct(runs, [](const RunRow& run) { return run.target; })},
          {"driver", driver},
          {"ptxas", ptxas_of(data)},
          {"date", dates(runs)},
          {"aa_pairs", std::to_string(aa.pairs)},
          {"aa_median_cycles", number(aa.median_cycles)},
          {"aa_median_percent", number(aa.median_percent)},
          {"aa_p95_cycles", number(aa.p95_cycles)},
          {"aa_p95_percent", number(aa.p95_percent)},
          {"bb_variants", std::to_string(bb.variants)},
          {"bb_median_cycles", number(bb.median_cycles)},
          {"bb_median_percent", number(bb.median_percent)},
          {"bb_p95_cycles", number(bb.p95_cycles)},
          {"bb_p95_percent", number(bb.p95_percent)}};
}

table::Table counts_table(const ReportData& data) {
  table::Table table;
  table.sentences_only = true;
  table.rows.emplace_back();
  std::map<std::string, std::string> of;
  for (const auto& [name, text] : counts_of(data)) {
    table.columns.push_back({name, false});
    table.rows[0].push_back(text);
    of[name] = text;
  }
  table.notes.push_back(fmt::format("{} ({}), driver {}, ptxas {}, {}.", of["device"], of["target"],
                                    of["driver"], of["ptxas"], of["date"]));
  table.notes.push_back(fmt::format(
      "{} variants: {} measured in {} repetition{}, {} more assemble to identical SASS and share a "
      "result, {} failed, {} ungated.",
      of["variants"], of["measured"], of["repetitions"], of["repetitions"] == "1" ? "" : "s",
      of["same_code"], of["failed"], of["ungated"]));
  if (of["aa_pairs"] != "0")
    table.notes.push_back(fmt::format(
        "Repeatability (A/A, {} pairs): median {}, 95th percentile {} cycles ({} %, {} %).",
        of["aa_pairs"], of["aa_median_cycles"], of["aa_p95_cycles"], of["aa_median_percent"],
        of["aa_p95_percent"]));
  if (of["bb_variants"] != "0")
    table.notes.push_back(fmt::format(
        "Moved by what must not matter (B/B, {} variants): median {}, 95th percentile {} cycles "
        "({} %, {} %).",
        of["bb_variants"], of["bb_median_cycles"], of["bb_p95_cycles"], of["bb_median_percent"],
        of["bb_p95_percent"]));
  return table;
}

}  // namespace phasebit::report::tables
