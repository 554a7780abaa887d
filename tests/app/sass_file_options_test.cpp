// What the options of `phasebit sass` do with files, and what is refused.
#include "tests/app/sass_files.h"

#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

using nlohmann::json;

// A kernel that goes where a table says; ptxas makes a BRX of it and keeps the table in .nv.info.
constexpr const char* branching_kernel =
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b64 a;\n.reg .b32 i, x;\n"
    ".reg .pred q;\nld.param.u64 a, [p];\nld.param.u32 i, [n];\n"
    "T: .branchtargets A, B, C, D, E, F;\n"
    "A: ld.volatile.global.u32 x, [a];\nadd.u32 x, x, 3;\nst.volatile.global.u32 [a], x;\n"
    "brx.idx x, T;\nB: st.volatile.global.u32 [a+4], i;\nadd.u32 i, i, 5;\nbrx.idx i, T;\n"
    "C: st.volatile.global.u32 [a+8], i;\nD: st.volatile.global.u32 [a+12], i;\n"
    "E: st.volatile.global.u32 [a+16], i;\nF: ret;\n}\n";

std::string empty_kernel(const std::string& name) {
  return ".visible .entry " + name + "()\n{\nret;\n}\n";
}

// "void copy<float, 3>(float*)" and its sibling.
const std::string copy_3 = "_Z4copyIfLi3EEvPT_", copy_4 = "_Z4copyIfLi4EEvPT_";

using SassFileOptions = SassFiles;

// A loop may be hidden after a branch whose targets are unknown: their number is unknown, not 0.
TEST_F(SassFileOptions, AnUnknownNumberOfLoops) {
  const std::string known = cubin("known", "sm_80", branching_kernel);
  const ProcessOutput with = sass({"show", known, "--json"});
  ASSERT_EQ(with.exit_status, 0) << with.err;
  EXPECT_TRUE(json::parse(with.out)["loops"].is_array());
  std::string bytes = *base::read_file(known);
  // EIATTR_INDIRECT_BRANCH_TARGETS: format 4, attribute 0x34.
  const std::size_t at = bytes.find("\x04\x34");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 0x7f;
  const std::string unknown = path("unknown.cubin");
  ASSERT_TRUE(base::write_file(unknown, bytes));
  const ProcessOutput shown = sass({"show", unknown, "--json"});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_TRUE(json::parse(shown.out)["loops"].is_null());
  EXPECT_NE(json::parse(shown.out)["loops_problem"], "");
  EXPECT_NE(sass({"show", unknown}).out.find(" scoreboard waits, ? loops; "), std::string::npos);
  const ProcessOutput matrix = sass({"matrix", known, unknown, "--format", "json"});
  ASSERT_EQ(matrix.exit_status, 0) << matrix.err;
  const json cells = json::parse(matrix.out)["rows"][0]["cells"];
  EXPECT_TRUE(cells[0]["loops"].is_number());
  EXPECT_TRUE(cells[1]["loops"].is_null());
  const ProcessOutput text = sass({"matrix", unknown});
  EXPECT_NE(text.out.find("      ?  reference\n"), std::string::npos) << text.out;
}

// Line 13 of the one is line 20 of the other; 12 and 15 likewise.
TEST_F(SassFileOptions, CountsBySourceLine) {
  const std::string one = cubin("one", "sm_80", step_kernel());
  const std::string two = cubin("two", "sm_80", step_kernel(7, "0f40000000"));
  const ProcessOutput matrix = sass({"matrix", one, two, "--source", "inner", "--format", "json"});
  ASSERT_EQ(matrix.exit_status, 0) << matrix.err;
  const json cells = json::parse(matrix.out)["rows"][0]["cells"];
  for (std::size_t file = 0; file < 2; ++file) {
    std::vector<std::string> lines;
    int sum = 0;
    for (const json& line : cells[file]["lines"]) {
      lines.push_back(line["line"]);
      sum += line["counts"]["instructions"].get<int>();
    }
    EXPECT_EQ(lines, file == 0
                         ? (std::vector<std::string>{"k.cu:10", "k.cu:12", "k.cu:13", "k.cu:15"})
                         : (std::vector<std::string>{"k.cu:17", "k.cu:19", "k.cu:20", "k.cu:22"}));
    EXPECT_EQ(sum, cells[file]["features"]["kernel"]["instructions"]);
  }
  const ProcessOutput text = sass({"matrix", one, two, "--source", "k.cu"});
  EXPECT_NE(text.out.find("  source line  one.cubin  two.cubin\n  k.cu:10 "), std::string::npos)
      << text.out;
  EXPECT_EQ(sass({"matrix", one, two}).out.find("source line"), std::string::npos);
  const ProcessOutput classes = sass({"classes", one, two, "--source", "inner"});
  ASSERT_EQ(classes.exit_status, 0) << classes.err;
  EXPECT_NE(classes.out.find("   instructions by source line: k.cu:"), std::string::npos)
      << classes.out;
  EXPECT_NE(classes.out.find(" -> 0, "), std::string::npos) << classes.out;
}

TEST_F(SassFileOptions, NamesWithCommas) {
  const std::string file = cubin("two", "sm_80", empty_kernel(copy_3) + empty_kernel(copy_4));
  for (const std::vector<std::string>& kernels :
       {std::vector<std::string>{"--kernel", "copy<float, 3>,copy<float, 4>"},
        {"--kernel", "void copy<float, 3>(float*), void copy<float, 4>(float*)"},
        {"--kernel", "copy<float, 3>", "--kernel", copy_4}}) {
    std::vector<std::string> words = {"diff", file, "--json"};
    words.insert(words.end(), kernels.begin(), kernels.end());
    const ProcessOutput output = sass(words);
    ASSERT_EQ(output.exit_status, 0) << output.err;
    const json diff = json::parse(output.out);
    EXPECT_EQ(diff["left"]["entry"], copy_3);
    EXPECT_EQ(diff["right"]["entry"], copy_4);
  }
}

// "void wide<1, 1, ...>(float*)": what brackets hold is left out, unless it is asked for.
TEST_F(SassFileOptions, FullNames) {
  std::string symbol = "_Z4wideI", whole = "wide<";
  for (int i = 0; i < 40; ++i) symbol += "Li1E", whole += i == 0 ? "1" : ", 1";
  symbol += "EvPf", whole += ">";
  const std::string file = cubin("a", "sm_80", empty_kernel(symbol) + empty_kernel("other"));
  const std::string changed = cubin("b", "sm_80", empty_kernel("other"));
  const std::string rules = path("rules.toml");
  ASSERT_TRUE(base::write_file(rules, "[[rule]]\nname = \"it waits\"\nmust = \"BAR*\"\n"));
  const std::vector<std::vector<std::string>> commands = {{"list", file},
                                                          {"show", file, "--kernel", "wide"},
                                                          {"diff", file, changed},
                                                          {"gate", rules, file}};
  for (std::vector<std::string> words : commands) {
    const std::string usual = sass(words).out;
    EXPECT_EQ(usual.find(whole), std::string::npos) << usual;
    EXPECT_NE(usual.find("wide<"), std::string::npos) << usual;
    words.emplace_back("--full-names");
    const std::string full = sass(words).out;
    EXPECT_NE(full.find(whole), std::string::npos) << full;
  }
  const ProcessOutput variant = sass({"show", "ring/named_barrier/st_shared/none", "--full-names"});
  EXPECT_NE(variant.err.find("--full-names is for code files"), std::string::npos) << variant.err;
}

// Neither data nor tools: `list` reads the file alone.
TEST_F(SassFileOptions, ListNeedsNothing) {
  const std::string file = fatbin("f.fatbin");
  const std::vector<std::string> bare = {"PHASEBIT_HOME=" + path("nowhere"),
                                         "PHASEBIT_TOOLCHAIN=" + path("nowhere")};
  const ProcessOutput listed = sass({"list", file}, bare);
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  EXPECT_NE(listed.out.find("ns::step(float*)"), std::string::npos) << listed.out;
  EXPECT_EQ(sass({"show", file, "-t", "sm_80"}, bare).exit_status, base::exit_code(Step::io));
  const ProcessOutput refused = sass({"list", file, "--ptxas", path("nowhere")});
  EXPECT_EQ(refused.exit_status, base::exit_code(Step::usage));
  EXPECT_NE(refused.err.find("--ptxas"), std::string::npos) << refused.err;
}

// A folder in the place of a file is answered in one way, whichever command it is given to.
TEST_F(SassFileOptions, AFolderIsNoFile) {
  const std::string file = cubin("a", "sm_80", step_kernel()), folder = path("folder.d");
  const std::string rules = path("rules.toml");
  ASSERT_TRUE(base::write_file(rules, "[[rule]]\nname = \"it waits\"\nmust = \"BAR*\"\n"));
  fs::create_directory(folder);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", folder},
                                                {"list", folder},
                                                {"diff", folder, file},
                                                {"diff", file, folder},
                                                {"matrix", folder},
                                                {"classes", file, folder},
                                                {"page", folder},
                                                {"gate", rules, folder},
                                                {"gate", folder, file}}) {
    const ProcessOutput output = sass(words);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::io)) << words.front();
    EXPECT_EQ(output.err, "phasebit: io: cannot read " + folder + ": Is a directory\n")
        << words.front();
  }
}

TEST_F(SassFileOptions, AnEmptyNameIsAnError) {
  const std::string file = cubin("a", "sm_80", step_kernel());
  for (const char* command : {"show", "diff", "matrix", "classes", "page"})
    for (const char* option : {"--kernel", "--source"}) {
      const ProcessOutput output = sass({command, file, option, ""});
      EXPECT_EQ(output.exit_status, base::exit_code(Step::usage)) << command << " " << option;
      EXPECT_NE(output.err.find(option), std::string::npos) << output.err;
    }
}

// Of two kernels one holds what is not an instruction: the page has the other, and says so.
TEST_F(SassFileOptions, APageWithoutTheKernelThatCannotBeRead) {
  std::string bytes = *base::read_file(cubin("a", "sm_80", step_kernel() + empty_kernel("bad")));
  // EXIT, then the branch to itself, of the empty kernel: the only section with them at its start.
  const std::string exit_word("\x4d\x79", 2);
  bool patched = false;
  for (std::size_t at = bytes.find(exit_word); at != std::string::npos && !patched;
       at = bytes.find(exit_word, at + 2))
    if (at % 16 == 0 && bytes.compare(at + 16, 2, std::string("\x47\x79", 2)) == 0 &&
        sass({"list", path("a.cubin")}).exit_status == 0) {
      std::string broken = bytes;
      for (std::size_t i = at; i < at + 16; ++i) broken[i] = '\xff';
      ASSERT_TRUE(base::write_file(path("broken.cubin"), broken));
      patched = sass({"show", path("broken.cubin"), "--kernel", "bad"}).exit_status != 0;
    }
  ASSERT_TRUE(patched);
  // A folder that is not there is made, as by every command that writes a file.
  const std::string out = path("new/page.html");
  const ProcessOutput page = sass({"page", path("broken.cubin"), "-o", out});
  EXPECT_EQ(page.exit_status, 0) << page.err;
  EXPECT_NE(page.err.find("note: left out: bad: "), std::string::npos) << page.err;
  EXPECT_NE(page.out.find(": 2 kernels, 1 column, 1 code, "), std::string::npos) << page.out;
  const ProcessOutput none = sass({"page", path("broken.cubin"), "--kernel", "bad", "-o", out});
  EXPECT_EQ(none.exit_status, base::exit_code(Step::disassemble)) << none.err;
}

}  // namespace
}  // namespace phasebit::test
