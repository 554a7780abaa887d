#include "core/base/file.h"

namespace phasebit::base {

fs::path source_root() {
  return PHASEBIT_SOURCE_ROOT;
}

}  // namespace phasebit::base
