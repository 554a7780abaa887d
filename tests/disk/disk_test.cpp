// A disk that is full or read-only from some write on: the command names the file and what the
// system said, leaves no half file, and does its work when it is run again on a disk that works.
#include "tests/app/project.h"
#include "tests/bench/program.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

namespace phasebit::test {
namespace {

// For the programs that are started while this lives. Takes `takes` writes, then fails each.
class FailingDisk {
 public:
  static constexpr int never = -1;
  FailingDisk(const fs::path& under, int takes, int says = ENOSPC) {
    set("LD_PRELOAD", FAILING_DISK);
    set("DISK_UNDER", under.string());
    set("DISK_TAKES", std::to_string(takes));
    set("DISK_SAYS", std::to_string(says));
    set("DISK_COUNT", count_.string());
  }
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;
  ~FailingDisk() {
    for (const char* name : {"LD_PRELOAD", "DISK_UNDER", "DISK_TAKES", "DISK_SAYS", "DISK_COUNT"})
      ::unsetenv(name);
  }
  // The most writes that one process made.
  int writes() const {
    std::istringstream text(base::read_file(count_).value_or(""));
    int most = 0;
    for (int one = 0; text >> one;) most = std::max(most, one);
    return most;
  }

 private:
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  base::TempDir folder_ = std::move(*base::TempDir::create());
  fs::path count_ = folder_.path() / "count";
};

// At most `most` numbers from 0 to end - 1, evenly spaced.
std::vector<int> spread(int end, int most) {
  std::vector<int> numbers;
  for (int n = 0; n < std::min(end, most); ++n) numbers.push_back(n * end / std::min(end, most));
  return numbers;
}

Program three_points() {
  Program program;
  for (const char* name : {"a", "b", "c"}) program.bundle.add(ring_variant(name));
  return program;
}

// The points in the store, each of which may be there once.
std::set<std::string> points_of(Program& program) {
  std::set<std::string> found;
  for (const results::PointRow& row : program.rows(results::PointKind::point)) {
    EXPECT_FALSE(row.error) << (row.error ? row.error->message : "");
    EXPECT_TRUE(found.insert(row.variant_id.text()).second) << row.variant_id.text() << " twice";
  }
  return found;
}

void measure_on(int takes, int says) {
  Program program = three_points();
  const fs::path store = program.bundle.file("store.sqlite");
  base::ProcessOutput output;
  {
    const FailingDisk disk(store, takes, says);
    output = program.run(once);
  }
  const std::string where = fmt::format("after {} writes: {}", takes, output.err);
  EXPECT_EQ(output.signal, 0) << where;
  if (output.exit_status == 0) {  // all was in the log, which stays
    EXPECT_EQ(points_of(program).size(), 3U) << where;
    return;
  }
  EXPECT_TRUE(contains(output.err, std::strerror(says))) << where;
  EXPECT_TRUE(contains(output.err, store.string())) << where;
  const auto before = points_of(program);
  const base::ProcessOutput again = program.run(once);
  EXPECT_EQ(again.exit_status, 0) << where << again.err;
  EXPECT_EQ(points_of(program).size(), 3U) << where;
  EXPECT_TRUE(contains(again.err, fmt::format("{} points measured", 3 - before.size())))
      << where << again.err;
}

TEST(Disk, ThatFailsLosesAndRepeatsNoPoint) {
  Program program = three_points();
  int writes = 0;
  {
    const FailingDisk disk(program.bundle.file("store.sqlite"), FailingDisk::never);
    ASSERT_EQ(program.run(once).exit_status, 0);
    writes = disk.writes();
  }
  ASSERT_GT(writes, 10);
  for (const int takes : spread(writes, 30))
    for (const int says : {ENOSPC, EROFS}) measure_on(takes, says);
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& one : fs::recursive_directory_iterator(folder))
    if (one.is_regular_file())
      files[one.path().lexically_relative(folder).string()] = Project::read(one.path());
  return files;
}

// A command of phasebit, with what it leaves in the folder `out` or else prints.
class Command {
 public:
  explicit Command(std::vector<std::string> words) : words_(std::move(words)) {
    ::setenv("TMPDIR", (project_.path() / "tmp").c_str(), 1);
    clean();
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command() { ::unsetenv("TMPDIR"); }

  // The disk fails at up to `most` of the writes, in both ways.
  void try_all(int most) {
    int writes = 0;
    base::ProcessOutput output;
    {
      const FailingDisk disk(project_.path(), FailingDisk::never);
      output = project_.says(words_);
      writes = disk.writes();
    }
    ASSERT_EQ(output.exit_status, 0) << output.err;
    const auto whole = made_by(output);
    ASSERT_GT(writes, 1);
    for (const int takes : spread(writes, most))
      for (const int says : {ENOSPC, EROFS}) try_one(takes, says, whole);
  }

 private:
  fs::path out() const { return project_.path() / "out"; }

  std::map<std::string, std::string> made_by(const base::ProcessOutput& output) const {
    auto files = files_in(out());
    if (files.empty()) files["standard output"] = output.out;
    return files;
  }

  void clean() {
    for (const char* name : {"out", ".cache", "tmp"}) fs::remove_all(project_.path() / name);
    fs::create_directory(project_.path() / "tmp");
  }

  void try_one(int takes, int says, const std::map<std::string, std::string>& whole) {
    clean();
    base::ProcessOutput output;
    {
      const FailingDisk disk(project_.path(), takes, says);
      output = project_.says(words_);
    }
    const std::string where = fmt::format("after {} writes: {}", takes, output.err);
    EXPECT_EQ(output.signal, 0) << where;
    if (output.exit_status == 0) {  // a cache was all that failed
      EXPECT_EQ(made_by(output), whole) << where;
      return;
    }
    EXPECT_TRUE(contains(output.err, std::strerror(says))) << where;
    EXPECT_TRUE(contains(output.err, project_.path().string()) || contains(output.err, " out/"))
        << where;
    for (const auto& [name, text] : files_in(project_.path()))
      EXPECT_FALSE(contains(name, ".part")) << where << name;
    EXPECT_TRUE(fs::is_empty(project_.path() / "tmp")) << where;
    const base::ProcessOutput again = project_.says(words_);
    EXPECT_EQ(again.exit_status, 0) << where << again.err;
    EXPECT_EQ(made_by(again), whole) << where;
  }

  Project project_;
  std::vector<std::string> words_;
};

TEST(Disk, ThatFailsUnderGenerate) {
  Command({"generate", "--filter", "ring/mbarrier/st_shared/none", "--limit", "2", "-o", "out"})
      .try_all(12);
}

TEST(Disk, ThatFailsUnderPack) {
  Command(
      {"pack", "--id", "ring/mbarrier/st_shared/none", "--no-anchors", "-t", "sm_90a", "-o", "out"})
      .try_all(16);
}

TEST(Disk, ThatFailsUnderExport) {
  const std::string results =
      (test::home().data / "results/nvidia-h200/barrier_word.csv.zst").string();
  Command({"export", results, "-o", "out/a.csv"}).try_all(12);
}

TEST(Disk, ThatFailsUnderReport) {
  const std::string results =
      (test::home().data / "results/nvidia-h200/barrier_word.csv.zst").string();
  Command({"report", results, "--table", "barrier_word"}).try_all(12);
}

}  // namespace
}  // namespace phasebit::test
