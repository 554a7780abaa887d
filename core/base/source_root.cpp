#include "core/base/file.h"

namespace phasebit {

fs::path source_root() {
  return PHASEBIT_SOURCE_ROOT;
}

}  // namespace phasebit
