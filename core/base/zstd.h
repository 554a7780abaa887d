// zstd through libzstd. The same content always gives the same bytes.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace phasebit::base {

// The history that a reader keeps, in bytes as a power of two: 8 MiB.
inline constexpr int zstd_window_log = 23;
inline constexpr std::uint64_t most_unzstd_bytes = std::uint64_t{1} << 31;

// Level 19, with a checksum.
std::string zstd(std::string_view content);

// Whether the bytes begin like a frame.
bool is_zstd(std::string_view content);

// Gives the content of all frames to `take`, a piece of at most 128 KiB at a time, and ends with
// its first error. Step::io with `name` for bytes that are not zstd, damaged or cut short, need a
// larger window, or expand to more than `most_bytes`.
using TakePiece = std::function<Status(std::string_view piece)>;
Status unzstd(std::string_view content, const std::string& name, const TakePiece& take,
              std::uint64_t most_bytes = most_unzstd_bytes);

}  // namespace phasebit::base
