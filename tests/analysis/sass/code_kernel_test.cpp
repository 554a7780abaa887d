#include "analysis/foreign/file.h"
#include "analysis/foreign/kernel.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::source::demangled;
using foreign::CodeFile;
using foreign::find_kernel;
using foreign::KernelQuery;

namespace {

// As nvcc 13 names them.
const std::string copy = "_ZN2ns4copyEPfPKfi", scale_d = "_Z5scaleIdLi32EEvPT_S0_",
                  scale_f = "_Z5scaleIfLi64EEvPT_S0_";

foreign::CodeImage image(const std::string& name, const std::string& target, int sm,
                         const std::vector<std::string>& kernels, char code = 'a') {
  foreign::CodeImage result{name, "", {}};
  result.cubin.sm = sm;
  result.cubin.target = target;
  for (const std::string& entry : kernels) {
    cubin::CubinKernel kernel;
    kernel.entry = entry;
    kernel.is_entry = !entry.starts_with("helper");
    kernel.text = std::string(16, code);
    result.cubin.kernels.push_back(kernel);
  }
  return result;
}

std::string found(const CodeFile& file, const KernelQuery& query) {
  const auto kernels = foreign::find_kernels(file, query);
  if (!kernels) return kernels.error().text();
  std::string text;
  for (const foreign::CodeKernel& one : *kernels)
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
       "usage: app: has 4 kernels (give --kernel, a number or a name: 1 ns::copy(float*, float "
       "const*, int), 2 void scale<double, 32>(double*, double), 3 void scale<float, "
       "64>(float*, float), 4 plain)"},
      {{"scale", "sm_80"},
       "usage: app: 2 kernels match 'scale' (give --kernel, a number or a name: 2 void "
       "scale<double, 32>(double*, double), 3 void scale<float, 64>(float*, float))"},
      {{"5", "sm_80"}, "usage: app: no kernel 5: they are numbered from 1 to 4 for sm_80"},
      {{"0", ""}, "usage: app: no kernel 0: they are numbered from 1 to 8"},
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
  EXPECT_EQ(
      only(other, {"k", ""}),
      "usage: o: k for sm_80 is there 2 times with different code (give --kernel, a number or "
      "a name: 1 o: 1, 2 o: 2)");
  EXPECT_EQ(find_kernel(other, {"2", ""})->image, &other.images[1]);
  const std::string first = "_ZN12_GLOBAL__N_11kEPi";
  const CodeFile hidden{"h", {image("h", "sm_80", 80, {first, "_ZN12_GLOBAL__N_11kEPf"})}, {}};
  EXPECT_EQ(only(hidden, {"(anonymous namespace)::k(int*)", ""}), first + "@sm_80");
  EXPECT_EQ(found(hidden, {"(anonymous namespace)::k", ""}),
            first + "@sm_80 _ZN12_GLOBAL__N_11kEPf@sm_80");
}

TEST(CodeKernel, ByNumber) {
  const CodeFile file = app();
  const std::vector<foreign::CodeKernel> all = foreign::list_kernels(file, "sm_90");
  ASSERT_EQ(all.size(), 4U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(find_kernel(file, {std::to_string(i + 1), "sm_90"})->kernel, all[i].kernel) << i;
  EXPECT_EQ(only(file, {"8", ""}), "plain@sm_90a");
}

TEST(CodeKernel, LinkedGoesBeforeRelocatable) {
  CodeFile file{
      "l", {image("l: 1", "sm_80", 80, {"k", "only"}), image("l: 2", "sm_80", 80, {"k"}, 'b')}, {}};
  file.images[0].relocatable = true;
  EXPECT_EQ(find_kernel(file, {"k", ""})->image, &file.images[1]);
  EXPECT_EQ(found(file, {"", ""}), "only@sm_80 k@sm_80");
}

TEST(CodeKernel, NotOpened) {
  CodeFile file{"u", {}, {}};
  file.unopened = {"sm_100a", "sm_90"};
  EXPECT_EQ(only(file, {"k", "sm_75"}),
            "usage: u: no code for sm_75 (it has code for sm_100a, sm_90)");
}

// 2,000 names that begin alike are said with what tells them apart, twelve of them.
TEST(CodeKernel, ManyLongNames) {
  const std::string same(1000, 'x');
  std::vector<std::string> names;
  for (int i = 0; i < 2000; ++i) names.push_back(fmt::format("k{}_{}", same, i));
  const std::string text = only({"m", {image("m", "sm_80", 80, names)}, {}}, {"", ""});
  EXPECT_LT(text.size(), 1300U);
  EXPECT_NE(text.find("m: has 2000 kernels (give --kernel, a number or a name: 1 kxx"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("xxx_3, 5 kxx"), std::string::npos) << text;
  EXPECT_NE(text.find("xxx_11, and 1988 more; phasebit sass list m shows all)"), std::string::npos)
      << text;
}

TEST(ShortNames, KeepWhatTellsThemApart) {
  const struct {
    std::vector<std::string> names, short_ones;
  } rows[] = {
      {{"short", "also short"}, {"short", "also short"}},
      {{"abcdefghijklmnopqrstuvwxyz"}, {"abcdefghijklmnopq..."}},
      {{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2"},
       {"aaaaaa...aaaaaaaaaa1", "aaaaaa...aaaaaaaaaa2"}},
      {{"aaaaaaaaaaaaaaaaaaaaaa1bbbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaaaaaaaa2bbbbbbbbbbbbbbbbb"},
       {"aaaaaa...aaa1bbbb...", "aaaaaa...aaa2bbbb..."}},
  };
  for (const auto& row : rows) EXPECT_EQ(foreign::short_names(row.names, 20), row.short_ones);
}

// 2,000 kernels that begin alike and that an nvdisasm does not know: said once, with their number.
TEST(ImageNotes, ManyLongNamesOnce) {
  const std::string same(1000, 'x');
  std::vector<foreign::ImageNote> notes;
  for (int i = 0; i < 2000; ++i)
    notes.push_back({fmt::format("k{}_{}", same, i), "nvdisasm 12.4.127 does not know SM107"});
  const std::vector<std::string> said = foreign::fold_notes("m", notes, "kernels");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with(
      "m: 2000 kernels: nvdisasm 12.4.127 does not know SM107 (the first: kxxx"))
      << said[0];
  EXPECT_LT(said[0].size(), 1200U);
}

TEST(ImageNotes, EqualOnesOnce) {
  EXPECT_EQ(foreign::fold_notes("f", {{"f: 1", "a"}, {"f: 2", "b"}, {"f: 3", "a"}}),
            (std::vector<std::string>{"f: 2 images: a (the first: f: 1)", "f: 2: b"}));
  EXPECT_EQ(foreign::fold_notes("f", {{"k", "a"}, {"l", "a"}}, "kernels"),
            (std::vector<std::string>{"f: 2 kernels: a (the first: k)"}));
}

}  // namespace
}  // namespace phasebit::test
