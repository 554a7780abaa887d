#include "gen/ptxas/module.h"
#include "tests/gen/hand_kernels.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::Kernel;
using ptxas::module_text;

namespace {

Kernel small_kernel() {
  Kernel kernel =
      test::kernel("k", "sm_90", "L_1:\n.pragma \"nounroll\";\nadd.u32 a, a, 1;\nret;\n");
  return kernel;
}

TEST(ModuleText, IsHeaderSharedMemoryAndKernels) {
  const Kernel kernel = small_kernel();
  EXPECT_EQ(module_text("8.0", "sm_90", {&kernel}, false).text,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".extern .shared .align 128 .b8 pb_shared[];\n"
            ".visible .entry k(.param .align 8 .b8 pb[96])\n{\nL_1:\n.pragma \"nounroll\";\n"
            "add.u32 a, a, 1;\nret;\n}\n");
}

TEST(ModuleText, LocNamesTheStatementBehindIt) {
  const Kernel kernel = small_kernel();
  EXPECT_EQ(module_text("8.0", "sm_90", {&kernel}, true).text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"phasebit\"\n"
            ".extern .shared .align 128 .b8 pb_shared[];\n"
            ".visible .entry k(.param .align 8 .b8 pb[96])\n{\nL_1:\n.pragma \"nounroll\";\n"
            ".loc 1 5 0\nadd.u32 a, a, 1;\n.loc 1 6 0\nret;\n}\n");
}

TEST(ModuleText, LinesLeadBackToKernelAndStatement) {
  const Kernel first = small_kernel(), second = small_kernel();
  const ptxas::ModuleText module = module_text("8.0", "sm_90", {&first, &second}, true);
  // 5 lines of header, 9 lines a kernel: 7 statements, two of them after a .loc.
  ASSERT_EQ(module.lines.size(), 5U + 9U + 9U);
  struct Row {
    int line, kernel, statement;
  };
  const Row rows[] = {{0, -1, 0}, {5, -1, 0}, {6, 0, 1},  {10, 0, 5},
                      {11, 0, 5}, {14, 0, 7}, {15, 1, 1}, {24, -1, 0}};
  for (const Row& row : rows) {
    EXPECT_EQ(module.at(row.line).kernel, row.kernel) << row.line;
    EXPECT_EQ(module.at(row.line).statement, row.statement) << row.line;
  }
}

struct StatementRow {
  const char* text;
  bool executable;
};

constexpr StatementRow statement_rows[] = {
    {".visible .entry k(", false},
    {".param .u64 p", false},
    {")", false},
    {".maxntid 128", false},
    {"{", false},
    {".reg .b32 %r<4>;", false},
    {"  mov.u32 %r1, 0;", true},
    {"@!%p1 bra L_wait;", true},
    {"L_wait:", false},
    {"$L__BB0_1:", false},
    {"targets: .branchtargets a, b;", false},
    {"mbarrier.arrive.shared::cta.b64 _, [a];", true},
    {".pragma \"nounroll\";", false},
    {".shared .align 8 .b8 s[8];", false},
    {"{ .reg .pred p;", false},
    {"{.reg .pred p; .reg .b32 x; mbarrier.test_wait.parity.shared.b64 p, [a], 0;", true},
    {"{ .reg .b32 x; }", false},
    {"L_next: add.u32 a, a, 1;", true},
    {"L_next: L_same:", false},
    {".pragma \"a; b\";", false},
    {".pragma \"a; b\"; add.u32 a, a, 1;", true},
    {"calls: .calltargets a, b; call (r), f, (a), calls;", true},
    {"{ add.u32 a, a, 1; }", true},
    {"ret; }", true},
    {"}", false},
    {"}", false},
};

TEST(ExecutableStatements, AreThoseOfTheBodyThatMakeInstructions) {
  std::vector<std::string> statements;
  for (const StatementRow& row : statement_rows) statements.emplace_back(row.text);
  const std::vector<bool> executable = ptxas::executable_statements(statements);
  for (size_t n = 0; n < statements.size(); ++n)
    EXPECT_EQ(executable[n], statement_rows[n].executable) << statements[n];
}

}  // namespace
}  // namespace phasebit::test
