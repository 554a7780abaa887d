#include "core/results/load.h"
#include "core/results/record.h"
#include "join/comparison/compare.h"

#include <algorithm>
#include <map>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace phasebit::join::comparison {

using nlohmann::ordered_json;
using report::data::Aggregate;

namespace {

std::string side_text(const Side& side) {
  return fmt::format("{}: {}: {} ({}), driver {}, ptxas {}, commit {}, {} variants", side.name,
                     side.from, side.data.devices.front().name, fmt::join(side.gpus, ", "),
                     fmt::join(side.drivers, ", "), fmt::join(side.ptxas, ", "),
                     fmt::join(side.commits, ", "), side.chosen.size());
}

std::string counts_text(const Comparisons& all) {
  std::map<PairVerdict, std::size_t> counts;
  for (const ComparedPair& pair : all.pairs) ++counts[pair.verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts)
    parts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  std::string text = fmt::format("{} pairs: {}", all.pairs.size(), fmt::join(parts, ", "));
  if (all.same_code > 0)
    text += fmt::format("; {} more have the code of one of these on both sides", all.same_code);
  if (all.alone_a + all.alone_b > 0)
    text += fmt::format("; without a partner: {} of A, {} of B", all.alone_a, all.alone_b);
  return text;
}

std::vector<std::string> notes_of(const Comparisons& all) {
  const Side &a = all.sides[0], &b = all.sides[1];
  std::vector<std::string> notes = {counts_text(all), side_text(a), side_text(b)};
  if (a.gpus != b.gpus)
    notes.emplace_back("two GPUs: pairs have the same conditions, and SMs of one number");
  if (a.targets != b.targets)
    notes.push_back(fmt::format("code for {} in A, for {} in B", fmt::join(a.targets, ", "),
                                fmt::join(b.targets, ", ")));
  if (a.data.aggregation.floors.empty() && b.data.aggregation.floors.empty())
    notes.emplace_back("no A/A control on either side: no floor, so no verdict");
  for (const Side& side : all.sides)
    if (a.lacks != b.lacks && !side.lacks.empty())
      notes.push_back(fmt::format("{} lacks columns, which are not compared: {}", side.name,
                                  fmt::join(side.lacks, ", ")));
  return notes;
}

ordered_json repetition(const char* side, const ComparedPair& pair, const Aggregate& one,
                        std::size_t n) {
  const report::data::AtCondition& at = one.at[n];
  const std::string name = fmt::format("{}/{}", side, pair.id);
  ordered_json entry = {{"name", name},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"repetitions", one.at.size()},
                        {"repetition_index", n},
                        {"threads", 1},
                        {"iterations", one.rounds},
                        {"real_time", at.value},
                        {"cpu_time", at.value},
                        {"time_unit", results::json_time_unit},
                        {"ci_low", at.interval.low},
                        {"ci_high", at.interval.high},
                        {"label", one.unit}};
  entry["condition"] = fmt::format("sm {} first_warp {} {}", at.at.sm, at.at.first_warp,
                                   fmt::join(results::words_of(at.at), " "));
  return entry;
}

ordered_json pair_json(const ComparedPair& pair) {
  const report::data::Comparison& made = pair.comparison;
  ordered_json entry = {{"variant", pair.id},         {"before_id", pair.before->id},
                        {"after_id", pair.after->id}, {"verdict", to_string(pair.verdict)},
                        {"shown", pair.shown},        {"what_differs", pair.reasons}};
  if (made.before.reason.empty()) entry["before"] = made.before.value;
  if (made.after.reason.empty()) entry["after"] = made.after.value;
  if (pair.verdict == PairVerdict::no_figure) return entry;
  entry["difference"] = pair.difference();
  if (made.pairs.any()) entry["lowest"] = made.pairs.lowest, entry["highest"] = made.pairs.highest;
  if (made.difference.reason.empty()) entry["half_width"] = made.difference.half_width;
  entry["percent"] = pair.percent();
  entry["floor"] = made.floor;
  entry["p"] = pair.p;
  entry["pairs"] = made.pairs.pairs.size();
  entry["agreeing"] = made.agreeing;
  return entry;
}

// Of figures of several values: over the pairs.
base::Cell several(const ComparedPair& pair) {
  const report::data::Paired& pairs = pair.comparison.pairs;
  return {fmt::format("{:.2f} ({:.2f} to {:.2f})", pairs.median, pairs.lowest, pairs.highest),
          pairs.median,
          {}};
}

}  // namespace

base::Table comparison_table(const Comparisons& all, bool every) {
  constexpr std::size_t id_width = 50, reason_width = 60;
  base::Table table;
  table.columns = {{"verdict"},          {"variant", false, id_width},
                   {"A", true},          {"B", true},
                   {"difference", true}, {"change", true},
                   {"floor", true},      {"pairs"},
                   {"p", true},          {"what differs", false, 0, reason_width}};
  std::vector<std::string> flags;  // the last column has them
  for (const ComparedPair& pair : all.pairs) {
    if (!every && pair.verdict > PairVerdict::faster && !pair.lost()) continue;
    std::vector<base::Cell> row = {pair.shown, pair.id};
    report::data::add_comparison(row, pair.comparison, flags);
    if (pair.verdict != PairVerdict::no_figure) {
      base::Cell &difference = row[row.size() - 4], &change = row[row.size() - 3];
      if (difference.text.empty()) difference = several(pair);
      change = {fmt::format("{:+.1f} %", pair.percent()), pair.percent(), {}};
    }
    row.emplace_back(pair.verdict == PairVerdict::no_figure ? base::Cell()
                     : pair.p < 0.001 ? base::Cell("<0.001", pair.p, {})
                                      : base::Cell(fmt::format("{:.3f}", pair.p), pair.p, {}));
    row.emplace_back(fmt::format("{}", fmt::join(pair.reasons, "; ")));
    table.rows.push_back(std::move(row));
  }
  table.notes = notes_of(all);
  return table;
}

std::string comparison_json(const Comparisons& all) {
  ordered_json file = {{"context", {{"library_build_type", "release"}}},
                       {"benchmarks", ordered_json::array()},
                       {"comparisons", ordered_json::array()}};
  file["context"]["notes"] = notes_of(all);
  for (const ComparedPair& pair : all.pairs) {
    file["comparisons"].push_back(pair_json(pair));
    if (pair.verdict == PairVerdict::no_figure) continue;
    for (const auto& [side, one] : {std::pair("A", pair.before), std::pair("B", pair.after)})
      for (std::size_t n = 0; n < one->at.size(); ++n)
        file["benchmarks"].push_back(repetition(side, pair, *one, n));
  }
  return file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace phasebit::join::comparison
