// Pairs of kernels of equal `.text`: which are one class, and what is said of the others.
#include "analysis/cubin/code_class.h"

#include "analysis/compare/diff.h"
#include "analysis/cubin/cubin.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/disassembly/disassembler.h"
#include "tests/analysis/sass/class_pairs.h"

#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::read_cubin;

namespace {

// A kernel whose registers are given back: then the count at entry is that of .maxnreg.
const std::string set_registers = R"(
.visible .entry k() .maxntid 128 .maxnreg 64
{
  setmaxnreg.dec.sync.aligned.u32 24;
  ret;
}
)";

const std::string data_doubles = R"(
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .f64 x;
  ld.param.u64 o, [out];
  ld.global.f64 x, [o];
  fma.rn.f64 x, x, 0d3FF1999999999999, x;
  mul.f64 x, x, 0d4005BF0A8B145769;
  st.global.f64 [o], x;
  ret;
}
)";

const std::string caller = R"(
.func (.param .u32 result) helper(.param .u32 given)
{
  .reg .u32 x;
  ld.param.u32 x, [given];
  add.u32 x, x, 5;
  st.param.u32 [result], x;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .u32 x;
  ld.param.u64 o, [out];
  ld.global.u32 x, [o];
  {
    .param .u32 a;
    .param .u32 b;
    st.param.u32 [a], x;
    call (b), helper, (a);
    ld.param.u32 x, [b];
  }
  st.global.u32 [o], x;
  ret;
}
)";

const std::string shaped = R"(
.visible .entry k() .reqntid 64 .reqnctapercluster 2
{
  .shared .align 8 .b8 stage[64];
  .reg .u32 x;
  mov.u32 x, %tid.x;
  st.shared.u32 [stage], x;
  bar.sync 1;
  ret;
}
)";

std::vector<Pair> data_pairs() {
  const std::string& data = data_kernel;
  return {
      // The four of which it was said that they are identical.
      {"literals",
       "sm_80",
       data_doubles,
       "0d3FF1999999999999",
       "0d3FF1999999999998",
       {},
       {"constant bank 2"}},
      {"jump table",
       "sm_90",
       data,
       "A, B, C, D;",
       "B, A, C, D;",
       {},
       {"constant bank 2", "indirect branch targets"}},
      {"registers", "sm_90a", set_registers, "maxnreg 64", "maxnreg 128", {}, {"registers"}},
      {"callee",
       "sm_90",
       caller,
       "add.u32 x, x, 5",
       "add.u32 x, x, 6",
       {"-c"},
       {"callee", "relocation"}},
      // Data.
      {"constant of the module",
       "sm_90",
       data,
       "{1,2,3,4,5",
       "{1,2,3,4,6",
       {},
       {"constant bank 3 at 0x0"}},
      {"the same, relocatable", "sm_90", data, "{1,2,3,4,5", "{1,2,3,4,6", {"-c"}, {"relocation"}},
      {"a constant that it does not name", "sm_90", data, "unused = 9", "unused = 10", {}, {}},
      {"first value of a global",
       "sm_90",
       data,
       "counter = 3",
       "counter = 4",
       {},
       {"constant bank 4 at 0x0"}},
      {"a global that it does not name", "sm_90", data, "nobody = 5", "nobody = 6", {}, {}},
  };
}

std::vector<Pair> other_pairs() {
  const std::string& data = data_kernel;
  return {
      // Attributes.
      {"maxntid", "sm_90", data, "maxntid 128", "maxntid 64", {}, {"maxntid"}},
      {"reqntid", "sm_90", shaped, "reqntid 64", "reqntid 96", {}, {"reqntid"}},
      {"cluster",
       "sm_90",
       shaped,
       "reqnctapercluster 2",
       "reqnctapercluster 4",
       {},
       {"cluster dimensions"}},
      {"shared memory", "sm_90", shaped, "stage[64]", "stage[128]", {}, {"static shared bytes"}},
      // What does not count.
      {"another kernel beside it",
       "sm_90",
       shaped,
       ".visible .entry k()",
       ".visible .entry other() { trap; }\n.visible .entry k()",
       {},
       {}},
      {"the kernel's name", "sm_90", data, ".entry k(", ".entry name_of_its_own(", {}, {}},
      {"the callee's name",
       "sm_90",
       replaced(caller, "call (b), helper", "call (b), adder"),
       "helper",
       "adder",
       {"-c"},
       {}},
  };
}

// Two constants that one load brings; a global that points to another of its section; a constant
// that a generic pointer reaches; a global that begins at a line of the cache or anywhere.
const std::string two_constants = R"(
.const .align 4 .b32 base = 1;
.const .align 4 .b32 turns = 10;
.visible .entry k(.param .u64 out)
{
  .reg .b64 o; .reg .b32 r<4>;
  ld.param.u64 o, [out];
  ld.const.u32 r1, [base];
  ld.const.u32 r2, [turns];
  add.u32 r3, r1, r2;
  st.global.u32 [o], r3;
  ret;
}
)";

const std::string chained_globals = R"(
.global .align 4 .b32 turns = 10;
.global .align 8 .u64 job = turns;
.visible .entry k(.param .u64 out)
{
  .reg .b64 o, at; .reg .b32 r1;
  ld.param.u64 o, [out];
  ld.global.u64 at, [job];
  ld.global.u32 r1, [at];
  st.global.u32 [o], r1;
  ret;
}
)";

const std::string generic_constant = R"(
.const .align 4 .b32 turns = 10;
.visible .entry k(.param .u64 out, .param .u64 other)
{
  .reg .b64 o, at, given; .reg .b32 r1; .reg .pred p;
  ld.param.u64 o, [out];
  ld.param.u64 given, [other];
  mov.u64 at, turns;
  cvta.const.u64 at, at;
  setp.ne.u64 p, given, 0;
  selp.b64 at, given, at, p;
  ld.u32 r1, [at];
  st.global.u32 [o], r1;
  ret;
}
)";

const std::string aligned_global = R"(
.global .align 4 .b8 buffer[256];
.visible .entry k(.param .u32 value)
{
  .reg .b64 at; .reg .b32 v;
  ld.param.u32 v, [value];
  mov.u64 at, buffer;
  st.global.u32 [at], v;
  ret;
}
)";

// An index into a constant of a relocatable image; `first` lies where an index without a base
// would.
const std::string indexed_constant = R"(
.const .align 4 .b32 first = 7;
.const .align 4 .b32 table[4] = {1,2,3,4};
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b64 o, at, i; .reg .b32 r<3>;
  ld.param.u64 o, [out];
  ld.param.u32 r1, [n];
  mul.wide.u32 i, r1, 4;
  mov.u64 at, table;
  add.u64 at, at, i;
  ld.const.u32 r2, [at];
  st.global.u32 [o], r2;
  ret;
}
)";

std::vector<Pair> reached_pairs() {
  std::vector<Pair> pairs;
  for (const char* target : {"sm_75", "sm_90a", "sm_100a", "sm_120a"}) {
    pairs.push_back({"the second constant of a wide load",
                     target,
                     two_constants,
                     "turns = 10",
                     "turns = 11",
                     {},
                     {"constant bank 3"}});
    pairs.push_back({"data behind a pointer of its section",
                     target,
                     chained_globals,
                     "turns = 10",
                     "turns = 11",
                     {},
                     {"constant bank 4"}});
    pairs.push_back({"a constant by a generic pointer",
                     target,
                     generic_constant,
                     "turns = 10",
                     "turns = 11",
                     {},
                     {"constant bank 3"}});
    pairs.push_back({"the alignment of a global",
                     target,
                     aligned_global,
                     "align 4 .b8",
                     "align 1024 .b8",
                     {},
                     {"constant bank 4"}});
    pairs.push_back({"a table of constants, relocatable",
                     target,
                     indexed_constant,
                     "1,2,3,4",
                     "1,2,3,5",
                     {"-c"},
                     {"relocation"}});
    pairs.push_back({"a constant in front of it",
                     target,
                     indexed_constant,
                     "first = 7",
                     "first = 8",
                     {"-c"},
                     {}});
  }
  return pairs;
}

TEST(CodeClass, CountsWhatIsReachedThroughOthers) {
  PHASEBIT_NEEDS_TOOLS();
  for (const Pair& pair : reached_pairs()) {
    SCOPED_TRACE(pair.target);
    expect_pair(pair);
  }
}

TEST(CodeClass, TellsKernelsOfEqualTextApart) {
  PHASEBIT_NEEDS_TOOLS();
  std::vector<Pair> all = data_pairs();
  for (Pair& pair : other_pairs()) all.push_back(std::move(pair));
  for (const Pair& pair : all) expect_pair(pair);
}

TEST(CodeClass, IsAResultOfItsOwnInADifference) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
  const auto a = kernel_of(data_kernel, "sm_90", {}),
             b = kernel_of(replaced(data_kernel, "maxntid 128", "maxntid 64"), "sm_90", {});
  const auto same = compare::diff_kernels(side_of(*disassembler, *a), side_of(*disassembler, *a));
  EXPECT_EQ(same->change, compare::Change::identical);
  EXPECT_TRUE(same->outside_text.empty());
  const auto other = compare::diff_kernels(side_of(*disassembler, *a), side_of(*disassembler, *b));
  EXPECT_EQ(compare::to_string(other->change), "data");
  EXPECT_EQ(other->outside_text, std::vector<std::string>{"maxntid: 0x80 0x1 0x1 -> 0x40 0x1 0x1"});
}

// Lines lead to the source and change nothing.
TEST(CodeClass, IsThatOfTheCodeWithoutLines) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_80", "sm_90a", "sm_107a"}) {
    const Script one = script("| .visible .entry k()\n| {\n| bar.sync 2;\n| ret;\n| }\n");
    const auto lined =
        assemble({one}, target, true, target == std::string("sm_107a") ? "9.5" : "8.7");
    const auto plain =
        assemble({one}, target, false, target == std::string("sm_107a") ? "9.5" : "8.7");
    ASSERT_TRUE(lined && plain) << target;
    EXPECT_EQ(read_cubin(*lined)->kernels[0].code.hash, read_cubin(*plain)->kernels[0].code.hash);
  }
}

// Two functions that call each other, from wherever one begins.
TEST(CodeClass, FollowsFunctionsThatCallEachOther) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string text =
      replaced(replaced(caller, ".func (.param .u32 result) helper(.param .u32 given)\n{",
                        ".func (.param .u32 result) back(.param .u32 given);\n"
                        ".func (.param .u32 result) helper(.param .u32 given)\n{"),
               "  add.u32 x, x, 5;\n",
               "  add.u32 x, x, 5;\n  {\n.param .u32 a; .param .u32 b;\nst.param.u32 [a], x;\n"
               "call (b), back, (a);\nld.param.u32 x, [b];\n}\n");
  const auto with_back = [&](int number) {
    return text + fmt::format(
                      ".func (.param .u32 result) back(.param .u32 given)\n{{\n"
                      ".reg .u32 x; .reg .pred q;\nld.param.u32 x, [given];\n"
                      "setp.gt.u32 q, x, {};\n@q bra E;\n{{\n.param .u32 a; .param .u32 b;\n"
                      "st.param.u32 [a], x;\ncall (b), helper, (a);\n"
                      "ld.param.u32 x, [b];\n}}\nE:\nst.param.u32 [result], x;\nret;\n}}\n",
                      number);
  };
  const auto a = kernel_of(with_back(100), "sm_90", {"-c"}),
             again = kernel_of(with_back(100), "sm_90", {"-c"}),
             b = kernel_of(with_back(101), "sm_90", {"-c"});
  ASSERT_TRUE(a) << a.error().text();
  EXPECT_EQ(a->text, b->text);
  EXPECT_EQ(a->code.hash, again->code.hash);
  EXPECT_NE(a->code.hash, b->code.hash);
}

// What the driver reads at a launch: what it puts before a kernel that has tensor memory,
// which the code does not show. As cuobjdump -elf names them.
const std::string tensor_memory = R"(
.visible .entry k()
{
  .shared .b32 address;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [address], 32;
  ret;
}
)";

TEST(CodeClass, CountsWhatTheDriverDoesAtALaunch) {
  PHASEBIT_NEEDS_TOOLS();
  const auto image = assemble_text(tensor_memory, "sm_100a");
  ASSERT_TRUE(image) << image.error().text();
  std::set<std::string> found;
  const auto cubin = read_cubin(*image);
  ASSERT_TRUE(cubin) << cubin.error().text();
  for (const cubin::CodeFact& fact : cubin->find("k")->code.facts) found.insert(fact.name);
  for (const char* name :
       {"entry fragments", "reserved shared", "virtual resources", "tcgen05 of one CTA"})
    EXPECT_TRUE(found.contains(name)) << name;
}

// {format, attribute, value or size}: what is not reviewed counts where it is not zero, what
// follows from the code does not.
TEST(KernelAttributes, CountWhatIsNotKnown) {
  using namespace std::string_literals;
  const std::string sized = "\x04\x64\x04\x00\x10\x00\x00\x00"s, zero = "\x02\x7e\x00\x00"s,
                    flag = "\x01\x7f\x00\x00"s, exits = "\x04\x1c\x04\x00\x50\x00\x00\x00"s,
                    none_reserved = "\x02\x4a\x00\x00"s, reserved = "\x02\x4a\x80\x00"s;
  EXPECT_EQ(cubin::kernel_attributes(sized + zero + flag + exits + none_reserved + reserved),
            (cubin::Attributes{{"attribute 0x64", "0x10"},
                               {"attribute 0x7f", "yes"},
                               {"virtual resources", "0x80 0x0"}}));
}

}  // namespace
}  // namespace phasebit::test
