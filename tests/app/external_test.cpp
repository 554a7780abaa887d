// A stranger's kernel that waits: its guarded build, and the rules that a user has for it.
#include "core/base/hash.h"
#include "core/launch/bundle.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

namespace phasebit::test {

using base::ProcessOutput;
using launch::Build;

namespace {

const std::string waiting =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry polls(.param .u64 flag, .param .u32 n)\n"
    "{\n"
    "  .reg .b64 at;\n  .reg .b32 value, left;\n  .reg .pred done;\n"
    "  ld.param.u64 at, [flag];\n  ld.param.u32 left, [n];\n"
    "L:\n"
    "  ld.volatile.global.u32 value, [at];\n"
    "  setp.eq.u32 done, value, 4;\n"
    "  @!done bra L;\n"
    "  st.global.u32 [at+4], left;\n"
    "  ret;\n"
    "}\n";

class WaitingStranger : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = ptxas::find_toolchain({test::home(), {}, {}}); !found)
      GTEST_SKIP() << found.error().text();
    Project::write(file("w.ptx"), waiting);
  }
  fs::path file(const std::string& name) const { return home_.path() / name; }
  ProcessOutput pack(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "pack",    "w.ptx", "-t",      "sm_90a",  "-o",      "bundle",           "--grid",      "2",
        "--block", "32",    "--param", "n=items", "--param", "flag=buffer:64:4", "--no-anchors"};
    words.insert(words.end(), more.begin(), more.end());
    return home_.says(words);
  }
  launch::Image timed() const {
    return launch::read_manifest(file("bundle"))->variants.front().images.front();
  }
  Project home_;
};

TEST_F(WaitingStranger, IsPackedWithAGuardedBuildThatKnowsItsPlace) {
  const ProcessOutput output = pack({});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto manifest = launch::read_manifest(file("bundle"));
  ASSERT_TRUE(manifest) << manifest.error().text();
  const launch::BundleVariant& variant = manifest->variants.front();
  EXPECT_TRUE(variant.launch.guarded);
  const launch::Image* guarded = variant.image(Build::guarded);
  ASSERT_NE(guarded, nullptr);
  ASSERT_EQ(guarded->guard.sites.size(), 1U);
  EXPECT_EQ(guarded->guard.sites.front().place(), "w.ptx:12");
  EXPECT_EQ(guarded->entry, "polls");
  EXPECT_NE(guarded->text_hash, variant.image(Build::timed)->text_hash);
  EXPECT_NE(guarded->module, variant.image(Build::timed)->module);
}

// docs/decisions/exit-codes.md: 1 is the answer that was asked for, and any other word is an error.
TEST_F(WaitingStranger, GuardFailsOnAWaitWithoutABound) {
  EXPECT_EQ(home_.says({"guard", "w.ptx", "-o", "g.ptx", "--fail-on", "unguarded"}).exit_status, 0);
  Project::write(file("other.ptx"), waiting);
  Project::edit(file("other.ptx"), ".visible", ".extern .func (.reg .b32 r) other();\n.visible");
  Project::edit(file("other.ptx"), "ld.volatile.global.u32 value, [at]", "call (value), other");
  const ProcessOutput noted =
      home_.says({"guard", "other.ptx", "-o", "g.ptx", "--fail-on", "unguarded"});
  EXPECT_EQ(noted.exit_status, 1);
  EXPECT_NE(noted.err.find("note: other.ptx:12:1: the loop leaves by what a function gives back; "
                           "not guarded because nothing shows what 'call' on line 13 calls"),
            std::string::npos)
      << noted.err;
  EXPECT_NE(Project::read(file("g.ptx")).find("call (value), other;"), std::string::npos);
  EXPECT_EQ(home_.says({"guard", "other.ptx", "-o", "g.ptx"}).exit_status, 0);
  const ProcessOutput wrong = home_.says({"guard", "w.ptx", "--fail-on", "unguarde"});
  EXPECT_EQ(wrong.exit_status, base::exit_code(Step::usage));
  EXPECT_EQ(wrong.err,
            "phasebit: usage: --fail-on unguarde: no such word (did you mean 'unguarded'?)\n");
}

// 150 values that live over a wait, in the 128 registers that 512 threads leave.
TEST_F(WaitingStranger, ItsGuardedBuildSaysWhatItCosts) {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry spills(.param .u64 p) "
      ".maxntid "
      "512 .minnctapersm 1\n{\n.reg .b64 at; .reg .pred d; .reg .b32 f, r<150>;\nld.param.u64 at, "
      "[p];\n";
  for (int i = 0; i < 150; ++i)
    text += fmt::format("ld.volatile.global.u32 r{}, [at+{}];\n", i, 4 * i);
  text += "L: ld.volatile.global.u32 f, [at]; setp.eq.u32 d, f, 4; @!d bra L;\n";
  for (int i = 0; i < 150; ++i)
    text += fmt::format("st.volatile.global.u32 [at+{}], r{};\n", 4 * i, i);
  Project::write(file("spills.ptx"), text + "ret;\n}\n");
  const auto said = [&](const std::vector<std::string>& words) { return home_.says(words).err; };
  const std::string guarded =
      said({"assemble", "spills.ptx", "-t", "sm_90a", "--build", "guarded", "--no-cache"});
  EXPECT_NE(guarded.find("note: guarded builds for sm_90a: 1 of 1 spill registers, at most "),
            std::string::npos)
      << guarded;
  EXPECT_EQ(said({"assemble", "spills.ptx", "-t", "sm_90a", "--no-cache"}).find("spill"),
            std::string::npos);
  const std::string note = "note: ptxas serializes wgmma.mma_async of this build";
  EXPECT_EQ(said({"guard", "spills.ptx", "-o", "g.ptx"}).find(note), std::string::npos);
  Project::edit(file("spills.ptx"), "L: ",
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {a, b, c, d}, x, y, 1, 1, 1, 0, "
                "0;\nL: ");
  EXPECT_NE(said({"guard", "spills.ptx", "-o", "g.ptx"}).find(note), std::string::npos);
}

TEST_F(WaitingStranger, IsGatedByARulesFile) {
  Project::write(file("good.toml"),
                 "[[rule]]\nname = \"one poll\"\nwhere = \"kernel\"\n"
                 "count = { \"LDG*STRONG*\" = 1 }\nmust_not = \"NANOSLEEP*\"\n");
  ASSERT_EQ(pack({"--rules", "good.toml"}).exit_status, 0);
  EXPECT_EQ(timed().gate.verdict, launch::GateVerdict::passed) << timed().gate.reason;
  EXPECT_EQ(timed().gate.reason, "by the rules of good.toml");
  Project::write(file("bad.toml"),
                 "[[rule]]\nname = \"it sleeps\"\nwhere = \"kernel\"\n"
                 "count = { \"NANOSLEEP*\" = 1 }\n");
  const ProcessOutput packed = pack({"--rules", "bad.toml"});
  EXPECT_EQ(packed.exit_status, base::exit_code(Step::gate));
  EXPECT_NE(packed.err.find("phasebit: gate: external/w@"), std::string::npos) << packed.err;
  EXPECT_NE(packed.err.find("bad.toml:1: it sleeps: expected "), std::string::npos) << packed.err;
  EXPECT_NE(pack({"--rules", "bad.toml", "--json"}).out.find("bad.toml:1: it sleeps: expected "),
            std::string::npos);
  EXPECT_EQ(timed().gate.verdict, launch::GateVerdict::failed);
  EXPECT_NE(timed().gate.reason.find("bad.toml:1: it sleeps: expected "), std::string::npos)
      << timed().gate.reason;
  const ProcessOutput assembled = home_.says(
      {"assemble", "w.ptx", "-t", "sm_90a", "--gate", "--rules", "bad.toml", "--no-cache"});
  EXPECT_EQ(assembled.exit_status, base::exit_code(Step::gate));
  EXPECT_NE(assembled.err.find("it sleeps"), std::string::npos) << assembled.err;
}

// Of all entries and both builds, which are of one text, with the line that a user wrote.
TEST_F(WaitingStranger, HasItsErrorsSaidOnce) {
  Project::write(file("w.ptx"), waiting + ".visible .entry other()\n{\n  ret;\n}\n");
  Project::edit(file("w.ptx"), "[flag];", "flag;");
  const ProcessOutput output =
      home_.says({"assemble", "w.ptx", "-t", "sm_90", "--build", "both", "--no-cache"});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::assemble));
  EXPECT_EQ(output.err.find("assemble: w.ptx:9: "), 0U) << output.err;
  EXPECT_NE(output.err.find("\n  4 images:\n"), std::string::npos) << output.err;
  EXPECT_EQ(output.err.find("\nassemble: "), std::string::npos) << output.err;
}

TEST(FilesOfHeads, HaveAKeyEach) {
  const Project home;
  const std::string id = "ring/mbarrier/st_shared/none";
  const std::string one = home.says({"show", id}).out;
  std::string other = one.substr(one.find("//@ format"));
  other.replace(other.find(".visible .entry ") + 16, 3, "two");
  Project::write(home.path() / "a.ptx", one + other);
  const std::string error = home.says({"assemble", "a.ptx", "-t", "sm_90a"}).err;
  EXPECT_EQ(error.find("phasebit: spec: a.ptx: pb_"), 0U) << error;
  EXPECT_NE(error.find(" have one key, " + id + "/file=a@"), std::string::npos) << error;
}

TEST_F(WaitingStranger, SaysWhatARulesFileCannotBe) {
  Project::write(file("other.toml"),
                 "[[rule]]\nname = \"x\"\nkernels = \"*axpy*\"\nmust = \"RET*\"\n");
  Project::write(file("same.toml"), "[[same]]\nname = \"x\"\n");
  Project::write(file("broken.toml"), "[[rule]]\nname = \n");
  Project::write(file("a.ptx"), home_.says({"show", "ring/mbarrier/st_shared/none"}).out);
  const std::string id = "external/w@" + base::content_hash(waiting).substr(0, 8) + "/polls";
  const auto error_of = [&](const std::string& rules) { return pack({"--rules", rules}).err; };
  EXPECT_EQ(error_of("other.toml"),
            "phasebit: gate: other.toml: no rule speaks of " + id +
                " for sm_90a (a rule without `kernels`, `targets`, `family` and `ptxas` speaks of "
                "all)\n");
  EXPECT_EQ(error_of("same.toml"),
            "phasebit: spec: same.toml:1: --rules takes [[rule]] alone (`phasebit sass gate` "
            "compares kernels)\n");
  EXPECT_EQ(error_of("broken.toml"),
            "phasebit: spec: broken.toml:2:8: `name = `: a value is missing (a text in quotes, a "
            "number, true, false or [...])\n");
  EXPECT_EQ(
      home_.says({"assemble", "a.ptx", "-t", "sm_90a", "--gate", "--rules", "other.toml"}).err,
      "phasebit: usage: --rules other.toml: applies only to kernels without a head; all of these "
      "have one (a head has its own "
      "rules)\n");
  EXPECT_EQ(home_.says({"assemble", "w.ptx", "--rules", "other.toml"}).err,
            "phasebit: usage: --rules other.toml: nothing is gated (give --gate too)\n");
}

}  // namespace
}  // namespace phasebit::test
