#include "tests/gen/hand_kernels.h"

#include "core/base/hash.h"
#include "tests/home.h"

#include <sstream>

namespace phasebit::test {

using ptxas::Kernel;

namespace {

constexpr const char* declarations = R"(.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.reg .pred %p<4>;
.reg .f32 %f<4>;
ld.param.u64 %rd1, [pb+8];
ld.param.u32 %r1, [pb+4];
mov.u32 %r2, %tid.x;
mov.u32 %r3, pb_shared;
)";

// try_wait in a loop within a block of its own: its label and registers are those of other blocks
// too.
std::string try_wait(const std::string& barrier) {
  return "{\n.reg .pred done;\nL_wait:\nmbarrier.try_wait.parity.shared.b64 done, [" + barrier +
         "], %r4;\n@!done bra L_wait;\n}\n";
}

std::string ring(int num_stages) {
  std::string text = declarations;
  text += "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L_ready;\n";
  for (int slot = 0; slot < num_stages; ++slot)
    text += fmt::format("mbarrier.init.shared.b64 [%r3+{}], 32;\n", 8 * slot);
  text += "L_ready:\nbar.sync 0;\nmov.u64 %rd2, %clock64;\nL_loop:\n.pragma \"nounroll\";\n";
  for (int slot = 0; slot < num_stages; ++slot) {
    text += fmt::format("mbarrier.arrive.shared.b64 _, [%r3+{}];\n", 8 * slot);
    text += try_wait(fmt::format("%r3+{}", 8 * slot));
  }
  text += "xor.b32 %r4, %r4, 1;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n";
  return text +
         "@%p2 bra L_loop;\nmov.u64 %rd3, %clock64;\nsub.u64 %rd3, %rd3, %rd2;\n"
         "st.global.u64 [%rd1], %rd3;\nret;\n";
}

std::string fma_chain(int length) {
  std::string text = declarations;
  text += "cvt.rn.f32.u32 %f1, %r2;\ncvt.rn.f32.u32 %f2, %r1;\n";
  for (int n = 0; n < length; ++n) text += "fma.rn.f32 %f1, %f1, %f2, %f1;\n";
  return text + "st.global.f32 [%rd1], %f1;\nret;\n";
}

const std::string counted_barriers =
    std::string(declarations) +
    "mov.u32 %r5, 0;\nL_loop:\n.pragma \"nounroll\";\nbar.sync 1;\nst.shared.u32 [%r3], %r5;\n"
    "bar.sync 0;\nld.shared.u32 %r6, [%r3];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n"
    "@%p1 bra L_loop;\nst.global.u32 [%rd1], %r6;\nret;\n";

}  // namespace

Kernel kernel(const std::string& entry, const std::string& target, const std::string& body) {
  Kernel made;
  made.entry = entry;
  made.ptx_version = "8.0";
  made.ptx_target = target;
  made.statements = {".visible .entry " + entry + "(.param .align 8 .b8 pb[96])", "{"};
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) made.statements.push_back(line);
  made.statements.push_back("}");
  for (size_t n = 1; n <= made.statements.size(); ++n)
    made.source.push_back({"probes/hand/" + entry + ".ptx", static_cast<int>(n), "", ""});
  made.hash = base::content_hash(
      fmt::format("{} {} {}", made.ptx_version, target, fmt::join(made.statements, "\n")));
  return made;
}

std::vector<Kernel> kernels_for_sm_80() {
  return {kernel("hand_fma_8", "sm_80", fma_chain(8)), kernel("hand_fma_9", "sm_80", fma_chain(9)),
          kernel("hand_barriers", "sm_80", counted_barriers),
          kernel("hand_nothing", "sm_80", "ret;\n")};
}

std::vector<Kernel> kernels_for_sm_90() {
  std::vector<Kernel> all;
  for (const int num_stages : {1, 2, 3, 8})
    all.push_back(kernel(fmt::format("hand_ring_{}", num_stages), "sm_90", ring(num_stages)));
  return all;
}

Kernel refused_kernel(const std::string& entry) {
  return kernel(entry, "sm_80", ".reg .b32 %r<4>;\nbogus.u32 %r1;\nret;\n");
}

Result<ptxas::Toolchain> toolchain() {
  return ptxas::find_toolchain({test::home(), {}, {}});
}

void write_script(const fs::path& path, const std::string& text) {
  if (!base::write_file(path, "#!/bin/sh\n" + text)) bug("cannot write a script");
  fs::permissions(path, fs::perms::owner_all);
}

Result<ptxas::Toolchain> toolchain_with_script(const fs::path& folder, const std::string& script) {
  PHASEBIT_TRY_ASSIGN(real, toolchain());
  const fs::path fake = folder / "ptxas";
  write_script(fake, "for input; do case $input in *.ptx) break;; esac; done\n" + script +
                         "\nexec " + real.ptxas.string() + " \"$@\"\n");
  real.ptxas = fake;
  return real;
}

}  // namespace phasebit::test
