#include "analysis/compare/summary.h"

#include "analysis/compare/classes.h"
#include "analysis/compare/matrix.h"
#include "core/base/hash.h"
#include "tests/analysis/sass/handmade.h"

#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::TableFormat;
using compare::CodeSummary;
using compare::describe_change;
using compare::difference;
using compare::print_matrix;
using reading::CodeSubject;

namespace {

// As text_hash, a hash of everything that an instruction has.
std::string hash_of(const cubin::SassKernel& kernel) {
  std::string text;
  for (const cubin::Instruction& one : kernel.instructions)
    text += fmt::format("{} {} {} {} {}\n", one.predicate, one.opcode, one.operands,
                        cubin::to_string(one.control), one.word.low);
  return base::content_hash(text);
}

CodeSubject summary_side(const std::vector<std::string>& lines, int sm = 90) {
  test::Handmade made = test::handmade(lines);
  std::vector<flow::RoleWindow> windows = flow::find_windows(made.kernel, made.source);
  made.kernel.text_hash = hash_of(made.kernel);
  return {"one", sm, std::move(made.kernel), std::move(made.source), std::move(windows)};
}

CodeSummary summary(const CodeSubject& one) {
  return compare::summarise(one);
}

std::vector<std::string> loop_with(const std::string& release) {
  return {"consumer.clock_start| CS2R R0,SR_CLOCKLO # 1",
          "consumer.wait| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[R2],R3 # 2",
          "consumer.release| " + release,
          "consumer| @P1 BRA 0x10 # 5",
          "consumer.clock_end| CS2R R4,SR_CLOCKLO # 2",
          "| EXIT # 5"};
}

// diff_kernels is the other way to the class: random kernels of few instructions, so that every
// class comes up.
TEST(Summary, ChangeIsThatOfTheDiff) {
  std::mt19937 random(3);
  const std::vector<std::string> words = {
      "| IADD3 R1,R2,R3,RZ # 4", "| IADD3 R1,R2,R3,RZ # 4",     "| IADD3 R1,R2,R3,RZ # 4",
      "| IADD3 R1,R2,R3,RZ # 5", "| IADD3 R1,R2,R4,RZ # 4",     "| IADD3 R6,R2,R3,RZ # 4",
      "| IADD3 R3,R1,R6,RZ # 4", "| @P0 IADD3 R1,R2,R3,RZ # 4", "| BRA 0x0 # 5"};
  std::array<int, compare::row_changes> seen = {};
  for (int round = 0; round < 8000; ++round) {
    std::vector<std::string> a(3), b(3 + (round % 8 == 0 ? 1 : 0));
    for (std::string& one : a) one = words[random() % words.size()];
    for (std::string& one : b) one = words[random() % words.size()];
    const CodeSubject left = summary_side(a), right = summary_side(b, round % 2 == 0 ? 90 : 100);
    const compare::Change change = compare::diff_kernels(left, right)->change;
    ASSERT_EQ(compare::change_between(summary(left), summary(right)), change)
        << testing::PrintToString(a);
    ++seen[static_cast<std::size_t>(change)];
  }
  for (const int count : seen) EXPECT_GT(count, 20);
}

TEST(Summary, DescribesTheHotPath) {
  const CodeSummary a = summary(summary_side(loop_with("BAR.ARV 0x1,0x40 # 3")));
  const CodeSummary b =
      summary(summary_side(loop_with("SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3")));
  EXPECT_EQ(describe_change(a, a), "identical");
  EXPECT_EQ(describe_change(a, b), "instructions: -BAR.ARV x1, +SYNCS.ARRIVE.TRANS64.A1T0 x1");
  auto lines = loop_with("BAR.ARV 0x1,0x40 # 3");
  lines.insert(lines.begin(), "| S2R R0,SR_TID.X # 1");
  lines[4] = "consumer| @P1 BRA 0x20 # 5";
  EXPECT_EQ(describe_change(a, summary(summary_side(lines))),
            "instructions: the hot paths have the same opcodes and issue cycles");
  lines[3] = "consumer.release| BAR.ARV 0x1,0x40 # 8";
  EXPECT_EQ(describe_change(a, summary(summary_side(lines))),
            "instructions: the hot paths have the same opcodes, 10 -> 15 issue cycles");
}

TEST(Matrix, ComparesWithATargetOrAVariant) {
  const CodeSummary arrive = summary(summary_side(loop_with("BAR.ARV 0x1,0x40 # 3")));
  const CodeSummary slower = summary(summary_side(loop_with("BAR.ARV 0x1,0x40 # 9"), 100));
  compare::Matrix matrix{{"one", "two"},
                         {{"sm_90", "sm_90", "13.5.37"}, {"sm_100", "sm_100", "13.5.37"}},
                         {},
                         {0, std::nullopt}};
  matrix.cells = {{{"", arrive}, {"", slower}}, {{"needs sm_100", std::nullopt}, {"", slower}}};
  EXPECT_EQ(difference(matrix, 0, 0), "reference");
  EXPECT_EQ(difference(matrix, 0, 1), "schedule");
  EXPECT_EQ(difference(matrix, 1, 0), "");
  EXPECT_EQ(difference(matrix, 1, 1), "");  // its reference has no code
  const std::string text = print_matrix(matrix, TableFormat::text);
  EXPECT_NE(text.find("against sm_90;"), std::string::npos) << text;
  EXPECT_NE(text.find("consumer 3/10 "), std::string::npos) << text;
  EXPECT_NE(text.find("consumer 3/16 "), std::string::npos) << text;
  EXPECT_NE(text.find("  sm_90    -"), std::string::npos) << text;
  EXPECT_NE(text.find("  needs sm_100\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(print_matrix(matrix, TableFormat::json));
  EXPECT_EQ(json["rows"][0]["cells"][1]["change"], "schedule");
  EXPECT_TRUE(json["rows"][1]["cells"][0]["features"].is_null());
  EXPECT_EQ(json["rows"][1]["cells"][0]["problem"], "needs sm_100");
  EXPECT_EQ(print_matrix(matrix, TableFormat::markdown),
            "| variant | sm_90                             | sm_100                           |\n"
            "|---------|-----------------------------------|----------------------------------|\n"
            "| `one`   | `" +
                arrive.text_hash.substr(0, 6) + "` consumer 3/10; reference | `" +
                slower.text_hash.substr(0, 6) +
                "` consumer 3/16; schedule |\n"
                "| `two`   | -                                 | `" +
                slower.text_hash.substr(0, 6) + "` consumer 3/16           |\n");
  const std::string csv = print_matrix(matrix, TableFormat::csv);
  EXPECT_NE(csv.find("\ntwo,sm_90,-,,,,,,,needs sm_100\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\none,sm_100," + slower.text_hash.substr(0, 6) + ","), std::string::npos)
      << csv;
  matrix.reference = {std::nullopt, 0};
  EXPECT_EQ(difference(matrix, 1, 1), "identical");
  EXPECT_EQ(matrix.reference_name(), "one");
}

launch::VariantKey key(const std::string& wait, const std::string& stages,
                       const std::string& scope) {
  return {wait + "/" + stages + "/" + scope,
          "",
          {{"wait", wait}, {"num_stages", stages}, {"scope", scope}}};
}

TEST(Classes, NearestSplitAndFreeAxes) {
  const CodeSummary a = summary(summary_side(loop_with("BAR.ARV 0x1,0x40 # 3")));
  const CodeSummary b = summary(summary_side(loop_with("BAR.ARV 0x1,0x80 # 3")));
  const CodeSummary c = summary(summary_side(loop_with("BAR.SYNC 0x1 # 3")));
  const std::vector<compare::ClassMember> members = {{key("try", "4", "cta"), a},
                                                     {key("try", "4", "cluster"), a},
                                                     {key("try", "8", "cluster"), b},
                                                     {key("test", "8", "cluster"), c}};
  const auto classes = compare::find_classes(members);
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].members, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(classes[0].split);
  ASSERT_EQ(classes[0].free_axes.size(), 1U);
  EXPECT_EQ(classes[0].free_axes[0].axis, "scope");
  EXPECT_EQ(classes[1].split->from, "try/4/cluster");
  EXPECT_EQ(classes[1].split->change, compare::Change::operands);
  ASSERT_EQ(classes[1].split->axes.size(), 1U);
  EXPECT_EQ(classes[1].split->axes[0].axis, "num_stages");
  EXPECT_EQ(classes[2].split->from_class, 1U);
  EXPECT_EQ(classes[2].split->axes[0].axis, "wait");
  const std::string text = compare::classes_as_text(members, classes);
  EXPECT_NE(text.find("   one code whatever scope (cta, cluster)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   split from 1 by num_stages 4 -> 8: operands\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("split from 2 by wait try -> test: instructions: -BAR.ARV x1, +BAR.SYNC x1"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(compare::classes_as_json(members, classes));
  EXPECT_EQ(json[1]["split"]["change"], "operands");
  EXPECT_EQ(json[0]["variants"].size(), 2U);
  EXPECT_TRUE(json[0]["split"].is_null());
}

}  // namespace
}  // namespace phasebit::test
