// IR that LLVM does not take: each is a message or an error row, and the rest of a sweep goes on.
#include "gen/llvm/worker.h"
#include "tests/app/program.h"
#include "tests/app/project.h"

#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

#define SKIP_WITHOUT_LLVM() \
  if (const auto program = llvm::find_program(); !program) GTEST_SKIP() << program.error().text()

const std::string kernel = "define ptx_kernel void @k() {\n  ret void\n}\n";

// What `phasebit llvm lower` says of a file with these bytes, which messages call `name`.
base::ProcessOutput lowered(const std::string& name, const std::string& bytes) {
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const std::string file = (folder.path() / name).string();
  EXPECT_TRUE(base::write_file(file, bytes));
  base::ProcessOutput said = run_phasebit({"llvm"}, {"lower", file});
  if (const size_t at = said.err.find(file); at != std::string::npos)
    said.err.replace(at, file.size(), name);
  return said;
}

std::string complaint(const std::string& name, const std::string& bytes) {
  const base::ProcessOutput said = lowered(name, bytes);
  EXPECT_FALSE(said.ok()) << said.out;
  return said.err;
}

// `kernel` as LLVM's own program writes it; "" where it is not installed.
std::string bitcode() {
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const std::string text = (folder.path() / "k.ll").string();
  const std::string made = (folder.path() / "k.bc").string();
  EXPECT_TRUE(base::write_file(text, kernel));
  const auto said = base::run_process({"llvm-as-22", text, "-o", made});
  return said && said->ok() ? base::read_file(made).value() : "";
}

TEST(LlvmRefused, TextThatIsNoModule) {
  SKIP_WITHOUT_LLVM();
  const std::string nothing = "no kernel in it (a kernel is `define ptx_kernel void @name(...)`)\n";
  EXPECT_EQ(complaint("empty.ll", ""), "phasebit: render: empty.ll: " + nothing);
  EXPECT_EQ(complaint("empty.bc", ""), "phasebit: render: empty.bc: " + nothing);
  EXPECT_EQ(complaint("latin.ll", "define ptx_kernel void @k() {\n  %\xff = add i32 1, 1\n}\n"),
            "phasebit: render: latin.ll:2:3: expected instruction opcode\n");
  EXPECT_EQ(complaint("noise.bc", "\x01\x02\x03noise"),
            "phasebit: render: noise.bc:1:1: expected top-level entity\n");
}

TEST(LlvmRefused, BytesThatAreNoUtf8InAComment) {
  SKIP_WITHOUT_LLVM();
  const auto said = lowered("latin.ll", "; \xff\xfe\n" + kernel);
  EXPECT_TRUE(said.ok()) << said.err;
}

TEST(LlvmRefused, SeveralKernelsAreOneFileOfPtx) {
  SKIP_WITHOUT_LLVM();
  const auto said = lowered("two.ll", kernel + "define ptx_kernel void @l() {\n  ret void\n}\n");
  EXPECT_TRUE(said.ok()) << said.err;
  EXPECT_NE(said.out.find(".entry k("), std::string::npos);
  EXPECT_NE(said.out.find(".entry l("), std::string::npos);
}

// As Clang and Rust write it: each function says for which target it was made.
TEST(LlvmRefused, TheTargetIsThatOfTheCommand) {
  SKIP_WITHOUT_LLVM();
  const auto said = lowered(
      "old.ll",
      "define void @k() #0 {\n  call void @llvm.nvvm.barrier.cluster.wait()\n  ret void\n}\n"
      "attributes #0 = { \"target-cpu\"=\"sm_70\" \"target-features\"=\"+ptx70\" }\n"
      "!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !\"kernel\", i32 1}\n");
  EXPECT_TRUE(said.ok()) << said.err;
  EXPECT_NE(said.out.find(".target sm_90a"), std::string::npos);
  EXPECT_NE(said.out.find("barrier.cluster.wait;"), std::string::npos);
}

TEST(LlvmRefused, BitcodeThatIsCutOff) {
  SKIP_WITHOUT_LLVM();
  const std::string whole = bitcode();
  if (whole.empty()) GTEST_SKIP() << "no llvm-as-22";
  EXPECT_TRUE(lowered("k.bc", whole).ok());
  EXPECT_EQ(complaint("k.bc", whole.substr(0, 4)),
            "phasebit: render: k.bc: Expected a single module\n");
  EXPECT_TRUE(complaint("k.bc", whole.substr(0, whole.size() / 2))
                  .starts_with("phasebit: render: k.bc: can't skip to bit "));
}

// No newer LLVM is to be had: bits of the block that says what wrote the file are turned.
TEST(LlvmRefused, BitcodeOfANewerOne) {
  SKIP_WITHOUT_LLVM();
  if (llvm::built_version() != "22.1.8") GTEST_SKIP() << "not LLVM 22.1.8";
  std::string newer = bitcode();
  if (newer.empty()) GTEST_SKIP() << "no llvm-as-22";
  newer[28] ^= 8;  // the epoch: 1 in the place of 0
  EXPECT_EQ(complaint("k.bc", newer),
            "phasebit: render: k.bc: Incompatible epoch: Bitcode '1' vs current: '0' (bitcode of "
            "another LLVM; this is LLVM 22.1.8)\n");
  std::string other = bitcode();
  other[20] ^= 16;  // "LLVM23.1.8"
  EXPECT_TRUE(lowered("k.bc", other).ok());
  const std::string cut = complaint("k.bc", other.substr(0, other.size() / 2));
  EXPECT_TRUE(cut.ends_with(" (bitcode of LLVM23.1.8; this is LLVM 22.1.8)\n")) << cut;
}

// One variant of two kills the backend: its row says so, the other passes.
TEST(LlvmRefused, ADeadBackendIsARowOfTheSweep) {
  SKIP_WITHOUT_LLVM();
  const Project project;
  Project::edit(project.templates() / "work/fma/work.ll", "  %given = load float, ptr @chain\n",
                "  call void @llvm.nvvm.tcgen05.relinq.alloc.permit.cg1()\n"
                "  %given = load float, ptr @chain\n");
  const auto said =
      project.says({"assemble", "--id", "ring/mbarrier/st_shared/fma/llvm=22", "--id",
                    "ring/mbarrier/st_shared/none/llvm=22", "--gate", "-t", "sm_90a", "--json"});
  EXPECT_FALSE(said.ok());
  const auto made = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_FALSE(made.is_discarded()) << said.out;
  EXPECT_EQ(made["targets"][0]["refused"], 1) << said.out;
  EXPECT_EQ(made["targets"][0]["gate_passed"], 1) << said.out;
  EXPECT_NE(said.err.find("was ended by signal 6 (Aborted): LLVM ERROR: Cannot select"),
            std::string::npos)
      << said.err;
}

}  // namespace
}  // namespace phasebit::test
