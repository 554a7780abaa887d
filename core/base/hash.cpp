#include "core/base/hash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace phasebit::base {

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string short_hash(std::string_view content) {
  return content_hash(content).substr(0, 12);
}

}  // namespace phasebit::base
