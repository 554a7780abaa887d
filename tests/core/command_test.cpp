// Man page and completions say what the command line says; the shells themselves read the scripts.
#include "core/base/documents.h"
#include "core/base/file.h"
#include "core/base/parse.h"
#include "core/base/process.h"

#include <regex>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::completion_script;
using base::describe;
using base::TempDir;
using base::write_file;

namespace {

struct Line {
  CLI::App app{"Makes things", "maker"};
  std::string target = "sm_90a", variant;
  bool json = false;

  Line() {
    app.require_subcommand(1);
    CLI::App* show = app.add_subcommand("show", "one thing, line by line");
    show->add_option("variant", variant, "id of it")->required();
    show->add_option("-t,--target", target, "architecture: sm_90a's own")->capture_default_str();
    show->add_flag("--json", json, "print JSON");
    show->footer("Example:\n  maker show -t sm_75 a.b\\c");
    app.add_subcommand("sass", "machine code")->add_subcommand("diff", "two of them");
    show->add_flag("--worker", json, "for the program itself")->group("");
  }

  Error refused(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      return base::usage_error(app, error);
    }
    return {Step::usage, "taken", ""};
  }
};

std::string run(const std::vector<std::string>& command) {
  const auto output = base::run_process(command);
  EXPECT_TRUE(output) << output.error().text();
  if (!output) return {};
  EXPECT_TRUE(output->ok()) << output->err;
  return output->out + output->err;
}

TEST(UsageError, NamesTheNearestWord) {
  EXPECT_EQ(Line().refused({"shwo", "x"}).text(),
            "usage: maker: no command 'shwo' (did you mean 'show'?)");
  EXPECT_EQ(Line().refused({"show", "x", "--traget=sm_75"}).text(),
            "usage: maker show: no option '--traget' (did you mean '--target'?)");
  EXPECT_EQ(Line().refused({"show", "x", "y"}).text(),
            "usage: maker show: 'y' is one argument too many (maker show --help lists what it "
            "takes)");
  EXPECT_EQ(Line().refused({}).text(), "usage: maker: no command (one of: show, sass)");
}

TEST(ManPage, HasEveryCommandAndOptionAndIsGoodRoff) {
  const TempDir folder = std::move(*TempDir::create());
  const fs::path file = folder.path() / "maker.1";
  const std::string page = base::man_page(
      describe(Line().app),
      {"0.1.0", "makes", {{"MAKER_HOME", "where it is"}}, {{"~/.maker", "its cache"}}, {}});
  ASSERT_TRUE(write_file(file, page));
  // Bold is a letter printed twice, underlined one above a line: both with a backspace.
  const std::string shown = std::regex_replace(
      run({"groff", "-ww", "-man", "-Tascii", "-P-c", file.string()}), std::regex(".\b"), "");
  for (const char* expected :
       {"maker - makes", "maker show", "-t, --target",
        "architecture: sm_90a's own (default: sm_90a)", "maker show -t sm_75 a.b\\c",
        "maker sass diff", "MAKER_HOME", "its cache"})
    EXPECT_NE(shown.find(expected), std::string::npos) << expected << "\n" << shown;
  EXPECT_EQ(shown.find("--worker"), std::string::npos);
  EXPECT_EQ(shown.find("warning"), std::string::npos) << shown;
}

// What bash offers for the last of the words.
std::string bash_offers(const std::string& words) {
  const TempDir folder = std::move(*TempDir::create());
  const fs::path file = folder.path() / "maker.bash";
  EXPECT_TRUE(write_file(file, completion_script(describe(Line().app), "bash").value()));
  return run({"bash", "-c",
              "source " + file.string() + "; COMP_WORDS=(" + words +
                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _maker; echo \"${COMPREPLY[*]}\""});
}

TEST(Completion, BashOffersCommandsThenTheirOptions) {
  EXPECT_EQ(bash_offers("maker s"), "show sass\n");
  EXPECT_EQ(bash_offers("maker sass ''"), "diff\n");
  EXPECT_EQ(bash_offers("maker show --j"), "--json\n");
  EXPECT_EQ(bash_offers("maker --j"), "\n");
  EXPECT_EQ(bash_offers("maker show x --t"), "--target\n");
}

TEST(Completion, ZshAndFishReadTheirScripts) {
  const TempDir folder = std::move(*TempDir::create());
  for (const char* shell : {"zsh", "fish"}) {
    const fs::path file = folder.path() / shell;
    ASSERT_TRUE(write_file(file, completion_script(describe(Line().app), shell).value()));
    EXPECT_EQ(run({shell, "-n", file.string()}), "");
  }
  const std::string script = "source " + (folder.path() / "fish").string();
  const std::string offers = run({"fish", "-c", script + "; complete -C 'maker show --'"});
  EXPECT_NE(offers.find("--target"), std::string::npos) << offers;
  EXPECT_NE(run({"fish", "-c", script + "; complete -C 'maker sh'"}).find("show"),
            std::string::npos);
  EXPECT_EQ(completion_script(describe(Line().app), "fisch").error().text(),
            "usage: no completion for 'fisch' (did you mean 'fish'?)");
}

// What the build asks the programs for.
std::string document(const std::string& word, const std::string& value) {
  Line line;
  base::add_documents(line.app, {"0.1.0", "makes", {}, {}, {}});
  std::vector<std::string> words = {word};
  if (!value.empty()) words.insert(words.begin(), value);
  try {
    line.app.parse(words);
  } catch (const CLI::ParseError& error) {
    return fmt::format("{}: {}", error.get_exit_code(), error.what());
  }
  return "none";
}

TEST(Documents, ArePrintedWithoutACommandAndNotListed) {
  EXPECT_EQ(document("--man-page", "").substr(0, 12), "0: .TH MAKER");
  EXPECT_EQ(document("--completion", "bash").substr(0, 11), "0: _maker()");
  EXPECT_NE(document("--completion", "fisch").find("(did you mean 'fish'?)"), std::string::npos);
  Line line;
  base::add_documents(line.app, {});
  EXPECT_EQ(line.app.help().find("--completion"), std::string::npos);
  EXPECT_EQ(base::man_page(describe(line.app), {}).find("man\\-page"), std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
