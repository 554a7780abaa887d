// `phasebit sass gate` as a CI meets it.
#include "core/base/process.h"
#include "tests/app/program.h"
#include "tests/app/tools.h"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;
using base::TempDir;
using base::write_file;

namespace {

ProcessOutput gate(const std::vector<std::string>& arguments) {
  return test::run_phasebit({"sass", "gate"}, arguments);
}

class SassGate : public WithListing {};

TEST_F(SassGate, TheCommittedFileHolds) {
  const ProcessOutput output = gate({(test::home().data / "specs/sass_gate.toml").string()});
  EXPECT_EQ(output.exit_status, 0) << output.out << output.err;
  EXPECT_NE(output.out.find(" checks, 0 broken\n"), std::string::npos) << output.out;
}

// PTX manual: test_wait does not suspend, so a wait by it has no TRYWAIT. Exit code 1 says that a
// rule is broken; others that the gate could not do its work.
TEST_F(SassGate, ABrokenRuleEndsWithOne) {
  const auto folder = TempDir::create();
  const std::string file = (folder->path() / "mine.toml").string();
  const std::string variant = "ring/mbarrier/st_shared/none/wait=test_wait";
  ASSERT_TRUE(write_file(file, "sweep = \"curated\"\nspec = \"" +
                                   (test::home().data / "specs/curated.toml").string() +
                                   "\"\ntargets = [\"sm_90a\"]\n\n[[rule]]\nname = \"it tries\"\n"
                                   "variants = \"" +
                                   variant +
                                   "\"\nwhere = \"consumer.wait\"\n"
                                   "must = \"*TRYWAIT\"\n"));
  const ProcessOutput text = gate({file});
  EXPECT_EQ(text.exit_status, 1) << text.err;
  EXPECT_EQ(text.out.substr(0, text.out.find("  found")),
            file + ":5: it tries: " + variant + " for sm_90a by ptxas " + ptxas::pinned_toolchain +
                "\n  expected consumer.wait: *TRYWAIT x1 or more\n");
  const ProcessOutput json = gate({file, "--json"});
  EXPECT_EQ(json.exit_status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["broken"][0]["rule"], "it tries");
  const ProcessOutput nothing = gate({file, "--filter", "handoff/"});
  EXPECT_GT(nothing.exit_status, 1) << nothing.out;
  EXPECT_NE(nothing.err.find("'it tries' speaks of no code here"), std::string::npos)
      << nothing.err;
}

// Kernels that phasebit did not make, by their names and source lines.
// As `sass show --live` counts them, in the whole kernel, in a role's loop and in a verb of it.
TEST_F(SassGate, LiveRegistersOfVariants) {
  const auto folder = TempDir::create();
  const std::string variant = "ring/named_barrier/st_shared/none", target = "sm_80";
  const ProcessOutput shown =
      test::run_phasebit({"sass", "show"}, {variant, "-t", target, "--live", "--json"});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  const auto features = nlohmann::json::parse(shown.out)["features"];
  std::map<std::string, int> live = {{"kernel", features["live"]["registers"]}};
  for (const auto& loop : features["loops"])
    if (loop["role"] == "consumer") live["consumer"] = loop["live"]["registers"];
  for (const auto& verb : features["verbs"])
    if (verb["role"] == "consumer" && verb["verb"] == "wait")
      live["consumer.wait"] = verb["live"]["registers"];
  ASSERT_EQ(live.size(), 3U) << features;
  EXPECT_GE(live["kernel"], live["consumer"]);
  EXPECT_GE(live["consumer"], live["consumer.wait"]);
  for (const auto& [where, registers] : live) {
    EXPECT_GT(registers, 0) << where;
    for (const int less : {0, 1}) {
      const std::string file = (folder->path() / "live.toml").string();
      ASSERT_TRUE(write_file(
          file, fmt::format("sweep = \"curated\"\nspec = \"{}\"\n[[rule]]\nname = \"n\"\n"
                            "variants = \"{}\"\nwhere = \"{}\"\nmax_live_registers = {}\n",
                            (test::home().data / "specs/curated.toml").string(), variant, where,
                            registers - less)));
      const ProcessOutput output = gate({file, "-t", target, "--filter", variant});
      EXPECT_EQ(output.exit_status, less) << where << output.out << output.err;
      if (less == 0) continue;
      EXPECT_NE(output.out.find(fmt::format("found {}\n", registers)), std::string::npos)
          << output.out;
    }
  }
}

class SassGateFiles : public SassGate {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // ns::mine(), with a barrier on line 7 and a fence on line 8 of a.cu.
  std::string cubin(const std::string& name, const std::string& target = "sm_80") const {
    EXPECT_TRUE(
        write_file(path("a.ptx"),
                   ".version 8.0\n.target " + target +
                       "\n.address_size 64\n.file 1 \"a.cu\"\n.visible .entry _ZN2ns4mineEv()\n"
                       ".maxntid 128, 1, 1\n{\n.loc 1 7 0\nbar.sync 0;\n.loc 1 8 0\nmembar.gl;\n"
                       ".loc 1 9 0\nret;\n}\n"));
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    const auto made = base::run_process(
        {toolchain->ptxas.string(), "-lineinfo", "-arch", target, path("a.ptx"), "-o", path(name)});
    EXPECT_TRUE(made && made->ok()) << made->err;
    return path(name);
  }
  std::string rules(const std::string& text) const {
    EXPECT_TRUE(write_file(path("gate.toml"), text));
    return path("gate.toml");
  }
};

// CTAs of 128 threads fill the 64 warps of an SM of sm_80 when registers allow it.
TEST_F(SassGateFiles, RulesByNameAndLine) {
  const std::string a = cubin("a.cubin");
  const std::string file = rules(
      "files = \"*.cubin\"\n[[rule]]\nname = \"a barrier\"\nkernels = \"ns::mine\"\n"
      "where = \"line a.cu:7\"\ncount = { \"BAR.SYNC*\" = 1, \"MEMBAR*\" = 0 }\n"
      "max_registers = 255\n"
      "[[rule]]\nname = \"no fence\"\nmust_not = \"MEMBAR*\"\n"
      "[[rule]]\nname = \"room\"\nmax_spill_bytes = 0\nmin_warps = 64\n"
      "max_live_registers = 8\n");
  const ProcessOutput output = gate({file});
  EXPECT_EQ(output.exit_status, 1) << output.err;
  EXPECT_EQ(output.out.find(file + ":8: no fence: " + a +
                            ": ns::mine for sm_80\n  expected no MEMBAR*\n  found MEMBAR"),
            0U)
      << output.out;
  EXPECT_NE(output.out.find("; first at a.cu:8, 0x"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("7 checks, 1 broken\n"), std::string::npos) << output.out;
  // The command line's files replace the rules'; --cubin is their old name.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{file, a}, {file, "--cubin", a}, {file, path("a.cub*")}})
    EXPECT_EQ(gate(words).out, output.out);
  const auto json = nlohmann::json::parse(gate({file, "--json"}).out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["broken"][0]["file"], a);
  EXPECT_EQ(json["broken"][0]["symbol"], "_ZN2ns4mineEv");
}

// Line 3 is in a loop and calls what a register holds, so what more is run there is unknown.
const std::string calls_by_register = R"(
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b64 f; .reg .b32 i, last, v; .reg .pred q;
  .loc 1 2 0
  ld.param.u64 f, [p];
  ld.param.u32 last, [n];
  mov.b32 i, 0;
L:
  .loc 1 3 0
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], i;
    like: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), f, (a), like;
    ld.param.b32 v, [b];
  }
  .loc 1 4 0
  bar.sync 0;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, last;
  @q bra L;
  ret;
}
)";

TEST_F(SassGateFiles, ACallByRegisterMayDoAnything) {
  ASSERT_TRUE(write_file(
      path("c.ptx"),
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"c.cu\"\n" + calls_by_register));
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  const auto made = base::run_process({toolchain->ptxas.string(), "-lineinfo", "-arch", "sm_80",
                                       path("c.ptx"), "-o", path("c.cubin")});
  ASSERT_TRUE(made && made->ok()) << made->err;
  const auto broken = [&](const std::string& body) {
    const ProcessOutput output =
        gate({rules("[[rule]]\nname = \"n\"\n" + body + "\n"), path("c.cubin")});
    const bool said = output.out.find("no call of what is not in the file") != std::string::npos;
    EXPECT_EQ(output.exit_status, said ? 1 : 0) << body << output.out << output.err;
    return said;
  };
  const std::string counted = "\ncount = { \"CALL*\" = 1 }";
  for (const std::string where : {"kernel", "loop with BAR*", "line c.cu:3"}) {
    const std::string place = "where = \"" + where + "\"\n";
    for (const char* bound : {"max_instructions = 999", "max_issue_cycles = 9999",
                              "max_spill_bytes = 9999", "must_not = \"HMMA*\""}) {
      EXPECT_TRUE(broken(place + bound));
      EXPECT_FALSE(broken(place + bound + counted));
    }
    EXPECT_FALSE(broken(place + "must = \"CALL*\""));
  }
  EXPECT_FALSE(broken("where = \"line c.cu:4\"\nmax_instructions = 999"));
}

// A loop over lines 12 and 13, of which one adds.
const std::string stepping_kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"src/step.cu\"\n"
    ".visible .entry _ZN2ns4stepEPf(.param .u64 p)\n{\n.reg .b64 a;\n.reg .b32 i;\n.reg .f32 x;\n"
    ".reg .pred q;\n.loc 1 10 0\nld.param.u64 a, [p];\nmov.b32 i, 0;\nL:\n.pragma \"nounroll\";\n"
    ".loc 1 12 0\nld.volatile.global.f32 x, [a];\nadd.f32 x, x, 0f3F800000;\n"
    "st.volatile.global.f32 [a], x;\n.loc 1 13 0\nadd.u64 a, a, 4;\nadd.u32 i, i, 1;\n"
    "setp.lt.u32 q, i, 8;\n@q bra L;\n.loc 1 15 0\nret;\n}\n";

// The verdict of a rule on a PTX file is that on the cubin which ptxas makes of it.
TEST_F(SassGateFiles, APtxFileIsJudgedAsItsCubin) {
  const std::string text = path("step.ptx"), made = path("step.cubin");
  ASSERT_TRUE(write_file(text, stepping_kernel));
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  const auto ran = base::run_process(
      {toolchain->ptxas.string(), "-lineinfo", "-arch", "sm_80", text, "-o", made});
  ASSERT_TRUE(ran && ran->ok()) << ran->err;
  const std::string file = rules(
      "[[rule]]\nname = \"the loop adds\"\nwhere = \"loop with FADD*\"\n"
      "count = { \"FADD*\" = 1, \"LDG*\" = 1 }\nmax_live_registers = 20\n"
      "[[rule]]\nname = \"the loop does not store\"\nwhere = \"loop with FADD*\"\n"
      "must_not = \"STG*\"\n"
      "[[rule]]\nname = \"by name\"\nkernels = \"ns::step\"\nmust_not = \"FADD*\"\n"
      "[[rule]]\nname = \"by line\"\nkernels = \"ns::step(float*)\"\n"
      "where = \"line step.cu:12\"\nmust = \"LDG*\"\nmust_not = \"STG*\"\nmax_spill_bytes = 0\n"
      "[[rule]]\nname = \"room\"\nmin_warps = 64\nthreads = 128\n");
  auto of_text = nlohmann::json::parse(gate({file, text, "--json"}).out),
       of_made = nlohmann::json::parse(gate({file, made, "--json"}).out);
  EXPECT_EQ(of_text["broken"].size(), 3U) << of_text;
  EXPECT_EQ(of_text["broken"][0]["at"].get<std::string>().substr(0, 13), "step.cu:12, 0");
  for (auto* one : {&of_text, &of_made})
    for (auto& broken : (*one)["broken"]) broken.erase("file"), broken.erase("subject");
  EXPECT_EQ(of_text, of_made);
  // Both together, by either name.
  EXPECT_NE(gate({file, text, made}).out.find("18 checks, 6 broken\n"), std::string::npos)
      << gate({file, text, made}).out;
}

// PTX of ours has roles, and loops and names like any other.
TEST_F(SassGateFiles, PtxWithAHeadHasLoopsToo) {
  const ProcessOutput shown = test::run_phasebit({"show"}, {"ring/named_barrier/st_shared/none"});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  ASSERT_TRUE(write_file(path("ring.ptx"), shown.out));
  const std::string file = rules(
      "[[rule]]\nname = \"loop\"\nwhere = \"loop with BAR.SYNC*\"\nmust_not = \"MEMBAR*\"\n"
      "[[rule]]\nname = \"role\"\nwhere = \"consumer.wait\"\nmust = \"BAR.SYNC*\"\n");
  const ProcessOutput output = gate({file, path("ring.ptx"), "-t", "sm_90a"});
  EXPECT_EQ(output.exit_status, 0) << output.out << output.err;
}

// The others are judged, and the exit code is that of the step which failed.
TEST_F(SassGateFiles, AFileThatCannotBeReadEndsNothing) {
  const std::string a = cubin("a.cubin"), bad = path("bad.cubin"), text = path("bad.ptx");
  ASSERT_TRUE(write_file(bad, "no cubin"));
  ASSERT_TRUE(write_file(text,
                         ".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".visible .entry k()\n{\nnonsense;\nret;\n}\n"));
  const std::string file = rules("[[rule]]\nname = \"n\"\nmust = \"BAR*\"\n");
  const ProcessOutput output = gate({file, bad, a, text});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::disassemble)) << output.err;
  EXPECT_NE(output.out.find(bad + ": not judged: disassemble: "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find(text + ": not judged: assemble: "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("1 checks, 0 broken, 2 not judged\n"), std::string::npos) << output.out;
  const std::string broken = rules("[[rule]]\nname = \"n\"\nmust_not = \"BAR*\"\n");
  EXPECT_EQ(gate({broken, bad, a}).exit_status, 1);
  EXPECT_EQ(gate({file, bad}).exit_status, base::exit_code(Step::disassemble));
}

TEST_F(SassGateFiles, TargetsAreThoseOfTheCode) {
  const std::string a = cubin("a.cubin"), b = cubin("b.cubin", "sm_90a");
  const std::string file = rules("[[rule]]\nname = \"n\"\ntargets = \"sm_90a\"\nmust = \"BAR*\"\n");
  EXPECT_EQ(gate({file, a, b}).out, "1 checks, 0 broken\n");
  EXPECT_EQ(gate({file, a, b, "-t", "sm_90a"}).out, "1 checks, 0 broken\n");
  const ProcessOutput none = gate({file, a});
  EXPECT_NE(none.err.find("none of the targets fits 'sm_90a'"), std::string::npos) << none.err;
  const ProcessOutput other = gate({file, a, b, "-t", "sm_100a"});
  EXPECT_NE(other.err.find(": no code for sm_100a"), std::string::npos) << other.err;
}

TEST_F(SassGateFiles, WithoutFilesKernelsAreAnError) {
  const std::string file = rules("[[rule]]\nname = \"n\"\nkernels = \"mine\"\nmust = \"BAR*\"\n");
  const ProcessOutput none = gate({file});
  EXPECT_EQ(none.exit_status, base::exit_code(Step::usage));
  EXPECT_NE(
      none.err.find(":1: 'n' names kernels, and there are no files of any (phasebit sass gate "),
      std::string::npos)
      << none.err;
  const ProcessOutput lost = gate({file, path("*.so")});
  EXPECT_NE(lost.err.find("*.so: no such file"), std::string::npos) << lost.err;
}

}  // namespace
}  // namespace phasebit::test
