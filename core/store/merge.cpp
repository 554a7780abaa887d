#include "core/store/merge.h"

#include "core/store/rows.h"

#include <map>
#include <tuple>

namespace phasebit {

namespace {

// What a row has in common with its copies in other stores. A run may have several rows of one
// identity (a point that was tried again): the first is the copy of the first, and so on.
using Identity =
    std::tuple<std::string, std::string, std::string, std::string, PointKind, int, bool, int, int>;

Identity identity(const PointRow& point) {
  return {point.run_id,      point.variant_hash, point.text_hash,
          point.device_uuid, point.kind,         point.repetition,
          point.aa_control,  point.placement.sm, point.placement.first_warp};
}

Status check_runs(const std::vector<RunRow>& ours, const std::vector<RunRow>& theirs) {
  for (const RunRow& run : theirs)
    for (const RunRow& known : ours)
      if (known.id == run.id && !(known == run))
        return fail(Step::store, "run {} is there already with another command or setting", run.id);
  return {};
}

Status merge_points(SQLite::Database& sqlite, const std::vector<PointRow>& ours,
                    const std::vector<PointRow>& theirs, MergeCounts& counts) {
  std::map<Identity, std::vector<const PointRow*>> known;
  for (const PointRow& point : ours) known[identity(point)].push_back(&point);
  std::map<Identity, size_t> seen;
  for (const PointRow& point : theirs) {
    const auto& copies = known[identity(point)];
    const size_t nth = seen[identity(point)]++;
    if (nth >= copies.size()) {
      PHASEBIT_TRY(insert_point(sqlite, point));
      ++counts.points;
    } else if (*copies[nth] == point) {
      ++counts.points_known;
    } else {
      return fail(Step::store, "{} (run {}, repetition {}) is there already with another result",
                  point.variant_id, point.run_id, point.repetition);
    }
  }
  return {};
}

}  // namespace

Result<MergeCounts> merge_results(SQLite::Database& sqlite, const Results& theirs) {
  const auto devices_before = select_devices(sqlite).size();
  const auto runs = select_runs(sqlite);
  PHASEBIT_TRY(check_runs(runs, theirs.runs));
  PHASEBIT_TRY_ASSIGN(points, select_points(sqlite));
  for (const DeviceRow& device : theirs.devices) insert_device(sqlite, device);
  for (const RunRow& run : theirs.runs) insert_run(sqlite, run);
  MergeCounts counts;
  PHASEBIT_TRY(merge_points(sqlite, points, theirs.points, counts));
  counts.devices = static_cast<int>(select_devices(sqlite).size() - devices_before);
  counts.runs = static_cast<int>(select_runs(sqlite).size() - runs.size());
  return counts;
}

}  // namespace phasebit
