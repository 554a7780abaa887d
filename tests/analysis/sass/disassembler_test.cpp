#include "analysis/disassembly/disassembler.h"

#include "tests/analysis/sass/rings.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using disassembly::Disassembler;

namespace {

TEST(Disassembler, SaysWhatFailed) {
  PHASEBIT_NEEDS_TOOLS();
  const auto missing = Disassembler::open("/nowhere/nvdisasm");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(),
            "toolchain: cannot start /nowhere/nvdisasm: No such file or directory (tools/toolchain "
            "installs nvdisasm)");
  EXPECT_EQ(Disassembler::open("/bin/true").error().text(),
            "toolchain: /bin/true --version names no version: true (GNU coreutils) 9.1");
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  const auto refused = disassembler->run("no cubin");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().text().starts_with("disassemble: nvdisasm exited with "))
      << refused.error().text();
}

}  // namespace
}  // namespace phasebit::test
