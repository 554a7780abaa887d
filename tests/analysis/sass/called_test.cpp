#include "analysis/foreign/module.h"
#include "core/isa/rule.h"
#include "tests/analysis/sass/code_files.h"

namespace phasebit::test {

using foreign::CalledKernel;
using foreign::ReadProgram;

namespace {

const std::string with_functions = R"(
.extern .func far();
.func inner() { bar.sync 3; ret; }
.func outer() { call inner; ret; }
.visible .entry k() { call outer; ret; }
.visible .entry e() { call far; ret; }
)";

class CalledTest : public CodeFiles {
 protected:
  ReadProgram read(const std::string& target) {
    const std::string source = write("m.ptx", ptx_head(target) + with_functions);
    run({ptxas_, "-c", "-arch", target, source, "-o", path("m.cubin")});
    code_ = *foreign::read_code_file(path("m.cubin"), cuobjdump_, *isa::TargetTable::load());
    return foreign::read_with_callees(*disassembly::Disassembler::open(nvdisasm_),
                                      *foreign::find_kernels(code_, {"", ""}));
  }
  foreign::CodeFile code_;
};

// In a relocatable cubin a function has a section of its own: k calls outer, which calls inner; e
// calls what is not there.
TEST_F(CalledTest, FunctionsOfOtherSectionsComeAlong) {
  for (const char* target : {"sm_75", "sm_80", "sm_90a"}) {
    SCOPED_TRACE(target);
    const ReadProgram program = read(target);
    ASSERT_EQ(program.kernels.size(), 2U);
    std::map<std::string, const CalledKernel*> by_name;
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(program.kernels[i]) << program.kernels[i].error().text();
      by_name[program.code[i]->kernel.entry] = &*program.kernels[i];
    }
    const CalledKernel& k = *by_name.at("k");
    std::vector<std::string> reached;
    int barriers = 0;
    for (const std::size_t place : k.code) {
      reached.push_back(program.code[place]->kernel.entry);
      for (const cubin::Instruction& one : program.code[place]->kernel.instructions)
        barriers += isa::opcode_matches("BAR.SYNC*", one.opcode) ? 1 : 0;
    }
    EXPECT_EQ(reached, (std::vector<std::string>{"k", "outer", "inner"}));
    EXPECT_EQ(barriers, 1);
    EXPECT_TRUE(k.open_calls.empty());
    const CalledKernel& e = *by_name.at("e");
    EXPECT_EQ(e.code.size(), 1U);
    EXPECT_EQ(e.open_calls, (std::map<std::string, int>{{"CALL.ABS.NOINC far", 1}}));
  }
}

}  // namespace
}  // namespace phasebit::test
