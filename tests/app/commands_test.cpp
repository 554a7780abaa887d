// The program as a user meets it: exit codes, errors, and what a template edit does.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::exit_code;
using base::ProcessOutput;
using base::TempDir;

namespace {

ProcessOutput phasebit_says(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::getenv("PHASEBIT_PROGRAM"));
  auto output = base::run_process(arguments);
  EXPECT_TRUE(output) << output.error().text();
  return output.value_or(ProcessOutput{});
}

// From a folder that has no specs.
TEST(Commands, ListTheSweepsOfASpecThatCameWithTheProgram) {
  const TempDir elsewhere = std::move(*TempDir::create());
  base::ProcessOptions options;
  options.working_directory = elsewhere.path().string();
  const auto listed = base::run_process(
      {"env", "PHASEBIT_HOME=" + test::home().data.string(), std::getenv("PHASEBIT_PROGRAM"),
       "list", "sweeps", "--spec", "specs/curated.toml", "--format", "csv"},
      options);
  ASSERT_TRUE(listed && listed->ok()) << listed->err;
  EXPECT_NE(listed->out.find("\ncurated,"), std::string::npos) << listed->out;
}

struct BadInput {
  std::vector<std::string> arguments;
  int exit_status;
  std::string message;  // the whole of standard error
};

TEST(Commands, SayWhatIsWrongAndWhichStepItWas) {
  const std::string spec = (test::home().data / "specs" / "core.toml").string();
  const std::vector<BadInput> rows = {
      {{"generate", "--sweep", "cor", "--list"},
       2,
       "phasebit: usage: " + spec + ": no sweep 'cor' (did you mean 'core'?)\n"},
      {{"generate", "-a", "stagse=1", "--list"},
       2,
       "phasebit: usage: -a stagse=1: no axis 'stagse' (did you mean 'stages'?)\n"},
      {{"show", "ring/mbarrier/st_shared/none/wiat=test_wait"},
       2,
       "phasebit: usage: ring/mbarrier/st_shared/none/wiat=test_wait: no axis 'wiat' (did you mean "
       "'wait'?)\n"},
      {{"show", "ring/mbarrier/none/none", "--build", "gaurded"},
       2,
       "phasebit: usage: --build gaurded: no such build (did you mean 'guarded'?)\n"},
  };
  for (const BadInput& row : rows) {
    const ProcessOutput output = phasebit_says(row.arguments);
    EXPECT_EQ(output.exit_status, row.exit_status);
    EXPECT_EQ(output.err, row.message);
  }
}

// An empty selection names what emptied it.
TEST(Commands, RefuseAnEmptySelection) {
  const std::vector<BadInput> rows = {
      {{"generate", "--list", "--filter", "nonesuch"},
       2,
       "phasebit: usage: --filter nonesuch: no variant has this in its id (an id is "},
      {{"generate", "--list", "-a", "protocol=cta_barrier", "-a", "mover=none", "-a", "stages=1",
        "-a", "wait=test_wait"},
       2,
       "phasebit: usage: -a "},
      {{"generate", "--list", "--limit", "0"},
       2,
       "phasebit: usage: phasebit generate: --limit: 0 is not a whole number from 1 on"},
      {{"generate", "--list", "--limit", "-3"},
       2,
       "phasebit: usage: phasebit generate: --limit: -3 is not a whole number from 1 on"},
  };
  for (const BadInput& row : rows) {
    const ProcessOutput output = phasebit_says(row.arguments);
    EXPECT_EQ(output.exit_status, row.exit_status) << row.message;
    EXPECT_EQ(output.err.substr(0, row.message.size()), row.message);
    EXPECT_EQ(output.out, "");
  }
}

class WithTools : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    if (!toolchain) GTEST_SKIP() << toolchain.error().text();
  }
  TempDir folder_ = std::move(*TempDir::create());
};

TEST_F(WithTools, AnArchitectureThatPtxasDoesNotKnow) {
  const ProcessOutput output = phasebit_says({"assemble", "-t", "sm_91", "--limit", "1"});
  EXPECT_EQ(output.exit_status, exit_code(Step::usage));
  EXPECT_NE(output.err.find("sm_91"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("sm_90"), std::string::npos) << output.err;
}

TEST_F(WithTools, AMissingPtxas) {
  const ProcessOutput output =
      phasebit_says({"assemble", "--ptxas", "/nowhere/ptxas", "--limit", "1"});
  EXPECT_EQ(output.exit_status, exit_code(Step::toolchain));
  EXPECT_NE(output.err.find("/nowhere/ptxas"), std::string::npos) << output.err;
}

// A copy of the templates in which one line is wrong: ptxas's message comes back with the
// template's own file and line.
TEST_F(WithTools, BadPtxLeadsBackToTheTemplate) {
  const fs::path templates = folder_.path() / "templates";
  fs::copy(test::home().data / "templates", templates, fs::copy_options::recursive);
  const fs::path edited = templates / "protocols" / "named_barrier" / "commit.ptx";
  ASSERT_TRUE(base::write_file(
      edited, "// A comment, so that the line is the third.\n\nbar.arive 1, 64;\n"));
  const ProcessOutput output =
      phasebit_says({"assemble", "--templates", templates.string(), "--no-cache", "-t", "sm_90a",
                     "--filter", "handoff/named_barrier/none/none/num_stages=1", "--limit", "1"});
  EXPECT_EQ(output.exit_status, exit_code(Step::assemble));
  EXPECT_NE(output.err.find("templates/protocols/named_barrier/commit.ptx:3: "), std::string::npos)
      << output.err;
}

// The gate sees that the code is no longer the declared one.
TEST_F(WithTools, AProtocolWithoutItsArriveFailsTheGate) {
  const fs::path templates = folder_.path() / "templates";
  fs::copy(test::home().data / "templates", templates, fs::copy_options::recursive);
  ASSERT_TRUE(
      base::write_file(templates / "protocols" / "mbarrier" / "release.ptx", "// nothing\n"));
  const ProcessOutput output = phasebit_says(
      {"assemble", "--templates", templates.string(), "--no-cache", "-t", "sm_90a", "--gate",
       "--filter", "handoff/mbarrier/none/none/num_stages=1", "--limit", "1"});
  EXPECT_EQ(output.exit_status, exit_code(Step::gate));
  EXPECT_NE(output.err.find("gate: release (any role): no timed window holds it"),
            std::string::npos)
      << output.err;
}

// A protocol of its own has no shipped template to be compared with: that is a note. What check
// finds is refused.
TEST_F(WithTools, AProtocolOfOnesOwnIsPacked) {
  const fs::path templates = folder_.path() / "templates";
  fs::copy(test::home().data / "templates", templates, fs::copy_options::recursive);
  const fs::path own = templates / "protocols" / "own";
  fs::create_directory(own);
  ASSERT_TRUE(base::write_file(own / "protocol.toml", "doc = \"mbarrier\"\nuses = \"mbarrier\"\n"));
  const auto pack = [&] {
    return phasebit_says({"pack", "--templates", templates.string(), "--no-cache", "-t", "sm_90a",
                          "--id", "ring/own/st_shared/none", "-o",
                          (folder_.path() / "bundle").string()});
  };
  const ProcessOutput good = pack();
  EXPECT_EQ(good.exit_status, 0) << good.err;
  EXPECT_NE((good.out + good.err).find("no template has its key: ring/own/st_shared/none"),
            std::string::npos)
      << good.out << good.err;
  const fs::path fill = templates / "movers" / "st_shared" / "fill.ptx";
  std::string text = base::read_file(fill).value();
  ASSERT_TRUE(base::write_file(fill, text + "st.shared.u32 [ring], 0;\n"));  // over a barrier
  const ProcessOutput wrong = pack();
  EXPECT_EQ(wrong.exit_status, exit_code(Step::gate));
  EXPECT_NE(wrong.err.find("check: "), std::string::npos) << wrong.err;
}

TEST_F(WithTools, AResourceLimitRefusesWithTheFigure) {
  const ProcessOutput output =
      phasebit_says({"assemble", "--no-cache", "-t", "sm_90a", "--filter",
                     "ring/cta_barrier/st_shared/none", "--limit", "1", "--max-registers", "8"});
  EXPECT_EQ(output.exit_status, exit_code(Step::assemble));
  EXPECT_NE(output.err.find("registers, the limit is 8"), std::string::npos) << output.err;
}

// A project under git whose templates are as committed.
Project committed_project() {
  Project project;
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", project.path().string(), "-c", "user.name=t", "-c",
                                 "user.email=t@example.org"});
    const auto output = base::run_process(words);
    EXPECT_TRUE(output && output->ok()) << output->err;
  };
  git({"init", "--quiet"});
  git({"add", "templates"});
  git({"commit", "--quiet", "-m", "templates"});
  return project;
}

// {commit, id of the ring} of a bundle.
std::pair<std::string, std::string> packed_names(const Project& project) {
  const auto output = project.says(
      {"pack", "--id", "ring/mbarrier/none/none", "--no-anchors", "-t", "sm_90a", "-o", "out"});
  EXPECT_TRUE(output.ok()) << output.err;
  const auto manifest = nlohmann::json::parse(Project::read(project.path() / "out/manifest.json"));
  return {manifest["commit"], manifest["variants"][0]["key"]["id"]};
}

TEST(Commands, ABundleOfTemplatesThatNoCommitHasSaysSo) {
  if (!ptxas::find_toolchain({test::home(), {}, {}})) GTEST_SKIP() << "no toolchain";
  const Project project = committed_project();
  const auto clean = packed_names(project);
  EXPECT_EQ(clean.second, "ring/mbarrier/none/none");
  EXPECT_EQ(clean.first.find("dirty"), std::string::npos) << clean.first;
  const auto expect_named = [&](const char* what) {
    const auto [commit, id] = packed_names(project);
    EXPECT_EQ(id.find("ring/mbarrier/none/none/templates="), 0U) << what << id;
    EXPECT_EQ(commit.find(clean.first + "-dirty, templates "), 0U) << what << commit;
  };
  const fs::path untracked = project.templates() / "protocols/mine.ptx";
  Project::write(untracked, "// mine\n");
  expect_named("a file that git does not know: ");
  fs::remove(untracked);
  EXPECT_EQ(packed_names(project), clean);
  Project::edit(project.templates() / "protocols/mbarrier/wait.ptx", "L_done:", "L_done:\n");
  expect_named("a file that differs: ");
}

TEST(Commands, ResultsWithAValueThatAnAxisDoesNotHaveAreRefused) {
  const Project project;
  const std::string results = (test::home().data / "results/nvidia-h200/entangle.csv.zst").string();
  ASSERT_TRUE(project.says({"export", results, "--samples", "none", "-o", "a.csv"}).ok());
  std::string text = Project::read(project.path() / "a.csv");
  for (std::size_t at; (at = text.find(",unified,warp,")) != std::string::npos;)
    text.replace(at, 14, ",unified,banana,");
  Project::write(project.path() / "a.csv", text);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"import", "a.csv"},
        {"report", "a.csv"},
        {"claims", "--claims", (test::home().data / "claims").string(), "a.csv"},
        {"sql", "SELECT 1", "a.csv"}}) {
    const auto output = project.says(words);
    EXPECT_EQ(output.exit_status, exit_code(Step::store)) << words.front() << output.out;
    EXPECT_NE(output.err.find("a.csv: entangle/mbarrier/none/none/num_stages=1/roles=unified"),
              std::string::npos)
        << output.err;
    EXPECT_NE(output.err.find("axis granularity has no value 'banana'"), std::string::npos)
        << output.err;
  }
}

}  // namespace
}  // namespace phasebit::test
