#include "core/ptx/file.h"

#include "core/base/file.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptx::PlacedStatement;
using ptx::plain_function_name;
using ptx::read_ptx;
using ptx::write_ptx;

namespace {

using Part = ptx::PtxStatement::Part;

struct FileRow {
  const char* what;
  const char* text;
  const char* statements;  // the plain text of each, with " | " between them
};

constexpr FileRow file_rows[] = {
    {"several statements a line", "mov.u32 a, 1; add.u32 a, a, 1;bar.sync 0;",
     "mov.u32 a, 1; | add.u32 a, a, 1; | bar.sync 0;"},
    {"one over several lines, with comments",
     "mbarrier.try_wait.shared.b64 // try\n  p, /* word; */\n\t[bar];",
     "mbarrier.try_wait.shared.b64 p, [bar];"},
    {"label and statement", "L_wait: @!p bra L_wait;", "L_wait: | @!p bra L_wait;"},
    {"a state space is no label", "st.shared::cta.b32 [a], b;", "st.shared::cta.b32 [a], b;"},
    {"vectors", "mov.b64 {low, high}, x; { }", "mov.b64 {low, high}, x; | { | }"},
    {"a string with what ends statements", ".pragma \"a;b{//\"; ret;",
     ".pragma \"a;b{//\"; | ret;"},
    {"directives without a semicolon",
     ".version 8.0 .target sm_90a, debug .address_size 64 .file 1 \"a b.cu\" .loc 1 20 3 ret;",
     ".version 8.0 | .target sm_90a, debug | .address_size 64 | .file 1 \"a b.cu\" | .loc 1 20 3 | "
     "ret;"},
    {"inlined", ".loc 1 2 3, function_name $L__1, inlined_at 1 8 5\n$L__2:\nret;",
     ".loc 1 2 3, function_name $L__1, inlined_at 1 8 5 | $L__2: | ret;"},
    {"an entry with its bounds",
     ".visible .entry k(.param .u64 a) .maxntid 128, 1, 1 .maxnreg 32 { ret; }",
     ".visible .entry k(.param .u64 a) | .maxntid 128, 1, 1 | .maxnreg 32 | { | ret; | }"},
    {"a cluster's bounds",
     ".entry k() .explicitcluster .reqnctapercluster 2, 1 .pragma \"nounroll\"; {}",
     ".entry k() | .explicitcluster | .reqnctapercluster 2, 1 | .pragma \"nounroll\"; | { | }"},
    {"a prototype", ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;",
     ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) | ;"},
    {"a function that does not come back", ".func f .noreturn { trap; }",
     ".func f | .noreturn | { | trap; | }"},
    {"a variable with its values", ".global .align 8 .b32 t[2][2] = {{1, 2}, {3, 4}}; ret;",
     ".global .align 8 .b32 t[2][2] = {{1, 2}, {3, 4}}; | ret;"},
    {"debug sections", ".section .debug_abbrev { .b8 1 \n .b8 2 }\n@@DWARF .byte 1; x\nret;",
     ".section .debug_abbrev { .b8 1 .b8 2 } | @@DWARF .byte 1; x | ret;"},
    {"a table of targets", "ts: .branchtargets A, B; brx.idx i, ts;",
     "ts: | .branchtargets A, B; | brx.idx i, ts;"},
    {"a call", "call.uni (r), f, (a, b);", "call.uni (r), f, (a, b);"},
    {"an alias", ".alias f, g;", ".alias f, g;"},
    {"a number that ends with the file", ".version 8.", ".version 8."},
};

std::string listed(const ptx::PtxFile& file) {
  std::string out;
  for (const PlacedStatement& placed : file.statements) {
    std::string text = ptx::plain_text(placed.text);
    if (text.ends_with(' ')) text.pop_back();
    out += (out.empty() ? "" : " | ") + text;
  }
  return out;
}

TEST(PtxFile, StatementsEndWhereTheyEnd) {
  for (const FileRow& row : file_rows) {
    // In a function, so that braces have a place; the two are taken off again.
    const bool body = std::string_view(row.text).find_first_of(".{}") != 0 ||
                      std::string_view(row.text).starts_with(".pragma") ||
                      std::string_view(row.text).starts_with(".loc");
    const std::string text = body ? std::string(".func w { ") + row.text + "\n}" : row.text;
    const auto file = read_ptx(text, "t.ptx");
    ASSERT_TRUE(file) << row.what << ": " << file.error().text();
    const std::string expected =
        body ? std::string(".func w | { | ") + row.statements + " | }" : row.statements;
    EXPECT_EQ(listed(*file), expected) << row.what;
    EXPECT_EQ(write_ptx(*file), text) << row.what;
    for (const PlacedStatement& placed : file->statements)
      EXPECT_TRUE(placed.known) << row.what << ": " << placed.text;
  }
}

// CUTLASS's Python DSL leaves it in the files that it writes.
TEST(PtxFile, EndsBeforeTheByteThatEndsAString) {
  const auto file = read_ptx(std::string_view(".func f { ret; }\n\0", 18), "t.ptx");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(write_ptx(*file), ".func f { ret; }\n");
}

TEST(PtxFile, KeepsWhatItDoesNotKnowAndMarksIt) {
  const std::string text =
      ".newthing 3 4\n.entry k() {\n wobble.b32 a, b;\n #x y;\n ret;\n}\n.other x;";
  const auto file = read_ptx(text, "t.ptx");
  ASSERT_TRUE(file);
  EXPECT_EQ(write_ptx(*file), text);
  std::string unknown;
  for (const PlacedStatement& placed : file->statements)
    if (!placed.known) unknown += file->place(placed) + " ";
  EXPECT_EQ(unknown, "t.ptx:1:1 t.ptx:3:2 t.ptx:4:2 t.ptx:7:1 ");
}

TEST(PtxFile, FunctionsAreFound) {
  const auto file = read_ptx(R"(.version 8.0
.target sm_90a
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .u64 counter;
.extern .shared .align 128 .b8 pb_shared[];
.weak .func (.reg .pred %done) try(.reg .b32 %bar, .reg .b32 %parity) { ret; }
//@ format = 1
//@
//@ [key]
.visible .entry one(.param .align 8 .b8 pb[96], .param .u32 n)
.maxntid 128
.minnctapersm 2
{ { ret; } }
.entry two { exit; }
)",
                             "t.ptx");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->version, "8.0");
  EXPECT_EQ(file->target, "sm_90a");
  ASSERT_EQ(file->functions.size(), 4U);
  EXPECT_FALSE(file->functions[0].has_body);
  EXPECT_EQ(file->functions[0].linkage, ".extern");
  EXPECT_EQ(file->functions[0].returns[0].name, "r");
  EXPECT_EQ(file->functions[1].name, "try");
  EXPECT_EQ(file->functions[1].parameters[1].name, "%parity");
  const ptx::PtxFunction* one = file->find("one");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->entry && one->has_body);
  EXPECT_EQ(one->parameters[0].name, "pb");
  EXPECT_EQ(one->parameters[0].text, ".param .align 8 .b8 pb[96]");
  EXPECT_EQ(one->directives.size(), 2U);
  ASSERT_EQ(one->head_lines.size(), 3U);
  EXPECT_EQ(one->head_lines[0].text, "format = 1");
  EXPECT_EQ(one->head_lines[0].line, 7);
  EXPECT_EQ(one->head_lines[2].text, "[key]");
  EXPECT_EQ(one->head_lines[2].line, 9);
  EXPECT_EQ(file->entries().size(), 2U);
  EXPECT_EQ(file->globals.size(), 2U);
}

TEST(PtxFile, HeadingsHoldUpToTheNext) {
  const auto file = read_ptx(R"(.entry k() {
ret;
// [producer acquire] protocols/mbarrier/acquire.ptx:7
bar.sync 0;
// a comment [of] another kind
bar.sync 1;
// [clock_start] templates/common/clock_start.ptx
bar.sync 2;
// [both] x.ptx
bar.sync 3;
// [-] x.ptx
bar.sync 4;
}
.entry next() { ret; }
)",
                             "t.ptx");
  ASSERT_TRUE(file);
  std::string found;
  for (const PlacedStatement& placed : file->statements) {
    if (placed.parsed.part != Part::instruction) continue;
    if (placed.heading < 0) {
      found += "none;";
      continue;
    }
    const ptx::PtxHeading& heading = file->headings[static_cast<std::size_t>(placed.heading)];
    found += heading.role + "," + heading.verb + "," + heading.file + "," +
             std::to_string(heading.line) + ";";
  }
  EXPECT_EQ(found,
            "none;producer,acquire,protocols/mbarrier/acquire.ptx,7;"
            "producer,acquire,protocols/mbarrier/acquire.ptx,7;"
            ",clock_start,templates/common/clock_start.ptx,0;both,,x.ptx,0;,,x.ptx,0;none;");
  EXPECT_EQ(file->headings[0].at_line, 3);
}

struct FileBroken {
  const char* text;
  const char* message;
};

constexpr FileBroken file_broken[] = {
    {".entry k() {\n  mov.u32 a, 1\n}",
     "assemble: t.ptx:2:3: a statement without its end (write ; after it)"},
    {".entry k() { ret;\n /* x",
     "assemble: t.ptx:2:2: a comment without its end (write */ after it)"},
    {".file 1 \"a\n",
     "assemble: t.ptx:1:9: a string without its end (write \" after it, on the same line)"},
    {".entry k() {\n ret;\n",
     "assemble: t.ptx:1:12: the brace of 'k' without its other (write } where it ends)"},
    {"ret;\n }",
     "assemble: t.ptx:2:2: a brace that closes nothing (remove it, or write { where its block "
     "begins)"},
    {"\n{ ret; }",
     "assemble: t.ptx:2:1: a block outside of every function (write .entry or .func with a name "
     "before "
     "it)"},
    {".entry k() { mov.u32 a, [b; }",
     "assemble: t.ptx:1:25: a '[' without its other (close it where it ends)"},
    {".visible .entry .maxntid 3",
     "assemble: t.ptx:1:17: a function without a name (write its name here)"},
    {".entry k(.param .u32 a) { mov.b64 {a, b], c; }",
     "assemble: t.ptx:1:35: a '{' without its other (close it where it ends)"},
    {"//@ format = 1\n.global .u32 g;\n.entry k() { ret; }",
     "assemble: t.ptx:1: a head ('//@') above no .entry (write it directly above the .entry that "
     "it "
     "is of)"},
    {".func f() { ret; }\n//@ format = 1\n.func g() { ret; }",
     "assemble: t.ptx:2: a head ('//@') above no .entry (write it directly above the .entry that "
     "it "
     "is of)"},
    {".entry k() { ret; }\n.entry k() { ret; }",
     "assemble: t.ptx:2:1: 'k' has a body already, at line 1 (give one of them another name)"},
    {".entry k(.param .u32 a { ret; }",
     "assemble: t.ptx:1:9: a '(' without its other (close it where it ends)"},
};

TEST(PtxFile, ErrorsNamePlaceAndRemedy) {
  for (const FileBroken& row : file_broken) {
    const auto file = read_ptx(row.text, "t.ptx");
    ASSERT_FALSE(file) << row.text;
    EXPECT_EQ(file.error().text(), row.message);
  }
}

// Where a word is due and the text ends.
TEST(PtxFile, EndsBeforeAWord) {
  for (const char* text : {".version 8.", ".", ".visible .", ".loc 1 2."}) {
    const auto file = read_ptx(text, "t.ptx");
    ASSERT_TRUE(file) << text << ": " << file.error().text();
    EXPECT_EQ(write_ptx(*file), text);
  }
}

// Every text of the tree: listings, forks, what compilers made.
TEST(PtxFile, WritesWhatItRead) {
  std::size_t count = 0;
  for (const char* folder : {"ptx", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(base::source_root() / folder)) {
      if (entry.path().extension() != ".ptx") continue;
      const auto text = base::read_file(entry.path());
      ASSERT_TRUE(text);
      const auto file = read_ptx(*text, entry.path().filename());
      ASSERT_TRUE(file) << entry.path() << ": " << file.error().text();
      EXPECT_EQ(write_ptx(*file), *text) << entry.path();
      for (const PlacedStatement& placed : file->statements)
        EXPECT_TRUE(placed.known) << file->place(placed) << ": " << placed.text;
      ++count;
    }
  }
  EXPECT_GT(count, 10U);
}

TEST(PtxLines, NamesOfInlinedFunctions) {
  const auto file = read_ptx(R"(.version 8.0
.entry _Z6kernelv() {
.loc 1 30 5
mov.u32 a, 1;
.loc 1 20 3, function_name $L__str0, inlined_at 1 30 5
mov.u32 a, 2;
.loc 2 7 1, function_name $L__str1, inlined_at 1 20 3
mov.u32 a, 3;
}
.file 1 "k.cu"
.file 2 "ring.h"
.section .debug_str {
$L__str0:
.b8 95,90,52,119,97,105,116,106,0
$L__str1:
.b8 95,90,78,51,98,97,114,52,115,112,105,110,
.b8 69,118,0
}
)",
                             "t.ptx");
  ASSERT_TRUE(file) << file.error().text();
  const auto sources = ptx::sources_of(*file);
  std::string found;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i] && file->statements[i].parsed.part == Part::instruction)
      found += fmt::format("{}:{} {}; ", sources[i]->file, sources[i]->line,
                           fmt::join(sources[i]->functions, "<"));
  EXPECT_EQ(found, "k.cu:30 kernel; k.cu:20 wait<kernel; ring.h:7 spin<wait<kernel; ");
}

TEST(PtxLines, PlainNames) {
  EXPECT_EQ(plain_function_name("_ZN4ring4waitEjj"), "wait");
  EXPECT_EQ(plain_function_name("ring::wait<4, a::b>(unsigned, unsigned)"), "wait");
  EXPECT_EQ(plain_function_name("(anonymous namespace)::wait()"), "wait");
  EXPECT_EQ(plain_function_name("wait"), "wait");
}

}  // namespace
}  // namespace phasebit::test
