// Forks as a user meets them: made, edited, drifted, merged, orphaned.
#include "core/base/hash.h"
#include "gen/kernel/tuned.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

#include <set>
#include <sstream>

namespace phasebit::test {

using base::exit_code;
using base::ProcessOutput;

namespace {

const std::string fork_ring = "ring/mbarrier/st_shared/none";
const std::string comment =
    "// Until the slot is empty: the phase of this parity (or state) is complete.";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class Forks : public testing::Test {
 protected:
  void SetUp() override {
    const ProcessOutput made = home_.says({"fork", fork_ring, "--name", "mine"});
    ASSERT_EQ(made.exit_status, 0) << made.err;
    EXPECT_EQ(made.out.substr(0, made.out.find('\n')), fork_ring + "/tuned=mine");
  }
  fs::path file(const std::string& name) const { return home_.path() / "ptx" / "tuned" / name; }
  fs::path acquire() const { return home_.templates() / "protocols" / "mbarrier" / "acquire.ptx"; }
  // What a person does: an instruction more.
  void edit_fork() {
    Project::edit(file("mine.ptx"), "    bar.warp.sync 0xffffffff;\n",
                  "    bar.warp.sync 0xffffffff;\n    membar.cta;  // mine\n");
  }
  Project home_;
};

// All that tells a fork's file from its parent's are the lines that say which is which.
TEST_F(Forks, BeginAsTheirParent) {
  std::istringstream fork(Project::read(file("mine.ptx"))),
      parent(Project::read(file("mine.parent.ptx")));
  std::vector<std::string> own, lost;
  std::set<std::string> known;
  for (std::string line; std::getline(parent, line);) known.insert(line);
  for (std::string line; std::getline(fork, line);)
    if (!known.contains(line)) own.push_back(line);
  const std::string entry = base::short_hash(fork_ring + "/tuned=mine");
  const std::vector<std::string> expected = {
      "//@ id = \"" + fork_ring + "/tuned=mine\"", "//@ tuned = \"mine\"", "//@ [parent]",
      "//@ text = \"" + base::content_hash(Project::read(file("mine.parent.ptx"))) + "\"",
      ".visible .entry pb_" + entry + "_t(.param .align 8 .b8 pb[96])"};
  EXPECT_EQ(own, expected);
  const ProcessOutput shown = home_.says({"show", fork_ring + "/tuned=mine"});
  EXPECT_EQ(shown.out, Project::read(file("mine.ptx")));
}

// By its place, not by what its head says: elsewhere the text is external.
TEST_F(Forks, AreFilesLikeAnyOtherWhereTheyAreNotTheProjects) {
  const auto id_of = [&](const std::string& path) {
    const ProcessOutput shown = home_.says({"sass", "show", path, "-t", "sm_90a"});
    EXPECT_EQ(shown.exit_status, 0) << shown.err;
    return shown.out.substr(0, shown.out.find(" for sm_90a"));
  };
  const std::string mine = fork_ring + "/tuned=mine";
  EXPECT_EQ(id_of("ptx/tuned/mine.ptx"), mine);
  const std::string text = Project::read(file("mine.ptx"));
  const auto label = [](const std::string& name, const std::string& content) {
    return fmt::format("/file={}@{}", name, base::content_hash(content).substr(0, 8));
  };
  for (const char* name : {"mine", "other"}) {
    Project::write(home_.path() / (std::string(name) + ".ptx"), text);
    EXPECT_EQ(id_of(std::string(name) + ".ptx"), mine + label(name, text));
  }
  // In the folder, and under another name than that of its head.
  Project::write(file("other.ptx"), text);
  EXPECT_EQ(id_of("ptx/tuned/other.ptx"), mine + label("other", text));
  const std::string edited =
      replaced(text, "{ verb = \"drain\", require = { \"LDS*\" = 1 } },\n//@", "");
  Project::write(home_.path() / "mine.ptx", edited);
  EXPECT_EQ(id_of("mine.ptx"), mine + label("mine", edited) + "-not-held-to-its-key");
}

TEST_F(Forks, AreAsRecordedUntilATemplateChanges) {
  const ProcessOutput same = home_.says({"fork", "--merge"});
  EXPECT_EQ(same.exit_status, 0) << same.err;
  EXPECT_EQ(same.out, "mine: its parent is as recorded\n");
  const std::vector<std::string> generate = {"generate", "--limit", "1", "-o", "out"};
  EXPECT_EQ(home_.says(generate).err.find("fork 'mine'"), std::string::npos);
  Project::edit(acquire(), comment, "// Wait.");
  EXPECT_NE(home_.says(generate).err.find("note: fork 'mine': comments of its parent " + fork_ring +
                                          " have changed since"),
            std::string::npos);
  Project::edit(acquire(), "L_wait:\n", "L_wait:\nmembar.cta;\n");
  EXPECT_NE(home_.says(generate).err.find("note: fork 'mine': its parent " + fork_ring +
                                          " has changed since"),
            std::string::npos);
  home_.says({"generate", "--curated"});
  const ProcessOutput check = home_.says({"generate", "--curated", "--check"});
  EXPECT_EQ(check.exit_status, exit_code(Step::render));
  EXPECT_EQ(check.err, "phasebit: render: fork 'mine': its parent " + fork_ring +
                           " has changed since (`phasebit fork --merge`)\n");
}

TEST_F(Forks, MergeWhatTheTemplatesHaveBecome) {
  edit_fork();
  Project::edit(acquire(), "L_wait:\n", "L_wait:\nmembar.gl;\n");
  const ProcessOutput merged = home_.says({"fork", "--merge", "mine"});
  EXPECT_EQ(merged.exit_status, 0) << merged.err;
  EXPECT_EQ(merged.out, "mine: merged with its current parent\n");
  const std::string text = Project::read(file("mine.ptx"));
  EXPECT_NE(text.find("membar.cta;  // mine"), std::string::npos);
  EXPECT_NE(text.find("membar.gl;"), std::string::npos);
  EXPECT_EQ(home_.says({"fork", "--merge"}).out, "mine: its parent is as recorded\n");
}

TEST_F(Forks, StayAsTheyAreWhenTheMergeConflicts) {
  Project::edit(file("mine.ptx"), "mbarrier.try_wait.parity.shared.b64 done, [p_barrier+32]",
                "mbarrier.test_wait.parity.shared.b64 done, [p_barrier+32]");
  Project::edit(acquire(), "L_wait:\n{{wait_op}}", "L_wait:\nmembar.gl;\n{{wait_op}}");
  const std::string before = Project::read(file("mine.ptx")),
                    base = Project::read(file("mine.parent.ptx"));
  const ProcessOutput output = home_.says({"fork", "--merge", "mine"});
  EXPECT_EQ(output.exit_status, exit_code(Step::render));
  EXPECT_EQ(output.err,
            "phasebit: render: fork 'mine': the merge conflicts; the fork is as it was, "
            "see " +
                file("mine.conflict.ptx").string() +
                " (edit the fork, then `phasebit fork --resolved mine`)\n");
  EXPECT_EQ(Project::read(file("mine.ptx")), before);
  EXPECT_EQ(Project::read(file("mine.parent.ptx")), base);
  const std::string marked = Project::read(file("mine.conflict.ptx"));
  for (const char* mark : {"<<<<<<< the fork", "=======", ">>>>>>> the current parent"})
    EXPECT_NE(marked.find(mark), std::string::npos) << mark;
  const ProcessOutput resolved = home_.says({"fork", "--resolved", "mine"});
  EXPECT_EQ(resolved.exit_status, 0) << resolved.err;
  EXPECT_FALSE(fs::exists(file("mine.conflict.ptx")));
  EXPECT_EQ(home_.says({"fork", "--merge"}).out, "mine: its parent is as recorded\n");
  // Its head has the current parent.
  EXPECT_NE(Project::read(file("mine.ptx")), before);
  EXPECT_EQ(Project::read(file("mine.ptx")).size(), before.size());
}

TEST_F(Forks, WhoseParentIsGoneSaySoAndKeepTheirTexts) {
  for (const char* where : {"", "[parent]\n//@ "})
    Project::edit(file("mine.ptx"), where + ("id = \"" + fork_ring),
                  where + ("id = \"" + fork_ring) + "/wait=tes_wait");
  const std::string before = Project::read(file("mine.ptx"));
  const std::string message = "fork 'mine': its parent " + fork_ring +
                              "/wait=tes_wait is no longer a variant (usage: " + fork_ring +
                              "/wait=tes_wait: wait: no value 'tes_wait' (did you mean "
                              "'test_wait'?)) (the nearest variant is " +
                              fork_ring + "/wait=test_wait)\n";
  const ProcessOutput merge = home_.says({"fork", "--merge"});
  EXPECT_EQ(merge.exit_status, exit_code(Step::spec));
  EXPECT_EQ(merge.err, "phasebit: spec: " + message);
  const ProcessOutput show = home_.says({"show", fork_ring + "/wait=tes_wait/tuned=mine"});
  EXPECT_EQ(show.exit_status, exit_code(Step::spec));
  EXPECT_EQ(show.err, "phasebit: spec: " + message);
  EXPECT_NE(
      home_.says({"generate", "--limit", "1", "-o", "out"}).err.find("fork 'mine': its parent"),
      std::string::npos);
  EXPECT_EQ(Project::read(file("mine.ptx")), before);
}

TEST_F(Forks, SayWhatIsWrong) {
  struct Row {
    std::vector<std::string> arguments;
    Step step;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{"fork"},
       Step::usage,
       "usage: fork: no variant (phasebit fork VARIANT --name NAME, or phasebit fork --merge "
       "[NAME])"},
      {{"fork", fork_ring, "--name", "mine"},
       Step::usage,
       "usage: ptx/tuned/mine.ptx is there already"},
      {{"fork", fork_ring, "--name", "a/b"},
       Step::usage,
       "usage: --name 'a/b' cannot name a fork (letters, digits, '_' and '-')"},
      {{"fork", fork_ring + "/tuned=mine", "--name", "b"},
       Step::usage,
       "usage: " + fork_ring +
           "/tuned=mine is made by hand itself (fork a variant of the templates)"},
      {{"fork", "--merge", "mime"},
       Step::usage,
       "usage: no fork 'mime' in ptx/tuned (did you mean 'mine'?)"},
      {{"show", fork_ring + "/num_stages=8/tuned=mine"},
       Step::usage,
       "usage: fork 'mine' is none of " + fork_ring + "/num_stages=8 (it is " + fork_ring +
           "/tuned=mine)"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = home_.says(row.arguments);
    EXPECT_EQ(output.exit_status, exit_code(row.step));
    EXPECT_EQ(output.err, "phasebit: " + row.message + "\n");
  }
  Project::edit(file("mine.parent.ptx"), "bar.sync 0;", "bar.sync 1;");
  const ProcessOutput touched = home_.says({"fork", "--merge"});
  EXPECT_EQ(touched.exit_status, exit_code(Step::spec));
  EXPECT_EQ(touched.err,
            "phasebit: spec: ptx/tuned/mine.parent.ptx is not the text that ptx/tuned/mine.ptx "
            "records (it must not be edited: restore it from version control)\n");
  fs::remove(file("mine.parent.ptx"));
  const ProcessOutput gone = home_.says({"fork", "--merge"});
  EXPECT_EQ(gone.exit_status, exit_code(Step::spec));
  EXPECT_EQ(gone.err,
            "phasebit: spec: ptx/tuned/mine.parent.ptx: it is missing, the text of the parent that "
            "ptx/tuned/mine.ptx began as (take it back from version control; if the fork has its "
            "parent's changes already, `phasebit fork --resolved mine` writes it anew)\n");
  EXPECT_EQ(home_.says({"fork", "--resolved", "mine"}).exit_status, 0);
  EXPECT_EQ(home_.says({"fork", "--merge", "mine"}).out, "mine: its parent is as recorded\n");
}

// A file is not a variant of the templates: nothing is written.
TEST_F(Forks, OfAFileAreRefused) {
  fs::copy(file("mine.parent.ptx"), home_.path() / "edited.ptx");
  const ProcessOutput output = home_.says({"fork", "edited.ptx", "--name", "other"});
  EXPECT_EQ(output.exit_status, exit_code(Step::usage));
  EXPECT_EQ(
      output.err,
      "phasebit: usage: edited.ptx: a file is not a variant of the templates (edit the file "
      "itself, which every command reads; or fork the variant that it began as, by its id)\n");
  EXPECT_FALSE(fs::exists(file("other.ptx")));
  EXPECT_FALSE(fs::exists(file("other.parent.ptx")));
}

// A fork that cannot be read stops no other.
TEST_F(Forks, StopThemselvesAlone) {
  ASSERT_EQ(home_.says({"fork", fork_ring + "/num_stages=2", "--name", "whole"}).exit_status, 0);
  const bool has_tools = ptxas::find_toolchain({test::home(), {}, {}}).has_value();
  const std::string good = Project::read(file("mine.ptx"));
  const struct {
    std::string what, text, message;
  } rows[] = {
      {"cut short", good.substr(0, good.find(".visible")),
       "ptx/tuned/mine.ptx:8: a head ('//@') above no .entry"},
      {"a head that lacks its parent", replaced(good, "//@ [parent]", "//@ [parents]"),
       "ptx/tuned/mine.ptx"},
      {"a barrier beyond the shared memory",
       replaced(good, "count = 4, arrivals = 1 },", "count = 400, arrivals = 1 },"),
       "barrier full"},
  };
  for (const auto& row : rows) {
    Project::write(file("mine.ptx"), row.text);
    const std::string whole = fork_ring + "/num_stages=2/tuned=whole";
    EXPECT_EQ(home_.says({"show", whole}).exit_status, 0) << row.what;
    if (has_tools) {
      const ProcessOutput tuned = home_.says({"assemble", "--tuned", "-t", "sm_90a"});
      EXPECT_EQ(tuned.exit_status, 0) << row.what << ": " << tuned.err;
      EXPECT_NE(tuned.err.find("note: "), std::string::npos) << row.what << ": " << tuned.err;
      EXPECT_NE(tuned.err.find(row.message), std::string::npos) << row.what << ": " << tuned.err;
    }
    EXPECT_EQ(home_.says({"fork", fork_ring, "--name", "other"}).exit_status, 0) << row.what;
    fs::remove(file("other.ptx")), fs::remove(file("other.parent.ptx"));
    const ProcessOutput broken = home_.says({"show", fork_ring + "/tuned=mine"});
    EXPECT_NE(broken.exit_status, 0) << row.what;
    EXPECT_NE(broken.err.find(row.message), std::string::npos) << row.what << ": " << broken.err;
  }
}

// What an edit can break in a fork's head.
TEST_F(Forks, SayWhatIsWrongInTheirHead) {
  struct Row {
    std::string from, to, message;
  };
  const std::string id = "//@ id = \"" + fork_ring + "/tuned=mine\"\n";
  const std::vector<Row> rows = {
      {id, "//@ id = \"" + fork_ring + "/tuned=yours\"\n",
       "spec: ptx/tuned/mine.ptx:8: id: '" + fork_ring +
           "/tuned=yours' is not this fork (write `id = \"" + fork_ring +
           "/tuned=mine\"`, and `tuned = \"mine\"` in [key])"},
      {"//@ [parent]\n//@ id", "//@ [parent]\n//@ name",
       "spec: ptx/tuned/mine.ptx:32: name: no such key (one of: id, text)"},
      {"count = 4, arrivals = 1 },\n//@ ]", "count = 400, arrivals = 1 },\n//@ ]",
       "spec: ptx/tuned/mine.ptx:17: barrier empty: it ends at byte 3232, the kernel has 2304 "
       "bytes "
       "of shared memory (write `shared_bytes = 3232` or more in [launch])"},
      {"  // [consumer clock_end] templates/common/clock_end.ptx\n", "",
       "spec: ptx/tuned/mine.ptx:13: role consumer: the head declares its clock, the text reads "
       "none "
       "below [consumer clock_end] (read %clock64 below a heading `// [consumer clock_end] ...`)"},
  };
  const std::string before = Project::read(file("mine.ptx"));
  for (const Row& row : rows) {
    Project::edit(file("mine.ptx"), row.from, row.to);
    const ProcessOutput output = home_.says({"show", fork_ring + "/tuned=mine"});
    EXPECT_EQ(output.exit_status, exit_code(Step::spec));
    EXPECT_EQ(output.err, "phasebit: " + row.message + "\n");
    Project::write(file("mine.ptx"), before);
  }
}

// Those under ptx/tuned/: both builds assemble, the timed one is what its gate demands.
TEST(CommittedForks, PassTheirGates) {
  if (const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}}); !toolchain)
    GTEST_SKIP() << toolchain.error().text();
  const auto forks = kernel::read_forks(test::home());
  ASSERT_TRUE(forks.broken.empty()) << forks.broken.front().text();
  if (forks.forks.empty()) GTEST_SKIP() << "no fork is committed";
  for (const char* build : {"timed", "guarded"}) {
    const bool timed = build == std::string("timed");
    std::vector<std::string> words = {std::getenv("PHASEBIT_PROGRAM"),
                                      "assemble",
                                      "--tuned",
                                      "--no-cache",
                                      "-t",
                                      "sm_90a",
                                      "--filter",
                                      "/tuned=",
                                      "--build",
                                      build,
                                      "--json"};
    if (timed) words.emplace_back("--gate");
    const auto output = base::run_process(words);
    ASSERT_TRUE(output) << output.error().text();
    EXPECT_EQ(output->exit_status, 0) << output->err;
    EXPECT_NE(output->out.find(fmt::format("\"{}\": {}", timed ? "gate_passed" : "assembled",
                                           forks.forks.size())),
              std::string::npos)
        << output->out;
  }
}

}  // namespace
}  // namespace phasebit::test
