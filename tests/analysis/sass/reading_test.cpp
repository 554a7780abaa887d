// What a reader asks of a kernel: waits, pipelines, the loops' table, the graph, the PTX next to
// it.
#include "analysis/reading/flow_dot.h"
#include "analysis/reading/loops.h"
#include "analysis/reading/notes.h"
#include "analysis/reading/pipes.h"
#include "core/isa/opcodes.h"
#include "tests/analysis/sass/code_files.h"
#include "tests/analysis/sass/handmade.h"

namespace phasebit::test {

using reading::in_loop;

namespace {

using test::Handmade;
using test::handmade;

// Sets the scoreboards of an instruction: released by its result, by its operands; 7: none.
void sets(Handmade& code, std::size_t index, int write, int read = 7) {
  code.kernel.instructions[index].control.write_scoreboard = write;
  code.kernel.instructions[index].control.read_scoreboard = read;
}

std::string waits_of(const Handmade& code, std::size_t index) {
  const auto graph = reading::graph_of(code.kernel);
  EXPECT_TRUE(graph);
  return reading::waits_text(code.kernel, reading::find_wait_sources(code.kernel, *graph)[index]);
}

// The wait mask is the second number: 1 waits for scoreboard 0, 5 for 0 and 2.
TEST(Waits, NearestSetterInTheBlock) {
  Handmade code = handmade({"| LDG.E R0,[R2] # 1", "| LDG.E R1,[R4] # 1", "| STG.E [R6],R9 # 1",
                            "| FADD R3,R0,R1 # 4 5", "| FADD R3,R0,R1 # 4 1", "| EXIT # 1"});
  sets(code, 0, 0), sets(code, 1, 0), sets(code, 2, 7, 2);
  EXPECT_EQ(waits_of(code, 3),
            "0x0010 LDG.E (B0; 1 more before it), 0x0020 STG.E (B2, its operands)");
  EXPECT_EQ(waits_of(code, 4), "");  // the wait before it has seen to them
  EXPECT_EQ(waits_of(code, 0), "");
}

// 0x10 is skipped by one path: then the setter is 0x00. Both are nearest on theirs.
TEST(Waits, EveryPath) {
  Handmade code = handmade({"| LDS R0,[R2] # 1", "| @P0 BRA 0x30 # 5", "| LDG.E R0,[R4] # 1",
                            "| IADD3 R1,R0,1 # 4 1", "| EXIT # 1"});
  sets(code, 0, 0), sets(code, 2, 0);
  EXPECT_EQ(waits_of(code, 3), "0x0000 LDS (B0), 0x0020 LDG.E (B0)");
}

// A software pipeline: the load at the end of a turn is waited for at the head of the next.
TEST(Waits, AroundALoop) {
  Handmade code = handmade({"| LDG.E R0,[R2] # 1", "| FADD R3,R3,R0 # 4 2", "| LDG.E R0,[R2+4] # 1",
                            "| @P0 BRA 0x10 # 5", "| EXIT # 1"});
  sets(code, 0, 1), sets(code, 2, 1);
  EXPECT_EQ(waits_of(code, 1), "0x0000 LDG.E (B1), 0x0020 LDG.E (B1)");
}

TEST(Waits, DepbarNamesItsScoreboard) {
  Handmade code = handmade({"| LDGSTS.E [R0],[R2] # 1", "| DEPBAR.LE SB3,0x0 # 1", "| EXIT # 1"});
  sets(code, 0, 3);
  EXPECT_EQ(waits_of(code, 1), "0x0000 LDGSTS.E (B3)");
}

// GA100 has a pipeline of its own for packed halves, GA10x and Hopper have no such pipeline.
TEST(Pipes, ByOpcodeAndTarget) {
  struct Row {
    const char* opcode;
    int sm;
    const char* pipe;
  };
  const Row rows[] = {
      {"HGMMA.64x128x16.F32", 90, "tensor"},
      {"UTCHMMA", 100, "tensor"},
      {"UTMALDG.2D", 90, "tma"},
      {"UTMACMDFLUSH", 90, "tma"},
      {"LDG.E.128", 80, "lsu"},
      {"SYNCS.ARRIVE.A1T0", 90, "lsu"},
      {"MUFU.EX2", 90, "xu"},
      {"HFMA2.MMA", 80, "fp16"},
      {"HFMA2", 86, "fma"},
      {"IMAD.MOV.U32", 90, "fma"},
      {"IADD3", 90, "alu"},
      {"LOP3.LUT", 90, "alu"},
      {"BAR.SYNC", 90, "adu"},
      {"BRA", 90, "cbu"},
      {"UIADD3", 90, "uniform"},
      {"NOP", 90, "other"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(isa::sass_opcode(row.opcode).pipe(row.sm), row.pipe) << row.opcode;
  EXPECT_EQ(reading::pipe_mix({{"FADD", 2}, {"FMUL", 1}, {"LDG.E", 5}, {"NOP", 1}}, 90),
            "lsu 5, fma 3, other 1");
  EXPECT_EQ(reading::key_opcodes({{"LDG.E", 1}, {"LDG.E.64", 1}, {"FADD", 9}, {"BAR.SYNC", 1}}),
            "LDG x2, BAR x1");
}

Handmade two_loops() {
  return handmade({"| MOV R0,R1 # 1", "| LDG.E R2,[R0] # 4", "| MUFU.EX2 R2,R2 # 5 1",
                   "| @P0 BRA 0x20 # 6", "| ISETP P1,R0,R3 # 7", "| @P1 BRA 0x10 # 8", "| EXIT # 9",
                   "| BRA 0x70"});
}

TEST(LoopTable, HasARowALoop) {
  const Handmade code = two_loops();
  const reading::CodeLoops loops = reading::find_code_loops(code.kernel, {});
  const auto table = reading::loop_table({{"", &loops}, {"f", &loops}}, 90, "verbs");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(base::render(*table, base::TableFormat::csv),
            "loop,addresses,depth,instr,issue,waits,inside,key opcodes,pipelines,verbs\n"
            "1,0x10-0x50,1,3,19,0,2,LDG x1,\"alu 1, cbu 1, lsu 1\",\n"
            "2,0x20-0x30,2,2,11,1,0,MUFU x1,\"cbu 1, xu 1\",\n"
            "3,f 0x10-0x50,1,3,19,0,2,LDG x1,\"alu 1, cbu 1, lsu 1\",\n"
            "4,f 0x20-0x30,2,2,11,1,0,MUFU x1,\"cbu 1, xu 1\",\n");
  const auto shown = in_loop(code.kernel, loops, 2);
  EXPECT_EQ(*shown, (std::vector<bool>{false, false, true, true, false, false, false, false}));
  EXPECT_EQ(in_loop(code.kernel, loops, 3).error().text(),
            "usage: --loop 3: there are 2 loops (the table below the listing numbers them)");
}

// Blocks: 0x00; 0x10; 0x20-0x30 (inner); 0x40-0x50; 0x60. The bold ones go back.
TEST(FlowDot, BlocksLoopsAndEdges) {
  const Handmade code = two_loops();
  const auto dot = reading::flow_as_dot(code.kernel, "a \"b\"");
  ASSERT_TRUE(dot) << dot.error().text();
  for (const char* part :
       {"digraph \"k\" {\n  label=\"a \\\"b\\\"\";", "label=\"loop, depth 1\"",
        "label=\"loop, depth 2\"", "\"0x20-0x30\\n2 instr, 11 issue, 1 waits\\nMUFU x1\"",
        "  b0 -> b1;\n", "  b2 -> b2 [style=bold];\n", "  b3 -> b1 [style=bold];\n",
        "  b3 -> b4;\n"})
    EXPECT_NE(dot->find(part), std::string::npos) << part << " in " << *dot;
  EXPECT_EQ(dot->find("0x70"), std::string::npos) << "NOPs and what nothing reaches";
}

TEST(Listing, LeavesOutAndAddsNotes) {
  const Handmade code = two_loops();
  reading::ReadingNotes notes;
  notes.shown = *in_loop(code.kernel, reading::find_code_loops(code.kernel, {}), 2);
  notes.ptx = {{}, {}, {7, "ex2 x, x;"}, {7, "ex2 x, x;"}};
  reading::ListingLines lines(code.kernel, notes);
  for (std::size_t i = 0; i < 8; ++i)
    if (lines.shows(i)) lines.add(i, std::to_string(i));
  EXPECT_EQ(lines.text(), "...\n      ptx 7: ex2 x, x;\n2\n3\n");
}

class PtxLines : public test::CodeFiles {};

// The first line of the text is line 1, empty lines count.
TEST_F(PtxLines, AreThoseOfTheText) {
  EXPECT_EQ(reading::split_ptx_text(std::string_view(".version 9.0\0\0 ret;\0", 20)),
            (std::vector<std::string>{".version 9.0", "", "ret;"}));
  const std::string kernel =
      ".visible .entry k(.param .u64 p)\n{\n.reg .b64 a;\n.loc 1 5 0\nld.param.u64 a, [p];\n"
      ".loc 1 6 0\nst.global.u32 [a], 7;\nret;\n}\n";
  const std::string bytes = *base::read_file(cubin("with", kernel, "sm_80", ".file 1 \"k.cu\"\n"));
  const auto lines = reading::read_ptx_lines(bytes, "k");
  ASSERT_TRUE(lines) << lines.error().text();
  const auto code = disassembly::Disassembler::open(nvdisasm_)->run(bytes);
  ASSERT_TRUE(code) << code.error().text();
  std::string of_store;
  for (std::size_t i = 0; i < code->functions[0].instructions.size(); ++i)
    if (code->functions[0].instructions[i].opcode.starts_with("STG")) of_store = (*lines)[i].text;
  EXPECT_EQ(of_store, "st.global.u32 [a], 7;");
  const std::string without =
      *base::read_file(cubin("without", ".visible .entry k()\n{\nret;\n}\n"));
  EXPECT_EQ(reading::read_ptx_lines(without, "k").error().text(),
            "disassemble: k: the cubin has no PTX next to its code (nvcc -lineinfo, or ptxas "
            "-lineinfo of a text with .loc, leaves it there)");
}

}  // namespace
}  // namespace phasebit::test
