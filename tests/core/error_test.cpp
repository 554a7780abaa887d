#include "core/base/error.h"

#include "core/base/file.h"
#include "tests/home.h"

#include <regex>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct StepRow {
  Step step;
  const char* name;
  int code;
};

// 2 for the command line, then 11, 12, ... in the order of the steps.
constexpr StepRow step_rows[] = {
    {Step::usage, "usage", 2},        {Step::spec, "spec", 11},
    {Step::render, "render", 12},     {Step::toolchain, "toolchain", 13},
    {Step::assemble, "assemble", 14}, {Step::disassemble, "disassemble", 15},
    {Step::gate, "gate", 16},         {Step::bundle, "bundle", 17},
    {Step::device, "device", 18},     {Step::guard, "guard", 19},
    {Step::launch, "launch", 20},     {Step::verify, "verify", 21},
    {Step::store, "store", 22},       {Step::io, "io", 23},
};

TEST(StepNames, EveryStepHasItsNameAndExitCode) {
  for (const StepRow& row : step_rows) {
    EXPECT_EQ(base::to_string(row.step), row.name);
    EXPECT_EQ(base::exit_code(row.step), row.code) << row.name;
  }
}

TEST(StepNames, TheDocumentHasTheSameTable) {
  const std::string document =
      base::read_file(test::home().data / "docs" / "decisions" / "exit-codes.md").value();
  const std::regex row(R"(\| (\d+) \| (\w+) \|)");
  size_t rows = 0;
  for (std::sregex_iterator at(document.begin(), document.end(), row), end; at != end; ++at) {
    ASSERT_LT(rows, std::size(step_rows));
    EXPECT_EQ((*at)[1], std::to_string(step_rows[rows].code));
    EXPECT_EQ((*at)[2], step_rows[rows++].name);
  }
  EXPECT_EQ(rows, std::size(step_rows));
}

TEST(ErrorText, NamesTheStepTheMessageAndTheHint) {
  EXPECT_EQ((Error{Step::spec, "core.toml:3: no such axis", ""}.text()),
            "spec: core.toml:3: no such axis");
  EXPECT_EQ((Error{Step::device, "no GPU", "run it on a machine with one"}.text()),
            "device: no GPU (run it on a machine with one)");
}

TEST(ErrorText, FailFormatsItsArguments) {
  const Result<int> result = fail(Step::io, "cannot read {}: {}", "a.ptx", 7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "io: cannot read a.ptx: 7");
}

TEST(ErrorText, WithHintKeepsStepAndMessage) {
  const Status status = with_hint(fail(Step::toolchain, "no ptxas"), "run tools/toolchain");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().step, Step::toolchain);
  EXPECT_EQ(status.error().text(), "toolchain: no ptxas (run tools/toolchain)");
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Step::usage, "{} is odd", value);
  return value / 2;
}

Result<int> quarter(int value) {
  PHASEBIT_TRY_ASSIGN(once, half(value));
  PHASEBIT_TRY(half(once));
  return once / 2;
}

TEST(ErrorMacros, ReturnTheFirstErrorAndElseTheValue) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(7).error().text(), "usage: 7 is odd");
  EXPECT_EQ(quarter(6).error().text(), "usage: 3 is odd");
}

TEST(BugDeathTest, AbortsWithItsMessage) {
  EXPECT_DEATH(bug("two slots in one place"), "^phasebit: bug: two slots in one place\n$");
}

}  // namespace
}  // namespace phasebit::test
