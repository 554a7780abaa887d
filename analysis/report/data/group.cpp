#include "analysis/report/data/group.h"

#include "core/record/flag.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace phasebit::report::data {

using record::PointRow;

namespace {

using SlotKey = std::tuple<int, bool, int, int>;

SlotKey slot_of(const PointRow& point) {
  return {point.repetition, point.aa_control, point.conditions.sm, point.conditions.first_warp};
}

void keep(const PointRow*& known, const PointRow& next) {
  if (known == nullptr || record::replaces(next, *known)) known = &next;
}

// That of a row's cycles, or null when they are a line.
const record::Bend* bend_of(const PointRow& row) {
  for (const record::Bend& bend : row.quality.bends)
    if (bend.reading.empty()) return &bend;
  return nullptr;
}

}  // namespace

Group group_of(const std::vector<const PointRow*>& rows) {
  Group group;
  std::map<SlotKey, const PointRow*> slots;
  for (const PointRow* row : rows) {
    group.newest = row;
    if (!row->measured() && !row->error)
      group.same_as = row->same_as;
    else
      keep(slots[slot_of(*row)], *row);
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

Reason reason_of(const Group& group) {
  if (!group.failed.empty())
    return reason_of(group.failed.back()->verdict, *group.failed.back()->error);
  if (!group.unusable.empty()) return unusable(group.unusable);
  const bool any = std::any_of(group.measured.begin(), group.measured.end(),
                               [](const Measured& m) { return !m.point->aa_control; });
  return any ? Reason() : not_measured();
}

Bent leave_out_bent(std::vector<const Measured*>& all) {
  Bent bent;
  bent.of = static_cast<int>(all.size());
  std::erase_if(all, [&](const Measured* one) {
    const record::Bend* bend = bend_of(*one->point);
    if (bend == nullptr) return false;
    ++bent.repetitions;
    bent.example = *bend;
    return true;
  });
  if (bent.all_left_out()) all.clear();
  return bent;
}

Reason reason_of(const Bent& bent) {
  return {Missing::not_linear,
          fmt::format("{}: {}", record::word_of(bent.example),
                      record::word_of({.kind = record::Flag::Kind::not_linear_in_some,
                                       .bent = bent.repetitions,
                                       .repetitions = bent.of}))};
}

}  // namespace phasebit::report::data
