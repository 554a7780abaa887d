#include "core/results/merge.h"

#include "core/results/rows.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace phasebit::results {

namespace {

// What a row has in common with its copies in other stores. A run may have several rows of one
// identity (a point that was tried again): the first is the copy of the first, and so on.
using Identity = std::tuple<Word, Word, Word, Word, PointKind, int, bool, int, int>;

Identity identity(const PointRow& point) {
  return {point.run_id,      point.variant_hash,  point.text_hash,
          point.device_uuid, point.kind,          point.repetition,
          point.aa_control,  point.conditions.sm, point.conditions.first_warp};
}

Status check_runs(const std::vector<RunRow>& ours, const std::vector<RunRow>& theirs) {
  std::map<std::string, const RunRow*> known;
  for (const RunRow& run : ours) known.emplace(run.id, &run);
  for (const RunRow& run : theirs)
    if (const auto at = known.find(run.id); at != known.end() && !(*at->second == run))
      return fail(Step::store, "run {} is there already with another command or setting", run.id);
  return {};
}

Status check_device(const DeviceRow& ours, const DeviceRow& theirs) {
  if (ours.name == theirs.name) return {};
  return fail(Step::store, "device {} is '{}' here, and '{}' in what was read before", ours.uuid,
              theirs.name, ours.name);
}

// Our points of the runs that they have too: no others can be the same.
Result<std::vector<PointRow>> points_of_runs(SQLite::Database& sqlite,
                                             const std::vector<RunRow>& theirs) {
  std::vector<PointRow> points;
  for (const RunRow& run : theirs) {
    PHASEBIT_TRY_ASSIGN(of_run, select_points(sqlite, run.id));
    std::move(of_run.begin(), of_run.end(), std::back_inserter(points));
  }
  return points;
}

// Where one of them was read without its samples, figures must do.
bool same_result(const PointRow& ours, const PointRow& theirs) {
  PointRow a = ours, b = theirs;
  for (PointRow* row : {&a, &b}) add_summary(*row);
  if (a.samples.empty() || b.samples.empty()) {
    a.samples.clear();
    b.samples.clear();
  }
  return a == b;
}

// Calls `insert` for each of their points that is not among ours.
template <typename Insert>
Status merge_points(const std::vector<PointRow>& ours, const std::vector<PointRow>& theirs,
                    MergeCounts& counts, const Insert& insert) {
  std::map<Identity, std::vector<const PointRow*>> known;
  for (const PointRow& point : ours) known[identity(point)].push_back(&point);
  std::map<Identity, size_t> seen;
  for (const PointRow& point : theirs) {
    const auto copies = known.find(identity(point));
    const size_t nth = copies == known.end() ? 0 : seen[identity(point)]++;
    if (copies == known.end() || nth >= copies->second.size()) {
      PHASEBIT_TRY(insert(point));
      ++counts.points;
    } else if (same_result(*copies->second[nth], point)) {
      ++counts.points_known;
    } else {
      return fail(Step::store, "{} (run {}, repetition {}) is there already with another result",
                  point.variant_id, point.run_id, point.repetition);
    }
  }
  return {};
}

}  // namespace

Status MergedResults::check(const Results& theirs) const {
  for (const DeviceRow& device : theirs.devices)
    if (const auto at = devices_.find(device.uuid); at != devices_.end())
      PHASEBIT_TRY(check_device(whole_.devices[at->second], device));
  for (const RunRow& run : theirs.runs)
    if (const auto at = runs_.find(run.id); at != runs_.end() && !(whole_.runs[at->second] == run))
      return fail(Step::store, "run {} is there already with another command or setting", run.id);
  for (const VariantRow& row : theirs.variants)
    if (const auto at = variants_.find(row.id);
        at != variants_.end() && !same_key(whole_.variants[at->second], row))
      return fail(Step::store, "{} is there already with another key", row.id);
  return {};
}

// Our points of the runs and variants that they have too: no others can be the same. Parts of one
// file have runs in common, but no variant.
std::vector<PointRow> MergedResults::shared(const Results& theirs) const {
  std::unordered_set<Word> runs;
  for (const RunRow& run : theirs.runs)
    if (runs_.contains(run.id)) runs.insert(run.id);
  std::vector<PointRow> points;
  if (runs.empty()) return points;
  std::unordered_set<Word> variants;
  for (const PointRow& point : theirs.points) variants.insert(point.variant_hash);
  for (const PointRow& point : whole_.points)
    if (runs.contains(point.run_id) && variants.contains(point.variant_hash))
      points.push_back(point);
  return points;
}

Status MergedResults::add(Results theirs) {
  PHASEBIT_TRY(check(theirs));
  const std::vector<PointRow> known = shared(theirs);
  note_lists(theirs);
  const auto add_new = [](auto& numbers, auto& ours, auto& rows, auto name) {
    for (auto& row : rows)
      if (numbers.try_emplace(row.*name, ours.size()).second) ours.push_back(std::move(row));
  };
  add_new(devices_, whole_.devices, theirs.devices, &DeviceRow::uuid);
  add_new(runs_, whole_.runs, theirs.runs, &RunRow::id);
  add_new(variants_, whole_.variants, theirs.variants, &VariantRow::id);
  whole_.catalogue.add(theirs.catalogue);
  if (known.empty()) {
    std::move(theirs.points.begin(), theirs.points.end(), std::back_inserter(whole_.points));
    return {};
  }
  MergeCounts counts;
  return merge_points(known, theirs.points, counts, [&](const PointRow& point) -> Status {
    whole_.points.push_back(point);
    return {};
  });
}

namespace {

std::vector<std::string> components_of(const launch::KeyAxes& list) {
  std::vector<std::string> components;
  for (const char* component : launch::component_axes)
    if (const std::string* value = launch::find_axis(list, component)) components.push_back(*value);
  return components;
}

// The axes of `more` that `list` has not; none where it lacks one of `list`.
std::vector<std::string> added(const launch::KeyAxes& list, const launch::KeyAxes& more) {
  for (const auto& [axis, value] : list)
    if (launch::find_axis(more, axis) == nullptr) return {};
  std::vector<std::string> names;
  for (const auto& [axis, value] : more)
    if (launch::find_axis(list, axis) == nullptr) names.push_back(axis);
  return names;
}

}  // namespace

void MergedResults::note_lists(const Results& theirs) {
  auto known = std::make_shared<std::set<std::string>>();
  std::set<const launch::KeyAxes*> seen;
  for (const VariantRow& row : theirs.variants) {
    if (!row.has_key() || !seen.insert(row.defaults.get()).second) continue;
    for (const auto& [axis, value] : *row.defaults) known->insert(axis);
    lists_[components_of(*row.defaults)].push_back({row.defaults, known});
  }
}

// The longest list of the same components whose further axes its file does not know; null where
// there is none, or where rows that do know them are without.
std::shared_ptr<const launch::KeyAxes> MergedResults::newest(const Listed& old) const {
  std::shared_ptr<const launch::KeyAxes> best;
  const std::vector<Listed>& lists = lists_.at(components_of(*old.axes));
  for (const Listed& other : lists) {
    const std::vector<std::string> more = added(*old.axes, *other.axes);
    const auto is_known = [&](const Listed& by) {
      return std::any_of(more.begin(), more.end(),
                         [&](const std::string& axis) { return by.known->contains(axis); });
    };
    const bool some_are_without = std::any_of(lists.begin(), lists.end(), [&](const Listed& one) {
      return one.axes->size() == old.axes->size() && added(*one.axes, *other.axes) == more &&
             is_known(one);
    });
    if (more.empty() || some_are_without) continue;
    if (!best || best->size() < other.axes->size()) best = other.axes;
  }
  return best;
}

Results MergedResults::take() {
  std::map<const launch::KeyAxes*, std::shared_ptr<const launch::KeyAxes>> newer;
  for (const auto& [components, lists] : lists_)
    for (const Listed& one : lists)
      if (auto found = newest(one)) newer[one.axes.get()] = std::move(found);
  for (VariantRow& row : whole_.variants)
    if (const auto found = newer.find(row.defaults.get()); found != newer.end())
      row.defaults = found->second;
  return std::move(whole_);
}

Result<MergeCounts> merge_results(SQLite::Database& sqlite, const Results& theirs) {
  const auto devices = select_devices(sqlite);
  for (const DeviceRow& ours : devices)
    for (const DeviceRow& device : theirs.devices)
      if (ours.uuid == device.uuid) PHASEBIT_TRY(check_device(ours, device));
  const auto runs = select_runs(sqlite);
  PHASEBIT_TRY(check_runs(runs, theirs.runs));
  PHASEBIT_TRY_ASSIGN(points, points_of_runs(sqlite, theirs.runs));
  for (const DeviceRow& device : theirs.devices) insert_device(sqlite, device);
  for (const RunRow& run : theirs.runs) insert_run(sqlite, run);
  insert_catalogue(sqlite, theirs.catalogue);
  for (const VariantRow& variant : theirs.variants) PHASEBIT_TRY(insert_variant(sqlite, variant));
  MergeCounts counts;
  PHASEBIT_TRY(merge_points(points, theirs.points, counts,
                            [&](const PointRow& point) { return insert_point(sqlite, point); }));
  counts.devices = static_cast<int>(select_devices(sqlite).size() - devices.size());
  counts.runs = static_cast<int>(select_runs(sqlite).size() - runs.size());
  return counts;
}

}  // namespace phasebit::results
