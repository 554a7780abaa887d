// Listings with one mistake: what of them is found, and what is still proved.
#include "analysis/protocol/check.h"
#include "core/base/parallel.h"
#include "tests/protocol/listing.h"

#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Verdict;

namespace {

struct Mutant {
  std::string what;  // "LISTING:120: dropped: mbarrier.arrive..."
  std::string text;
  fs::path listing;
};

// The events of a listing's run, whatever lines they come from, and what it leaves in memory.
struct Graph {
  std::uint64_t events = 0;
  ptx::run::RunMemory memory;
  bool operator==(const Graph&) const = default;
};

Graph graph_of(const Listing& listing) {
  const auto program = ptx::run::decode(listing.file, listing.entry());
  if (!program) return {};
  ptx::run::RunOptions options;
  options.most_steps = 1'000'000;
  options.elects_last = true;
  auto outcome = ptx::run::run_launch(*program, listing.launch, options);
  return {outcome.events, std::move(outcome.memory)};
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The line with a mistake in it, by what the mistake is; nothing where the line has no place for
// it.
std::map<std::string, std::string> mistakes_in(const std::string& line) {
  static const std::regex dropped(
      R"(^\s*(@!?\w+ )?(mbarrier\.(arrive|init|expect_tx|complete_tx)|bar\.(sync|arrive)|)"
      R"(barrier\.cluster|cp\.async\.(mbarrier|wait_group)|wgmma\.wait_group|fence\.proxy|)"
      R"(st\.(release|volatile)|clusterlaunchcontrol\.try_cancel).*;)");
  static const std::regex arrival(R"(^\s*(@!?\w+ )?mbarrier\.arrive.*;)");
  static const std::regex first_parity(R"((mov\.u32 [pc]_parity, )([01]))");
  static const std::regex bytes(R"((expect_tx.*, )(\d+);)");
  static const std::regex count(R"((selp\.b32 arrivals, )(\d+)(, )(\d+))");
  static const std::regex slot(R"((mbarrier\.\S*(?:wait|arrive)\S* \w+, \[\w+)\+\d+\])");
  std::map<std::string, std::string> made;
  std::smatch found;
  if (std::regex_search(line, dropped)) made["dropped"] = "";
  if (std::regex_search(line, arrival)) made["twice"] = line + "\n" + line;
  if (std::regex_search(line, found, first_parity))
    made["parity"] = found.prefix().str() + found[1].str() + (found[2] == "0" ? "1" : "0") +
                     found.suffix().str();
  if (std::regex_search(line, found, bytes))
    made["bytes"] = found.prefix().str() + found[1].str() +
                    std::to_string(std::stol(found[2]) + 16) + ";" + found.suffix().str();
  if (std::regex_search(line, found, count))
    made["count"] = found.prefix().str() + found[1].str() +
                    std::to_string(std::stol(found[2]) + 1) + found[3].str() +
                    std::to_string(std::stol(found[4]) + 1) + found.suffix().str();
  if (std::regex_search(line, found, slot))
    made["slot"] = found.prefix().str() + found[1].str() + "]" + found.suffix().str();
  return made;
}

std::vector<Mutant> mutants_of(const fs::path& path) {
  const auto text = base::read_file(path);
  std::vector<Mutant> made;
  if (!text) return made;
  const std::vector<std::string> lines = lines_of_text(*text);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].find("//") != std::string::npos) continue;
    for (const auto& [what, line] : mistakes_in(lines[n])) {
      std::string whole;
      for (std::size_t other = 0; other < lines.size(); ++other)
        whole += (other == n ? line : lines[other]) + "\n";
      made.push_back({fmt::format("{}:{}: {}: {}", path.filename().string(), n + 1, what, lines[n]),
                      std::move(whole), path});
    }
  }
  return made;
}

// A part of them; all where PHASEBIT_ALL_MUTANTS is set.
std::vector<Mutant> chosen_mutants() {
  const char* all = std::getenv("PHASEBIT_ALL_MUTANTS");
  const std::size_t step = all == nullptr ? 9 : 1;
  std::vector<Mutant> chosen;
  std::size_t number = 0;
  for (const fs::path& path : listings())
    for (Mutant& one : mutants_of(path))
      if (number++ % step == 0) chosen.push_back(std::move(one));
  return chosen;
}

TEST(CheckMutants, AreFound) {
  const std::vector<Mutant> mutants = chosen_mutants();
  ASSERT_GT(mutants.size(), 50U);
  std::vector<Verdict> verdicts(mutants.size());
  std::vector<char> equal(mutants.size());
  base::parallel_for(mutants.size(), 0, [&](std::size_t n) {
    const auto listing = open_listing(mutants[n].text, "mutant.ptx");
    if (!listing) {
      verdicts[n] = Verdict::unsupported;
      return;
    }
    protocol::CheckOptions options;
    options.schedules = 0;
    options.most_steps = 1'000'000;
    options.verify = [&](const ptx::run::RunOutcome& run) { return listing->verify(run); };
    verdicts[n] =
        protocol::check(listing->file, listing->entry(), listing->launch, options).verdict;
    if (verdicts[n] != Verdict::proved) return;
    const auto original = open_listing(mutants[n].listing);
    equal[n] = original && graph_of(*original) == graph_of(*listing) ? 1 : 0;
  });
  std::map<Verdict, int> counts;
  int equivalent = 0;
  for (std::size_t n = 0; n < mutants.size(); ++n) {
    ++counts[verdicts[n]];
    if (verdicts[n] != Verdict::proved) continue;
    equivalent += equal[n];
    fmt::print("{}: {}\n", equal[n] != 0 ? "equal event graph" : "proved", mutants[n].what);
  }
  // Those with another graph change nothing that can hang, race or be seen: parities that a
  // protocol does not use, loops that this launch does not enter, the last waits before a barrier
  // of all threads, barriers after which nothing is shared, and tests that read another barrier in
  // the same phase.
  EXPECT_GE(counts[Verdict::error] * 100, static_cast<int>(mutants.size()) * 70);
  fmt::print(
      "{} mutants: {} errors, {} not proved, {} not modelled, {} proved, {} of them with an equal "
      "event graph\n",
      mutants.size(), counts[Verdict::error], counts[Verdict::explored],
      counts[Verdict::unsupported], counts[Verdict::proved], equivalent);
}

}  // namespace
}  // namespace phasebit::test
