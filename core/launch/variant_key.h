// The name of one point of the space.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace phasebit::launch {

// Axes with their values.
using KeyAxes = std::vector<std::pair<std::string, std::string>>;
// Null where they do not have the axis.
inline const std::string* find_axis(const KeyAxes& axes, const std::string& axis) {
  for (const auto& [name, value] : axes)
    if (name == axis) return &value;
  return nullptr;
}

struct VariantKey {
  // "ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8": probe, protocol, mover, work, then
  // the axes that differ from their default, in the order of the spec. An axis added later with a
  // default changes no id. A name for people: what a variant is, is in `axes`.
  std::string id;
  std::string hash;  // short_hash(id)
  // Every axis with its value, probe, protocol, mover and work first, in the order of the spec.
  KeyAxes axes;
  // Of a key that names a choice of ptxas (gen/ptxas/assembler.h): the id without it. "" where `id`
  // is that.
  std::string text_id = {};

  // The value of an axis, or "" when the variant does not have it.
  std::string value(const std::string& axis) const {
    const std::string* own = find_axis(axes, axis);
    return own == nullptr ? std::string() : *own;
  }
};

// The probe of a kernel that is measured first and shows that the set-up works.
inline constexpr const char* anchor_probe = "anchor";
inline bool is_anchor(const VariantKey& key) {
  return key.value("probe") == anchor_probe;
}

}  // namespace phasebit::launch
