// The axes of a variant, read off its id.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace phasebit {

// "ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8": probe, protocol, mover, work, then
// the axes that differ from their default. "anchor/fma" has a probe and a name alone.
struct VariantAxes {
  std::map<std::string, std::string> named;  // with probe, protocol, mover, work

  // The value, else the axis's default, else "".
  std::string value(const std::string& axis) const;
  // "4 x 4 warps, interleaved", "2 x 2 warps, turns", "1 x 1 half warps", "8 unified warps"
  std::string warp_layout() const;
  // "try_wait", "try_wait hint 10000000", "test_wait by state, backoff 100": what is waited on and
  // how
  std::string waited_on() const;
};

VariantAxes axes_of_id(const std::string& id);

// An id without one of its axes, and that axis's value: ".../ptxas=12.4.131/opt_level=1" without
// ptxas is ".../opt_level=1". The id itself and no value when it does not name the axis.
struct SplitId {
  std::string without, value;
};
SplitId split_axis(const std::string& id, const std::string& axis);

// The default of an axis that tables sort and name by; "" for others. Probes may differ in it.
std::string default_of(const std::string& axis, const std::string& probe = {});

// An axis, or warp_layout or waited_on, which stand for several.
std::string column_value(const VariantAxes& axes, const std::string& column);
// The axes that such a column stands for.
std::vector<std::string> axes_of_column(const std::string& column);

// Orders values: the axis's default first, numbers by size, words by letter.
bool value_before(const std::string& axis, const std::string& a, const std::string& b);

}  // namespace phasebit
