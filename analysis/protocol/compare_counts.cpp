#include "analysis/protocol/counts.h"
#include "core/base/text.h"
#include "core/isa/rule.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace phasebit::protocol {
namespace {

constexpr std::uint64_t most_growth = 2;  // of statements in other words than the template's

// "wait (consumer)", "probe (no role)"
std::string place_of(const CountKey& key) {
  const std::string verb = key.verb.empty() ? "no verb" : key.verb;
  const std::string role = key.role.empty() ? "no role" : key.role;
  const char* where = key.window == Window::before  ? ", before its first clock read"
                      : key.window == Window::after ? ", after its last clock read"
                                                    : "";
  return fmt::format("{} ({}){}", verb, role, where);
}

std::uint64_t growth_of(const CountPair& pair) {
  return pair.twice > pair.once ? pair.twice - pair.once : 0;
}

// "0.25": of one item.
std::string rate(std::uint64_t growth, std::uint32_t items) {
  return fmt::format("{:.4g}", static_cast<double>(growth) / items);
}

// "wait (consumer): bar.sync 0x0 is executed 32 times per item"
std::string sentence(const CountKey& key, const std::string& amount, const std::string& per) {
  const char* verb = "is executed";
  const char* unit = " times";
  if (key.counting == Counting::memory_bytes) {
    verb = "moves";
    unit = " bytes";
  } else if (key.counting == Counting::wavefronts) {
    verb = "takes";
    unit = " wavefronts of the banks";
  } else if (key.counting == Counting::chains) {
    verb = "grows by";
    unit = " steps of threads";
  } else if (key.counting == Counting::results) {
    verb = "are";
    unit = "";
  }
  return fmt::format("{}: {} {} {}{} {}", place_of(key), key.what, verb, amount, unit, per);
}

std::string difference(const CountKey& key, const CountPair& own, const CountPair& wanted,
                       std::uint32_t items) {
  if (key.counting == Counting::places)
    return fmt::format("{}: {} goes to other places than in the template of its key", place_of(key),
                       key.what);
  const bool by_item = growth_of(own) != growth_of(wanted);
  const auto said = [&](const CountPair& pair) {
    return by_item ? rate(growth_of(pair), items) : std::to_string(pair.once);
  };
  const std::string per = by_item ? "per item" : fmt::format("in {} items", items);
  return fmt::format("{}, in the template of its key {}", sentence(key, said(own), per),
                     said(wanted));
}

// What of a text in other words must be equal.
bool is_protocol(const CountKey& key) {
  if (key.counting == Counting::results) return true;
  if (key.window != Window::inside) return false;
  switch (key.counting) {
    case Counting::synchronisation:
    case Counting::chains:
    case Counting::wavefronts:
    case Counting::work: return true;
    case Counting::places: return key.what.starts_with("cp.");
    case Counting::memory_bytes: return !key.what.ends_with("param");
    case Counting::record:
    case Counting::results:
    case Counting::tries:
    case Counting::statements: return false;
  }
  bug("a way of counting without a name");
}

// A compiler may give a plain access or work to a neighbouring verb.
CountKey compared_as(CountKey key, Equality equality) {
  const bool moves = key.counting == Counting::memory_bytes ||
                     key.counting == Counting::wavefronts || key.counting == Counting::work;
  if (equality != Equality::all && moves) key.verb.clear();
  return key;
}

std::map<CountKey, std::pair<CountPair, CountPair>> together(const Counted& own,
                                                             const Counted& wanted,
                                                             Equality equality) {
  std::map<CountKey, std::pair<CountPair, CountPair>> all;
  const auto take = [&](const Counted& from, CountPair std::pair<CountPair, CountPair>::* side) {
    for (const auto& [key, pair] : from.counts) {
      if (key.counting == Counting::record) continue;
      if (equality != Equality::all && !is_protocol(key)) continue;
      CountPair& sum = all[compared_as(key, equality)].*side;
      sum.once += pair.once;
      sum.twice += pair.twice;
    }
  };
  take(own, &std::pair<CountPair, CountPair>::first);
  take(wanted, &std::pair<CountPair, CountPair>::second);
  return all;
}

// How much of such statements one item takes between the clock reads. Of all roles together: a
// compiler leaves some without a role.
std::uint64_t growth_of(const Counted& counted, Counting counting) {
  std::uint64_t sum = 0;
  for (const auto& [key, pair] : counted.counts)
    if (key.counting == counting && key.window == Window::inside) sum += growth_of(pair);
  return sum;
}

// In other words a chain may begin elsewhere, and an item be counted in more steps: but counted.
// More may be verified.
bool is_equal(const CountKey& key, const CountPair& own, const CountPair& wanted,
              Equality equality) {
  if (equality == Equality::all) return own == wanted;
  // Wider accesses may need fewer.
  if (key.counting == Counting::wavefronts) return growth_of(own) <= growth_of(wanted);
  if (key.counting == Counting::chains) return growth_of(own) == growth_of(wanted);
  if (key.what.starts_with(seen_answers)) return own.once >= wanted.once;
  if (key.what == steps_of_items)
    return equality == Equality::compiled || (growth_of(own) > 0) == (growth_of(wanted) > 0);
  return own == wanted;
}

}  // namespace

std::vector<std::string> differences(const Counted& own, const Counted& wanted, Equality equality) {
  std::vector<std::string> found;
  for (const auto& [key, pairs] : together(own, wanted, equality))
    if (!is_equal(key, pairs.first, pairs.second, equality))
      found.push_back(difference(key, pairs.first, pairs.second, own.items));
  if (equality == Equality::all) return found;
  for (const Counting counting : {Counting::tries, Counting::statements}) {
    const std::uint64_t executed = growth_of(own, counting), most = growth_of(wanted, counting);
    const char* where = counting == Counting::tries ? "in retry loops" : "between the clock reads";
    if (executed > most_growth * most)
      found.push_back(fmt::format(
          "{} {} statements of lanes per item, in the template of its key {}: more than twice as "
          "many",
          where, rate(executed, own.items), rate(most, own.items)));
  }
  return found;
}

std::vector<std::string> faults_of_records(const Counted& counted) {
  std::vector<std::string> found;
  for (const auto& [key, pair] : counted.counts)
    if (key.counting == Counting::record)
      found.push_back(fmt::format("{}: {}", place_of(key), key.what));
  return found;
}

std::vector<std::string> growth_outside(const Counted& counted,
                                        const std::vector<launch::Role>& clocks) {
  std::vector<std::string> found;
  for (const auto& [key, pair] : counted.counts) {
    const bool is_timed = std::any_of(clocks.begin(), clocks.end(), [&](launch::Role role) {
      return ptx::head::word_of(role) == key.role;
    });
    if (key.window == Window::inside || !is_timed || growth_of(pair) == 0) continue;
    // A chain has all that came before it.
    if (key.counting == Counting::places || key.counting == Counting::chains ||
        key.counting == Counting::record)
      continue;
    found.push_back(sentence(key, rate(growth_of(pair), counted.items), "per item"));
  }
  return found;
}

namespace {

// Operations, and the opcodes of the sites that they have in machine code.
struct Sites {
  std::string_view operation, opcode;
};
constexpr Sites sites_of_operations[] = {
    {"mbarrier.", "*SYNCS*"},    {"bar.sync", "BAR.*"},       {"bar.arrive", "BAR.*"},
    {"barrier.sync", "BAR.*"},   {"barrier.arrive", "BAR.*"}, {"cp.async.ca", "*LDGSTS*"},
    {"cp.async.cg", "*LDGSTS*"}, {"cp.async.m", "*LDGSTS*"},  {"cp.async.bulk.s", "*UBLKCP*"}};
constexpr std::string_view mbarriers = "*SYNCS*";

using Place = std::pair<std::string, std::string>;  // verb and role

// Of each verb and role, the opcodes of what it executes in the window, counted in one of these
// ways.
std::map<Place, std::set<std::string_view>> executed_opcodes(
    const Counted& counted, const std::function<bool(Counting)>& is_meant) {
  std::map<Place, std::set<std::string_view>> executed;
  for (const auto& [key, pair] : counted.counts)
    for (const Sites& one : sites_of_operations)
      if (is_meant(key.counting) && key.window == Window::inside && pair.twice > 0 &&
          key.what.starts_with(one.operation))
        executed[{key.verb, key.role}].insert(one.opcode);
  return executed;
}

bool has_site(const launch::VerbCensus& census, std::string_view pattern) {
  for (const auto* counts : {&census.hot, &census.cold, &census.beside})
    if (isa::count_opcodes(*counts, std::string(pattern)) > 0) return true;
  return false;
}

}  // namespace

std::vector<std::string> unmatched_sites(const Counted& counted, const launch::Census& census) {
  // Tries are no operations that count, and have sites.
  const auto counts = executed_opcodes(
      counted, [](Counting counting) { return counting == Counting::synchronisation; });
  auto executes = executed_opcodes(counted, [](Counting counting) {
    return counting == Counting::synchronisation || counting == Counting::statements;
  });
  // Before Hopper an mbarrier is a word in memory.
  const bool has_unit = std::any_of(census.begin(), census.end(),
                                    [](const auto& one) { return has_site(one, mbarriers); });
  std::vector<std::string> found;
  for (const auto& [place, opcodes] : counts)
    for (const std::string_view opcode : opcodes) {
      const bool is_there = std::any_of(census.begin(), census.end(), [&](const auto& one) {
        return Place(one.verb, one.role) == place && has_site(one, opcode);
      });
      if (!is_there && (opcode != mbarriers || has_unit))
        found.push_back(fmt::format("{} ({}): it is executed, and has no {} in the window",
                                    place.first, place.second, opcode));
    }
  for (const launch::VerbCensus& one : census)
    for (const Sites& sites : sites_of_operations)
      if (has_site(one, sites.opcode) && !executes[{one.verb, one.role}].contains(sites.opcode)) {
        found.push_back(fmt::format("{} ({}): it has {} in the window, and no such is executed",
                                    one.verb, one.role, sites.opcode));
        break;
      }
  return found;
}

std::string counted_as_text(const Counted& counted) {
  std::string text =
      fmt::format("{}\t{}\t{}\n", counted.items, counted.lied ? 1 : 0, counted.why_not);
  for (const auto& [key, pair] : counted.counts)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", static_cast<int>(key.counting),
                        static_cast<int>(key.window), key.verb, key.role, key.what, pair.once,
                        pair.twice);
  return text;
}

std::optional<Counted> counted_from_text(std::string_view text) {
  const auto number = [](std::string_view word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value)
                                                                    : std::nullopt;
  };
  Counted counted;
  bool is_first = true;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string_view> words = base::split(line, '\t');
    const auto first = number(words.front());
    if (!first || words.size() != (is_first ? 3U : 7U)) return std::nullopt;
    if (is_first) {
      counted.items = static_cast<std::uint32_t>(*first);
      counted.lied = words[1] == "1";
      counted.why_not = words[2];
    } else {
      const auto window = number(words[1]), once = number(words[5]), twice = number(words[6]);
      if (!window || !once || !twice) return std::nullopt;
      const CountKey key{static_cast<Counting>(*first), static_cast<Window>(*window),
                         std::string(words[2]), std::string(words[3]), std::string(words[4])};
      counted.counts[key] = {*once, *twice};
    }
    is_first = false;
  }
  return is_first ? std::nullopt : std::optional(std::move(counted));
}

std::string table_of(const Counted& counted) {
  if (!counted.why_not.empty()) return fmt::format("  not counted: {}\n", counted.why_not);
  std::string text;
  for (const auto& [key, pair] : counted.counts)
    if (key.counting > Counting::results && key.counting != Counting::places && growth_of(pair) > 0)
      text +=
          fmt::format("  {}\n", sentence(key, rate(growth_of(pair), counted.items), "per item"));
  return text;
}

}  // namespace phasebit::protocol
