// What a run finds in each message of the table (messages.cpp), and what it notes.
#include "tests/ptx/run/messages.h"
#include "tests/ptx/run/small.h"

#include <set>

namespace phasebit::test {
namespace {

std::string first_of(const ptx::run::RunOutcome& outcome) {
  const std::vector<std::string> found = found_by(outcome);
  if (found.empty()) return outcome.ended ? "" : "not ended";
  return found.front().substr(0, found.front().find(':'));
}

TEST(RunMessage, IsOrderedOrNotAsTheManualSays) {
  for (const Message& message : messages()) {
    const int ctas = ctas_of(message.place);
    const SmallLaunch launch{.ctas = ctas, .cluster = message.place == Place::cluster ? 2 : 1};
    EXPECT_EQ(first_of(run_small(once(message), launch)), message.finding)
        << message.family << ", " << to_string(message.place) << "\n"
        << once(message);
  }
}

// The kernels that a GPU runs: no ordered load is stale, no wait is given up, and all are counted.
TEST(RunMessage, PassesAgainAndAgain) {
  const auto file = ptx::read_ptx(module_of_messages(), "messages.ptx");
  ASSERT_TRUE(file) << file.error().text();
  constexpr std::uint32_t rounds = 3;
  for (std::size_t n = 0; n < messages().size(); ++n) {
    const Message& message = messages()[n];
    const auto program = ptx::run::decode(*file, *file->find(entry_of(n)));
    ASSERT_TRUE(program) << program.error().text();
    ptx::run::RunLaunch launch;
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.cluster = {message.place == Place::cluster ? 2 : 1, 1, 1};
    launch.buffers = {{"out", 8192, {}}, {"counts", 16, {}}};
    ptx::run::put_parameter(launch, 0, ptx::run::address_of_buffer(0), 8);
    ptx::run::put_parameter(launch, 8, ptx::run::address_of_buffer(1), 8);
    ptx::run::put_parameter(launch, 16, rounds, 4);
    ptx::run::RunOptions options;
    options.most_steps = 1'000'000;
    const auto outcome = ptx::run::run_launch(*program, launch, options);
    ASSERT_TRUE(outcome.ended) << once(message);
    const bool one_reads = ctas_of(message.place) == 2 && message.roles == Message::Roles::threads;
    const std::vector<std::uint32_t>& counts = outcome.memory[1];
    EXPECT_TRUE(counts[0] == 0 || !message.is_ordered()) << entry_of(n) << once(message);
    EXPECT_EQ(counts[1], 0U) << entry_of(n) << once(message);
    EXPECT_EQ(counts[2], one_reads ? rounds : 2 * rounds) << entry_of(n) << once(message);
  }
}

// A row of the table is another kernel, and not the same one twice.
TEST(RunMessage, IsThereOnce) {
  std::set<std::string> kernels;
  for (const Message& message : messages())
    EXPECT_TRUE(
        kernels.insert(fmt::format("{} {}", to_string(message.place), once(message))).second)
        << once(message);
  EXPECT_GT(kernels.size(), 200U);
}

// A barrier that a copy completes: a note. Reads that a copy overwrites: not proved.
TEST(RunMessage, WhatTheManualAsksForAndKernelsLeaveOut) {
  const auto copy = [](const std::string& fence, const std::string& before) {
    return "@first mbarrier.init.shared.b64 [ring+512], 1;\n" + fence + before +
           "bar.sync 0;\n@first mbarrier.arrive.expect_tx.shared.b64 _, [ring+512], 64;\n"
           "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring], [d0], 64, "
           "[ring+512];\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring+512], 0;\n"
           "@!p1 bra L_w;\n";
  };
  const std::string init = "fence.mbarrier_init.release.cluster;\n",
                    read = "ld.shared.u32 r1, [ring];\n";
  const struct {
    std::string body;
    std::size_t findings;
    const char* not_proved = "";
  } rows[] = {{copy(init, ""), 0},
              {copy("fence.proxy.async;\n", ""), 0},
              {copy("fence.proxy.async.shared::cta;\n", ""), 0},
              {copy("", ""), 1},
              {copy("fence.proxy.async.global;\n", ""), 1},
              {copy(init, read), 1, "missing proxy fence"},
              {copy(init, read + "fence.proxy.async;\n"), 0}};
  for (const auto& row : rows) {
    const auto outcome = run_small(row.body);
    EXPECT_EQ(outcome.findings.size(), row.findings) << row.body;
    EXPECT_EQ(first_of(outcome), row.not_proved) << row.body;
  }
}

}  // namespace
}  // namespace phasebit::test
