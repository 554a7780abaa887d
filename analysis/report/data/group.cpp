#include "analysis/report/data/group.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace phasebit::report::data {

using record::PointRow;

namespace {

using SlotKey = std::tuple<int, bool, int, int>;

SlotKey slot_of(const PointRow& point) {
  return {point.repetition, point.aa_control, point.placement.sm, point.placement.first_warp};
}

// The newest row of a slot that has samples, else the newest error. A wrong payload is never
// forgiven: the same code was wrong once.
const PointRow* better(const PointRow* known, const PointRow& next) {
  if (known == nullptr) return &next;
  const auto wrong = [](const PointRow& row) {
    return row.error && row.error->step == Step::verify;
  };
  if (wrong(*known) || wrong(next)) return wrong(next) ? &next : known;
  return next.error && !known->error ? known : &next;
}

// The flag of a row whose cycles are no line, or "".
std::string bend_of(const PointRow& row) {
  for (const std::string& flag : row.flags)
    if (record::is_bend_of(flag, {})) return flag;
  return {};
}

}  // namespace

Group group_of(const std::vector<const PointRow*>& rows) {
  Group group;
  std::map<SlotKey, const PointRow*> slots;
  for (const PointRow* row : rows) {
    group.newest = row;
    const std::string same_as = record::same_class_as(*row);
    if (!row->measured() && !row->error)
      group.same_as = same_as;
    else
      slots[slot_of(*row)] = better(slots[slot_of(*row)], *row);
  }
  for (const auto& [slot, row] : slots) {
    if (row->error) {
      group.failed.push_back(row);
      continue;
    }
    auto summary = record::summary_of(*row);
    if (summary)
      group.measured.push_back({row, std::move(*summary)});
    else
      group.unusable = summary.error().message;
  }
  return group;
}

std::string reason_of(const Group& group) {
  if (!group.failed.empty()) {
    const record::PointError& error = *group.failed.back()->error;
    return fmt::format("{}: {}", base::to_string(error.step), error.message);
  }
  if (!group.unusable.empty()) return group.unusable;
  const bool any = std::any_of(group.measured.begin(), group.measured.end(),
                               [](const Measured& m) { return !m.point->aa_control; });
  return any ? "" : "not measured";
}

std::string leave_out_bent(std::vector<const Measured*>& all) {
  const size_t before = all.size();
  std::string example;
  const auto straight_end = std::stable_partition(all.begin(), all.end(), [&](const Measured* one) {
    const std::string bend = bend_of(*one->point);
    if (!bend.empty()) example = bend;
    return bend.empty();
  });
  const auto straight = static_cast<size_t>(straight_end - all.begin());
  if (straight == before) return {};
  const bool too_few = 2 * straight < before;
  all.resize(too_few ? 0 : straight);
  const std::string count = fmt::format("not_linear in {} of {}", before - straight, before);
  return too_few ? fmt::format("{}: {}", example, count) : count;
}

}  // namespace phasebit::report::data
