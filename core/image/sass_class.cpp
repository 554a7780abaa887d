#include "core/image/sass_class.h"

#include "core/base/hash.h"
#include "core/image/manifest.h"

#include <string_view>

namespace phasebit::image {
namespace {

constexpr std::string_view version_suffix = "-2";

}  // namespace

std::string sass_class_word(const std::string& code_class, const LaunchShape& launch) {
  return base::short_hash(code_class + launch_signature(launch)) + std::string(version_suffix);
}

std::string sass_class_word(const std::string& code_class, const WholeLaunch& whole) {
  return base::short_hash(code_class + launch_signature(whole)) + std::string(version_suffix);
}

}  // namespace phasebit::image
