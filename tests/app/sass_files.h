// Code files of the tests of `phasebit sass`, and the command itself.
#pragma once

#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/app/project.h"
#include "tests/home.h"

#include <string>
#include <vector>

namespace phasebit::test {

inline base::ProcessOutput sass(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment = {}) {
  return test::run_phasebit({"sass"}, arguments, environment);
}

// ns::step(float*), which adds 1 to each of 8 elements in a loop of lines 12 and 13; `shift` moves
// its lines, `bump` is what it adds.
inline std::string step_kernel(int shift = 0, const std::string& bump = "0f3F800000") {
  const auto loc = [&](int line) { return fmt::format(".loc 1 {} 0\n", line + shift); };
  return ".visible .entry _ZN2ns4stepEPf(.param .u64 p)\n{\n.reg .b64 a;\n.reg .b32 i;\n"
         ".reg .f32 x;\n.reg .pred q;\n" +
         loc(10) +
         "ld.param.u64 a, [p];\nmov.b32 i, 0;\n"
         "L:\n.pragma \"nounroll\";\n" +
         loc(12) +
         "ld.volatile.global.f32 x, [a];\n"
         "add.f32 x, x, " +
         bump + ";\nst.volatile.global.f32 [a], x;\n" + loc(13) +
         "add.u64 a, a, 4;\nadd.u32 i, i, 1;\nsetp.lt.u32 q, i, 8;\n@q bra L;\n" + loc(15) +
         "ret;\n}\n";
}

class SassFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    if (!toolchain) GTEST_SKIP() << toolchain.error().text();
    programs_ = toolchain->ptxas.parent_path();
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string cubin(const std::string& name, const std::string& target,
                    const std::string& kernels) {
    const std::string source = path(name + ".ptx"), out = path(name + ".cubin");
    EXPECT_TRUE(base::write_file(source, ".version 8.0\n.target " + target +
                                             "\n.address_size 64\n.file 1 \"src/k.cu\"\n" +
                                             kernels));
    const auto ran = base::run_process(
        {(programs_ / "ptxas").string(), "-lineinfo", "-arch", target, source, "-o", out});
    EXPECT_TRUE(ran && ran->ok()) << ran->err;
    return out;
  }
  // One kernel on two architectures.
  std::string fatbin(const std::string& name) {
    const std::string out = path(name);
    const auto ran =
        base::run_process({(programs_ / "fatbinary").string(), "--create=" + out,
                           "--image3=kind=elf,sm=80,file=" + cubin("a", "sm_80", step_kernel()),
                           "--image3=kind=elf,sm=90a,file=" + cubin("b", "sm_90a", step_kernel())});
    EXPECT_TRUE(ran && ran->ok()) << ran->out << ran->err;
    return out;
  }
  fs::path programs_;
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

}  // namespace phasebit::test
