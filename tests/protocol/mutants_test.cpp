// Listings with one mistake each: who finds it, and what is the same kernel nevertheless.
#include "analysis/protocol/check.h"
#include "analysis/protocol/counts.h"
#include "core/base/parallel.h"
#include "tests/protocol/listing.h"
#include "tests/protocol/mistakes.h"

#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Counted;
using protocol::Verdict;

namespace {

// What is made of a mutant. `graph`: nobody finds it, and its run has the same events. `wrong`: it
// is proved, and another schedule kills it.
enum class Fate : std::uint8_t { check, not_proved, counts, graph, missed, wrong };
constexpr std::size_t fates = 6;

struct Sound {
  std::optional<Listing> listing;
  std::optional<Counted> counted;
};

Fate fate_of(const Mistake& mutant, const Sound& sound) {
  const auto listing = open_listing(mutant.text, "mutant.ptx");
  if (!listing) return Fate::check;
  protocol::CheckOptions options;
  options.schedules = 10;
  options.most_steps = 1'000'000;
  const protocol::Checked checked =
      protocol::check(listing->file, listing->entry(), listing->launches, options);
  if (checked.verdict == Verdict::error) return Fate::check;
  if (checked.verdict != Verdict::proved) return Fate::not_proved;
  const Graph graph = graph_of(*listing);
  if (!wrong_in_schedules(*listing, graph.events).empty()) return Fate::wrong;
  const Counted counted = listing->count();
  if (!counted.why_not.empty() ||
      !protocol::differences(counted, *sound.counted, protocol::Equality::all).empty())
    return Fate::counts;
  return graph_of(*sound.listing) == graph ? Fate::graph : Fate::missed;
}

// A part of them; all where PHASEBIT_ALL_MUTANTS is set.
std::vector<Mistake> chosen_mutants(const std::vector<fs::path>& paths, std::size_t step) {
  std::vector<Mistake> chosen;
  std::size_t number = 0;
  for (const fs::path& path : paths) {
    auto mistakes = mistakes_of(path);
    if (!mistakes) continue;
    for (Mistake& one : *mistakes)
      if (number++ % step == 0) chosen.push_back(std::move(one));
  }
  return chosen;
}

void print_table(const std::map<std::string, std::array<int, fates>>& table) {
  fmt::print("{:<26}{:>8}{:>8}{:>12}{:>8}{:>8}{:>8}{:>8}\n", "mistake", "mutants", "check",
             "not proved", "counts", "graph", "missed", "wrong");
  for (const auto& [kind, of] : table)
    fmt::print("{:<26}{:>8}{:>8}{:>12}{:>8}{:>8}{:>8}{:>8}\n", kind,
               std::accumulate(of.begin(), of.end(), 0), of[0], of[1], of[2], of[3], of[4], of[5]);
}

TEST(CheckMutants, AreFound) {
  const bool all = std::getenv("PHASEBIT_ALL_MUTANTS") != nullptr;
  const std::vector<fs::path> paths = listings();
  const std::vector<Mistake> mutants = chosen_mutants(paths, all ? 1 : 17);
  ASSERT_GT(mutants.size(), 50U);
  std::map<fs::path, Sound> sound;
  for (const fs::path& path : paths) sound[path];
  base::parallel_for(paths.size(), 0, [&](std::size_t n) {
    const auto listing = open_listing(paths[n]);
    if (!listing) return;
    sound.at(paths[n]) = {*listing, listing->count()};
  });
  std::vector<Fate> fate(mutants.size());
  base::parallel_for(mutants.size(), 0, [&](std::size_t n) {
    fate[n] = fate_of(mutants[n], sound.at(mutants[n].listing));
  });
  std::map<std::string, std::array<int, fates>> table;
  for (std::size_t n = 0; n < mutants.size(); ++n) {
    ++table[mutants[n].kind][static_cast<std::size_t>(fate[n])];
    ++table["~ all"][static_cast<std::size_t>(fate[n])];
    static const char* const words[fates] = {
        "", "not proved", all ? "counts" : "", "equal graph", "missed", "WRONG"};
    if (const std::string word = words[static_cast<std::size_t>(fate[n])]; !word.empty())
      fmt::print("{}: {}\n", word, mutants[n].what);
  }
  print_table(table);
  // What was reached; PHASEBIT_ALL_MUTANTS asks for the whole of it.
  const auto of = [&](Fate one) { return table["~ all"][static_cast<std::size_t>(one)]; };
  const int total = static_cast<int>(mutants.size()), equal = of(Fate::graph);
  EXPECT_EQ(of(Fate::wrong), 0);
  EXPECT_EQ(of(Fate::missed), 0);
  EXPECT_LE(equal * 100, total * (all ? 2 : 4));
  EXPECT_GE(of(Fate::check) * 100, total * 63);
  EXPECT_GE((of(Fate::check) + of(Fate::counts)) * 1000, (total - equal) * (all ? 990 : 980));
}

}  // namespace
}  // namespace phasebit::test
