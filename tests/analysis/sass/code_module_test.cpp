#include "analysis/compare/summary.h"
#include "analysis/foreign/module.h"
#include "tests/analysis/sass/code_files.h"

namespace phasebit::test {

using disassembly::Disassembler;
using foreign::find_kernels;
using foreign::read_code_file;
using foreign::read_code_kernels;
using isa::TargetTable;

namespace {

using test::store_kernel;

class CodeModuleTest : public test::CodeFiles {
 protected:
  Result<std::vector<reading::CodeSubject>> read(const std::string& file,
                                                 const foreign::KernelQuery& query = {}) {
    code_ = *read_code_file(file, cuobjdump_, *TargetTable::load());
    const auto kernels = find_kernels(code_, query);
    EXPECT_TRUE(kernels) << kernels.error().text();
    return read_code_kernels(*Disassembler::open(nvdisasm_), *kernels);
  }
  foreign::CodeFile code_;
};

// A loop over line 12 of one file that uses line 5 of another; two files are called k.cu.
TEST_F(CodeModuleTest, RegionsBySourceLine) {
  const std::string text =
      ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b64 a;\n.reg .b32 m, x;\n"
      ".reg .pred q;\n.loc 1 10 0\nld.param.u64 a, [p];\nld.param.u32 m, [n];\nmov.b32 x, 0;\n"
      "L:\n.pragma \"nounroll\";\n.loc 1 12 0\nadd.u32 x, x, 1;\n.loc 2 5 "
      "0\nst.volatile.global.u32 [a], x;\n"
      ".loc 1 12 0\nsetp.lt.u32 q, x, m;\n@q bra L;\n.loc 3 7 0\nst.global.u32 [a+4], "
      "m;\nret;\n}\n";
  const std::string files = ".file 1 \"src/k.cu\"\n.file 2 \"inc.h\"\n.file 3 \"other/k.cu\"\n";
  const auto all = read(cubin("lines", text, "sm_90", files));
  ASSERT_TRUE(all) << all.error().text();
  const reading::CodeSubject& kernel = all->front();
  EXPECT_EQ(kernel.target, "sm_90");
  std::string lines;
  int sum = 0;
  for (const compare::LineSummary& line : compare::summarise_lines(kernel)) {
    lines += (lines.empty() ? "" : " ") + (line.line.empty() ? "none" : line.line);
    sum += line.counts.instructions;
  }
  EXPECT_EQ(lines, "src/k.cu:10 src/k.cu:12 inc.h:5 other/k.cu:7");
  EXPECT_EQ(sum, static_cast<int>(flow::used_instructions(kernel.kernel)));
  ASSERT_EQ(kernel.loops.loops.size(), 1U) << kernel.loops.problem;
  EXPECT_EQ(kernel.loops.loops[0].lines, "src/k.cu:12, inc.h:5");
  for (const cubin::Instruction& instruction : kernel.kernel.instructions)
    if (instruction.opcode.starts_with("STG.E.STRONG")) {
      const launch::SourceLine* line = flow::source_line(kernel.source, instruction);
      ASSERT_NE(line, nullptr);
      EXPECT_EQ(line->file + ":" + std::to_string(line->line), "inc.h:5");
    }
}

TEST_F(CodeModuleTest, WithoutLines) {
  const auto all = read(cubin("bare", store_kernel("k", 7)));
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_TRUE(all->front().source.empty());
  const auto lines = compare::summarise_lines(all->front());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].line, "");
}

// The note of CUDA 13's layout names ptxas 13.5; a nvdisasm that says 13.2 is not asked.
TEST_F(CodeModuleTest, NvdisasmOlderThanTheCubin) {
  const std::string old =
      write("nvdisasm", "#!/bin/sh\necho 'Cuda compilation tools, release 13.2, V13.2.86'\n");
  fs::permissions(old, fs::perms::owner_all);
  const std::string file = cubin("k", store_kernel("k", 7));
  const auto code = read_code_file(file, cuobjdump_, *TargetTable::load());
  const std::string made = code->images[0].cubin.tool_version;
  const auto read = read_code_kernels(*Disassembler::open(old), *find_kernels(*code, {}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
            "disassemble: " + file + ": made by ptxas " + made +
                "; nvdisasm 13.2.86 is older and may misread it (tools/toolchain " + made +
                " installs a newer one; name it with --nvdisasm)");
}

// What nvdisasm may do instead of printing a listing.
TEST_F(CodeModuleTest, NvdisasmThatFails) {
  const std::string file = cubin("k", store_kernel("k", 7));
  const auto code = read_code_file(file, cuobjdump_, *TargetTable::load());
  const auto kernels = find_kernels(*code, {});
  const auto with = [&](const std::string& does) {
    const std::string tool = write("nvdisasm",
                                   "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'release "
                                   "99.0, V99.0.1'; exit; }\n" +
                                       does + "\n");
    fs::permissions(tool, fs::perms::owner_all);
    auto opened = Disassembler::open(tool);
    EXPECT_TRUE(opened) << opened.error().text();
    opened->limit(std::chrono::milliseconds(300));
    const auto read = read_code_kernels(*opened, *kernels);
    return read ? "no error" : read.error().text();
  };
  const std::string front = "disassemble: " + file + ": ";
  EXPECT_EQ(with("kill -SEGV $$"),
            front + "nvdisasm was ended by signal 11 (Segmentation fault): ");
  EXPECT_EQ(with("echo \"nvdisasm fatal   : Value 'SM80' is not defined for option 'binary'\" >&2; "
                 "exit 1"),
            front +
                "nvdisasm 99.0.1 does not know SM80 (that of the release whose ptxas made the "
                "code does; tools/toolchain installs a newer one, --nvdisasm names it)");
  EXPECT_EQ(with("exec sleep 60"), front + "nvdisasm was killed at its time limit: ");
  EXPECT_EQ(with("echo no >&2; exit 255"), front + "nvdisasm exited with 255: no");
  EXPECT_TRUE(with("echo garbage").starts_with(front + "nvdisasm's JSON cannot be read: at byte "))
      << with("echo garbage");
  EXPECT_EQ(with("exit 0").find("no error"), std::string::npos);
  EXPECT_EQ(with("echo '[{\"Producer\":\"nvdisasm V99.0.1\"},[]]'"),
            front + "nvdisasm's JSON holds no function");
  EXPECT_EQ(with("echo '[{\"Producer\":\"nvdisasm V99.0.1\"},[{\"function-name\":\"k\",\"start\":0,"
                 "\"length\":16,\"sass-instructions\":[{\"opcode\":\"EXIT\"}]}]]'")
                .find(front + "nvdisasm printed 1 functions, the first of 1 instructions, of "),
            0U);
}

}  // namespace
}  // namespace phasebit::test
