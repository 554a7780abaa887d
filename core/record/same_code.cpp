#include "core/record/same_code.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace phasebit::record {
namespace {

using Member = SameCode::Member;

// Everything but the repetition and the member.
using Common = std::tuple<std::string, PointKind, std::string, std::string, int, int, double,
                          std::vector<std::string>>;

Common common_of(const PointRow& row) {
  return {row.device_uuid,          row.kind,      row.unit, same_class_as(row), row.placement.sm,
          row.placement.first_warp, row.megahertz, row.flags};
}

Member member_of(const PointRow& row) {
  return {row.variant_id, row.variant_hash, row.ptx_hash,
          row.text_hash,  row.sass_class,   row.module};
}

}  // namespace

bool is_same_code(const PointRow& point) {
  return !point.measured() && !point.error && !point.aa_control && point.readings.empty() &&
         !point.flags.empty() && point.flags.back().starts_with(same_class_prefix) &&
         std::count_if(point.flags.begin(), point.flags.end(), [](const std::string& flag) {
           return flag.starts_with(same_class_prefix);
         }) == 1;
}

std::vector<SameCode> group_same_code(const std::vector<PointRow>& points) {
  std::map<Common, std::map<int, std::vector<const PointRow*>>> found;
  for (const PointRow& point : points) found[common_of(point)][point.repetition].push_back(&point);
  std::vector<SameCode> groups;
  for (const auto& [common, repetitions] : found) {
    std::map<std::vector<Member>, SameCode> by_members;
    for (const auto& [repetition, rows] : repetitions) {
      std::vector<Member> members;
      for (const PointRow* row : rows) members.push_back(member_of(*row));
      std::sort(members.begin(), members.end());
      SameCode& group = by_members[members];
      if (group.repetitions.empty()) {
        group.row = *rows.front();
        group.members = members;
      }
      group.repetitions.push_back(repetition);
    }
    for (auto& [members, group] : by_members) groups.push_back(std::move(group));
  }
  return groups;
}

void append_rows(const SameCode& group, std::vector<PointRow>& points) {
  for (const int repetition : group.repetitions)
    for (const Member& member : group.members) {
      PointRow row = group.row;
      row.repetition = repetition;
      row.variant_id = member.variant_id;
      row.variant_hash = member.variant_hash;
      row.ptx_hash = member.ptx_hash;
      row.text_hash = member.text_hash;
      row.sass_class = member.sass_class;
      row.module = member.module;
      points.push_back(std::move(row));
    }
}

}  // namespace phasebit::record
