#include "analysis/foreign/kernel.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

// As nvcc 13 names them.
const std::string copy = "_ZN2ns4copyEPfPKfi", scale_d = "_Z5scaleIdLi32EEvPT_S0_",
                  scale_f = "_Z5scaleIfLi64EEvPT_S0_";

CodeImage image(const std::string& name, const std::string& target, int sm,
                const std::vector<std::string>& kernels, char code = 'a') {
  CodeImage result{name, "", {}};
  result.cubin.sm = sm;
  result.cubin.target = target;
  for (const std::string& entry : kernels) {
    CubinKernel kernel;
    kernel.entry = entry;
    kernel.is_entry = !entry.starts_with("helper");
    kernel.text = std::string(16, code);
    result.cubin.kernels.push_back(kernel);
  }
  return result;
}

std::string found(const CodeFile& file, const KernelQuery& query) {
  const auto kernels = find_kernels(file, query);
  if (!kernels) return kernels.error().text();
  std::string text;
  for (const CodeKernel& one : *kernels)
    text += (text.empty() ? "" : " ") + one.kernel->entry + "@" + one.image->cubin.target;
  return text;
}

std::string only(const CodeFile& file, const KernelQuery& query) {
  const auto kernel = find_kernel(file, query);
  return kernel ? kernel->kernel->entry + "@" + kernel->image->cubin.target : kernel.error().text();
}

CodeFile app() {
  return {"app",
          {image("app: 1", "sm_80", 80, {copy, scale_d, scale_f, "plain", "helper"}),
           image("app: 2", "sm_90a", 90, {copy, scale_d, scale_f, "plain", "helper"})},
          {}};
}

TEST(CodeKernel, Demangles) {
  EXPECT_EQ(demangled(copy), "ns::copy(float*, float const*, int)");
  EXPECT_EQ(demangled(scale_f), "void scale<float, 64>(float*, float)");
  EXPECT_EQ(demangled("plain"), "");
  EXPECT_EQ(demangled("i"), "");  // by the demangler alone it would be `int`
  EXPECT_EQ(demangled("_Zzz"), "");
}

TEST(CodeKernel, TakesTheClosestMatch) {
  const CodeFile file = app();
  for (const std::string& word :
       {copy, demangled(copy), std::string("ns::copy"), std::string("4cop"), std::string("copy(")})
    EXPECT_EQ(found(file, {word, "sm_90a"}), copy + "@sm_90a") << word;
  EXPECT_EQ(found(file, {"scale<float, 64>", "sm_90"}), scale_f + "@sm_90a");
  EXPECT_EQ(found(file, {"scale", "sm_80"}), scale_d + "@sm_80 " + scale_f + "@sm_80");
  EXPECT_EQ(found(file, {"plain", ""}), "plain@sm_80 plain@sm_90a");
  // A whole name goes before a part of others; a device function is found by its name alone.
  const CodeFile near{"n", {image("n", "sm_80", 80, {"step_two", "step", "helper"})}, {}};
  EXPECT_EQ(found(near, {"step", ""}), "step@sm_80");
  EXPECT_EQ(found(near, {"", ""}), "step_two@sm_80 step@sm_80");
  EXPECT_EQ(found(near, {"helper", ""}), "helper@sm_80");
}

TEST(CodeKernel, SaysWhatToChoose) {
  const CodeFile file = app();
  const struct {
    KernelQuery query;
    std::string message;
  } rows[] = {
      {{"", "sm_80"},
       "usage: app: has 4 kernels (give --kernel, one of: ns::copy(float*, float const*, int), "
       "plain, void scale<double, 32>(double*, double), void scale<float, 64>(float*, float))"},
      {{"scale", "sm_80"},
       "usage: app: 2 kernels match 'scale' (give --kernel, one of: void scale<double, "
       "32>(double*, double), void scale<float, 64>(float*, float))"},
      {{"plain", ""},
       "usage: app: plain is there for 2 architectures (give --target, one of: sm_80, sm_90a)"},
      {{"plain", "sm_75"}, "usage: app: no code for sm_75 (it has code for sm_80, sm_90a)"},
      {{"plian", ""}, "usage: app: no kernel 'plian' (did you mean 'plain'?)"},
      {{"ns::copi", ""}, "usage: app: no kernel 'ns::copi' (did you mean 'ns::copy'?)"},
      {{"nothing_like_it", ""},
       "usage: app: no kernel 'nothing_like_it' (it has helper, ns::copy(float*, float const*, "
       "int), plain, void scale<double, 32>(double*, double), void scale<float, 64>(float*, "
       "float))"},
  };
  for (const auto& row : rows) EXPECT_EQ(only(file, row.query), row.message);
}

TEST(CodeKernel, OneNameSeveralTimes) {
  const CodeFile same{
      "s", {image("s: 1", "sm_80", 80, {"k"}), image("s: 2", "sm_80", 80, {"k"})}, {}};
  EXPECT_EQ(only(same, {"k", ""}), "k@sm_80");
  const CodeFile other{
      "o", {image("o: 1", "sm_80", 80, {"k"}), image("o: 2", "sm_80", 80, {"k"}, 'b')}, {}};
  EXPECT_EQ(only(other, {"k", ""}),
            "usage: o: k for sm_80 is there 2 times with different code (cuobjdump -xelf takes the "
            "images apart: o: 1, o: 2)");
  const std::string first = "_ZN12_GLOBAL__N_11kEPi";
  const CodeFile hidden{"h", {image("h", "sm_80", 80, {first, "_ZN12_GLOBAL__N_11kEPf"})}, {}};
  EXPECT_EQ(only(hidden, {"(anonymous namespace)::k(int*)", ""}), first + "@sm_80");
  EXPECT_EQ(found(hidden, {"(anonymous namespace)::k", ""}),
            first + "@sm_80 _ZN12_GLOBAL__N_11kEPf@sm_80");
}

}  // namespace
}  // namespace phasebit
