#include "analysis/disassembly/disassembler.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "tests/analysis/sass/operands.h"
#include "tests/analysis/sass/random_ptx.h"
#include "tests/analysis/sass/schedule_rules.h"
#include "tests/analysis/sass/support.h"

#include <functional>
#include <iterator>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::Instruction;

namespace {

using test::ScheduleReport;

// An encoding and its scheduling are a family's: many kernels of one architecture of each, some of
// the others. Three are enough to see every wrong decoder below.
struct Sample {
  const char* target;
  int kernels;
};
constexpr Sample samples[] = {{"sm_75", 20},  {"sm_80", 20},   {"sm_86", 4},   {"sm_89", 4},
                              {"sm_90a", 20}, {"sm_100a", 20}, {"sm_103a", 4}, {"sm_107a", 4},
                              {"sm_110a", 4}, {"sm_120a", 20}, {"sm_121a", 4}};

// Kernels of random code as ptxas schedules them.
Result<std::map<std::string, cubin::SassKernel>> random_kernels(const std::string& target,
                                                                int kernels) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string source = (folder.path() / "a.ptx").string();
  const std::string out = (folder.path() / "a.cubin").string();
  PHASEBIT_TRY(base::write_file(source, test::random_module(kernels, 1000)));
  const auto tools = test::find_tools();
  PHASEBIT_TRY_ASSIGN(ran, base::run_process({tools->ptxas, "-arch", target, source, "-o", out}));
  if (!ran.ok()) return fail(Step::assemble, "{}: {}", target, ran.err);
  PHASEBIT_TRY_ASSIGN(bytes, base::read_file(out));
  PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(bytes));
  PHASEBIT_TRY_ASSIGN(disassembler, disassembly::Disassembler::open(tools->nvdisasm));
  return kernels_of(disassembler, cubin);
}

ScheduleReport check_all(const std::map<std::string, cubin::SassKernel>& kernels) {
  ScheduleReport sum;
  for (const auto& [name, kernel] : kernels) add(sum, test::check_schedule(kernel));
  return sum;
}

// The rules hold over 32,000 instructions of each family, and each of them had hundreds of places
// at which it could have failed.
TEST(Schedule, HoldsForEveryArchitecture) {
  PHASEBIT_NEEDS_TOOLS();
  constexpr std::size_t count = std::size(samples);
  std::vector<ScheduleReport> reports(count);
  std::vector<std::string> problems(count);
  base::parallel_for(count, 0, [&](std::size_t i) {
    const auto kernels = random_kernels(samples[i].target, samples[i].kernels);
    if (!kernels) return void(problems[i] = kernels.error().text());
    reports[i] = check_all(*kernels);
  });
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(samples[i].target);
    ASSERT_EQ(problems[i], "");
    const ScheduleReport& report = reports[i];
    const auto kernels = static_cast<std::size_t>(samples[i].kernels);
    EXPECT_GE(report.instructions, 1600 * kernels);
    EXPECT_TRUE(report.broken.empty()) << fmt::format("{}", fmt::join(report.lines, "\n"));
    for (const char* rule :
         {"zeros", "stall", "reuse", "fixed", "result", "source", "someone", "distance"}) {
      EXPECT_GE(report.checked.contains(rule) ? report.checked.at(rule) : 0U, 25 * kernels) << rule;
    }
    EXPECT_FALSE(report.checked.contains("not followed"));
  }
}

struct Mutation {
  const char* what;
  std::function<void(Instruction&)> damage;
  std::vector<const char*> breaks;  // rules that must see it
};

// The control fields read one bit further up or down.
void shift_control(Instruction& one, int bits) {
  cubin::SassWord word = one.word;
  word.high = bits > 0 ? word.high >> 1U : word.high << 1U;
  one.control = cubin::decode_control(word);
}

std::vector<Mutation> mutations() {
  return {
      {"the two scoreboards swapped",
       [](Instruction& one) {
         std::swap(one.control.write_scoreboard, one.control.read_scoreboard);
       },
       {"result"}},
      {"read a bit too high",
       [](Instruction& one) { shift_control(one, 1); },
       {"result", "source"}},
      {"read a bit too low",
       [](Instruction& one) { shift_control(one, -1); },
       {"result", "source"}},
      {"the wait mask upside down",
       [](Instruction& one) {
         int turned = 0;
         for (int b = 0; b < 6; ++b) turned |= ((one.control.wait_mask >> b) & 1) << (5 - b);
         one.control.wait_mask = turned;
       },
       {"result", "source", "someone"}},
      {"a wait mask of five bits",
       [](Instruction& one) { one.control.wait_mask &= 0x1f; },
       {"result"}},
      {"a stall count of two bits",
       [](Instruction& one) { one.control.stall_cycles &= 3; },
       {"distance"}},
      {"the yield bit not turned over",
       [](Instruction& one) { one.control.yield = !one.control.yield; },
       {"stall"}},
      {"reuse one slot off",
       [](Instruction& one) { one.control.reuse = (one.control.reuse << 1) & 7; },
       {"reuse"}},
      {"a write scoreboard where the read one stands",
       [](Instruction& one) { one.control.write_scoreboard = one.control.read_scoreboard; },
       {"result"}},
      {"words of the next instruction",
       [](Instruction& one) { one.word.high |= 1ULL << 30U; },
       {"zeros"}},
  };
}

// A decoder that is wrong in one field breaks the rule that speaks of it, on every architecture.
TEST(Schedule, WrongDecodersAreSeen) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_75", "sm_90a", "sm_120a"}) {
    const auto kernels = random_kernels(target, 3);
    ASSERT_TRUE(kernels) << kernels.error().text();
    ASSERT_TRUE(check_all(*kernels).broken.empty());
    for (const Mutation& mutation : mutations()) {
      SCOPED_TRACE(fmt::format("{}: {}", target, mutation.what));
      auto damaged = *kernels;
      for (auto& [name, kernel] : damaged)
        for (Instruction& one : kernel.instructions) mutation.damage(one);
      const ScheduleReport report = check_all(damaged);
      for (const char* rule : mutation.breaks) EXPECT_TRUE(report.broken.contains(rule)) << rule;
    }
  }
}

TEST(Operands, AreReadFromTheirText) {
  struct Row {
    const char *predicate, *opcode, *operands;
    std::vector<int> writes, reads;
  };
  constexpr int u = test::first_uniform, p = test::first_predicate;
  const Row rows[] = {
      {"", "IADD3", "R4,P1,R2.reuse,-R7,RZ", {4}, {p + 1, 2, 7}},
      {"@!P3", "ISETP.GE.U32.AND", "P0,PT,R2,UR4,PT", {p}, {2, u + 4, p + 3}},
      {"", "LDG.E.128", "R8,desc[UR6][R2.64+0x10]", {8, 9, 10, 11}, {u + 6, 2, 3}},
      {"", "STS.64", "[R0+UR4+0x80],R6", {}, {0, u + 4, 6}},
      {"", "SHFL.BFLY", "PT,R25,R34,0x10,0x1f", {25}, {34}},
      {"", "LOP3.LUT", "P2,RZ,R3,0x1,RZ,0xc0,!PT", {p + 2}, {3}},
      {"", "SYNCS.PHASECHK.TRANS64.TRYWAIT", "P0,[R2+URZ],R3", {p}, {2, 3}},
      {"", "IMAD.MOV.U32", "R1,RZ,RZ,c[0x0][0x28]", {1}, {}},
      {"@UP1", "UMOV", "UR5,0x400", {u + 5}, {test::first_uniform_predicate + 1}},
      {"", "S2R", "R2,SR_TID.X", {2}, {}},
      {"", "EXIT", "", {}, {}},
  };
  for (const Row& row : rows) {
    Instruction one;
    one.predicate = row.predicate;
    one.opcode = row.opcode;
    one.operands = row.operands;
    const test::RegisterUse use = test::registers_of(one);
    EXPECT_EQ(use.writes, row.writes) << row.opcode;
    EXPECT_EQ(use.reads, row.reads) << row.opcode;
  }
}

}  // namespace
}  // namespace phasebit::test
