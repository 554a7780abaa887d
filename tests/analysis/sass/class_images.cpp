#include "tests/analysis/sass/class_images.h"

#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/analysis/sass/rings.h"

namespace phasebit::test {

const std::string data_kernel = R"(
.const .align 4 .b8 table[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};
.const .align 4 .u32 other = 7;
.const .align 4 .u32 unused = 9;
.global .align 4 .u32 counter = 3;
.global .align 4 .u32 nobody = 5;
.func (.param .f64 result) scale(.param .f64 given)
{
  .reg .f64 x;
  ld.param.f64 x, [given];
  mul.f64 x, x, 0d3FF3333333333333;
  sqrt.rn.f64 x, x;
  st.param.f64 [result], x;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
.maxntid 128
{
  .reg .b64 o; .reg .b32 r<9>; .reg .f64 d<9>; .reg .pred p1;
  .shared .align 8 .b8 stage[64];
  ld.param.u64 o, [out];
  ld.param.u32 r1, [n];
  mov.u32 r2, %tid.x;
  ld.const.u32 r3, [table+4];
  ld.const.u32 r7, [other];
  cvt.rn.f64.u32 d1, r2;
  fma.rn.f64 d1, d1, 0d3FF1999999999999, 0d3FF2999999999998;
  {
    .param .f64 a;
    .param .f64 b;
    st.param.f64 [a], d1;
    call (b), scale, (a);
    ld.param.f64 d2, [b];
  }
  setp.gt.u32 p1, r1, 3;
  @p1 bra D;
  T: .branchtargets A, B, C, D;
  brx.idx r1, T;
  A: add.f64 d2, d2, 0d4008000000000001; bra D;
  B: mul.f64 d2, d2, d2; bra D;
  C: sqrt.rn.f64 d2, d2; bra D;
  D:
  st.shared.f64 [stage], d2;
  bar.sync 3;
  ld.shared.f64 d3, [stage];
  atom.global.add.u32 r4, [counter], r3;
  cvt.rn.f64.u32 d4, r4;
  add.f64 d3, d3, d4;
  st.global.f64 [o], d3;
  st.global.u32 [o+8], r7;
  ret;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "no '" + from + "' in the text"
                                 : text.replace(at, from.size(), to);
}

Result<std::string> assemble_text(const std::string& text, const std::string& target,
                                  const std::vector<std::string>& flags) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string in = (folder.path() / "k.ptx").string(),
                    out = (folder.path() / "k.cubin").string();
  PHASEBIT_TRY(base::write_file(in, fmt::format(".version {}\n.target {}\n.address_size 64\n{}",
                                                version_for(target), target, text)));
  // "sm_90a, texmode_independent"
  std::vector<std::string> words = {find_tools()->ptxas,
                                    "-arch=" + target.substr(0, target.find(','))};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {in, "-o", out});
  PHASEBIT_TRY_ASSIGN(ran, base::run_process(words));
  if (!ran.ok()) return fail(Step::assemble, "{}{}", ran.out, ran.err);
  return base::read_file(out);
}

}  // namespace phasebit::test
