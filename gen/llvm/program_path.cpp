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
  if (auto found = base::find_beside_program({name, fs::path("gen/llvm_program") / name}))
    return *std::move(found);
  return with_hint(fail(Step::toolchain, "no {} beside {} or in its build folder", name,
                        base::surroundings().program.string()),
                   "`ninja gen/llvm_program/phasebit-llvm`, or install it beside phasebit");
}

}  // namespace phasebit::llvm
