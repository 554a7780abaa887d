// What a hand-edited text may hold, and what is said of one that is wrong.
#include "gen/readable.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

const std::string header = ".version 7.8\n.target sm_90\n.address_size 64\n\n";

TEST(ReadReadable, StatementsBelongToTheLastHeading) {
  const auto read = read_readable(header +
                                      "// [-] probes/ring/kernel.ptx\n"
                                      ".visible .entry pb_1_t(.param .align 8 .b8 pb[96])\n"
                                      "{\n"
                                      "  // [producer acquire] protocols/p/spin.ptx\n"
                                      "  // Why it waits.\n"
                                      "  {\n"
                                      "  mov.u32 a, b;  // by hand\n"
                                      "  // not a heading: [producer commit]\n"
                                      "  }\n"
                                      "  // [producer] probes/ring/producer.ptx\n"
                                      "  add.u32 a, a, 1;\n"
                                      "  // [verify] protocols/p/verify.ptx\n"
                                      "  exit;\n"
                                      "  // [-] probes/ring/kernel.ptx\n"
                                      "}\n",
                                  "t.ptx", Build::guarded);
  ASSERT_TRUE(read) << read.error().text();
  struct Row {
    std::string statement, file, role, verb;
    int line;
  };
  const std::vector<Row> rows = {
      {".visible .entry pb_1_t(.param .align 8 .b8 pb[96])", "probes/ring/kernel.ptx", "", "", 6},
      {"{", "probes/ring/kernel.ptx", "", "", 7},
      {"{", "protocols/p/spin.ptx", "producer", "acquire", 10},
      {"mov.u32 a, b;", "protocols/p/spin.ptx", "producer", "acquire", 11},
      {"}", "protocols/p/spin.ptx", "producer", "acquire", 13},
      {"add.u32 a, a, 1;", "probes/ring/producer.ptx", "producer", "", 15},
      {"exit;", "protocols/p/verify.ptx", "", "verify", 17},
      {"}", "probes/ring/kernel.ptx", "", "", 19}};
  ASSERT_EQ(read->kernel.statements.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const SourceLine& source = read->kernel.source[i];
    EXPECT_EQ(read->kernel.statements[i], rows[i].statement);
    EXPECT_EQ(source.file, rows[i].file) << rows[i].statement;
    EXPECT_EQ(source.role, rows[i].role) << rows[i].statement;
    EXPECT_EQ(source.verb, rows[i].verb) << rows[i].statement;
    EXPECT_EQ(source.line, rows[i].line) << rows[i].statement;
  }
  EXPECT_EQ(read->kernel.entry, "pb_1_t");
  EXPECT_EQ(read->kernel.ptx_version, "7.8");
  EXPECT_EQ(read->kernel.ptx_target, "sm_90");
  EXPECT_EQ(read->kernel.build, Build::guarded);
}

TEST(ReadReadable, SaysWhereATextIsWrong) {
  const std::string entry = ".visible .entry k(.param .align 8 .b8 pb[96])\n";
  struct Row {
    std::string text, message;
  };
  const std::vector<Row> rows = {
      {"", "render: t.ptx: no .visible .entry"},
      {entry + "{\n", "render: t.ptx: the kernel's last brace is missing"},
      {entry + "{\n}\n", "render: t.ptx: no .version"},
      {".version 7.8\n" + entry + "{\n}\n", "render: t.ptx: no .target"},
      {header + entry + "{\n}\n" + entry,
       "render: t.ptx:8: a statement behind the end of the kernel"},
      {header + entry + "{\n/* no */\n}\n",
       "render: t.ptx:7: a block comment; comments begin with //"},
      {header + ".global .u32 x;\n" + entry,
       "render: t.ptx:5: '.global .u32 x;' before the kernel"},
      {header + entry + "{\n// [producer comit] a.ptx\n}\n",
       "render: t.ptx:7: no verb 'comit' (did you mean 'commit'?)"},
  };
  for (const Row& row : rows) {
    const auto read = read_readable(row.text, "t.ptx", Build::timed);
    ASSERT_FALSE(read) << row.message;
    EXPECT_EQ(read.error().text(), row.message);
  }
}

}  // namespace
}  // namespace phasebit
