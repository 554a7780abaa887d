// Listings with one mistake each: who finds it, and what is the same kernel nevertheless.
#include "analysis/protocol/check.h"
#include "analysis/protocol/counts.h"
#include "core/base/parallel.h"
#include "tests/protocol/listing.h"

#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Counted;
using protocol::Verdict;

namespace {

using Lines = std::vector<std::string>;

struct Mutant {
  std::string kind;  // of the mistake
  std::string what;  // "LISTING:120: mbarrier.arrive..."
  std::string text;
  std::size_t listing = 0;
};

Lines lines_of_text(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Whether a line may have a mistake at all: all others are most of the text.
bool may_err(const std::string& line) {
  static const char* const words[] = {"bar",  "cp.async",   "fence",    "st.",
                                      "ld.",  "red.",       "_parity",  "arrivals",
                                      "bra ", "wait_group", "tcgen05.", "cluster"};
  return line.find("//") == std::string::npos &&
         std::any_of(std::begin(words), std::end(words),
                     [&](const char* word) { return line.find(word) != std::string::npos; });
}

// Where the empty barriers are, from the full ones on: "+32"; empty for a kernel without.
std::string offset_of_empty(const Lines& lines) {
  static const std::regex address(R"(mbarrier\.\S*wait\S* done, \[p_barrier(\+\d+)\])");
  std::smatch found;
  for (const std::string& line : lines)
    if (std::regex_search(line, found, address)) return found[1];
  return "";
}

// One mistake in one line, and the text in its place.
struct Operator {
  const char* kind;
  const char* pattern;
  std::string (*instead)(const std::smatch& found, const std::string& line);
};

std::string around(const std::smatch& found, const std::string& middle) {
  return found.prefix().str() + middle + found.suffix().str();
}

std::string none(const std::smatch&, const std::string&) {
  return "";
}

std::string more(const std::smatch& found, int by) {
  return std::to_string(std::stol(found[2]) + by);
}

const Operator operators[] = {
    {"arrival dropped",
     R"(^\s*(@!?\w+ )?(mbarrier\.(arrive|expect_tx|complete_tx)|bar\.arrive|)"
     R"(barrier\.cluster\.arrive|cp\.async\.mbarrier|tcgen05\.commit|st\.(release|volatile)|)"
     R"(red\.relaxed\.cluster|clusterlaunchcontrol\.try_cancel).*;)",
     none},
    {"copy dropped", R"(^\s*(@!?\w+ )?(cp\.async\.(bulk\.sh|cg|ca)|st\.async).*;)", none},
    {"init dropped", R"(^\s*(@!?\w+ )?mbarrier\.init.*;)", none},
    {"fence dropped", R"(^\s*(@!?\w+ )?(fence|wgmma\.fence).*;)", none},
    {"wait dropped",
     R"(^\s*(@!?\w+ )?(bar\.sync|barrier\.cluster\.wait|(cp\.async|wgmma)\.wait_group).*;)", none},
    {"warp's barrier dropped", R"(^\s*bar\.warp\.sync.*;)", none},
    {"wait skipped", R"(^\s*@!?\w+ bra L_(wait|poll)\w*;)", none},
    {"tail skipped", R"(@more bra L_left;)",
     [](const std::smatch& found, const std::string&) { return around(found, "bra L_left;"); }},
    {"tail cut short", R"(@more bra L_tail;)", none},
    {"arrival doubled",
     R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.(arrive|sync)|red\.relaxed\.cluster).*;)",
     [](const std::smatch&, const std::string& line) { return line + "\n" + line; }},
    {"early exit", R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.arrive|st\.(release|volatile)).*;)",
     [](const std::smatch&, const std::string& line) { return "exit;\n" + line; }},
    {"parity", R"((mov\.u32 [pc]_parity, )([01]))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + (found[2] == "0" ? "1" : "0"));
     }},
    {"bytes", R"((expect_tx.*, |cp\.async\.bulk\.sh.*\], )(\d+)([;,]))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + more(found, 16) + found[3].str());
     }},
    {"count", R"((selp\.b32 arrivals, )(\d+)(, )(\d+))",
     [](const std::smatch& found, const std::string&) {
       return around(
           found, found[1].str() + more(found, 1) + ", " + std::to_string(std::stol(found[4]) + 1));
     }},
    {"count of a named barrier", R"((bar\.(?:sync|arrive) \w+, )(\d+))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + more(found, 32));
     }},
    {"slot", R"((mbarrier\.\S*(?:wait|arrive)\S* \w+, \[\w+)(?:\+(\d+))?\])",
     [](const std::smatch& found, const std::string&) {
       const long offset = found[2].matched ? std::stol(found[2]) : 0;
       return around(found, fmt::format("{}+{}]", found[1].str(), offset + 8));
     }},
    {"scope", R"((acquire|release|acq_rel|relaxed)\.(cluster|gpu|sys))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + ".cta");
     }},
    {"relaxed", R"((mbarrier\S*|ld|st)\.(acquire|release)\.)",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + ".relaxed.");
     }}};

const std::vector<std::regex>& patterns() {
  static const std::vector<std::regex> made = [] {
    std::vector<std::regex> all;
    for (const Operator& one : operators) all.emplace_back(one.pattern);
    return all;
  }();
  return made;
}

bool is_brace(const std::string& line, char brace) {
  const std::size_t at = line.find_first_not_of(' ');
  return at != std::string::npos && line[at] == brace && at + 1 == line.size();
}

// The lines of an arrival, from the brace before it to the one after it: what it needs is declared
// there. Only itself where it is in none.
std::pair<std::size_t, std::size_t> block_of(const Lines& lines, std::size_t arrival) {
  std::size_t first = arrival, last = arrival;
  while (first > 0 && !is_brace(lines[first], '{') && !is_brace(lines[first], '}')) --first;
  while (last + 1 < lines.size() && !is_brace(lines[last], '}')) ++last;
  return is_brace(lines[first], '{') ? std::pair(first, last) : std::pair(arrival, arrival);
}

// The line before which an arrival comes too early: a memory access of the same turn; nothing:
// there is none.
std::optional<std::size_t> access_before(const Lines& lines, std::size_t arrival) {
  static const std::regex access(
      R"(^\s*(@!?\w+ )?(st\.shared|ld\.shared|st\.async|cp\.async\.(bulk|c)).*;)");
  for (std::size_t n = arrival; n-- > 0 && lines[n].find("bra ") == std::string::npos;)
    if (may_err(lines[n]) && std::regex_search(lines[n], access)) return n;
  return std::nullopt;
}

class Maker {
 public:
  Maker(std::string name, Lines lines, std::size_t listing)
      : name_(std::move(name)),
        lines_(std::move(lines)),
        listing_(listing),
        empty_(offset_of_empty(lines_)) {}

  std::vector<Mutant> make() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      if (!may_err(line)) continue;
      std::smatch found;
      for (std::size_t n = 0; n < std::size(operators); ++n)
        if (std::regex_search(line, found, patterns()[n]))
          add(operators[n].kind, operators[n].instead(found, line));
      swap_barriers();
      move_arrival();
    }
    return std::move(made_);
  }

 private:
  void add(const std::string& kind, const std::string& instead) {
    Lines lines = lines_;
    lines[at_] = instead;
    add(kind, lines);
  }

  void add(const std::string& kind, const Lines& lines) {
    made_.push_back({kind, fmt::format("{}:{}: {}", name_, at_ + 1, lines_[at_]),
                     fmt::format("{}\n", fmt::join(lines, "\n")), listing_});
  }

  // Full for empty, and the other way round.
  void swap_barriers() {
    static const std::regex barrier(
        R"((mbarrier\.\S*(?:wait|arrive)\S* \w+, \[\w*(?:barrier|address))(\+\d+)?\])");
    std::smatch found;
    if (empty_.empty() || !std::regex_search(lines_[at_], found, barrier)) return;
    add("barriers swapped", around(found, found[1].str() + (found[2].matched ? "" : empty_) + "]"));
  }

  void move_arrival() {
    static const std::regex arrival(
        R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.arrive|st\.(release|volatile)).*;)");
    if (!std::regex_search(lines_[at_], arrival)) return;
    const auto [first, last] = block_of(lines_, at_);
    const auto before = access_before(lines_, first);
    if (!before) return;
    Lines lines = lines_;
    const auto at = [&](std::size_t n) { return lines.begin() + static_cast<std::ptrdiff_t>(n); };
    std::rotate(at(*before), at(first), at(last + 1));
    add("arrival moved", lines);
  }

  std::string name_;
  Lines lines_;
  std::size_t listing_, at_ = 0;
  std::string empty_;
  std::vector<Mutant> made_;
};

// What is made of a mutant. `graph`: nobody finds it, and its run has the same events. `wrong`: it
// is proved, and another schedule kills it.
enum class Fate : std::uint8_t { check, not_proved, counts, graph, missed, wrong };
constexpr std::size_t fates = 6;

struct Sound {
  std::optional<Listing> listing;
  std::optional<Counted> counted;
};

Fate fate_of(const Mutant& mutant, const Sound& sound) {
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
std::vector<Mutant> chosen_mutants(const std::vector<fs::path>& paths, std::size_t step) {
  std::vector<Mutant> chosen;
  std::size_t number = 0;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    const auto text = base::read_file(paths[n]);
    if (!text) continue;
    for (Mutant& one : Maker(paths[n].filename(), lines_of_text(*text), n).make())
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
  const std::vector<Mutant> mutants = chosen_mutants(paths, all ? 1 : 17);
  ASSERT_GT(mutants.size(), 50U);
  std::vector<Sound> sound(paths.size());
  base::parallel_for(paths.size(), 0, [&](std::size_t n) {
    const auto listing = open_listing(paths[n]);
    if (!listing) return;
    sound[n].listing = *listing;
    sound[n].counted = listing->count();
  });
  std::vector<Fate> fate(mutants.size());
  base::parallel_for(mutants.size(), 0, [&](std::size_t n) {
    fate[n] = fate_of(mutants[n], sound[mutants[n].listing]);
  });
  std::map<std::string, std::array<int, fates>> table;
  for (std::size_t n = 0; n < mutants.size(); ++n) {
    ++table[mutants[n].kind][static_cast<std::size_t>(fate[n])];
    ++table["~ all"][static_cast<std::size_t>(fate[n])];
    static const char* const words[fates] = {
        "", "not proved", all ? "counts" : "", "equal graph", "missed", "WRONG"};
    if (const std::string word = words[static_cast<std::size_t>(fate[n])]; !word.empty())
      fmt::print("{}: {}: {}\n", word, mutants[n].kind, mutants[n].what);
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
