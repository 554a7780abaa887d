#include "analysis/disassembly/live.h"

#include "analysis/cubin/cubin.h"
#include "core/base/process.h"
#include "tests/analysis/sass/support.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::LiveCounts;
using disassembly::add_live_registers;

namespace {

// The layout of nvdisasm 13.5, cut down by hand: counts alone, and with a column for each register.
const std::string counts_only =
    ".section\t.text.k,\"ax\",@progbits\n"
    "                       // +-------+--------+--------+\n"
    "                       // | GPR   | PRED   | UGPR   |\n"
    "                       // |   #   |   #    |   #    |\n"
    "k:                     // |       |        |        |\n"
    ".text.k:               // |       |        |        |\n"
    "  /*0000*/  MOV R1, c[0x0][0x28] ;  // |   3   |        |        |\n"
    ".L_x_1:                // +.......+........+........+\n"
    "  /*0010*/  @P0 LDG.E R4, [R2.64] ;  // |  12   |   1    |   2    |\n"
    "  /*0020*/  EXIT ;      // |   1   |        |        |\n";
const std::string wide =
    "        // |        GPR         | PRED   | UPRED |\n"
    "        // | # 0 1 2 3 4 5 6 7  | # 0 1  | # 0   |\n"
    ".text._Z1kPf:   // |                    |        |       |\n"
    "   /*10a40*/   IADD3 R0, R0, -0x1, RZ ;   // | 7 x : : : : : :    | 1 v    | 1 :   |\n";

TEST(Live, ReadsWhatNvdisasmPrints) {
  const auto table = disassembly::parse_life_ranges(counts_only + wide);
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->size(), 2U);
  const auto& k = table->at("k");
  ASSERT_EQ(k.size(), 3U);
  EXPECT_EQ(k.at(0x00), (LiveCounts{3, 0, 0, 0}));
  EXPECT_EQ(k.at(0x10), (LiveCounts{12, 1, 2, 0}));
  EXPECT_EQ(k.at(0x20), (LiveCounts{1, 0, 0, 0}));
  EXPECT_EQ(table->at("_Z1kPf").at(0x10a40), (LiveCounts{7, 1, 0, 1}));
}

TEST(Live, NothingIsAnError) {
  for (const std::string& text :
       {std::string(), std::string("\t.target\tsm_90\n"), wide.substr(150)})
    EXPECT_EQ(disassembly::parse_life_ranges(text).error().text(),
              "disassemble: nvdisasm printed no live registers");
}

TEST(Live, ThePeakIsOfEachKind) {
  EXPECT_EQ(cubin::peak({3, 0, 5, 1}, {2, 4, 6, 0}), (LiveCounts{3, 4, 6, 1}));
}

TEST(Live, AnInstructionWithoutCountsIsAnError) {
  cubin::SassKernel kernel{"k", "", {}};
  for (const char* opcode : {"MOV", "EXIT", "NOP"}) {
    cubin::Instruction one;
    one.address = static_cast<std::uint32_t>(kernel.instructions.size() * cubin::instruction_bytes);
    one.opcode = opcode;
    kernel.instructions.push_back(one);
  }
  disassembly::LiveTable table = {{"k", {{0x00, {3, 0, 0, 0}}, {0x10, {1, 0, 0, 0}}}}};
  ASSERT_TRUE(add_live_registers(kernel, table));  // the NOP needs none
  EXPECT_EQ(kernel.live[1].registers, 1);
  table["k"].erase(0x10);
  EXPECT_EQ(add_live_registers(kernel, table).error().text(),
            "disassemble: nvdisasm printed no live registers at 0x10 of k");
  EXPECT_EQ(add_live_registers(kernel, {}).error().text(),
            "disassemble: nvdisasm printed no live registers of k");
}

// 24 values are loaded before the first is stored, and nothing may be reordered: with the address
// pair, 26 registers are live at the last load and no fewer. ptxas's own count is a bound from
// above. Every installed version that knows the target; older files have another header.
TEST(Live, HoldsForEveryVersionOfPtxas) {
  PHASEBIT_NEEDS_TOOLS();
  constexpr int values = 24;
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .b32 r<64>;\n.reg .b64 a;\nld.param.u64 a, [p];\n";
  for (int i = 0; i < values; ++i)
    text += fmt::format("ld.volatile.global.u32 r{}, [a+{}];\n", i, 4 * i);
  for (int i = 0; i < values; ++i)
    text += fmt::format("st.volatile.global.u32 [a+{}], r{};\n", 4 * i, i);
  text += "bar.sync 3;\nret;\n}\n";
  const auto folder = base::TempDir::create();
  const std::string source = (folder->path() / "a.ptx").string();
  const std::string out = (folder->path() / "a.cubin").string();
  ASSERT_TRUE(base::write_file(source, text));
  const auto disassembler = disassembly::Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  int versions = 0;
  for (const auto& version : fs::directory_iterator(base::source_root() / ".toolchains")) {
    SCOPED_TRACE(version.path().string());
    const fs::path old = version.path() / "nvidia/cuda_nvcc/bin/ptxas";
    const fs::path ptxas = fs::exists(old) ? old : version.path() / "nvidia/cu13/bin/ptxas";
    if (!fs::exists(ptxas)) continue;
    const auto ran = base::run_process({ptxas.string(), "-arch", "sm_80", source, "-o", out});
    ASSERT_TRUE(ran && ran->ok()) << ran->err;
    const std::string bytes = *base::read_file(out);
    const auto table = disassembly::live_registers(*disassembler, bytes);
    ASSERT_TRUE(table) << table.error().text();
    LiveCounts most;
    for (const auto& [address, counts] : table->at("k")) most = cubin::peak(most, counts);
    const auto cubin = cubin::read_cubin(bytes);
    ASSERT_TRUE(cubin) << cubin.error().text();
    EXPECT_GE(most.registers, values + 2);
    EXPECT_LE(most.registers, cubin->kernels.front().registers);
    EXPECT_EQ(cubin->kernels.front().barriers, 4);  // 0 to 3
    ++versions;
  }
  EXPECT_GE(versions, 1);
}

}  // namespace
}  // namespace phasebit::test
