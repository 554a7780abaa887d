// What every command keeps to: nothing asked for is silently ignored, names are exact where they
// are meant so, errors are said once, examples work.
#include "core/base/text.h"
#include "gen/ptxas/toolchain.h"
#include "join/images/assembled.h"
#include "join/images/progress.h"
#include "tests/app/program.h"
#include "tests/app/project.h"
#include "tests/home.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::exit_code;
using base::ProcessOutput;

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* habits_ring = "ring/mbarrier/st_shared/none";

ProcessOutput habits_says(const Words& arguments) {
  return test::run_phasebit({}, arguments);
}

std::string habits_spec(const std::string& name) {
  return (test::home().data / "specs" / (name + ".toml")).string();
}

Words ids_listed(Words arguments) {
  arguments.insert(arguments.begin(), {"generate", "--list"});
  const ProcessOutput output = habits_says(arguments);
  EXPECT_TRUE(output.ok()) << output.err;
  Words ids;
  std::istringstream lines(output.out);
  for (std::string hash, id; lines >> hash >> id;) ids.push_back(id);
  return ids;
}

// /dev/full takes nothing, like a disk that is full.
TEST(Habits, WhatCannotBePrintedIsAnError) {
  const auto shell = [](const std::string& redirection) {
    return base::run_process(
               {"sh", "-c", "\"$0\" list axes " + redirection, std::getenv("PHASEBIT_PROGRAM")})
        .value();
  };
  const ProcessOutput full = shell("> /dev/full"), closed = shell(">&-");
  EXPECT_EQ(full.exit_status, exit_code(Step::io));
  EXPECT_EQ(full.err, "phasebit: io: cannot write to standard output: No space left on device\n");
  EXPECT_EQ(closed.exit_status, exit_code(Step::io));
  EXPECT_EQ(closed.err, "phasebit: io: cannot write to standard output: Bad file descriptor\n");
}

TEST(Habits, ACommandThatIsNoneIsAnErrorBesideHelpToo) {
  const ProcessOutput top = habits_says({"shwo", "--help"}),
                      below = habits_says({"sass", "shwo", "--help"});
  EXPECT_EQ(top.exit_status, exit_code(Step::usage));
  EXPECT_EQ(top.err, "phasebit: usage: phasebit: no command 'shwo' (did you mean 'show'?)\n");
  EXPECT_EQ(below.exit_status, exit_code(Step::usage));
  EXPECT_EQ(below.err,
            "phasebit: usage: phasebit sass: no command 'shwo' (did you mean 'show'?)\n");
  EXPECT_TRUE(habits_says({"sass", "show", "--help"}).ok());
}

TEST(Habits, AnIdIsExactlyOneVariant) {
  const std::string other = std::string(habits_ring) + "/num_stages=8";
  EXPECT_EQ(ids_listed({"--id", habits_ring}), Words{habits_ring});
  EXPECT_EQ(ids_listed({"--id", other, "--id", habits_ring}), (Words{other, habits_ring}));
  EXPECT_GT(ids_listed({"--filter", habits_ring}).size(), 1U);  // a filter is a part of an id
  EXPECT_EQ(ids_listed({"--id", other, "--id", habits_ring, "--filter", "num_stages"}),
            Words{other});
  EXPECT_EQ(ids_listed({"--id", other, "--id", habits_ring, "--limit", "1"}), Words{other});
  EXPECT_EQ(ids_listed({"--id", habits_ring, "-a", "opt_level=1,2"}),
            (Words{std::string(habits_ring) + "/opt_level=1",
                   std::string(habits_ring) + "/opt_level=2"}));
  const std::string own = std::string(habits_ring) + "/opt_level=1";
  EXPECT_EQ(ids_listed({"--id", own}), Words{own});
}

// A hash is looked up in the sweep, and the axes of -a are those of the sweep.
TEST(Habits, AHashIsOfTheSweep) {
  const ProcessOutput output =
      habits_says({"generate", "--list", "--spec", habits_spec("curated")});
  const std::string hash = output.out.substr(0, output.out.find(' '));
  const std::string id =
      output.out.substr(hash.size() + 1, output.out.find('\n') - hash.size() - 1);
  EXPECT_EQ(ids_listed({"--spec", habits_spec("curated"), "--id", hash}), Words{id});
  const ProcessOutput other =
      habits_says({"generate", "--list", "--spec", habits_spec("barrier_word"), "--id", hash});
  EXPECT_EQ(other.exit_status, exit_code(Step::usage)) << other.out;
}

TEST(Habits, AFileOfVariantsIsFilteredAndLimited) {
  const base::TempDir folder = std::move(*base::TempDir::create());
  const std::string other = std::string(habits_ring) + "/num_stages=8";
  const std::string file = (folder.path() / "ids.txt").string();
  ASSERT_TRUE(base::write_file(file, std::string(habits_ring) + "\n" + other + "\n"));
  EXPECT_EQ(ids_listed({"--variants", file}), (Words{habits_ring, other}));
  EXPECT_EQ(ids_listed({"--variants", file, "--filter", "num_stages=8"}), Words{other});
  EXPECT_EQ(ids_listed({"--variants", file, "--limit", "1"}), Words{habits_ring});
  const ProcessOutput none =
      habits_says({"generate", "--list", "--variants", file, "--filter", "nope"});
  EXPECT_EQ(none.err, "phasebit: usage: --filter nope: no variant has this in its id (an id is " +
                          std::string(habits_ring) + ")\n");
  EXPECT_EQ(none.exit_status, exit_code(Step::usage));
}

TEST(Habits, ASpecWithOneSweepNeedsNoName) {
  EXPECT_EQ(ids_listed({"--spec", habits_spec("curated")}),
            ids_listed({"--spec", habits_spec("curated"), "--sweep", "curated"}));
  EXPECT_EQ(ids_listed({}), ids_listed({"--sweep", "core"}));
  const ProcessOutput several =
      habits_says({"generate", "--list", "--spec", habits_spec("protocols")});
  EXPECT_EQ(several.exit_status, exit_code(Step::usage));
  EXPECT_EQ(several.err, "phasebit: usage: " + habits_spec("protocols") +
                             ": 2 sweeps, and none is named (--sweep, one of: protocols, newer)\n");
}

TEST(Habits, ATargetMayBeRepeatedOrStandInAList) {
  const auto targets = [](const Words& words) {
    Words arguments = {"assemble", "--id", habits_ring, "--json"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProcessOutput output = habits_says(arguments);
    EXPECT_TRUE(output.ok()) << output.err;
    Words found;
    const json made = json::parse(output.out);
    for (const json& row : made["targets"]) found.push_back(row["target"]);
    return found;
  };
  const Words both = {"sm_90a", "sm_100a"};
  EXPECT_EQ(targets({"-t", "sm_90a,sm_100a"}), both);
  EXPECT_EQ(targets({"--target", "sm_90a", "--target", "sm_100a"}), both);
  EXPECT_EQ(targets({"--targets", "sm_90a,sm_100a"}), both);
}

TEST(Habits, ListsSayWhatThereIs) {
  const auto rows = [](const std::string& what) {
    const ProcessOutput output = habits_says({"list", what, "--json"});
    EXPECT_TRUE(output.ok()) << output.err;
    EXPECT_TRUE(habits_says({"list", what}).ok());
    return output.out;
  };
  for (const char* name : {"axes", "protocols", "movers", "works", "probes", "sweeps", "tables",
                           "devices", "toolchains", "targets"})
    EXPECT_NE(rows(name).find('{'), std::string::npos) << name;
  EXPECT_NE(rows("protocols").find("mbarrier_tx"), std::string::npos);
  EXPECT_NE(rows("axes").find("num_stages"), std::string::npos);
  // Not all of the thousands of forms.
  EXPECT_NE(rows("axes").find("none mbarrier.init#001 mbarrier.init#002 ... ("), std::string::npos);
  // Lines for a wide terminal; what several protocols declare alike is one row.
  const std::string axes = habits_says({"list", "axes"}).out;
  for (const std::string_view line : base::split(axes, '\n')) EXPECT_LT(line.size(), 160U) << line;
  EXPECT_NE(axes.find("\nearly_token        protocol cluster_launch_control,"), std::string::npos);
  EXPECT_EQ(axes.find("\nearly_token", axes.find("\nearly_token") + 1), std::string::npos);
  EXPECT_NE(rows("tables").find("rows=AXIS,AXIS"), std::string::npos);
  EXPECT_NE(habits_says({"list", "targets"})
                .out.find(fmt::format("Known to ptxas {}.", ptxas::pinned_toolchain)),
            std::string::npos);
  const ProcessOutput sweeps =
      habits_says({"list", "sweeps", "--spec", habits_spec("curated"), "--format", "csv"});
  EXPECT_NE(
      sweeps.out.find(fmt::format(",{},", ids_listed({"--spec", habits_spec("curated")}).size())),
      std::string::npos)
      << sweeps.out;
  const ProcessOutput wrong = habits_says({"list", "protocol"});
  EXPECT_EQ(wrong.err, "phasebit: usage: no list 'protocol' (did you mean 'protocols'?)\n");
}

TEST(Habits, EqualErrorsAreSaidOnce) {
  const Error one{Step::assemble, "a.ptx:3: no such word", {}};
  const Error two{Step::gate, "too many", {}};
  const std::vector<join::images::Refusal> refusals = {
      {"sm_80 a", two}, {"sm_80 b", one}, {"sm_80 c", one},
      {"sm_80 d", one}, {"sm_80 e", one}, {"sm_80 f", {Step::gate, "f: too many", {}}}};
  EXPECT_EQ(join::images::refusal_text(refusals, 2, ""),
            "assemble: a.ptx:3: no such word\n  4 images:\n    sm_80 b\n    sm_80 c\n"
            "    sm_80 d\n    ...\ngate: too many\n  2 images:\n    sm_80 a\n    sm_80 f\n");
  EXPECT_EQ(join::images::refusal_text(refusals, 1, "more"),
            "assemble: a.ptx:3: no such word\n  4 images:\n    sm_80 b\n    sm_80 c\n"
            "    sm_80 d\n    ...\n... and 1 other errors; more\n");
}

TEST(Habits, ProgressIsOneLineAfterTwoSeconds) {
  std::chrono::steady_clock::time_point now{};
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  {
    join::images::ProgressLine line(out, "calls", [&] { return now; });
    now += std::chrono::milliseconds(1900);
    line(1, 10);
    EXPECT_EQ(size, 0U);
    now += std::chrono::milliseconds(2100);
    line(2, 10);  // four seconds for two: 16 s for the other eight
    now += std::chrono::milliseconds(100);
    line(3, 10);  // too soon
    line(10, 10);
  }
  std::fclose(out);
  EXPECT_EQ(std::string(text, size), "\r\033[Kcalls: 2 of 10, 16 s left\r\033[K");
  std::free(text);
  EXPECT_EQ(join::images::progress_text("calls", 1, 11, std::chrono::seconds(9)),
            "calls: 1 of 11, 1 min 30 s left");
  EXPECT_EQ(join::images::progress_text("calls", 0, 11, std::chrono::seconds(9)), "calls: 0 of 11");
}

// The words of `--help` below a heading such as "SUBCOMMANDS:".
Words commands_of(const std::string& help) {
  Words names;
  std::istringstream lines(help);
  bool in_commands = false;
  for (std::string line; std::getline(lines, line);) {
    std::string heading = line;
    std::transform(heading.begin(), heading.end(), heading.begin(), ::toupper);
    if (heading.starts_with("SUBCOMMANDS"))
      in_commands = true;
    else if (heading.starts_with("EXAMPLE"))
      in_commands = false;
    else if (in_commands && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

Words examples_of(const std::string& help) {
  Words lines;
  std::istringstream text(help.substr(std::min(help.find("\nExample"), help.size())));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("  phasebit ")) lines.push_back(line.substr(2));
  return lines;
}

// Every example of every --help, in a project of its own, as a user would paste it.
TEST(Habits, ExamplesWork) {
  Project home;
  // What the tree has assembled, gated and read of results is not made again.
  fs::create_directories(test::home().cache);
  fs::create_directory_symlink(test::home().cache, home.path() / ".cache");
  for (const char* folder : {"results", "claims"})
    fs::create_directory_symlink(test::home().data / folder, home.path() / folder);
  fs::copy(test::home().data / "ptx/ring.mbarrier.st_shared.none.ptx", home.path() / "mine.ptx");
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  ASSERT_TRUE(toolchain) << toolchain.error().text();
  const auto assembled = base::run_process({toolchain->ptxas.string(), "-arch", "sm_90a",
                                            (home.path() / "mine.ptx").string(), "-o",
                                            (home.path() / "mine.cubin").string()});
  ASSERT_TRUE(assembled && assembled->ok());
  // A program that launches a kernel on the driver without a GPU.
  const fs::path app = home.path() / "app";
  Project::write(app, fmt::format("#!/bin/sh\nexec {} dlsym\n", std::getenv("PHASEBIT_FAKE_APP")));
  fs::permissions(app, fs::perms::owner_exec, fs::perm_options::add);
  std::vector<Words> commands = {{}};
  for (const std::string& name : commands_of(habits_says({"--help"}).out))
    commands.push_back({name});
  for (const std::string& name : commands_of(habits_says({"sass", "--help"}).out))
    commands.push_back({"sass", name});
  ASSERT_GE(commands.size(), 20U);
  const fs::path program = std::getenv("PHASEBIT_PROGRAM");
  base::ProcessOptions options;
  options.working_directory = home.path().string();
  for (Words command : commands) {
    command.emplace_back("--help");
    const Words examples = examples_of(habits_says(command).out);
    EXPECT_FALSE(examples.empty()) << command.front() << " has no example";
    for (const std::string& example : examples) {
      SCOPED_TRACE(example);
      const auto output =
          base::run_process({"env", "PHASEBIT_HOME=" + home.path().string(), "sh", "-c",
                             "PATH=" + program.parent_path().string() + ":$PATH; " + example},
                            options);
      ASSERT_TRUE(output) << output.error().text();
      EXPECT_EQ(output->exit_status, 0) << output->err;
    }
  }
}

}  // namespace
}  // namespace phasebit::test
