#include "tests/analysis/sass/random_ptx.h"

#include <array>
#include <cstdint>
#include <random>

#include <fmt/format.h>

namespace phasebit::test {
namespace {

constexpr int integers = 24, floats = 16, wides = 8, doubles = 4, predicates = 6;

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string kernel(const std::string& name, int statements) {
    text_ = ".visible .entry " + name + "(.param .u64 p, .param .u32 n, .param .u64 q)\n{\n";
    begin();
    for (int left = statements; left > 0;) {
      const int size = 5 + upto(35);
      left -= size;
      section(size);
    }
    end();
    return std::move(text_);
  }

 private:
  int upto(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string r() { return fmt::format("r{}", upto(integers)); }
  std::string f() { return fmt::format("f{}", upto(floats)); }
  std::string d() { return fmt::format("d{}", upto(wides)); }
  std::string e() { return fmt::format("e{}", upto(doubles)); }
  std::string p() { return fmt::format("p{}", upto(predicates)); }
  int offset() { return 16 * upto(32); }
  void line(const std::string& text) { text_ += text + "\n"; }

  void begin() {
    line(
        fmt::format(".reg .b32 r<{}>, s, x, i, lim;\n.reg .f32 f<{}>;\n.reg .b64 d<{}>, a, b, t;\n"
                    ".reg .f64 e<{}>;\n.reg .pred p<{}>;",
                    integers, floats, wides, doubles, predicates));
    line(
        "ld.param.u64 a, [p];\nld.param.u64 b, [q];\nld.param.u32 lim, [n];\nmov.u32 s, sm;\n"
        "mov.u32 x, %tid.x;\nshl.b32 x, x, 4;\nadd.u32 s, s, x;\nmul.wide.u32 t, x, 4;\n"
        "add.u64 a, a, t;\nmov.u32 i, 0;");
    for (int k = 0; k < integers; ++k)
      line(fmt::format("ld.volatile.global.u32 r{}, [a+{}];", k, 4 * k));
    for (int k = 0; k < floats; ++k) line(fmt::format("ld.global.f32 f{}, [b+{}];", k, 4 * k));
    for (int k = 0; k < wides; ++k) line(fmt::format("cvt.u64.u32 d{}, r{};", k, k));
    for (int k = 0; k < doubles; ++k) line(fmt::format("cvt.f64.f32 e{}, f{};", k, k));
    for (int k = 0; k < predicates; ++k)
      line(fmt::format("setp.lt.u32 p{}, r{}, r{};", k, k, k + predicates));
  }

  void end() {
    for (int k = 0; k < integers; ++k)
      line(fmt::format("st.volatile.global.u32 [a+{}], r{};", 4 * k, k));
    for (int k = 0; k < floats; ++k)
      line(fmt::format("st.volatile.global.f32 [b+{}], f{};", 4 * k, k));
    for (int k = 0; k < wides; ++k)
      line(fmt::format("st.volatile.global.u64 [b+{}], d{};", 64 + 8 * k, k));
    for (int k = 0; k < doubles; ++k)
      line(fmt::format("st.volatile.global.f64 [b+{}], e{};", 256 + 8 * k, k));
    line("ret;\n}");
  }

  void statements(int count) {
    for (int k = 0; k < count; ++k) line(statement());
  }

  void section(int size) {
    const int label = labels_++;
    switch (upto(4)) {
      case 0:
        line(fmt::format("L{}:\n.pragma \"nounroll\";", label));
        statements(size);
        line(fmt::format("add.u32 i, i, 1;\nsetp.lt.u32 p0, i, lim;\n@p0 bra L{};", label));
        break;
      case 1:
        line(fmt::format("@{} bra L{};", p(), label));
        statements(size);
        line(fmt::format("L{}:", label));
        break;
      default: statements(size);
    }
    if (upto(10) == 0) line("bar.sync 0;");
  }

  // What a guard may precede, or not.
  std::string statement() {
    const std::string guard =
        upto(10) == 0 ? fmt::format("@{}{} ", upto(2) == 0 ? "!" : "", p()) : std::string();
    return guard + (upto(2) == 0 ? arithmetic() : upto(2) == 0 ? memory() : slow());
  }

  std::string arithmetic() {
    switch (upto(15)) {
      case 0: return fmt::format("add.u32 {}, {}, {};", r(), r(), r());
      case 1: return fmt::format("mad.lo.u32 {}, {}, {}, {};", r(), r(), r(), r());
      case 2: return fmt::format("xor.b32 {}, {}, {};", r(), r(), r());
      case 3: return fmt::format("shf.l.wrap.b32 {}, {}, {}, {};", r(), r(), r(), r());
      case 4: return fmt::format("prmt.b32 {}, {}, {}, {};", r(), r(), r(), r());
      case 5: return fmt::format("setp.lt.u32 {}, {}, {};", p(), r(), r());
      case 6: return fmt::format("selp.b32 {}, {}, {}, {};", r(), r(), r(), p());
      case 7: return fmt::format("fma.rn.f32 {}, {}, {}, {};", f(), f(), f(), f());
      case 8: return fmt::format("mul.f32 {}, {}, {};", f(), f(), f());
      case 9: return fmt::format("add.f32 {}, {}, {};", f(), f(), f());
      case 10: return fmt::format("setp.lt.f32 {}, {}, {};", p(), f(), f());
      case 11: return fmt::format("add.u64 {}, {}, {};", d(), d(), d());
      case 12: return fmt::format("mad.wide.u32 {}, {}, {}, {};", d(), r(), r(), d());
      case 13: return fmt::format("cvt.u32.u64 {}, {};", r(), d());
      default: return fmt::format("mov.b64 {{{}, {}}}, {};", r(), r(), d());
    }
  }

  std::string memory() {
    const int at = offset(), k = upto(integers - 3);
    switch (upto(7)) {
      case 0: return fmt::format("ld.volatile.shared.u32 {}, [s+{}];", r(), at);
      case 1: return fmt::format("st.volatile.shared.u32 [s+{}], {};", at, r());
      case 2: return fmt::format("ld.volatile.global.u32 {}, [a+{}];", r(), at);
      case 3: return fmt::format("st.volatile.global.u32 [a+{}], {};", at, r());
      case 4: return fmt::format("atom.shared.add.u32 {}, [s+{}], {};", r(), at, r());
      case 5:
        return fmt::format("st.volatile.shared.v4.u32 [s+{}], {{{}, {}, {}, {}}};", at, r(), r(),
                           r(), r());
      default:
        return fmt::format("ld.volatile.shared.v4.u32 {{r{}, r{}, r{}, r{}}}, [s+{}];", k, k + 1,
                           k + 2, k + 3, at);
    }
  }

  std::string slow() {
    constexpr std::array functions = {"ex2", "rcp", "rsqrt", "sin", "lg2"};
    switch (upto(8)) {
      case 0:
        return fmt::format("{}.approx.f32 {}, {};", functions.at(static_cast<std::size_t>(upto(5))),
                           f(), f());
      case 1: return fmt::format("shfl.sync.bfly.b32 {}, {}, {}, 31, -1;", r(), r(), 1 + upto(30));
      case 2: return fmt::format("popc.b32 {}, {};", r(), r());
      case 3: return fmt::format("cvt.rn.f32.u32 {}, {};", f(), r());
      case 4: return fmt::format("cvt.rzi.u32.f32 {}, {};", r(), f());
      case 5: return fmt::format("fma.rn.f64 {}, {}, {}, {};", e(), e(), e(), e());
      case 6: return fmt::format("vote.sync.ballot.b32 {}, {}, -1;", r(), p());
      default: return fmt::format("bfind.u32 {}, {};", r(), r());
    }
  }

  std::mt19937 random_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace

std::string random_module(int kernels, int statements) {
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".extern .shared .align 128 .b8 sm[];\n";
  for (int k = 0; k < kernels; ++k)
    text += Writer(static_cast<unsigned>(k)).kernel(fmt::format("kernel{}", k), statements);
  return text;
}

}  // namespace phasebit::test
