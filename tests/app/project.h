// A project of its own for tests that write into one: the templates copied, specs and
// toolchains as they are.
#pragma once

#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/home.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

class Project {
 public:
  Project() {
    fs::copy(test::home().data / "templates", templates(), fs::copy_options::recursive);
    for (const char* folder : {"analysis", "specs"})
      fs::create_directory_symlink(test::home().data / folder, path() / folder);
    if (fs::exists(test::home().data / ".toolchains"))
      fs::create_directory_symlink(test::home().data / ".toolchains", path() / ".toolchains");
    fs::create_directory(path() / "ptx");
  }
  const fs::path& path() const { return folder_.path(); }
  fs::path templates() const { return path() / "templates"; }
  fs::path tuned(const std::string& fork) const { return path() / "ptx" / "tuned" / fork; }

  base::ProcessOutput says(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"env", "PHASEBIT_HOME=" + path().string(), std::getenv("PHASEBIT_PROGRAM")});
    base::ProcessOptions options;
    options.working_directory = path().string();
    auto output = base::run_process(arguments, options);
    EXPECT_TRUE(output) << output.error().text();
    return output.value_or(base::ProcessOutput{});
  }

  static std::string read(const fs::path& file) { return base::read_file(file).value_or(""); }
  static void write(const fs::path& file, const std::string& text) {
    EXPECT_TRUE(base::write_file(file, text)) << file;
  }
  // Fails the test when `before` is not there.
  static void edit(const fs::path& file, const std::string& before, const std::string& after) {
    std::string text = read(file);
    const size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << file << " has no " << before;
    write(file, text.replace(at, before.size(), after));
  }

 private:
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

}  // namespace phasebit::test
