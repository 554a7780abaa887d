#include "core/store/json/arranged.h"

#include "core/store/json/lines.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace phasebit::store::json {

using record::PointRow;
using record::Results;
using record::RunRow;
using record::VariantRow;

namespace {

void sort_devices_and_runs(Results& results) {
  std::sort(results.devices.begin(), results.devices.end(),
            [](const record::DeviceRow& a, const record::DeviceRow& b) { return a.uuid < b.uuid; });
  std::sort(results.runs.begin(), results.runs.end(), [](const RunRow& a, const RunRow& b) {
    return std::tie(a.started, a.id) < std::tie(b.started, b.id);
  });
}

// The keys of the variants in the order in which they come.
class VariantOrder {
 public:
  explicit VariantOrder(std::vector<VariantRow>& known) {
    for (VariantRow& row : known) known_.emplace(row.id, &row);
  }
  void add(const std::string& id, const std::string& hash) {
    if (!seen_.insert(id).second) return;
    const auto at = known_.find(id);
    if (at != known_.end())
      ordered.push_back(std::move(*at->second));
    else
      ordered.push_back({id, hash, nullptr, {}});
  }
  std::vector<VariantRow> ordered;

 private:
  std::unordered_map<std::string, VariantRow*> known_;
  std::unordered_set<std::string> seen_;
};

void order_variants(Arranged& arranged) {
  VariantOrder order(arranged.results.variants);
  for (const PointRow& point : arranged.points) order.add(point.variant_id, point.variant_hash);
  for (const SameCode& group : arranged.same_code)
    for (const SameCode::Member& one : group.members) order.add(one.variant_id, one.variant_hash);
  arranged.results.variants = std::move(order.ordered);
}

using Runs = std::vector<std::vector<PointRow>>;

// The number of each point's run; as many as there are runs where it has none.
std::vector<size_t> runs_of(const std::vector<RunRow>& runs, const std::vector<PointRow>& points) {
  std::unordered_map<std::string, size_t> number;
  for (const RunRow& run : runs) number.emplace(run.id, number.size());
  std::vector<size_t> all;
  all.reserve(points.size());
  auto run = number.end();  // neighbours are of one run
  for (const PointRow& point : points) {
    if (run == number.end() || run->first != point.run_id) run = number.find(point.run_id);
    all.push_back(run == number.end() ? runs.size() : run->second);
  }
  return all;
}

Runs by_run(size_t runs, const std::vector<size_t>& run_of, std::vector<PointRow> points) {
  std::vector<size_t> counts(runs + 1);
  for (const size_t run : run_of) ++counts[run];
  Runs sorted(runs);
  for (size_t run = 0; run < runs; ++run) sorted[run].reserve(counts[run]);
  for (size_t n = 0; n < points.size(); ++n)
    if (run_of[n] < runs) sorted[run_of[n]].push_back(std::move(points[n]));
  return sorted;
}

}  // namespace

Arranged arrange(Results results) {
  sort_devices_and_runs(results);
  Arranged made;
  const std::vector<size_t> run_of = runs_of(results.runs, results.points);
  Runs runs = by_run(results.runs.size(), run_of, std::move(results.points));
  results.points.clear();
  std::unordered_set<std::string> ids;
  for (const auto& points : runs)
    for (const PointRow& point : points) ids.insert(point.variant_id);
  for (auto& points : runs) {
    const auto shared = std::stable_partition(points.begin(), points.end(), [&](const auto& row) {
      return !(is_same_code(row) && ids.contains(row.same_as));
    });
    auto groups = group_same_code({shared, points.end()});
    std::move(points.begin(), shared, std::back_inserter(made.points));
    std::move(groups.begin(), groups.end(), std::back_inserter(made.same_code));
  }
  made.results = std::move(results);
  order_variants(made);
  return made;
}

Results sorted_by_run(Results results) {
  sort_devices_and_runs(results);
  if (results.runs.size() < 2) return results;
  const std::vector<size_t> run_of = runs_of(results.runs, results.points);
  const bool all_known = !run_of.empty() && run_of.back() < results.runs.size();
  if (all_known && std::is_sorted(run_of.begin(), run_of.end())) return results;
  Runs runs = by_run(results.runs.size(), run_of, std::move(results.points));
  results.points.clear();
  size_t count = 0;
  for (const auto& run : runs) count += run.size();
  results.points.reserve(count);
  for (auto& run : runs) std::move(run.begin(), run.end(), std::back_inserter(results.points));
  return results;
}

Results expand(Arranged arranged) {
  Results results = std::move(arranged.results);
  std::vector<PointRow> points = std::move(arranged.points);
  size_t count = points.size();
  for (const SameCode& group : arranged.same_code)
    count += group.repetitions.size() * group.members.size();
  points.reserve(count);
  for (const SameCode& group : arranged.same_code) append_rows(group, points);
  results.points = std::move(points);
  results = sorted_by_run(std::move(results));
  std::erase_if(results.variants, [](const VariantRow& row) { return !row.has_key(); });
  return results;
}

Results in_file_order(Results results) {
  return expand(arrange(std::move(results)));
}

}  // namespace phasebit::store::json
