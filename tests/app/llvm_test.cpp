// PTX that LLVM makes of the templates' IR passes the gate of the templates' PTX.
#include "gen/llvm/worker.h"
#include "tests/app/program.h"
#include "tests/app/project.h"
#include "tests/app/tools.h"

#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

#define SKIP_WITHOUT_LLVM() \
  if (const auto program = llvm::find_program(); !program) GTEST_SKIP() << program.error().text()

// One default variant of all that has IR, and the axes that change which intrinsics a verb takes.
const char* const variants[] = {
    "ring/mbarrier/none/none",
    "ring/mbarrier/st_shared/none",
    "ring/mbarrier/st_shared/none/addressing=unrolled",
    "ring/mbarrier/st_shared/none/wait=test_wait",
    "ring/mbarrier/st_shared/none/hint_ns=1000",
    "ring/mbarrier/st_shared/none/wait=test_wait/backoff_ns=50",
    "ring/mbarrier/st_shared/none/addressing=unrolled/early_token=on/ahead=1",
    "ring/mbarrier/st_shared/none/num_stages=1/roles=unified/producers=4/consumers=4",
    "ring/mbarrier/st_shared/fma",
    "ring/mbarrier/st_shared/none/operand=state",
    "ring/mbarrier/st_shared/none/arrival=thread",
    "ring/mbarrier/st_shared/none/arrival=warp_count",
    "ring/mbarrier/st_shared/none/arrival=warp_no_complete",
    "ring/mbarrier/st_shared/none/semantics=fenced",
    "ring/mbarrier/st_shared/none/semantics=explicit/scope=cluster",
    "ring/mbarrier/st_shared/none/early_token=on/ahead=1",
    "ring/mbarrier/st_shared/none/roles=unified/producers=4/consumers=4/arrival=elected",
    "ring/mbarrier/st_shared/none/consumers=2/early_exit=drop",
    "ring/mbarrier_tx/st_shared/none",
    "ring/mbarrier_tx/st_shared/none/announce=split",
    "ring/mbarrier_bulk/bulk/none",
    "ring/mbarrier_bulk/bulk/none/issue=lane/destination=cluster",
    "ring/cp_async_mbarrier/cp_async/none",
    "ring/cp_async_group/cp_async/none/roles=unified",
    "ring/cta_barrier/st_shared/none",
    "ring/cta_barrier/st_shared/none/num_stages=1/roles=unified/payload_bytes=1024",
    "ring/named_barrier/st_shared/none",
    "ring/flag_acquire_release/st_shared/none",
    "ring/flag_volatile/st_shared/none",
    "handoff/mbarrier/none/none/num_stages=1",
    "handoff/named_barrier/none/none/num_stages=1/unroll=4",
    "handoff/flag_volatile/none/none/num_stages=1",
    "verb/mbarrier/none/none/addressing=unrolled",
    "verb/mbarrier/none/none/addressing=unrolled/verb=release/path=completing",
    "verb/mbarrier/none/none/addressing=unrolled/early_token=on/verb=try_wait",
};

TEST(Llvm, EveryVerbPassesItsGate) {
  SKIP_WITHOUT_LLVM();
  std::vector<std::string> arguments = {"--gate", "-t", "sm_90a", "--json"};
  for (const char* variant : variants)
    arguments.insert(arguments.end(), {"--id", std::string(variant) + "/llvm=22"});
  const auto said = run_phasebit({"assemble"}, arguments);
  EXPECT_TRUE(said.ok()) << said.err;
  const auto made = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_FALSE(made.is_discarded()) << said.out;
  EXPECT_EQ(made["targets"][0]["gate_passed"], std::size(variants)) << said.out;
}

// What LLVM says of one variant, in the words of `phasebit show`.
std::string refusal_of(const std::string& variant) {
  return run_phasebit({"show"}, {variant + "/llvm=22"}).err;
}

TEST(Llvm, WhatItDoesNotMakeIsRefusedByName) {
  SKIP_WITHOUT_LLVM();
  EXPECT_EQ(refusal_of("ring/mbarrier/st_shared/none/layout=v1"),
            fmt::format("phasebit: render: LLVM {} has no PTX 9.3\n", llvm::built_version()));
  EXPECT_EQ(
      refusal_of("fanin/mbarrier/none/none/num_stages=1/roles=unified"),
      "phasebit: render: templates/probes/fanin/kernel.ptx: no LLVM IR of it (write kernel.ll "
      "next to it, or leave `-a llvm` out)\n");
}

// An atomic addition with release semantics comes out as a plain one: the gate misses its fence.
TEST(Llvm, TheGateSeesThatAnAdditionLosesItsOrder) {
  SKIP_WITHOUT_LLVM();
  const auto said = run_phasebit(
      {"assemble"}, {"--id", "ring/flag_acquire_release/st_shared/none/arrival=thread/llvm=22",
                     "--gate", "-t", "sm_90a"});
  EXPECT_FALSE(said.ok());
  EXPECT_NE(said.err.find("commit (producer): expected MEMBAR* x1 per item, found 0"),
            std::string::npos)
      << said.err;
}

TEST(Llvm, AnotherVersionIsRefused) {
  SKIP_WITHOUT_LLVM();
  EXPECT_EQ(
      run_phasebit({"show"}, {"ring/mbarrier/st_shared/none/llvm=7"}).err,
      fmt::format("phasebit: usage: llvm=7: this phasebit has LLVM {}\n", llvm::built_version()));
}

// The text that is shown is read back as the variant that it was made of, and assembles alike.
TEST(Llvm, AFileOfItIsReadAsEverybodys) {
  SKIP_WITHOUT_LLVM();
  const auto shown = run_phasebit({"show"}, {"ring/mbarrier/st_shared/none/llvm=22"});
  ASSERT_TRUE(shown.ok()) << shown.err;
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const std::string file = (folder.path() / "ring.ptx").string();
  ASSERT_TRUE(base::write_file(file, shown.out));
  const auto said = run_phasebit({"assemble"}, {file, "--gate", "-t", "sm_90a", "--json"});
  EXPECT_TRUE(said.ok()) << said.err;
  const auto made = nlohmann::json::parse(said.out, nullptr, false);
  EXPECT_EQ(made["targets"][0]["gate_passed"], 1) << said.out;
}

// What `phasebit llvm lower` says of a file of this text, called mine.ll.
std::string lowering_refused(const std::string& text,
                             const std::vector<std::string>& options = {}) {
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const std::string file = (folder.path() / "mine.ll").string();
  EXPECT_TRUE(base::write_file(file, text));
  std::vector<std::string> arguments = {"lower", file};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::string said = run_phasebit({"llvm"}, arguments).err;
  if (const size_t at = said.find(file); at != std::string::npos)
    said.replace(at, file.size(), "mine.ll");
  return said;
}

TEST(Llvm, AFileOfAnybodysIsRefusedInItsWords) {
  SKIP_WITHOUT_LLVM();
  const std::string who = fmt::format("LLVM {}", llvm::built_version());
  const std::string kernel = "define ptx_kernel void @k() {\n  ret void\n}\n";
  EXPECT_EQ(lowering_refused("define void @f() {\n  %a = add i32 %x, 1\n  ret void\n}\n"),
            "phasebit: render: mine.ll:2:16: use of undefined value '%x'\n");
  EXPECT_EQ(lowering_refused("define void @f() {\n  ret void\n}\n"),
            "phasebit: render: mine.ll: no kernel in it (a kernel is `define ptx_kernel void "
            "@name(...)`)\n");
  EXPECT_EQ(lowering_refused("declare void @llvm.nvvm.fly()\n" + kernel),
            fmt::format("phasebit: render: mine.ll: {} has no intrinsic 'llvm.nvvm.fly'\n", who));
  EXPECT_EQ(lowering_refused(kernel, {"-t", "sm_12"}),
            fmt::format("phasebit: render: {} has no target 'sm_12'\n", who));
  EXPECT_EQ(lowering_refused(kernel, {"--ptx", "9.9"}),
            fmt::format("phasebit: render: {} has no PTX 9.9\n", who));
  EXPECT_EQ(
      lowering_refused("declare void @llvm.nvvm.barrier.cluster.wait()\n"
                       "define ptx_kernel void @k() {\n"
                       "  call void @llvm.nvvm.barrier.cluster.wait()\n  ret void\n}\n",
                       {"-t", "sm_75"}),
      fmt::format("phasebit: render: mine.ll: {} was ended by signal 6 (Aborted): LLVM ERROR: "
                  "Cannot select: intrinsic %llvm.nvvm.barrier.cluster.wait\n",
                  who));
}

// With -o a file has what is printed without it.
TEST(Llvm, AFileIsLoweredIntoAFile) {
  SKIP_WITHOUT_LLVM();
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const std::string file = (folder.path() / "mine.ll").string();
  const std::string out = (folder.path() / "mine.ptx").string();
  ASSERT_TRUE(base::write_file(file, "define ptx_kernel void @k() {\n  ret void\n}\n"));
  const auto printed = run_phasebit({"llvm"}, {"lower", file});
  const auto written = run_phasebit({"llvm"}, {"lower", file, "-o", out});
  EXPECT_NE(printed.out.find(".entry k("), std::string::npos) << printed.err;
  EXPECT_TRUE(written.ok()) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(base::read_file(out).value_or(""), printed.out);
}

// The texts of a verb for --snippet, one for each distinct PTX; their names have no blanks.
TEST(Llvm, HistoryWritesSnippets) {
  if (!base::run_process({"llc-22", "--version"})) GTEST_SKIP() << "needs llc-22";
  const base::TempDir folder = std::move(base::TempDir::create().value());
  const auto said =
      run_phasebit({"llvm"}, {"history", "wait by state", "--snippets", folder.path().string()});
  ASSERT_TRUE(said.ok()) << said.err;
  const auto text = base::read_file(folder.path() / "wait_by_state.llvm22.ptx");
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_NE(text->find("mbarrier.try_wait"), std::string::npos) << *text;
}

// A row for each LLVM, installed or not.
TEST(Llvm, HistoryHasARowForEachVersion) {
  const auto said = run_phasebit({"llvm"}, {"history", "fence", "--format", "csv"});
  ASSERT_TRUE(said.ok()) << said.err;
  for (const char* version : {"13", "14", "15", "16", "19", "22", "22 --nvptx-short-ptr"})
    EXPECT_NE(said.out.find(fmt::format("\nfence,{},", version)), std::string::npos) << said.out;
  EXPECT_EQ(run_phasebit({"llvm"}, {"history", "fenc"}).err,
            "phasebit: usage: no spellings of a verb 'fenc' (did you mean 'fence'?)\n");
}

// What it returns is used, so a load is there. LLVMs that reject it, or are not installed, have
// no SASS.
TEST(Llvm, HistoryHasTheSassOfWhatReturnsAWord) {
  if (const std::string why = missing_tools(); !why.empty()) GTEST_SKIP() << why;
  const auto said =
      run_phasebit({"llvm"}, {"history", "acquire load", "--sass", "sm_90a", "--json"});
  ASSERT_TRUE(said.ok()) << said.err;
  const auto table = nlohmann::json::parse(said.out);
  ASSERT_GT(table["rows"].size(), 5U);
  for (const auto& row : table["rows"]) {
    const auto sass = row[fmt::format("SASS (sm_90a, ptxas {})", ptxas::pinned_toolchain)];
    const bool has_ptx = row["PTX"].get<std::string>().starts_with("ld.acquire.cta.shared");
    EXPECT_EQ(sass.get<std::string>().find("LDS ") != std::string::npos, has_ptx) << row;
  }
}

// What a fork is made of is PTX already.
TEST(Llvm, AForkIsNotMadeByIt) {
  SKIP_WITHOUT_LLVM();
  EXPECT_EQ(
      run_phasebit({"assemble"},
                   {"--tuned", "--filter", "tuned=test_ahead", "-a", "llvm=22", "-t", "sm_90a"})
          .err,
      "phasebit: usage: -a llvm: ring/mbarrier/st_shared/none/tuned=test_ahead is hand-written PTX "
      "(LLVM can only generate the PTX of templates)\n");
}

// Of verbs with the same IR the first has a row.
TEST(Llvm, TableHasARowForEachWayToSayAVerb) {
  SKIP_WITHOUT_LLVM();
  const auto said = run_phasebit({"llvm"}, {"table", "--format", "json"});
  ASSERT_TRUE(said.ok()) << said.err;
  const auto rows = nlohmann::json::parse(said.out)["rows"];
  std::set<std::string> spoken;
  for (const auto& row : rows) {
    const auto text = row["IR"].get<std::string>();
    EXPECT_NE(text, "-") << row;
    EXPECT_TRUE(spoken.insert(text).second) << row;
  }
  const auto& wait = rows.front();
  EXPECT_EQ(wait["verb"], "wait");
  EXPECT_EQ(wait["IR"], "`mbarrier.try.wait.parity.scope.cta.space.cta`");
  EXPECT_TRUE(
      wait["PTX by LLVM"].get<std::string>().starts_with("`mbarrier.try_wait.parity.shared.b64 %p"))
      << wait;
  EXPECT_EQ(wait["PTX of the templates"], "the same");
  EXPECT_EQ(wait["SASS"], "`SYNCS.PHASECHK.TRANS64.TRYWAIT`");
}

// LLVM 22 writes PTX 9.0: the first form beyond it is of 9.1.
TEST(Llvm, FormsAreThoseOfALaterPtx) {
  SKIP_WITHOUT_LLVM();
  const auto said = run_phasebit({"llvm"}, {"forms"});
  ASSERT_TRUE(said.ok()) << said.err;
  EXPECT_NE(
      said.out.find(fmt::format("LLVM {} writes no PTX 9.1 or later.", llvm::built_version())),
      std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("multimem"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("wgmma"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace phasebit::test
