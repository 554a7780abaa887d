#include "core/isa/forms.h"

#include "tests/home.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::Form;
using isa::FormTable;

namespace {

const FormTable& committed() {
  static const FormTable table = FormTable::load().value();
  return table;
}

TEST(FormTable, HoldsEveryFormOnce) {
  const FormTable& table = committed();
  EXPECT_EQ(table.forms().size(), 3631U);
  EXPECT_EQ(table.targets().size(), 17U);
  std::set<std::string> texts;
  for (const Form& form : table.forms()) {
    EXPECT_TRUE(texts.insert(form.text).second) << form.text;
    const bool taken = !table.lowest_target(form).empty();
    EXPECT_EQ(taken, !form.ptx_min.parts.empty()) << form.id;
  }
  EXPECT_LT(fs::file_size(test::home().data / "core" / "isa" / "forms.csv"), 1'000'000U);
}

// PTX ISA 9.5, "Target ISA Notes" and "PTX ISA Notes" of each instruction.
TEST(FormTable, SaysWhatTheManualSays) {
  struct Row {
    const char *text, *ptx_min, *lowest;
    bool on_sm_80;
  };
  constexpr Row rows[] = {
      {"mbarrier.init.b64 [addr], count;", "7.0", "sm_80", true},
      {"mbarrier.test_wait.parity.b64 waitComplete, [addr], phaseParity;", "7.1", "sm_80", true},
      {"mbarrier.try_wait.b64 waitComplete, [addr], state;", "7.8", "sm_90", false},
      {"elect.sync d|p, membermask;", "8.0", "sm_90", false},
      {"nanosleep.u32 t;", "6.3", "sm_75", true},
      {"setmaxnreg.inc.sync.aligned.u32 #24;", "8.0", "sm_90a", false},
  };
  const FormTable& table = committed();
  for (const Row& row : rows) {
    const auto& forms = table.forms();
    const auto form = std::find_if(forms.begin(), forms.end(),
                                   [&](const Form& known) { return known.text == row.text; });
    ASSERT_NE(form, forms.end()) << row.text;
    EXPECT_EQ(form->ptx_min.text(), row.ptx_min) << row.text;
    EXPECT_EQ(table.lowest_target(*form), row.lowest) << row.text;
    EXPECT_EQ(table.accepts(*form, "sm_80"), row.on_sm_80) << row.text;
    EXPECT_FALSE(table.accepts(*form, "sm_999"));
  }
}

TEST(FormTable, LowestTargetMayHaveASuffix) {
  const FormTable table = FormTable::read(
                              "id,family,form,ptx_min,sm_80,sm_90,sm_90a,sm_100a,note\n"
                              "a#1,a,a.b;,7.0,ok,ok,ok,ok,\n"
                              "a#2,a,a.c;,8.0,err,err,ok,ok,\n",
                              "f.csv")
                              .value();
  EXPECT_EQ(table.lowest_target(*table.find("a#1")), "sm_80");
  EXPECT_EQ(table.lowest_target(*table.find("a#2")), "sm_90a");
}

TEST(FormTable, NamesTheNearestForm) {
  EXPECT_EQ(committed().get("mbarrier.int#001").error().text(),
            "usage: no form 'mbarrier.int#001' (did you mean 'mbarrier.init#001'?)");
}

TEST(FormTable, NamesFileAndLine) {
  const std::string header = "id,family,form,ptx_min,sm_80,note\n";
  struct Row {
    std::string text, said;
  };
  const Row rows[] = {
      {"", "spec: f.csv: is empty"},
      {"id,family,form,ptx,sm_80,note\n",
       "spec: f.csv:1: no column 'ptx_min' (one of: id, family, form, ptx, sm_80, note)"},
      {"id,family,form,ptx_min,note\n", "spec: f.csv:1: no column of an architecture (sm_...)"},
      {header + "a#1,a,\"x y;\",7.0,ok\n", "spec: f.csv:2: 5 cells, the header has 6"},
      {header + "a#1,a,\"x y;,7.0,ok,\n", "spec: f.csv:2: a quote is not closed"},
      {header + "b#1,a,x;,7.0,ok,\n", "spec: f.csv:2: id: 'b#1' is not 'a#' and a number"},
      {header + "a#1,a,x,7.0,ok,\n", "spec: f.csv:2: form: 'x' is not a statement"},
      {header + "a#1,a,x;,7,ok,\na#2,a,x;,seven,ok,\n",
       "spec: f.csv:3: ptx_min: 'seven' is not a version"},
      {header + "a#1,a,x;,7.0,yes,\n", "spec: f.csv:2: 'yes' is neither ok nor err"},
      {header + "a#1,a,x;,7.0,ok,\na#1,a,y;,7.0,ok,\n", "spec: f.csv:3: id: 'a#1' twice"},
  };
  for (const Row& row : rows) {
    const auto table = FormTable::read(row.text, "f.csv");
    ASSERT_FALSE(table) << row.said;
    EXPECT_EQ(table.error().text(), row.said);
  }
}

}  // namespace
}  // namespace phasebit::test
