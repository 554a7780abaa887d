// Names that have changed: what ids, keys and people of before say, in the words of today. Whoever
// renames an axis, a value or a component adds a line, and nothing else knows the old word.
#pragma once

#include "core/image/variant_key.h"

#include <string_view>

namespace phasebit::image {

// The axis of a key ("unit" -> "granularity"); a name that never changed is itself.
std::string_view axis_today(std::string_view axis);

// A value, or the name of a component, of an axis by its name of today ("probe", "neighbour" ->
// "interference").
std::string_view value_today(std::string_view axis, std::string_view value);

// "ring/mbarrier/none/none/unit=parity" -> "ring/mbarrier/none/none/granularity=even_odd_lanes",
// "anchor/fold_32" -> "anchor/checksum_32". Hashes and ids that never changed are themselves.
std::string id_today(const std::string& id);

// What an error adds to a name that it does not know: what a name of before is today, else
// `otherwise`.
std::string hint_of_today(std::string_view today, std::string_view name, std::string otherwise);

// Whether a name or value of `axes` has changed, and the axes in the words of today.
bool is_renamed(const KeyAxes& axes);
KeyAxes axes_today(KeyAxes axes);

}  // namespace phasebit::image
