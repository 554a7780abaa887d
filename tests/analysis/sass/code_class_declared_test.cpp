// What a module declares, one thing of it changed: which of it counts, linked and to be linked.
#include "tests/analysis/sass/class_pairs.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Declared {
  const char* what;
  std::string text, from, to;
  std::vector<std::string> linked, relocatable;  // what is said; nothing: one class
};

const std::vector<std::string> one_class, relocated = {"relocation"}, bank_3 = {"constant bank 3"},
                                          bank_4 = {"constant bank 4"};

// A kernel that puts the i-th word of TABLE out.
std::string reads(const std::string& declared, const std::string& space) {
  return declared + R"(
.visible .entry k(.param .u64 out, .param .u32 i)
{
  .reg .b64 o, at, offset; .reg .b32 n, v;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  mov.u64 at, TABLE;
  mul.wide.s32 offset, n, 4;
  add.s64 at, at, offset;
  ld.)" + space +
         ".u32 v, [at];\n  st.global.u32 [o], v;\n  ret;\n}\n";
}

std::vector<Declared> tables() {
  const std::string ones = reads(".global .align 4 .u32 TABLE[4] = {1,2,3,4};", "global"),
                    zeros = reads(".global .align 4 .u32 TABLE[4] = {0,0,0,0};", "global"),
                    empty = reads(".global .align 4 .u32 TABLE[4];", "global"),
                    weak = replaced(ones, ".global", ".weak .global"),
                    constant = reads(".const .align 4 .b8 TABLE[16];", "const"),
                    two = reads(
                        ".const .align 4 .u32 TABLE[2] = {1,2};\n"
                        ".const .align 4 .u32 behind[2] = {3,4};",
                        "const");
  return {
      {"the name of a table", ones, "TABLE", "another", one_class, one_class},
      {"the name of a table that a linker may replace", weak, "TABLE", "another", bank_4,
       relocated},
      {"a word of it", ones, "3,4", "3,5", bank_4, relocated},
      {"a one among zeros", zeros, "0,0}", "1,0}", bank_4, relocated},
      {"managed memory", empty, ".global .align", ".global .attribute(.managed) .align", bank_4,
       relocated},
      {"more words of a constant table", constant, "[16]", "[1600]", bank_3, relocated},
      {"the name of a constant table", constant, "TABLE", "another", one_class, one_class},
      // A read after the end of a table is nothing that the text says.
      {"the table after it", two, "{3,4}", "{3,5}", one_class, one_class},
  };
}

// A kernel that needs few registers, with bounds as nvcc writes them.
const std::string little = R"(
.visible .entry k(.param .u64 out)
.minnctapersm 1
{
  .reg .b64 o, at; .reg .b32 t;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  mul.wide.u32 at, t, 4;
  add.s64 o, o, at;
  st.global.u32 [o], t;
  ret;
}
)";

std::vector<Declared> bounds() {
  const std::string place = ".minnctapersm 1",
                    bounded = replaced(little, place, ".maxntid 128\n" + place);
  const auto with = [&](const std::string& more) { return more + "\n" + place; };
  const std::vector<std::string> threads = {"maxntid"}, largest = {"largest cluster"},
                                 cluster = {"cluster dimensions"};
  return {
      {"bounds or none", little, place, with(".maxntid 64"), threads, threads},
      {"a cluster or none", little, place, with(".reqnctapercluster 2"), cluster, cluster},
      {"the largest cluster", bounded, place, with(".maxclusterrank 4"), largest, largest},
      // Its registers are the same, and so is what it is launched with.
      {"a limit of registers", little, place, with(".maxnreg 64"), one_class, one_class},
      {"CTAs for which there is room", bounded, place, ".minnctapersm 4", one_class, one_class},
      {"the type of a parameter", little, ".u64 out", ".u64 .ptr .global .align 4 out", one_class,
       one_class},
  };
}

// Pointers of data to data, and to functions.
const std::string nodes = R"(
.visible .global .align 4 .u32 words[2] = {1,2};
.visible .global .align 8 .u64 left[2] = {generic(words), 1};
.visible .global .align 8 .u64 right[2] = {generic(words), 1};
.visible .global .align 8 .u64 top[2] = {generic(left), generic(right)};
.visible .entry k(.param .u64 out)
{
  .reg .b64 o, a, b, c; .reg .b32 v, w;
  ld.param.u64 o, [out];
  ld.global.u64 a, [top];
  ld.u64 b, [a];
  ld.u32 v, [b];
  ld.global.u64 c, [top+8];
  ld.u32 w, [c+8];
  add.u32 v, v, w;
  st.global.u32 [o], v;
  ret;
}
)";

const std::string circle = R"(
.extern .global .align 8 .u64 right[2];
.extern .global .align 8 .u64 left[2];
.visible .global .align 8 .u64 right[2] = {generic(left), 2};
.visible .global .align 8 .u64 left[2] = {generic(right), 1};
.visible .entry k(.param .u64 out)
{
  .reg .b64 o, a, b;
  ld.param.u64 o, [out];
  ld.global.u64 a, [left];
  ld.u64 b, [a+8];
  st.global.u64 [o], b;
  ret;
}
)";

const std::string kept_pointer = R"(
.const .align 4 .u32 words[4] = {1,2,3,4};
.visible .entry k(.param .u64 out)
{
  .reg .b64 o, at;
  ld.param.u64 o, [out];
  mov.u64 at, words;
  cvta.const.u64 at, at;
  st.global.u64 [o], at;
  ret;
}
)";

const std::string wide_load = R"(
.const .align 16 .f32 all[4] = {1.0,2.0,3.0,4.0};
.const .align 4 .f32 e[4] = {1.0,2.0,3.0,4.0};
.visible .entry k(.param .u64 out, .param .u32 i)
{
  .reg .b64 o, at, offset; .reg .b32 n; .reg .f32 f<5>;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  ld.const.v4.f32 {f0, f1, f2, f3}, [all];
  st.global.v4.f32 [o], {f0, f1, f2, f3};
  mul.wide.s32 offset, n, 4;
  mov.u64 at, e;
  add.s64 at, at, offset;
  ld.const.f32 f4, [at];
  st.global.f32 [o+16], f4;
  ret;
}
)";

// A call of one of two functions, by a table in constant or in global memory.
std::string calls(const std::string& space) {
  const auto function = [](const std::string& name, const std::string& step) {
    return ".visible .func (.param .b32 r) " + name +
           "(.param .b32 x)\n{\n  .reg .b32 v;\n  ld.param.b32 v, [x];\n  " + step +
           ";\n  st.param.b32 [r], v;\n  ret;\n}\n";
  };
  const std::string before =
      ".visible .func (.param .b32 r) triple(.param .b32 x);\n"
      ".visible .func (.param .b32 r) next(.param .b32 x);\n";
  return before + ".visible ." + space + " .align 8 .u64 table[2] = {triple, next};\n" +
         function("triple", "mul.lo.s32 v, v, 3") + function("next", "add.s32 v, v, 1") + R"(
.visible .entry k(.param .u64 out, .param .u32 i)
{
  .reg .b64 o, at, f; .reg .b32 n, v;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  mul.wide.s32 f, n, 8;
  mov.u64 at, table;
  add.s64 at, at, f;
  ld.)" + space +
         R"(.u64 f, [at];
  ld.global.u32 v, [o];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], v;
    like: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), f, (a), like;
    ld.param.b32 v, [b];
  }
  st.global.u32 [o], v;
  ret;
}
)";
}

const std::string prints = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 $str[5] = {97, 32, 37, 100, 10};
.visible .entry k()
{
  .reg .b64 at; .reg .b32 v;
  mov.u64 at, $str;
  cvta.global.u64 at, at;
  {
    .param .b64 a;
    .param .b64 b;
    .param .b32 c;
    st.param.b64 [a], at;
    st.param.b64 [b], 0;
    call (c), vprintf, (a, b);
    ld.param.b32 v, [c];
  }
  ret;
}
)";

std::vector<Declared> pointers() {
  return {
      {"a word two pointers away", nodes, "{1,2}", "{7,2}", bank_4, relocated},
      {"one of two equal targets", nodes, "generic(right)}", "generic(left)}", bank_4, relocated},
      {"data that points to itself", circle, "(left), 2", "(left), 3", bank_4, relocated},
      {"constants whose address it hands out",
       kept_pointer,
       "3,4",
       "3,5",
       bank_3,
       {"constant bank 3", "relocation"}},
      {"the last constant of a wide load", wide_load, "3.0,4.0};\n.const .align 4",
       "3.0,5.0};\n.const .align 4", bank_3, relocated},
      {"the order of a table of functions", calls("global"), "{triple, next}", "{next, triple}",
       bank_4, relocated},
      {"the same in constant memory", calls("const"), "{triple, next}", "{next, triple}", bank_3,
       relocated},
      {"what is printed", prints, "{97,", "{98,", bank_4, relocated},
  };
}

// Two functions that a kernel calls, in the order in which they are written.
std::string calls_two(const char* first, const char* second) {
  std::string text;
  for (const char* name : {first, second})
    text += fmt::format(
        ".func (.param .b32 r) {}(.param .b32 x)\n{{\n  .reg .b32 v;\n  ld.param.b32 v, [x];\n"
        "  mul.lo.s32 v, v, {};\n  st.param.b32 [r], v;\n  ret;\n}}\n",
        name, std::string_view(name).size());
  return text + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .b32 v;
  ld.param.u64 o, [out];
  ld.global.u32 v, [o];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], v;
    call (b), triple, (a);
    ld.param.b32 v, [b];
  }
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], v;
    call (b), nine_fold, (a);
    ld.param.b32 v, [b];
  }
  st.global.u32 [o], v;
  ret;
}
)";
}

TEST(CodeClassDeclared, TheOrderOfFunctionsIsNoDifference) {
  PHASEBIT_NEEDS_TOOLS();
  for (const Flags& flags : {Flags{}, Flags{"-c"}}) {
    const auto one = kernel_of(calls_two("triple", "nine_fold"), "sm_90a", flags),
               other = kernel_of(calls_two("nine_fold", "triple"), "sm_90a", flags);
    ASSERT_TRUE(one && other) << (one ? other : one).error().text();
    EXPECT_EQ(one->code.hash, other->code.hash);
  }
}

// Shared memory of the kernel, of the module, and of the launch.
const std::string exchange = R"(
.shared .align 4 .b8 outer[256];
.extern .shared .align 4 .b8 dynamic[];
.visible .entry k(.param .u64 out)
{
  .shared .align 4 .b8 first[256];
  .shared .align 4 .b8 second[256];
  .reg .b64 o; .reg .b32 t, u, a, b, c, d;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  shl.b32 t, t, 2;
  mov.u32 a, first;
  mov.u32 b, second;
  mov.u32 c, outer;
  mov.u32 d, dynamic;
  add.u32 a, a, t;
  add.u32 b, b, t;
  add.u32 c, c, t;
  add.u32 d, d, t;
  st.shared.u32 [a], 1;
  st.shared.u32 [b], 2;
  st.shared.u32 [c], 3;
  st.shared.u32 [d], 4;
  bar.sync 0;
  xor.b32 t, t, 4;
  mov.u32 u, first;
  add.u32 u, u, t;
  ld.shared.u32 t, [u];
  st.global.u32 [o], t;
  ret;
}
)";

const std::string of_the_launch = R"(
.extern .shared .align 4 .b8 dynamic[];
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .b32 t;
  ld.param.u64 o, [out];
  ld.shared.u32 t, [dynamic+8];
  st.global.u32 [o], t;
  ret;
}
)";

std::vector<Declared> shared_memory() {
  return {
      {"the name of the module's", exchange, "outer", "another", one_class, one_class},
      {"the name of the kernel's", exchange, "first", "another", one_class, one_class},
      {"the name of the launch's", exchange, "dynamic", "another", one_class, one_class},
      // Where nothing lies before it, it begins where it did.
      {"the alignment of the launch's", of_the_launch, "align 4", "align 1024", one_class,
       relocated},
  };
}

void expect_all(const std::vector<Declared>& rows) {
  for (const Declared& row : rows) {
    expect_pair({row.what, "sm_90a", row.text, row.from, row.to, {}, row.linked});
    SCOPED_TRACE("relocatable");
    expect_pair({row.what, "sm_120a", row.text, row.from, row.to, {"-c"}, row.relocatable});
  }
}

TEST(CodeClassDeclared, Tables) {
  PHASEBIT_NEEDS_TOOLS();
  expect_all(tables());
}

TEST(CodeClassDeclared, Bounds) {
  PHASEBIT_NEEDS_TOOLS();
  expect_all(bounds());
}

TEST(CodeClassDeclared, Pointers) {
  PHASEBIT_NEEDS_TOOLS();
  expect_all(pointers());
  // A function in a section of its own, which a table leads to.
  const std::string methods = replaced(calls("global"), ".visible .global", ".weak .global");
  for (const std::string& text : {calls("global"), calls("const"), methods})
    expect_pair({"what a function of a table does",
                 "sm_90a",
                 text,
                 "v, v, 3",
                 "v, v, 5",
                 {"-c"},
                 {"callee", "relocation"}});
}

TEST(CodeClassDeclared, SharedMemory) {
  PHASEBIT_NEEDS_TOOLS();
  expect_all(shared_memory());
  // The text does not say which of two equal variables is meant: their addresses are still to come.
  for (const char* target : {"sm_75", "sm_80"})
    expect_pair({"the other of two equal variables",
                 target,
                 exchange,
                 "mov.u32 u, first",
                 "mov.u32 u, second",
                 {"-c"},
                 relocated});
  for (const char* target : {"sm_80", "sm_90a"})
    expect_pair({"the alignment of the module's",
                 target,
                 exchange,
                 "align 4 .b8 outer",
                 "align 64 .b8 outer",
                 {"-c"},
                 relocated});
}

TEST(CodeClassDeclared, ClustersOfBlocks) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string place = ".minnctapersm 1";
  for (const Flags& flags : {Flags{}, Flags{"-c"}})
    expect_pair({"CTAs for clusters",
                 "sm_107a",
                 little,
                 place,
                 ".blocksareclusters\n.reqntid 64\n.reqnctapercluster 1\n" + place,
                 flags,
                 {"blocks are clusters", "cluster dimensions", "reqntid"}});
}

// A kernel that reads one of two textures or surfaces of the module.
std::string reads_image(const std::string& kind, const std::string& load) {
  return ".global ." + kind + " first;\n.global ." + kind + " second;\n" + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .b32 i, v, w;
  ld.param.u64 o, [out];
  mov.u32 i, %tid.x;
  )" + load +
         R"(
  st.global.u32 [o], v;
  ret;
}
)";
}

TEST(CodeClassDeclared, TexturesAndSurfaces) {
  PHASEBIT_NEEDS_TOOLS();
  for (const std::string& text :
       {reads_image("texref", "tex.1d.v4.u32.s32 {v, w, w, w}, [first, {i}];"),
        reads_image("surfref", "suld.b.1d.b32.trap {v}, [first, {i}];")})
    for (const char* target : {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
      SCOPED_TRACE(text);
      expect_pair({target, target, text, "[first,", "[second,", {}, {"constant bank 0 at"}});
      expect_pair({target, target, text, "[first,", "[second,", {"-c"}, relocated});
      // The program binds it by its name.
      expect_pair({target, target, text, "first", "third", {}, {"constant bank 0 at"}});
      expect_pair({target, target, text, "second", "third", {}, {}});
    }
}

// How a sampler that the code reads filters and clamps, and of one that it does not.
TEST(CodeClassDeclared, Samplers) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string text = R"(
.global .texref image;
.global .samplerref one = {filter_mode = nearest, addr_mode_0 = wrap};
.global .samplerref other = {filter_mode = linear, addr_mode_0 = mirror};
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .f32 x, v, w;
  ld.param.u64 o, [out];
  ld.global.f32 x, [o];
  tex.2d.v4.f32.f32 {v, w, w, w}, [image, one, {x, x}];
  st.global.f32 [o], v;
  ret;
}
)";
  for (const char* target : {"sm_80, texmode_independent", "sm_90a, texmode_independent"}) {
    const std::vector<std::string> state = {"constant bank 0 at"};
    expect_pair({"a filter", target, text, "nearest", "linear", {}, state});
    expect_pair({"an edge", target, text, "wrap", "clamp_to_edge", {}, state});
    expect_pair({"another's edge", target, text, "mirror", "clamp_to_edge", {}, {}});
  }
}

// What is in the instructions is seen there, and never called identical.
const std::string stack_table = R"(
.visible .entry k(.param .u64 out, .param .u32 i)
{
  .local .align 4 .b8 depot[16];
  .reg .b64 o, at, offset; .reg .b32 n, v;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  mov.u64 at, depot;
  mul.wide.s32 offset, n, 4;
  add.s64 at, at, offset;
  st.local.u32 [depot], 1;
  st.local.u32 [depot+4], 2;
  st.local.u32 [depot+8], 3;
  ld.local.u32 v, [at];
  st.global.u32 [o], v;
  ret;
}
)";

const std::string by_value = R"(
.visible .entry k(.param .align 4 .b8 words[32], .param .u64 out, .param .u32 i)
{
  .local .align 4 .b8 depot[32];
  .reg .b64 o, at, offset; .reg .b32 n, v;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  ld.param.u32 v, [words];
  st.local.u32 [depot], v;
  mov.u64 at, PLACE;
  mul.wide.s32 offset, n, 4;
  add.s64 at, at, offset;
  ld.SPACE.u32 v, [at];
  st.global.u32 [o], v;
  ret;
}
)";

TEST(CodeClassDeclared, WhatIsInTheInstructions) {
  PHASEBIT_NEEDS_TOOLS();
  const auto in = [&](const char* place, const char* space) {
    return replaced(replaced(by_value, "PLACE", place), "SPACE", space);
  };
  const std::string table = reads(".const .align 4 .u32 TABLE[2] = {1,2};", "const");
  const struct {
    const char* what;
    std::string from, to;
  } pairs[] = {
      {"a table on the stack", stack_table, replaced(stack_table, "+8], 3", "+8], 4")},
      {"a copy of a parameter", in("depot", "local"), in("words", "param")},
      {"functions whose bodies are in the kernel", calls("global"),
       replaced(calls("global"), "v, v, 3", "v, v, 5")},
      {"a table with another in front of it", table, ".const .align 4 .u32 before = 7;\n" + table},
  };
  for (const auto& [what, from, to] : pairs) {
    const auto a = kernel_of(from, "sm_90a", {}), b = kernel_of(to, "sm_90a", {});
    ASSERT_TRUE(a && b) << what << ": " << (a ? b : a).error().text();
    EXPECT_NE(a->code.hash, b->code.hash) << what;
    const auto difference = compare::diff_kernels(side_of(cached_disassembler(), *a),
                                                  side_of(cached_disassembler(), *b));
    EXPECT_NE(difference->change, compare::Change::identical) << what;
    EXPECT_NE(difference->change, compare::Change::data) << what;
  }
}

}  // namespace
}  // namespace phasebit::test
