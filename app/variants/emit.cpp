#include "join/emit/emit.h"

#include "app/commands.h"
#include "core/base/file.h"

#include <cstdio>

namespace phasebit::app {

Status run_emit(const EmitOptions& options) {
  if (options.out.empty() && options.variants.size() > 1)
    return with_hint(fail(Step::usage, "several headers need a folder"), "-o FOLDER");
  PHASEBIT_TRY_ASSIGN(made, join::emit::emit(options));
  for (const join::emit::Emitted& one : made) {
    if (options.out.empty()) {
      fmt::print("{}", one.header);
      continue;
    }
    const fs::path path = fs::path(options.out) / one.name;
    PHASEBIT_TRY(base::write_file(path.string() + ".cuh", one.header));
    PHASEBIT_TRY(base::write_file(path.string() + ".ptx", one.ptx));
  }
  return {};
}

}  // namespace phasebit::app
