#include "core/base/file.h"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

namespace phasebit::test {

using base::read_file;
using base::TempDir;
using base::write_file;

namespace {

class File : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::create();
    ASSERT_TRUE(folder) << folder.error().text();
    folder_.emplace(std::move(*folder));
  }
  const fs::path& folder() const { return folder_->path(); }
  // Names of what lies in the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder()))
      out.push_back(entry.path().filename().string());
    return out;
  }

 private:
  std::optional<TempDir> folder_;
};

TEST_F(File, ReadsBackEveryByte) {
  std::string content;
  for (int n = 0; n < 100'000; ++n) content += static_cast<char>(n % 256);
  ASSERT_TRUE(write_file(folder() / "a", content));
  EXPECT_EQ(read_file(folder() / "a").value(), content);
  ASSERT_TRUE(write_file(folder() / "a", ""));
  EXPECT_EQ(read_file(folder() / "a").value(), "");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(File, MakesTheFolders) {
  ASSERT_TRUE(write_file(folder() / "b" / "c" / "d", "x"));
  EXPECT_EQ(read_file(folder() / "b" / "c" / "d").value(), "x");
}

TEST_F(File, NamesWhatCannotBeRead) {
  const fs::path missing = folder() / "missing";
  EXPECT_EQ(read_file(missing).error().text(),
            "io: cannot read " + missing.string() + ": No such file or directory");
  EXPECT_EQ(read_file(folder()).error().text(),
            "io: cannot read " + folder().string() + ": Is a directory");
}

TEST_F(File, NamesWhatCannotBeWritten) {
  ASSERT_TRUE(write_file(folder() / "a", "x"));
  const fs::path below = folder() / "a" / "b";
  EXPECT_EQ(write_file(below, "y").error().text(),
            "io: cannot make the folder " + (folder() / "a").string() + ": Not a directory");
  ASSERT_TRUE(fs::create_directory(folder() / "taken"));
  const fs::path taken = folder() / "taken";
  EXPECT_EQ(write_file(taken, "y").error().text(),
            "io: cannot write " + taken.string() + ": Is a directory");
  EXPECT_EQ(names().size(), 2U);  // nothing half-written lies about
}

// RLIMIT_FSIZE needs no privilege: a write beyond it fails with EFBIG once SIGXFSZ is ignored.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(File, AWriteThatFailsHalfwayKeepsTheOldFile) {
  const fs::path path = folder() / "a";
  ASSERT_TRUE(write_file(path, "old"));
  Status status;
  {
    const SmallFiles limit(4096);
    status = write_file(path, std::string(10'000, 'x'));
  }
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "io: cannot write " + path.string() + ": File too large");
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(File, AFullDiskKeepsTheOldFile) {
  const fs::path disk = folder() / "disk";
  ASSERT_TRUE(fs::create_directory(disk));
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting a small disk needs root";
  const fs::path path = disk / "a";
  EXPECT_TRUE(write_file(path, "old"));
  const Status status = write_file(path, std::string(1'000'000, 'x'));
  const auto after = read_file(path);
  const auto files = std::distance(fs::directory_iterator(disk), {});
  ASSERT_EQ(::umount(disk.c_str()), 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(),
            "io: cannot write " + path.string() + ": No space left on device");
  EXPECT_EQ(after.value(), "old");
  EXPECT_EQ(files, 1);
}

TEST(TempDirTest, IsItsOwnAndGoesWithTheObject) {
  fs::path path;
  {
    auto one = TempDir::create();
    auto two = TempDir::create();
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->path(), two->path());
    path = one->path();
    ASSERT_TRUE(write_file(path / "deep" / "file", "x"));
    const TempDir moved = std::move(*one);
    EXPECT_EQ(moved.path(), path);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDirTest, NamesTheFolderThatItCannotMakeOneIn) {
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/proc", 1);
  const auto folder = TempDir::create();
  before != nullptr ? ::setenv("TMPDIR", saved.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().text(), "io: cannot make a folder in /proc: No such file or directory");
}

TEST(TempDirTest, AMissingTemporaryFolderIsAnErrorNotACrash) {
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nowhere", 1);
  const auto folder = TempDir::create();
  before != nullptr ? ::setenv("TMPDIR", saved.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().text(),
            "io: cannot make a folder in /nowhere: No such file or directory");
}

// As root, a rename would put an ordinary file in the place of the device.
TEST(WriteFile, ADeviceStaysOne) {
  const TempDir folder = std::move(*TempDir::create());
  const fs::path link = folder.path() / "sink";
  fs::create_symlink("/dev/null", link);
  EXPECT_TRUE(write_file(link, "text"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_character_file(link));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace phasebit::test
