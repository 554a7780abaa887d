// Where a program looks for its folders, by trees that each case makes.
#include "core/base/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using base::find_home;
using base::program_version;
using base::Surroundings;

namespace {

class HomeTest : public testing::Test {
 protected:
  std::string at(const char* below) const { return (folder_.path() / below).string(); }
  void write(const char* file, const std::string& text = "") {
    ASSERT_TRUE(base::write_file(at(file), text)) << file;
  }
  void install(const std::string& version) {
    write("usr/share/phasebit/templates/README.md");
    write("usr/share/phasebit/VERSION", version + "\n");
  }
  void check_out() { write("tree/templates/README.md"); }
  Surroundings around(const char* program) const {
    return {at(program), at("here"), "", "/home/u", "", ""};
  }
  // The error's text with the test's folder as "T", so that a whole message can be compared.
  std::string error_of(const Surroundings& around) const {
    const auto found = find_home(around);
    if (found) return "found in " + found->data.string();
    std::string text = found.error().text();
    const std::string folder = folder_.path().string();
    for (size_t n = text.find(folder); n != std::string::npos; n = text.find(folder, n))
      text.replace(n, folder.size(), "T");
    return text;
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

constexpr const char* what_to_do =
    "(run `meson install` again, or set PHASEBIT_HOME to a checkout or to PREFIX/share/phasebit of "
    "this version)";

TEST_F(HomeTest, ACheckoutKeepsAllInItself) {
  check_out();
  const base::Home found = find_home(around("tree/build/app/phasebit")).value();
  EXPECT_EQ(found.data, at("tree"));
  EXPECT_EQ(found.work, at("tree"));
  EXPECT_EQ(found.toolchains, at("tree/.toolchains"));
  EXPECT_EQ(found.cache, at("tree/.cache"));
  EXPECT_EQ(found.toolchain_command(), "tools/toolchain");
  EXPECT_FALSE(found.installed);
}

TEST_F(HomeTest, AnInstalledProgramWritesInTheUsersFolders) {
  install(std::string(program_version()));
  Surroundings place = around("usr/bin/phasebit");
  const base::Home found = find_home(place).value();
  EXPECT_EQ(found.data, at("usr/share/phasebit"));
  EXPECT_EQ(found.work, at("here"));
  EXPECT_EQ(found.toolchains, "/home/u/.local/share/phasebit/toolchains");
  EXPECT_EQ(found.cache, "/home/u/.cache/phasebit");
  EXPECT_EQ(found.toolchain_command(), at("usr/share/phasebit/tools/toolchain"));
  EXPECT_TRUE(found.installed);
  place.xdg_cache = "/var/c";
  place.xdg_data = "relative";  // the specification: not valid, to be ignored
  EXPECT_EQ(find_home(place)->cache, "/var/c/phasebit");
  EXPECT_EQ(find_home(place)->toolchains, "/home/u/.local/share/phasebit/toolchains");
}

TEST_F(HomeTest, TheVariableComesFirstThenThePrefixThenWhatIsAbove) {
  install(std::string(program_version()));
  check_out();
  write("templates/README.md");  // a checkout that the prefix lies in
  EXPECT_EQ(find_home(around("usr/bin/phasebit"))->data, at("usr/share/phasebit"));
  EXPECT_EQ(find_home(around("elsewhere/phasebit"))->data, folder_.path());
  Surroundings place = around("tree/build/app/phasebit");
  EXPECT_EQ(find_home(place)->data, at("tree"));
  place.chosen = at("usr/share/phasebit");
  EXPECT_EQ(find_home(place)->data, at("usr/share/phasebit"));
  EXPECT_TRUE(find_home(place)->installed);
}

TEST_F(HomeTest, APrefixWithoutDataSaysWhereItLooked) {
  EXPECT_EQ(error_of(around("usr/bin/phasebit")),
            fmt::format("io: phasebit's data is missing: no templates/README.md in "
                        "T/usr/share/phasebit, nor in a folder above T/usr/bin/phasebit {}",
                        what_to_do));
  Surroundings place = around("usr/bin/phasebit");
  place.chosen = at("x");
  EXPECT_EQ(error_of(place),
            "io: $PHASEBIT_HOME (T/x) has no templates/README.md (unset it, or let it name a "
            "checkout or PREFIX/share/phasebit)");
}

TEST_F(HomeTest, DataOfAnotherVersionOrOfNoneIsRefused) {
  install("0.0.9");
  EXPECT_EQ(error_of(around("usr/bin/phasebit")),
            fmt::format("io: T/usr/share/phasebit is of version '0.0.9', this program of {} {}",
                        program_version(), what_to_do));
  fs::remove(at("usr/share/phasebit/VERSION"));
  EXPECT_EQ(error_of(around("usr/bin/phasebit")),
            fmt::format("io: T/usr/share/phasebit is not whole: it has no VERSION {}", what_to_do));
}

TEST_F(HomeTest, AnInstalledProgramNeedsAFolderOfTheUser) {
  install(std::string(program_version()));
  Surroundings place = around("usr/bin/phasebit");
  place.user = "";
  EXPECT_EQ(error_of(place),
            "io: neither $HOME nor $XDG_CACHE_HOME names a folder (set one of them: phasebit keeps "
            "files below it)");
  place.xdg_cache = "/c";
  place.xdg_data = "/d";
  EXPECT_EQ(find_home(place)->toolchains, "/d/phasebit/toolchains");
}

}  // namespace
}  // namespace phasebit::test
