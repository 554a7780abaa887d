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

// A row of the table is another kernel, and not the same one twice.
TEST(RunMessage, IsThereOnce) {
  std::set<std::string> kernels;
  for (const Message& message : messages())
    EXPECT_TRUE(
        kernels.insert(fmt::format("{} {}", to_string(message.place), once(message))).second)
        << once(message);
  EXPECT_GT(kernels.size(), 200U);
}

// Reads that a copy overwrites, and barriers that a copy completes: notes.
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
    std::size_t notes;
  } rows[] = {{copy(init, ""), 0},
              {copy("fence.proxy.async;\n", ""), 0},
              {copy("fence.proxy.async.shared::cta;\n", ""), 0},
              {copy("", ""), 1},
              {copy("fence.proxy.async.global;\n", ""), 1},
              {copy(init, read), 1},
              {copy(init, read + "fence.proxy.async;\n"), 0}};
  for (const auto& row : rows) {
    const auto outcome = run_small(row.body);
    EXPECT_EQ(outcome.findings.size(), row.notes) << row.body;
    EXPECT_EQ(first_of(outcome), "") << row.body;
  }
}

}  // namespace
}  // namespace phasebit::test
