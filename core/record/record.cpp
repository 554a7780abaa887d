#include "core/record/record.h"

namespace phasebit::record {

std::string to_string(PointKind kind) {
  switch (kind) {
    case PointKind::point: return "point";
    case PointKind::anchor: return "anchor";
    case PointKind::modes: return "modes";
  }
  bug("unknown kind of point");
}

std::optional<PointKind> point_kind(std::string_view word) {
  for (const PointKind kind : {PointKind::point, PointKind::anchor, PointKind::modes})
    if (word == to_string(kind)) return kind;
  return std::nullopt;
}

std::optional<Step> step_named(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(Step::io); ++i)
    if (word == base::to_string(static_cast<Step>(i))) return static_cast<Step>(i);
  return std::nullopt;
}

bool is_bend_of(std::string_view flag, std::string_view reading) {
  if (!flag.starts_with(not_linear_prefix)) return false;
  flag.remove_prefix(not_linear_prefix.size());
  const size_t colon = flag.find(':');
  return (colon == std::string_view::npos ? std::string_view() : flag.substr(0, colon)) == reading;
}

std::string same_class_as(const PointRow& point) {
  for (const std::string& flag : point.flags)
    if (flag.rfind(same_class_prefix, 0) == 0) return flag.substr(same_class_prefix.size());
  return {};
}

}  // namespace phasebit::record
