// The chain of inlining, from the line table to the line that a view picks.
#include "analysis/cubin/cubin.h"
#include "analysis/cubin/source/lines.h"
#include "analysis/cubin/source/names.h"
#include "core/base/process.h"
#include "tests/analysis/sass/support.h"

#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::source::pick_frames;
using cubin::source::source_view;
using cubin::source::SourceTable;

namespace {

// Two kernels: in `last` twice() is inlined at k.cu:11 and plus() in it, at twice.h:21; in `first`
// twice() alone, at k.cu:5. So the rows of the second sequence are counted anew.
std::string two_kernels() {
  const auto kernel = [](const std::string& name, const std::string& body) {
    return ".visible .entry " + name +
           "(.param .u64 p)\n{\n.reg .b64 a;\n.reg .f32 f;\n.loc 1 4 5\nld.param.u64 a, [p];\n"
           "ld.global.f32 f, [a];\n" +
           body + ".loc 1 12 5\nst.global.f32 [a], f;\n.loc 1 13 1\nret;\n}\n";
  };
  const std::string twice = ", function_name $twice, inlined_at 1 ";
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".file 1 \"/src/k.cu\"\n.file 2 \"/lib/twice.h\"\n" +
         kernel("first", ".loc 1 5 7\n.loc 2 20 3" + twice + "5 7\nmul.f32 f, f, f;\n") +
         kernel("last", ".loc 1 11 7\n.loc 2 21 9" + twice +
                            "11 7\n.loc 2 30 3, function_name $plus, inlined_at 2 21 9\n"
                            "mul.f32 f, f, f;\n") +
         ".section .debug_str\n{\n$twice:\n.b8 95,90,53,116,119,105,99,101,102,0\n"  // _Z5twicef
         "$plus:\n.b8 112,108,117,115,0\n}\n";
}

struct Assembled {
  std::string bytes;
  cubin::Cubin cubin;
};

Result<Assembled> inlining_assemble_text(const std::string& ptx, const char* target) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path source = folder.path() / "k.ptx", out = folder.path() / "k.cubin";
  PHASEBIT_TRY(base::write_file(source, ptx));
  PHASEBIT_TRY_ASSIGN(ran, base::run_process({test::find_tools()->ptxas, "-lineinfo", "-arch",
                                              target, source.string(), "-o", out.string()}));
  if (!ran.ok()) return fail(Step::toolchain, "{}", ran.err);
  PHASEBIT_TRY_ASSIGN(bytes, base::read_file(out));
  PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(bytes));
  return Assembled{std::move(bytes), std::move(cubin)};
}

// "/lib/twice.h:30 < /lib/twice.h:21 < /src/k.cu:11".
std::string chain_text(const SourceTable& table, int frame) {
  std::string text;
  for (const int one : table.chain(frame))
    text += fmt::format("{}{}:{}", text.empty() ? "" : " < ", table.file_of(one),
                        table.frames[static_cast<std::size_t>(one)].line);
  return text;
}

// The same as `nvdisasm -gi` prints it, by kernel and address, where it prints a chain.
std::map<std::string, std::map<std::uint64_t, std::string>> chains_by_nvdisasm(
    const std::string& cubin) {
  const auto folder = base::TempDir::create();
  const std::string file = (folder->path() / "a.cubin").string();
  (void)base::write_file(file, cubin);
  const auto output = base::run_process({test::find_tools()->nvdisasm, "-c", "-gi", file});
  std::map<std::string, std::map<std::uint64_t, std::string>> inlining_result;
  std::istringstream in(output->out);
  std::string entry, chain;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with("\t.section\t.text.")) entry = text.substr(16, text.find(',') - 16);
    if (const auto at = text.find("//## File \""); at != std::string::npos) {
      const auto end = text.find("\", line ");
      chain += (chain.empty() ? "" : " < ") + text.substr(at + 11, end - at - 11) + ":" +
               std::to_string(std::stoi(text.substr(end + 8)));
    }
    if (const auto at = text.find("/*"); at != std::string::npos && text.find("*/") == at + 6) {
      if (!chain.empty())
        inlining_result[entry][std::stoul(text.substr(at + 2, 4), nullptr, 16)] = chain;
      chain.clear();
    }
  }
  return inlining_result;
}

TEST(Inlining, ChainsAgreeWithNvdisasm) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_80", "sm_90", "sm_100", "sm_120"}) {
    SCOPED_TRACE(target);
    const auto made = inlining_assemble_text(two_kernels(), target);
    ASSERT_TRUE(made) << made.error().text();
    const auto expected = chains_by_nvdisasm(made->bytes);
    ASSERT_EQ(expected.size(), 2U);
    std::string deepest;
    for (const auto& [entry, chains] : expected)
      for (const auto& [address, chain] : chains) {
        const cubin::CubinKernel* kernel = made->cubin.find(entry);
        EXPECT_EQ(chain_text(made->cubin.source, kernel->frames.at(address / 16)), chain)
            << entry << " " << address;
        if (chain.size() > deepest.size()) deepest = chain;
      }
    EXPECT_EQ(deepest, "/lib/twice.h:30 < /lib/twice.h:21 < /src/k.cu:11");
  }
}

TEST(Inlining, FramesNameTheInlinedFunction) {
  PHASEBIT_NEEDS_TOOLS();
  const auto made = inlining_assemble_text(two_kernels(), "sm_90");
  ASSERT_TRUE(made) << made.error().text();
  const SourceTable& table = made->cubin.source;
  std::set<std::string> functions;
  for (std::size_t i = 0; i < table.frames.size(); ++i)
    if (table.frames[i].line == 20 || table.frames[i].line == 30)
      functions.insert(table.function_of(static_cast<int>(i)));
  EXPECT_EQ(functions, (std::set<std::string>{"_Z5twicef", "plus"}));
}

// k.cu:11 inlines twice.h:21, which inlines twice.h:30; m.cu:7 is alone.
SourceTable hand_made() {
  return {{"/src/k.cu", "/lib/twice.h", "m.cu"},
          {"twice", "plus"},
          {{0, 11, -1, -1}, {1, 21, 0, 0}, {1, 30, 1, 1}, {2, 7, -1, -1}}};
}

TEST(Inlining, PicksTheLineOfAView) {
  const struct {
    const char* view;
    std::vector<int> picked;
  } rows[] = {{"", {0, 1, 2, 3}},       {"inner", {0, 1, 2, 3}},     {"outer", {0, 0, 0, 3}},
              {"k.cu", {0, 0, 0, -1}},  {"src/k.cu", {0, 0, 0, -1}}, {"twice.h", {-1, 1, 2, -1}},
              {"m.cu", {-1, -1, -1, 3}}};
  for (const auto& row : rows) {
    const auto picked = pick_frames(hand_made(), source_view(row.view));
    ASSERT_TRUE(picked) << row.view;
    EXPECT_EQ(*picked, row.picked) << row.view;
  }
}

TEST(Inlining, AFileThatIsNotThereIsAnError) {
  EXPECT_EQ(pick_frames(hand_made(), source_view("twic.h")).error().text(),
            "usage: --source twic.h: not inner, outer, or one of the 3 files that the line table "
            "names (did you mean 'twice.h'?)");
  EXPECT_EQ(pick_frames({}, source_view("k.cu")).error().text(),
            "usage: --source k.cu: the code has no line information (nvcc -lineinfo writes it, or "
            ".loc and ptxas -lineinfo)");
  EXPECT_FALSE(pick_frames(hand_made(), source_view(".cu")));
}

TEST(Inlining, NamesAreShortened) {
  const struct {
    const char* name;
    std::size_t width;
    const char* expected;
  } rows[] = {
      {"f(int)", 6, "f(int)"},
      {"void f<g<int, 3>, h>(g<int, 3>)", 29, "void f<g<...>, h>(g<...>)"},
      {"void f<g<int, 3>, h>(g<int, 3>)", 20, "void f<...>(...)"},
      {"ns::operator<< <long>(longer)", 12, "ns::operator<< <...>(...)"},
      {"(anonymous namespace)::k(longer)", 10, "(anonymous namespace)::k(...)"},
      {"decltype(a->b) f(longer)", 10, "decltype(...) f(...)"},
      {"f<unbalanced", 3, "f<unbalanced"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(cubin::source::shortened(row.name, row.width), row.expected);
}

}  // namespace
}  // namespace phasebit::test
