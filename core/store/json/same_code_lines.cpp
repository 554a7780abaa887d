#include "core/store/json/same_code_lines.h"

#include "core/store/json/flag_words.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace phasebit::store::json {

using record::PointKind;
using record::PointRow;

namespace {

using Member = SameCode::Member;

// Everything but the repetition and the member.
using Common = std::tuple<std::string, PointKind, std::string, std::string, int, int, double,
                          std::vector<std::string>>;

Common common_of(const PointRow& row) {
  return {row.device_uuid, row.kind,          row.unit,
          row.same_as,     row.conditions.sm, row.conditions.first_warp,
          row.megahertz,   flag_words_of(row)};
}

Member member_of(const PointRow& row) {
  return {row.variant_id, row.variant_hash, row.ptx_hash,
          row.text_hash,  row.sass_class,   row.module};
}

}  // namespace

bool is_same_code(const PointRow& point) {
  return point.verdict == record::Verdict::same_code && !point.measured() && !point.error &&
         !point.aa_control && point.readings.empty();
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
  std::vector<PointRow> rows;
  for (const Member& member : group.members) {
    PointRow& row = rows.emplace_back(group.row);
    row.variant_id = member.variant_id;
    row.variant_hash = member.variant_hash;
    row.ptx_hash = member.ptx_hash;
    row.text_hash = member.text_hash;
    row.sass_class = member.sass_class;
    row.module = member.module;
  }
  for (const int repetition : group.repetitions)
    for (PointRow& row : rows) {
      row.repetition = repetition;
      points.push_back(row);
    }
}

}  // namespace phasebit::store::json
