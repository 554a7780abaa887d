// `phasebit sass` on cubins, fatbins and host objects, as a user meets it.
#include "tests/app/sass_files.h"

#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

using nlohmann::json;

// The load of a turn is what its add waits for, in the loop that the table calls 1.
TEST_F(SassFiles, ShowsALoopWithItsWaits) {
  const std::string file = cubin("a", "sm_80", step_kernel());
  const ProcessOutput whole = sass({"show", file}), loop = sass({"show", file, "--loop", "1"});
  ASSERT_EQ(loop.exit_status, 0) << loop.err;
  EXPECT_NE(whole.out.find(" EXIT "), std::string::npos);
  EXPECT_EQ(loop.out.find(" EXIT "), std::string::npos) << loop.out;
  EXPECT_EQ(sass({"show", file, "--hot"}).out, loop.out);
  const ProcessOutput all = sass({"show", file, "--loop", "1", "--waits", "--live", "--ptx"});
  ASSERT_EQ(all.exit_status, 0) << all.err;
  const std::size_t add = all.out.find(" FADD ");
  ASSERT_NE(add, std::string::npos) << all.out;
  const std::size_t next = all.out.find('\n', add) + 1;
  const std::string below = all.out.substr(next, all.out.find('\n', next) - next);
  EXPECT_NE(below.find("waits for 0x"), std::string::npos) << below;
  EXPECT_NE(below.find(" LDG.E"), std::string::npos) << below;
  for (const char* words : {"ptx ", "ld.volatile.global.f32", "live at most: ", "in loop 1: "})
    EXPECT_NE(all.out.find(words), std::string::npos) << words << "\n" << all.out;
  const ProcessOutput graph = sass({"show", file, "--cfg"});
  EXPECT_EQ(graph.out.find("digraph \"_ZN2ns4stepEPf\" {"), 0U) << graph.out;
  EXPECT_NE(graph.out.find("loop, depth 1"), std::string::npos) << graph.out;
}

TEST_F(SassFiles, ShowsRegionsBySourceLine) {
  const ProcessOutput output =
      sass({"show", fatbin("f.fatbin"), "--kernel", "ns::step", "-t", "sm_90", "--json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto all = json::parse(output.out);
  EXPECT_EQ(all["schema"], 1);
  EXPECT_EQ(all["demangled"], "ns::step(float*)");
  EXPECT_EQ(all["target"], "sm_90a");
  EXPECT_EQ(all["source_files"], json::array({"src/k.cu"}));
  ASSERT_EQ(all["loops"].size(), 1U);
  // ptxas writes two moves of line 10 into the loop, as nvdisasm -g shows too.
  EXPECT_EQ(all["loops"][0]["lines"], "k.cu:10, k.cu:12-13");
  EXPECT_EQ(all["loops"][0]["own"]["opcodes"]["FADD"], 1);
  int instructions = 0, cycles = 0;
  std::vector<std::string> lines;
  for (const auto& line : all["lines"]) {
    lines.push_back(line["line"]);
    instructions += line["counts"]["instructions"].get<int>();
    cycles += line["counts"]["issue_cycles"].get<int>();
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"k.cu:10", "k.cu:12", "k.cu:13", "k.cu:15"}));
  EXPECT_EQ(instructions, all["kernel"]["instructions"]);
  EXPECT_EQ(cycles, all["kernel"]["issue_cycles"]);
  for (const auto& one : all["instructions"])
    if (one["opcode"] == "FADD") {
      EXPECT_EQ(one["line"], 12);
      EXPECT_EQ(one["file"], "src/k.cu");
      EXPECT_EQ(one["loop_depth"], 1);
    }
  const ProcessOutput text = sass({"show", path("b.cubin")});
  ASSERT_EQ(text.exit_status, 0) << text.err;
  for (const char* words : {"b.cubin: ns::step(float*) for sm_90a, by ptxas ",
                            "\nsymbol _ZN2ns4stepEPf\n", "\nk.cu:12 ", "k.cu:12-13\n"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
}

// Two builds of a library, none of their kernels named.
TEST_F(SassFiles, ComparesLibrariesKernelByKernel) {
  const auto empty = [](const std::string& name) {
    return ".visible .entry " + name + "()\n{\nret;\n}\n";
  };
  const std::string one = cubin("one", "sm_80", step_kernel() + empty("same") + empty("gone"));
  const std::string two =
      cubin("two", "sm_80", step_kernel(0, "0f40000000") + empty("same") + empty("came"));
  const ProcessOutput output = sass({"diff", one, two, "--json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto diff = json::parse(output.out);
  EXPECT_EQ(diff["counts"], json::parse(R"({"identical": 1, "schedule": 0, "renamed": 0,
      "operands": 1, "instructions": 0, "data": 0, "added": 1, "removed": 1})"));
  std::map<std::string, std::string> changes;
  for (const auto& kernel : diff["kernels"]) changes[kernel["kernel"]] = kernel["change"];
  EXPECT_EQ(changes, (std::map<std::string, std::string>{{"came", "added"},
                                                         {"gone", "removed"},
                                                         {"ns::step(float*)", "operands"},
                                                         {"same", "identical"}}));
  const ProcessOutput text = sass({"diff", one, two, "--fail-on", "instructions"});
  EXPECT_EQ(text.exit_status, 1);  // a kernel came and one went
  EXPECT_NE(text.out.find(": 4 kernels, 1 identical, 1 operands, 1 added, 1 removed\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(sass({"diff", one, one, "--fail-on", "schedule"}).exit_status, 0);
}

// Another constant is another operand, wherever the lines have moved to.
TEST_F(SassFiles, DiffsBetweenFiles) {
  const std::string one = cubin("one", "sm_80", step_kernel());
  const std::string two = cubin("two", "sm_80", step_kernel(7, "0f40000000"));
  const ProcessOutput output = sass({"diff", one, two, "--json", "--fail-on", "operands"});
  EXPECT_EQ(output.exit_status, 1) << output.err;
  const auto diff = json::parse(output.out);
  EXPECT_EQ(diff["change"], "operands");
  EXPECT_EQ(diff["counts"]["operands"], 1);
  EXPECT_EQ(diff["counts"]["only_left"], 0);
  for (const auto& row : diff["rows"])
    if (row["change"] == "operands") {
      EXPECT_EQ(row["left"]["verb"], "k.cu:12");
      EXPECT_EQ(row["right"]["verb"], "k.cu:19");
    }
  // One file on two architectures.
  const ProcessOutput targets = sass({"diff", fatbin("f.fatbin"), "-t", "sm_80,sm_90a", "--json"});
  ASSERT_EQ(targets.exit_status, 0) << targets.err;
  const auto both = json::parse(targets.out);
  EXPECT_EQ(both["left"]["sm"], 80);
  EXPECT_EQ(both["right"]["sm"], 90);
  EXPECT_EQ(both["change"], "instructions");
  // A file against a variant.
  const ProcessOutput mixed =
      sass({"diff", one, "ring/named_barrier/st_shared/none", "-t", "sm_80"});
  EXPECT_EQ(mixed.exit_status, 0) << mixed.err;
}

TEST_F(SassFiles, MatrixAndClasses) {
  const std::string file = fatbin("f.fatbin");
  const ProcessOutput matrix = sass({"matrix", file, path("a.cubin"), "--format", "json"});
  ASSERT_EQ(matrix.exit_status, 0) << matrix.err;
  const auto all = json::parse(matrix.out);
  EXPECT_EQ(all["columns"], json::array({"f.fatbin sm_80", "f.fatbin sm_90a", "a.cubin sm_80"}));
  ASSERT_EQ(all["rows"].size(), 1U);
  EXPECT_EQ(all["rows"][0]["kernel"], "ns::step(float*)");
  const auto& cells = all["rows"][0]["cells"];
  EXPECT_EQ(cells[0]["difference"], "reference");
  EXPECT_EQ(cells[1]["change"], "instructions");
  EXPECT_EQ(cells[2]["change"], "identical");
  EXPECT_EQ(cells[0]["loops"], 1);
  EXPECT_GT(cells[0]["features"]["kernel"]["issue_cycles"], 10);
  const ProcessOutput classes = sass({"classes", file, path("a.cubin"), "--json"});
  ASSERT_EQ(classes.exit_status, 0) << classes.err;
  const auto groups = json::parse(classes.out);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0]["kernels"].size(), 2U);
  EXPECT_EQ(groups[1]["nearest"]["class"], 1);
}

// What a listing says, without the line that names the file.
std::string body_of(const std::string& listing) {
  return listing.substr(listing.find('\n') + 1);
}

// PTX and what ptxas makes of it by hand: one code, so one listing, one list, one class.
TEST_F(SassFiles, APtxFileIsItsCubin) {
  const std::string made = cubin("a", "sm_80", step_kernel()), text = path("a.ptx");
  for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                  {"--loop", "1", "--waits"},
                                                  {"--kernel", "ns::step", "--live"},
                                                  {"--kernel", "1", "--hot", "--ptx"},
                                                  {"--source", "k.cu"}}) {
    std::vector<std::string> of_text = {"show", text}, of_made = {"show", made};
    of_text.insert(of_text.end(), options.begin(), options.end());
    of_made.insert(of_made.end(), options.begin(), options.end());
    const ProcessOutput shown = sass(of_text);
    ASSERT_EQ(shown.exit_status, 0) << shown.err;
    EXPECT_TRUE(shown.out.starts_with(text + ": ns::step(float*) for sm_80, by ptxas "))
        << shown.out;
    EXPECT_NE(shown.out.find("k.cu:12"), std::string::npos) << shown.out;
    EXPECT_EQ(body_of(shown.out), body_of(sass(of_made).out));
  }
  json read = json::parse(sass({"show", text, "--json"}).out),
       known = json::parse(sass({"show", made, "--json"}).out);
  for (json* one : {&read, &known}) one->erase("name");
  EXPECT_EQ(read, known);
  EXPECT_EQ(sass({"list", text}).out, sass({"list", made}).out);
  const ProcessOutput same = sass({"diff", text, made, "--fail-on", "schedule"});
  EXPECT_EQ(same.exit_status, 0) << same.out << same.err;
  const ProcessOutput matrix = sass({"matrix", text, made, "--format", "json"});
  ASSERT_EQ(matrix.exit_status, 0) << matrix.err;
  const json all = json::parse(matrix.out);
  EXPECT_EQ(all["columns"], json::array({"a.ptx", "a.cubin"}));
  EXPECT_EQ(all["rows"][0]["kernel"], "ns::step(float*)");
  EXPECT_EQ(all["rows"][0]["cells"][1]["change"], "identical");
  EXPECT_EQ(json::parse(sass({"classes", text, made, "--json"}).out).size(), 1U);
}

// Of a `.target` for which no code can be read it is sm_90a, as for variants.
TEST_F(SassFiles, APtxFilesOwnTargetIsItsDefault) {
  cubin("a", "sm_80", step_kernel());
  const std::string a = path("a.ptx"), b = path("b.ptx"), rules = path("rules.toml");
  ASSERT_TRUE(base::write_file(b,
                               ".version 8.0\n.target sm_61, texmode_unified\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n"));
  ASSERT_TRUE(base::write_file(rules, "[[rule]]\nname = \"n\"\nmust = \"BAR*\"\n"));
  EXPECT_NE(sass({"show", b}).out.find(" for sm_90a, by"), std::string::npos);
  EXPECT_EQ(json::parse(sass({"list", a, "--json"}).out)["rows"][0]["target"], "sm_80");
  EXPECT_EQ(json::parse(sass({"matrix", a, "--format", "json"}).out)["columns"],
            json::array({"sm_80"}));
  EXPECT_EQ(json::parse(sass({"classes", a, "--json"}).out)[0]["sm"], 80);
  EXPECT_NE(sass({"gate", rules, a}).out.find(": ns::step for sm_80 by ptxas "), std::string::npos);
  EXPECT_EQ(json::parse(sass({"diff", a, b, "--json"}).out)["left"]["sm"], 80);
  EXPECT_NE(sass({"show", a, "-t", "sm_90a"}).out.find(" for sm_90a, by"), std::string::npos);
  const json both = json::parse(sass({"matrix", a, "-t", "sm_80,sm_90a", "--format", "json"}).out);
  EXPECT_EQ(both["columns"], json::array({"sm_80", "sm_90a"}));
}

// What a line was inlined from is a verb of a file.
TEST_F(SassFiles, VerbsAreInlinedFunctions) {
  const std::string inlined =
      ".visible .entry k(.param .u64 p)\n{\n.reg .b64 a;\n.reg .b32 x;\n.loc 1 10 0\n"
      "ld.param.u64 a, [p];\n"
      ".loc 1 3 0, function_name $twice, inlined_at 1 10 0\nld.volatile.global.u32 x, [a];\n"
      ".loc 1 11 0\nst.volatile.global.u32 [a], 7;\nret;\n}\n"
      ".section .debug_str\n{\n$twice:\n.b8 95,90,53,116,119,105,99,101,105,0\n}\n";
  cubin("f", "sm_80", inlined);
  for (const char* name : {"f.ptx", "f.cubin"}) {
    const ProcessOutput shown = sass({"show", path(name), "--verb", "twice"});
    ASSERT_EQ(shown.exit_status, 0) << shown.err;
    EXPECT_NE(shown.out.find(" LDG"), std::string::npos) << shown.out;
    EXPECT_EQ(shown.out.find(" STG"), std::string::npos) << shown.out;
    const ProcessOutput none = sass({"show", path(name), "--verb", "twise"});
    EXPECT_NE(none.err.find("has no code of it (did you mean 'twice'?)"), std::string::npos)
        << none.err;
  }
}

// What `list` numbers, `show` takes; no cuobjdump is needed.
TEST_F(SassFiles, ListsKernels) {
  const std::string file = fatbin("f.fatbin");
  const ProcessOutput listed = sass({"list", file, "--json"});
  ASSERT_EQ(listed.exit_status, 0) << listed.err;
  const auto rows = json::parse(listed.out)["rows"];
  ASSERT_EQ(rows.size(), 2U) << listed.out;
  EXPECT_EQ(rows[1]["number"], 2);
  for (const char* count : {"number", "code bytes", "registers", "shared bytes"})
    EXPECT_TRUE(rows[1][count].is_number_integer()) << count << ": " << rows[1][count].dump();
  EXPECT_EQ(rows[1]["symbol"], "_ZN2ns4stepEPf");
  EXPECT_EQ(rows[1]["kernel"], "ns::step(float*)");
  EXPECT_EQ(rows[1]["target"], "sm_90a");
  const ProcessOutput shown = sass({"show", file, "--kernel", "2", "--json"});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  const auto kernel = json::parse(shown.out);
  EXPECT_EQ(kernel["target"], "sm_90a");
  EXPECT_EQ(kernel["instructions"].size() * 16, rows[1]["code bytes"]);
  EXPECT_EQ(kernel["registers"], rows[1]["registers"]);
  const ProcessOutput text = sass({"list", file, path("a.cubin"), "-t", "sm_80"});
  ASSERT_EQ(text.exit_status, 0) << text.err;
  EXPECT_NE(text.out.find("a.cubin"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("sm_90a"), std::string::npos) << text.out;
}

TEST_F(SassFiles, SaysWhatIsWrong) {
  const std::string file = fatbin("f.fatbin"), one = path("a.cubin");
  const fs::path lonely = folder_.path() / "lonely";
  fs::create_directory(lonely);
  fs::create_symlink(programs_ / "nvdisasm", lonely / "nvdisasm");
  struct Row {
    std::vector<std::string> arguments;
    Step step;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{"show", file},
       Step::usage,
       "ns::step(float*) is there for 2 architectures (give --target, one of: sm_80, sm_90a)"},
      {{"show", file, "--kernel", "ns::stop", "-t", "sm_80"},
       Step::usage,
       "no kernel 'ns::stop' (did you mean 'ns::step'?)"},
      {{"show", path("none.cubin")}, Step::io, "none.cubin"},
      {{"show", one, "--nvdisasm", path("nowhere")},
       Step::toolchain,
       "nowhere does not exist (run tools/toolchain "},
      {{"show", file, "-t", "sm_75"}, Step::usage, "no code for sm_75 (it has code for sm_80, "},
      {{"show", file, "--kernel", "2", "-t", "sm_80"},
       Step::usage,
       "no kernel 2: they are numbered from 1 to 1 for sm_80"},
      {{"list", file, "-t", "sm_75"}, Step::usage, "no code for sm_75"},
      {{"matrix", one, "--reference", "sm_8"},
       Step::usage,
       "--reference sm_8: no column of this matrix (did you mean 'sm_80'?)"},
      {{"classes", one, "--filter", "ring"}, Step::usage, "files are not variants"},
      {{"show", "ring/named_barrier/st_shared/none", "--kernel", "k"},
       Step::usage,
       "--kernel is for files"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = sass(row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(row.step)) << output.err;
    EXPECT_NE(output.err.find(row.message), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
  const ProcessOutput bare = sass({"show", one}, {"PHASEBIT_TOOLCHAIN=" + lonely.string()});
  EXPECT_EQ(bare.exit_status, base::exit_code(Step::toolchain));
  EXPECT_NE(bare.err.find("(run tools/toolchain " + std::string(ptxas::pinned_toolchain)),
            std::string::npos)
      << bare.err;
}

}  // namespace
}  // namespace phasebit::test
