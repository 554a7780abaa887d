// `phasebit sass diff` as a user meets it.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;
using base::write_file;

namespace {

ProcessOutput diff(const std::vector<std::string>& arguments) {
  return test::run_phasebit({"sass", "diff"}, arguments);
}

const std::string ring = "ring/mbarrier/st_shared/none";

class SassDiff : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    if (!toolchain) GTEST_SKIP() << toolchain.error().text();
    ptxas_ = toolchain->ptxas.string();
  }
  // A module of kernels that store a number each.
  std::string cubin(const std::string& name, const std::vector<std::string>& kernels) {
    std::string text = ".version 8.7\n.target sm_80\n.address_size 64\n";
    for (const std::string& kernel : kernels)
      text += ".visible .entry " + kernel +
              "(.param .u64 p)\n{\n.reg .b64 a;\nld.param.u64 a, [p];\n"
              "st.global.u32 [a], 7;\nret;\n}\n";
    const std::string path = (folder_.path() / (name + ".cubin")).string();
    const std::string source = path + ".ptx";
    EXPECT_TRUE(write_file(source, text));
    const auto ran = base::run_process({ptxas_, "-arch", "sm_80", source, "-o", path});
    EXPECT_TRUE(ran && ran->ok());
    return path;
  }
  std::string ptxas_;
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(SassDiff, FailsOnTheClassThatWasAskedFor) {
  EXPECT_EQ(diff({ring, ring, "--fail-on", "schedule"}).exit_status, 0);
  EXPECT_EQ(diff({ring, ring + "/num_stages=2", "--fail-on", "schedule"}).exit_status, 1);
  EXPECT_EQ(diff({ring, ring + "/arrival=thread", "--fail-on", "instructions"}).exit_status, 1);
  EXPECT_EQ(diff({ring, ring + "/arrival=thread"}).exit_status, 0);
}

// The warp's arrival synchronises the warp before it: what the thread's does not have.
TEST_F(SassDiff, TwoVariants) {
  // Warps that ptxas does not know to be whole meet by a branch, where a thread arrives for them.
  const std::string off = "/uniform_role=off";
  const ProcessOutput output = diff({ring + off, ring + "/arrival=thread" + off, "--json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto json = nlohmann::json::parse(output.out);
  EXPECT_EQ(json["change"], "instructions");
  EXPECT_EQ(json["left"]["name"], ring + off + " for sm_90a");
  const auto left = json["left"]["features"]["loops"][0]["hot"]["opcodes"];
  const auto right = json["right"]["features"]["loops"][0]["hot"]["opcodes"];
  EXPECT_EQ(left.value("BRA.DIV", 0), 1) << left;
  EXPECT_FALSE(right.contains("BRA.DIV"));
}

TEST_F(SassDiff, OneVariantOnTwoTargets) {
  const ProcessOutput output = diff({ring, "--target", "sm_80,sm_90a", "--json"});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::assemble));
  EXPECT_EQ(output.err,
            "phasebit: assemble: " + ring + " for sm_80: needs sm_90, the target is sm_80\n");
  const std::string barriers = "ring/named_barrier/st_shared/none";
  const ProcessOutput works = diff({"--target", "sm_80,sm_90a", barriers, "--json"});
  ASSERT_EQ(works.exit_status, 0) << works.err;
  const auto json = nlohmann::json::parse(works.out);
  EXPECT_EQ(json["left"]["sm"], 80);
  EXPECT_EQ(json["right"]["name"], barriers + " for sm_90a");
  EXPECT_EQ(json["change"], "instructions");
}

TEST_F(SassDiff, TwoCubins) {
  const std::string one = cubin("one", {"first"}), two = cubin("two", {"second", "third"});
  const ProcessOutput same = diff({one, two, "--kernel", "first,third", "--fail-on", "schedule"});
  EXPECT_EQ(same.exit_status, 0) << same.err;
  EXPECT_NE(same.out.find("\nidentical: "), std::string::npos) << same.out;
  const ProcessOutput within = diff({two, "--kernel", "second,third"});
  EXPECT_EQ(within.exit_status, 0) << within.err;
  // What the columns are, of both sides.
  const std::string columns = "addr  st y Wr Rd waits   reuse   instruction";
  const size_t header = within.out.find("\n" + columns);
  ASSERT_NE(header, std::string::npos) << within.out;
  EXPECT_NE(within.out.find(columns, header + 2), std::string::npos) << within.out;
}

TEST_F(SassDiff, SaysWhatIsWrong) {
  const std::string one = cubin("one", {"first"}), two = cubin("two", {"second", "third"});
  const std::string text = (folder_.path() / "text.cubin").string();
  const std::string cut = (folder_.path() / "cut.cubin").string();
  ASSERT_TRUE(write_file(text, "no cubin"));
  ASSERT_TRUE(write_file(cut, base::read_file(one)->substr(0, 1000)));
  struct Row {
    std::vector<std::string> arguments;
    Step step;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{text, one}, Step::disassemble, text + ": not an ELF file (8 bytes)"},
      {{cut, one}, Step::disassemble, cut + ": cut short: its section table is at byte "},
      {{ring, two}, Step::usage, two + ": has 2 kernels (give --kernel, a number or a name: 1 "},
      {{one, two, "--kernel", "first,thrid"},
       Step::usage,
       two + ": no kernel 'thrid' (did you mean 'third'?)"},
      {{ring}, Step::usage, "one side is missing (name a second variant or file"},
      {{ring, ring, "--fail-on", "operand"},
       Step::usage,
       "--fail-on operand: no such class of change (did you mean 'operands'?)"},
      {{ring, "--target", "sm_90a,sm_91"}, Step::usage, "sm_91"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = diff(row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(row.step)) << output.err;
    EXPECT_NE(output.err.find(row.message), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace phasebit::test
