// The committed listings, each checked for a launch of a few items: proved, or here is why not.
#include "analysis/protocol/check.h"
#include "core/base/parallel.h"
#include "tests/protocol/listing.h"

#include <atomic>
#include <chrono>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Checked;
using protocol::Verdict;

namespace {

// Those that are not proved, and how what is found first begins.
const std::map<std::string, std::string>& not_proved() {
  static const std::map<std::string, std::string> table = {};
  return table;
}

TEST(CheckCurated, IsProvedOrSaysWhyNot) {
  const std::vector<fs::path> paths = listings();
  ASSERT_GT(paths.size(), 50U);
  std::vector<std::string> reports(paths.size());
  std::vector<Checked> checked(paths.size());
  std::atomic<int> verified = 0;
  const auto begin = std::chrono::steady_clock::now();
  base::parallel_for(paths.size(), 0, [&](std::size_t n) {
    const auto listing = open_listing(paths[n]);
    if (!listing) {
      checked[n].verdict = Verdict::unsupported;
      checked[n].reason = reports[n] = listing.error().text();
      return;
    }
    protocol::CheckOptions options;
    options.schedules = 3;
    options.most_steps = 3'000'000;
    auto launches = listing->launches;
    const auto verify = launches.front().verify;
    launches.front().verify = [&](const ptx::run::RunOutcome& outcome) {
      ++verified;
      return verify(outcome);
    };
    checked[n] = protocol::check(listing->file, listing->entry(), launches, options);
    reports[n] = protocol::text_of(checked[n]);
  });
  int proved = 0;
  std::uint64_t instructions = 0;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    instructions += checked[n].instructions;
    if (checked[n].verdict == Verdict::proved) ++proved;
    const auto expected = not_proved().find(paths[n].filename());
    if (expected == not_proved().end())
      EXPECT_EQ(checked[n].verdict, Verdict::proved) << paths[n].filename() << "\n" << reports[n];
    else
      EXPECT_NE(reports[n].find(expected->second), std::string::npos) << paths[n].filename() << "\n"
                                                                      << reports[n];
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  // The others have values that are not computed: products.
  EXPECT_GE(verified, 51);
  fmt::print("{} of {} proved, {} instructions of warps in {:.1f} s\n", proved, paths.size(),
             instructions, took.count());
}

// What is proved has the same events in each schedule, and nothing wrong in any.
TEST(CheckCurated, HasTheSameEventsInOtherSchedules) {
  const std::vector<fs::path> paths = listings();
  std::vector<std::string> wrong(paths.size());
  base::parallel_for(paths.size(), 0, [&](std::size_t n) {
    const auto listing = open_listing(paths[n]);
    if (!listing || not_proved().contains(paths[n].filename())) return;
    wrong[n] = wrong_in_schedules(*listing, graph_of(*listing).events);
  });
  for (std::size_t n = 0; n < paths.size(); ++n) EXPECT_EQ(wrong[n], "") << paths[n].filename();
}

}  // namespace
}  // namespace phasebit::test
