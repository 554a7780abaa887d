// The kernels of the table of messages, assembled: pack_messages FOLDER [TARGET]. A GPU runs them
// by messages_gpu_test.
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/home.h"
#include "tests/ptx/run/messages.h"

#include <cstdio>

namespace phasebit::test {
namespace {

Status pack(const fs::path& folder, const std::string& target) {
  PHASEBIT_TRY_ASSIGN(toolchain, ptxas::find_toolchain({test::home(), {}, {}}));
  fs::create_directories(folder);
  const fs::path text = folder / "messages.ptx", code = folder / "messages.cubin";
  PHASEBIT_TRY(base::write_file(text, module_of_messages()));
  PHASEBIT_TRY_ASSIGN(output, base::run_process({toolchain.ptxas.string(), "-arch=" + target,
                                                 text.string(), "-o", code.string()}));
  if (!output.ok()) return fail(Step::assemble, "{}", output.err + output.out);
  std::printf("%zu messages\n", messages().size());
  return {};
}

}  // namespace
}  // namespace phasebit::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: pack_messages FOLDER [TARGET]\n");
    return 2;
  }
  const phasebit::Status done = phasebit::test::pack(argv[1], argc > 2 ? argv[2] : "sm_90a");
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
