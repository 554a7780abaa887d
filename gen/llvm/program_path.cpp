#include "gen/llvm/program_path.h"

#include "core/base/home.h"
#include "gen/llvm/options.h"

namespace phasebit::llvm {
namespace {

constexpr const char* name = "phasebit-llvm";

}  // namespace

std::string_view built_version() {
  return PHASEBIT_LLVM_VERSION;
}

Result<fs::path> find_program() {
  if (built_version().empty())
    return with_hint(fail(Step::toolchain, "this phasebit was built without LLVM"),
                     "install llvm-22-dev, then `meson configure BUILD -Dllvm=enabled`");
  const fs::path program = base::surroundings().program;
  std::error_code ignored;
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    for (const fs::path& place : {folder / name, folder / "gen/llvm_program" / name})
      if (fs::exists(place, ignored)) return place;
    if (folder == folder.root_path() || folder.empty()) break;
  }
  return with_hint(
      fail(Step::toolchain, "no {} beside {} or in its build folder", name, program.string()),
      "`ninja gen/llvm_program/phasebit-llvm`, or install it beside phasebit");
}

}  // namespace phasebit::llvm
