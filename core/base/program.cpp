#include "core/base/program.h"

#include "core/base/file.h"
#include "core/base/hash.h"

namespace phasebit::base {

const std::string& program_hash() {
  static const std::string hash = [] {
    const auto bytes = read_file("/proc/self/exe");
    return bytes ? content_hash(*bytes) : std::string();
  }();
  return hash;
}

}  // namespace phasebit::base
