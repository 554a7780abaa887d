// Cubins with NOPs before their kernels: everything that names a place moves, and nothing else.
#include "analysis/cubin/change/padding.h"

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/disassembly/disassembler.h"
#include "tests/analysis/sass/class_images.h"
#include "tests/analysis/sass/rings.h"
#include "tests/padded/padded.h"

#include <cstring>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::code_class_hashes;
using cubin::ElfFile;
using cubin::change::pad_cubin;

namespace {

// A table of branches: BRX or BRXU, whose places are in an attribute and in constants.
const std::string jump_table = R"(
.visible .entry jumps(.param .u64 out, .param .u32 n)
{
  .reg .b32 i, v; .reg .b64 o; .reg .pred p;
  ld.param.u64 o, [out];
  ld.param.u32 i, [n];
  mov.u32 v, 0;
  setp.gt.u32 p, i, 4;
  @p bra done;
  ts: .branchtargets a0, a1, a2, a3, a4;
  brx.idx i, ts;
  a0: st.global.u32 [o+4], i; bra done;
  a1: mul.lo.u32 v, i, 7; st.global.u32 [o+8], i; bra done;
  a2: bar.sync 0; bra done;
  a3: membar.gl; bra done;
  a4: mov.u32 v, %clock; bra done;
  done:
  st.global.u32 [o], v;
  ret;
}
)";

// A function that is not inlined: its return address is counted from the kernel's first
// instruction.
const std::string callee = R"(
.func (.reg .b32 r) slow(.reg .b32 x)
{
  .reg .b32 a; .reg .pred p;
  mul.lo.s32 a, x, 17;
  loop:
  .pragma "nounroll";
  add.s32 a, a, 3;
  mul.lo.s32 a, a, a;
  setp.lt.s32 p, a, x;
  @p bra loop;
  mov.b32 r, a;
  ret;
}
.visible .entry calls(.param .u64 out, .param .u32 n)
{
  .reg .b32 i, v; .reg .b64 o;
  ld.param.u64 o, [out];
  ld.param.u32 i, [n];
  call (v), slow, (i);
  add.u32 i, i, v;
  call (v), slow, (i);
  st.global.u32 [o], v;
  ret;
}
)";

struct Module {
  std::string name, bytes;
};

std::vector<Module> modules_for(const std::string& target) {
  // mbarriers begin with sm_80.
  const RingVerbs arrivals =
      target == "sm_75" ? barrier_ring
                        : RingVerbs{test_wait_empty, arrive_full, test_wait_full, arrive_empty};
  std::vector<Module> modules;
  const auto take = [&](const char* name, Result<std::string> made) {
    EXPECT_TRUE(made) << name << ": " << made.error().text();
    if (made) modules.push_back({name, std::move(*made)});
  };
  take("two rings", assemble({ring(arrivals, "k1"), ring(barrier_ring, "k2")}, target));
  take("ring without lines", assemble({ring(arrivals)}, target, false));
  take("constants, a table and callees", assemble_text(data_kernel, target));
  take("jump table", assemble_text(jump_table, target));
  take("callee", assemble_text(callee, target));
  take("three kinds", assemble_text(jump_table + callee + data_kernel, target));
  return modules;
}

class PadCubin : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { PHASEBIT_NEEDS_TOOLS(); }
};

TEST_P(PadCubin, MovesWhatNamesAPlaceAndNothingElse) {
  for (const Module& module : modules_for(GetParam()))
    for (const int padding : {16, 208, 1024}) {
      SCOPED_TRACE(fmt::format("{} by {}", module.name, padding));
      const auto padded = pad_cubin(module.bytes, padding);
      ASSERT_TRUE(padded) << padded.error().text();
      test::expect_padded(module.bytes, *padded, static_cast<std::size_t>(padding));
      if (HasFatalFailure()) return;
    }
}

TEST_P(PadCubin, TheDisassemblerReadsItInEachForm) {
  const std::string nvdisasm = find_tools()->nvdisasm;
  const auto disassembler = disassembly::Disassembler::open(nvdisasm);
  ASSERT_TRUE(disassembler);
  for (const Module& module : modules_for(GetParam())) {
    if (module.name != "two rings" && module.name != "three kinds") continue;  // hold the others
    SCOPED_TRACE(module.name);
    const auto padded = pad_cubin(module.bytes, 208);
    ASSERT_TRUE(padded) << padded.error().text();
    for (const char* options : {"", "-g"})
      test::expect_same_listing(nvdisasm, module.bytes, *padded, 208, options);
    const auto before = disassembler->run(module.bytes), after = disassembler->run(*padded);
    ASSERT_TRUE(before && after);
    ASSERT_EQ(after->functions.size(), before->functions.size());
  }
}

TEST_P(PadCubin, OneKernelOfSeveral) {
  const auto made = assemble_text(jump_table + callee + data_kernel, GetParam());
  ASSERT_TRUE(made) << made.error().text();
  for (const char* entry : {"jumps", "calls", "k"}) {
    const auto padded = pad_cubin(*made, 48, entry);
    ASSERT_TRUE(padded) << padded.error().text();
    test::expect_padded(*made, *padded, 48, entry);
  }
}

// The expectation is that of the PTX: five targets.
TEST_P(PadCubin, BranchesOfATableLeadToTheirBlocks) {
  const auto made = assemble_text(jump_table, GetParam());
  ASSERT_TRUE(made) << made.error().text();
  const auto padded = pad_cubin(*made, 64);
  ASSERT_TRUE(padded) << padded.error().text();
  const auto targets = [](const std::string& bytes) {
    const auto cubin = ElfFile::open(bytes, "cubin");
    const std::string_view info = cubin->find(".nv.info.jumps")->data;
    const std::string head("\4\x34\x20\0", 4);  // 8 words: place, 0, 5, the targets
    std::vector<std::uint32_t> words(8);
    const std::size_t at = info.find(head);
    EXPECT_NE(at, std::string_view::npos);
    if (at != std::string_view::npos) std::memcpy(words.data(), info.data() + at + 4, 32);
    return words;
  };
  const auto old = targets(*made), now = targets(*padded);
  EXPECT_EQ(old[2], 5U);
  for (const std::size_t i : {0, 3, 4, 5, 6, 7}) EXPECT_EQ(now[i], old[i] + 64);
  EXPECT_EQ(now[1], 0U);
  EXPECT_EQ(now[2], 5U);
}

TEST_P(PadCubin, TheClassStaysAndAnotherKernelHasAnother) {
  for (const Module& module : modules_for(GetParam())) {
    const auto padded = pad_cubin(module.bytes, 96);
    ASSERT_TRUE(padded) << padded.error().text();
    const auto classes = code_class_hashes(module.bytes, "m").value();
    EXPECT_EQ(code_class_hashes(*padded, "p").value(), classes);
    // Padding is told from code: a changed instruction after it is another class.
    std::string changed = *padded;
    const auto cubin = ElfFile::open(*padded, "p");
    for (const cubin::ElfSection& section : cubin->sections())
      if (section.name.starts_with(".text.")) changed[section.header.sh_offset + 96 + 4] ^= 1;
    const auto others = code_class_hashes(changed, "o").value();
    for (const auto& [entry, hash] : classes) EXPECT_NE(others.at(entry), hash) << entry;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PadCubin,
                         testing::Values("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& target) { return std::string(target.param); });

class PadOne : public testing::Test {
 protected:
  void SetUp() override {
    PHASEBIT_NEEDS_TOOLS();
    auto made = assemble({ring(try_wait_ring, "k1"), ring(barrier_ring, "k2")}, "sm_90a");
    ASSERT_TRUE(made) << made.error().text();
    bytes_ = std::move(*made);
  }
  static std::string error_of(const std::string& bytes, int padding = 16,
                              const std::string& entry = {}) {
    const auto padded = pad_cubin(bytes, padding, entry);
    return padded ? "padded" : padded.error().text();
  }
  // Where a section begins in the file.
  std::size_t begin_of(const std::string& section) const {
    return ElfFile::open(bytes_, "m")->find(section)->header.sh_offset;
  }
  std::string bytes_;
};

TEST_F(PadOne, NoneIsTheModuleItself) {
  EXPECT_EQ(pad_cubin(bytes_, 0).value(), bytes_);
}

TEST_F(PadOne, RefusesOtherSizes) {
  for (const int padding : {-16, 8, 17, 1000, 1040, 2048})
    EXPECT_EQ(error_of(bytes_, padding),
              fmt::format("usage: padding={}: not a multiple of 16 from 0 to 1024", padding));
}

TEST_F(PadOne, SaysWhatIsNotThere) {
  EXPECT_EQ(error_of(bytes_, 16, "k3"), "disassemble: the module has no kernel k3");
  EXPECT_EQ(error_of("no cubin"), "disassemble: cubin: not an ELF file (8 bytes)");
}

// One byte of a sound module is changed.
TEST_F(PadOne, RefusesByNameWhatItDoesNotKnow) {
  const std::size_t info = begin_of(".nv.info.k1");
  const std::string exits("\4\x1c", 2);
  const std::size_t at = bytes_.find(exits, info);
  ASSERT_NE(at, std::string::npos);
  std::string changed = bytes_;
  changed[at + 1] = 0x44;  // UNUSED_LOAD_BYTE_OFFSET
  EXPECT_EQ(error_of(changed),
            "disassemble: attribute 0x44 of kernel k1: whether its places move is not known");
  EXPECT_EQ(error_of(changed, 16, "k2"), "padded");  // k1 stays where it is
  changed = bytes_;
  changed[at + 4] |= 1;
  EXPECT_EQ(error_of(changed),
            "disassemble: attribute 0x1c of kernel k1: its value names no place in the code");
  changed = bytes_;
  changed[at + 1] = 0x40;  // records of three words, of which there are no whole ones
  EXPECT_EQ(error_of(changed),
            "disassemble: attribute 0x40 of kernel k1: its value is not of the form that is known");
  changed = bytes_;
  const std::size_t name = changed.find(".nv_debug_line_sass", 0);
  ASSERT_NE(name, std::string::npos);
  changed.replace(name, 19, ".nv_debug_line_mine");
  EXPECT_EQ(error_of(changed),
            "disassemble: section .nv_debug_line_mine: whether its places move is not known");
  changed = bytes_;
  changed[16] = 1;  // ET_REL
  EXPECT_EQ(error_of(changed),
            "disassemble: a relocatable module cannot be padded (link it first)");
}

// Both relocations of lines and those of a kind that is made up.
TEST_F(PadOne, RefusesARelocationOfAnotherType) {
  const std::size_t table = begin_of(".rela.debug_line");
  std::string changed = bytes_;
  changed[table + 8] = 73;
  const std::string said = error_of(changed);
  EXPECT_TRUE(said.starts_with("disassemble: relocation of type 73 at ")) << said;
  EXPECT_TRUE(said.ends_with(" of .debug_line: how it moves is not known")) << said;
}

}  // namespace
}  // namespace phasebit::test
