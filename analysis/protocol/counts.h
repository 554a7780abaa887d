// How often a kernel executes what, by verb and role: what opcodes at sites do not say.
// docs/checker.md, "Executions", says what is counted and how two kernels are compared.
#pragma once

#include "core/base/error.h"
#include "core/launch/facts.h"
#include "core/ptx/file.h"
#include "core/ptx/head/head.h"
#include "core/ptx/run/launch.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::protocol {

// Of the thread that executes it, by its reads of the clock.
enum class Window : std::uint8_t { before, inside, after };

// In the order in which differences are told. `record`: what is wrong with it, whatever the
// template does. `places`: sums over the addresses, which only equal ones have. `chains`: by how
// much the longest chain of work grew, of all threads. `wavefronts`: of plain accesses of warps to
// shared memory, by the banks that their addresses are in. `statements`: lanes that execute an
// opcode, of all statements; `tries`: of those in retry loops, once for each wait. `results`: what
// they come from, and what of them changes when barriers and payload are other ones.
enum class Counting : std::uint8_t {
  record,
  synchronisation,
  places,
  memory_bytes,
  wavefronts,
  work,
  chains,
  results,
  tries,
  statements
};

struct CountKey {
  Counting counting = Counting::statements;
  Window window = Window::inside;
  std::string verb, role, what;
  auto operator<=>(const CountKey&) const = default;
};

// CountKey::what of `results`: a number of items that nothing counts has none of each item.
inline constexpr std::string_view steps_of_items =
    "the steps in which the items of the records are counted";
// The same begins so, of all answers or of those of one kind.
inline constexpr std::string_view seen_answers =
    "records that wrong answers of the barriers change";

// With n items and with 2n.
struct CountPair {
  std::uint64_t once = 0, twice = 0;
  bool operator==(const CountPair&) const = default;
};

struct Counted {
  std::string why_not;      // it was not counted: what is not modelled, with its line
  std::uint32_t items = 0;  // n
  bool lied = false;        // with what only a run tells that was told what is not so
  std::map<CountKey, CountPair> counts;
};

struct CountRequest {
  const ptx::PtxFile& file;
  const ptx::PtxFunction& entry;
  const std::vector<ptx::head::HeadBarrier>& barriers;  // to name them
  std::function<Result<ptx::run::RunLaunch>(std::uint32_t items)> launch;
  std::uint32_t items = 0;
  bool lies = false;  // runs it with wrong answers and wrong payload, too
};
Counted count_executions(const CountRequest& request);

// How much of another text must be equal. `all`: it is the same text but for edits. `protocol`:
// a person or a compiler has written the same kernel in other words: what synchronises, copies and
// works is equal, and what the results show; of all other statements there are at most twice as
// many. `compiled`: so has LLVM; it may say without a loop how many items there were.
enum class Equality : std::uint8_t { all, protocol, compiled };

// What is executed more or less often than in the kernel that it should be, the gravest first, a
// sentence each. Both are counted.
std::vector<std::string> differences(const Counted& own, const Counted& wanted, Equality equality);

// What is wrong with the records: clocks that no clock verb has read, stores to what was stored.
std::vector<std::string> faults_of_records(const Counted& counted);

// What grows with the items before or after the clock reads of a role that reads clocks.
std::vector<std::string> growth_outside(const Counted& counted,
                                        const std::vector<launch::Role>& clocks);

// Verbs that have sites in the machine code's window, and execute nothing that synchronises there;
// or the other way round.
std::vector<std::string> unmatched_sites(const Counted& counted, const launch::Census& census);

// As they are kept in a cache; nothing for a text that is none of these.
std::string counted_as_text(const Counted& counted);
std::optional<Counted> counted_from_text(std::string_view text);

// What is executed an item, a line each: "consumer wait: 1 mbarrier.try_wait full[0] ...".
std::string table_of(const Counted& counted);

}  // namespace phasebit::protocol
