#include "analysis/protocol/counts.h"

#include "analysis/protocol/chains.h"
#include "analysis/protocol/count_words.h"
#include "analysis/protocol/record.h"
#include "core/launch/abi.h"
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::run::Grade;
using ptx::run::Instruction;
using ptx::run::Mask;
using ptx::run::Op;
using ptx::run::RunLaunch;
using ptx::run::RunMemory;
using ptx::run::RunOutcome;
using ptx::run::RunProgram;
using ptx::run::Space;
using ptx::run::Warp;

namespace {

constexpr std::uint64_t most_steps = 1'000'000;  // of each CTA
constexpr std::size_t windows = 3;
constexpr std::string_view seen_words = "words of the results that wrong payload changes";

// What a barrier that is read back answered.
struct Answer {
  std::string barriers;  // CountWords::asked
  std::string_view is;   // "complete", "open", "counted": of a word that counts arrivals
  auto operator<=>(const Answer&) const = default;
};

using Counts = std::map<CountKey, std::uint64_t>;

// Where the threads of a run are by their reads of the clock.
class Windows {
 public:
  Windows(const ptx::PtxFile& file, const RunLaunch& launch)
      : file_(file), state_(static_cast<std::size_t>(threads_of(launch)), Window::before) {}

  static int threads_of(const RunLaunch& launch) {
    return launch.ctas() * launch.warps() * ptx::run::lanes_of_warp;
  }
  Window& of(const Warp& warp, int lane) { return state_[warp.thread(lane)]; }
  const ptx::PtxHeading* heading_of(const Instruction& one) const {
    const int heading = file_.statements[one.statement].heading;
    return heading < 0 ? nullptr : &file_.headings[static_cast<std::size_t>(heading)];
  }
  void executed(const Warp& warp, const Instruction& one, Mask lanes) {
    if (one.op != Op::clock) return;
    const ptx::PtxHeading* heading = heading_of(one);
    if (heading == nullptr) return;
    if (heading->verb != "clock_start" && heading->verb != "clock_end") return;
    const Window now = heading->verb == "clock_start" ? Window::inside : Window::after;
    ptx::run::each_lane(lanes, [&](int lane) { of(warp, lane) = now; });
  }

 private:
  const ptx::PtxFile& file_;
  std::vector<Window> state_;
};

// Counts one run.
class Counter : public ptx::run::RunWatch {
 public:
  Counter(const ptx::PtxFile& file, const RunProgram& program, const CountWords& words,
          const RunLaunch& launch)
      : file_(file),
        program_(program),
        words_(words),
        windows_(file, launch),
        chains_(program, static_cast<std::size_t>(launch.ctas() * launch.warps())),
        records_(file, launch,
                 [this](const Instruction& one, std::string what) {
                   add(one, Counting::record, Window::after,
                       fmt::format("'{}' {}", ptx::run::text_of(file_, one), what), 1);
                 }),
        threads_(static_cast<std::size_t>(Windows::threads_of(launch))),
        lanes_(program.code.size()) {}

  void executed(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) override {
    windows_.executed(warp, one, lanes);
    ptx::run::each_group(
        lanes,
        [&](int first, int lane) { return windows_.of(warp, lane) == windows_.of(warp, first); },
        [&](int first, Mask same) { count(warp, one, pc, same, windows_.of(warp, first)); });
    if (const ChainSteps* steps = chains_.executed(warp, one, lanes))
      lengthen(warp, one, lanes, steps);
    records_.executed(warp, one, lanes, chains_);
  }

  Counts take() {
    for (std::size_t pc = 0; pc < lanes_.size(); ++pc)
      for (std::size_t n = 0; n < windows; ++n)
        if (lanes_[pc][n] != 0) add_statement(program_.code[pc], static_cast<Window>(n), pc);
    for (const auto& [wait, lanes] : waits_) add_tries(wait.first, wait.second, lanes);
    counts_[{Counting::results, Window::after, "", "", std::string(steps_of_items)}] =
        records_.steps_of_items();
    return std::move(counts_);
  }

 private:
  CountKey key_of(const Instruction& one, Counting counting, Window window,
                  std::string what) const {
    const ptx::PtxHeading* heading = windows_.heading_of(one);
    if (heading == nullptr) return {counting, window, "", "", std::move(what)};
    return {counting, window, heading->verb, heading->role, std::move(what)};
  }

  // Of the work of each verb the longest chain, by thread.
  void lengthen(const Warp& warp, const Instruction& one, Mask lanes, const ChainSteps* steps) {
    const ptx::PtxHeading* heading = windows_.heading_of(one);
    const auto [found, is_new] =
        longest_.try_emplace(heading == nullptr ? "" : heading->verb + " " + heading->role);
    if (is_new) found->second.resize(threads_);
    std::array<std::uint64_t, windows> more{};
    ptx::run::each_lane(lanes, [&](int lane) {
      std::uint32_t& longest = found->second[warp.thread(lane)];
      if (steps[lane].work <= longest) return;
      more[static_cast<std::size_t>(windows_.of(warp, lane))] += steps[lane].work - longest;
      longest = steps[lane].work;
    });
    for (std::size_t n = 0; n < windows; ++n)
      if (more[n] != 0)
        add(one, Counting::chains, static_cast<Window>(n), "its longest chain of work", more[n]);
  }

  void count(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes,
             Window window) {
    if (one.retry < 0 && one.op == Op::ld && one.space == ptx::run::Space::param) {
      const std::string what = words_.statement(warp, one, std::countr_zero(lanes));
      add(one, Counting::statements, window, what, std::popcount(lanes));
    } else if (one.retry < 0) {
      lanes_[pc][static_cast<std::size_t>(window)] +=
          static_cast<std::uint64_t>(std::popcount(lanes));
    }
    if (one.space == ptx::run::Space::shared && !access_of(one).empty() && !synchronises(one))
      add(one, Counting::wavefronts, window, access_of(one), wavefronts_of(warp, one, lanes));
    std::uint64_t places = 0;
    bool has_places = false;
    ptx::run::each_lane(lanes, [&](int lane) {
      const auto place = words_.places(warp, one, lane);
      has_places = has_places || place.has_value();
      places += place.value_or(0);
    });
    if (has_places) add(one, Counting::places, window, words_.statement(warp, one, 0), places);
    if (one.retry >= 0)
      waits_[{one.retry, window}] += static_cast<std::uint64_t>(std::popcount(lanes));
    // A wait outside of a retry loop is a try.
    if (!synchronises(one) || (one.op == Op::mbarrier_wait && one.retry < 0)) return;
    // Lanes with the same operands have the same name.
    const auto alike = [&](int first, int lane) {
      return std::all_of(one.operands.begin(), one.operands.end(),
                         [&](const ptx::run::Operand& operand) {
                           return operand.kind != ptx::run::Operand::Kind::row ||
                                  warp.value(operand, lane) == warp.value(operand, first);
                         });
    };
    ptx::run::each_group(lanes, alike, [&](int first, Mask same) {
      add(one, Counting::synchronisation, window, words_.operation(warp, one, first),
          static_cast<std::uint64_t>(std::popcount(same)));
    });
  }

  // How often is not known: what one try is made of, for each wait.
  void add_tries(std::int32_t loop, Window window, std::uint64_t lanes) {
    for (std::size_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& one = program_.code[pc];
      if (one.retry != loop) continue;
      const std::string& opcode = file_.statements[one.statement].parsed.name;
      if (one.op == Op::nanosleep || one.op == Op::clock)
        add(one, Counting::synchronisation, window, "in its retry loop " + text_of_try(one), lanes);
      else
        add(one, is_work(one) ? Counting::work : Counting::tries, window,
            "in its retry loop " + opcode, lanes);
    }
  }

  // "nanosleep.u32 100"
  std::string text_of_try(const Instruction& one) const {
    const ptx::PtxStatement& parsed = file_.statements[one.statement].parsed;
    return fmt::format("{} {}", parsed.name, fmt::join(parsed.operands, ", "));
  }

  void add(const Instruction& one, Counting counting, Window window, const std::string& what,
           std::uint64_t amount) {
    counts_[key_of(one, counting, window, what)] += amount;
  }

  void add_statement(const Instruction& one, Window window, std::size_t pc) {
    const std::uint64_t lanes = lanes_[pc][static_cast<std::size_t>(window)];
    const std::string& opcode = file_.statements[one.statement].parsed.name;
    add(one, is_work(one) ? Counting::work : Counting::statements, window, opcode, lanes);
    if (const std::string access = access_of(one); !access.empty() && !synchronises(one))
      add(one, Counting::memory_bytes, window, access, lanes * bytes_of(one));
  }

  const ptx::PtxFile& file_;
  const RunProgram& program_;
  const CountWords& words_;
  Windows windows_;
  Chains chains_;
  Records records_;
  std::size_t threads_;
  std::vector<std::array<std::uint64_t, windows>> lanes_;      // by instruction
  std::map<std::string, std::vector<std::uint32_t>> longest_;  // by verb and role, of each thread
  std::map<std::pair<std::int32_t, Window>, std::uint64_t> waits_;  // lanes, by retry loop
  Counts counts_;
};

// What a run is told that is not so: verification must see it. `answers`: what is read back of
// barriers and counts outside of the clock reads; of these all, or one alone. `payload`: words of
// shared memory, from the first clock read on.
enum class Lie : std::uint8_t { answers, payload };

class Liar : public ptx::run::RunWatch {
 public:
  Liar(const ptx::PtxFile& file, const CountWords& words, const RunLaunch& launch, Lie lie,
       std::optional<Answer> only)
      : words_(words), windows_(file, launch), lie_(lie), only_(std::move(only)) {}

  void executed(const Warp& warp, const Instruction& one, std::uint32_t /*pc*/,
                Mask lanes) override {
    windows_.executed(warp, one, lanes);
  }

  std::uint64_t lie(const Warp& warp, const Instruction& one, int lane,
                    std::uint64_t truth) override {
    const Window window = windows_.of(warp, lane);
    const bool is_load =
        one.op == Op::ld && (one.space == Space::shared || one.space == Space::generic);
    // Before the clock reads LLVM's CTAs hand on which one they are by a volatile word.
    const bool is_answer =
        one.retry < 0 && ((one.op == Op::mbarrier_wait && window != Window::inside) ||
                          (is_load && one.names_order && window == Window::after));
    const bool is_payload = window != Window::before && is_load && !one.names_order;
    if (!(lie_ == Lie::answers ? is_answer : is_payload)) return 0;
    if (lie_ == Lie::answers) {
      const std::string_view is = is_load ? "counted" : truth != 0 ? "complete" : "open";
      Answer answer{words_.asked(warp, one, lane), is};
      if (only_ && answer != *only_) return 0;
      asked.insert(std::move(answer));
    }
    noise_ = noise_ * 6364136223846793005U + 1442695040888963407U;
    return noise_ >> 32 | 1;
  }

  std::set<Answer> asked;

 private:
  const CountWords& words_;
  Windows windows_;
  Lie lie_;
  std::optional<Answer> only_;
  std::uint64_t noise_ = 1;
};

std::string why_not(const ptx::PtxFile& file, const RunProgram& program,
                    const RunOutcome& outcome) {
  for (const Grade grade : {Grade::unsupported, Grade::error, Grade::unproved})
    for (const ptx::run::Finding& one : outcome.findings) {
      if (one.grade != grade) continue;
      return fmt::format("{}: {}", ptx::run::place_of(file, program.code[one.at.pc]), one.what);
    }
  return "its run does not end";
}

struct CountRun {
  Counts counts;
  RunMemory memory;
};

Result<CountRun> run_once(const CountRequest& request, const RunProgram& program,
                          const CountWords& words, std::uint32_t items) {
  PHASEBIT_TRY_ASSIGN(launch, request.launch(items));
  Counter counter(request.file, program, words, launch);
  ptx::run::RunOptions options;
  options.most_steps = most_steps * launch.ctas();
  options.watch = &counter;
  RunOutcome outcome = ptx::run::Machine(program, launch, options).run();
  if (!outcome.ended) return fail(Step::launch, "{}", why_not(request.file, program, outcome));
  return CountRun{counter.take(), std::move(outcome.memory)};
}

struct Seen {
  std::optional<std::uint64_t> changed;  // words of the results; nothing of a run that goes astray
  std::set<Answer> asked;
};

Seen words_changed(const CountRequest& request, const RunProgram& program, const CountWords& words,
                   const RunMemory& memory, Lie lie, std::optional<Answer> only = std::nullopt) {
  const auto launch = request.launch(request.items);
  if (!launch) return {};
  Liar liar(request.file, words, *launch, lie, std::move(only));
  ptx::run::RunOptions options;
  options.most_steps = most_steps * launch->ctas();
  options.watch = &liar;
  const RunOutcome outcome = ptx::run::Machine(program, *launch, options).run();
  if (!outcome.ended) return {std::nullopt, std::move(liar.asked)};
  std::uint64_t changed = 0;
  constexpr std::size_t record = sizeof(launch::SampleRecord) / 4;
  constexpr std::size_t errors = offsetof(launch::SampleRecord, phase_errors) / 4;
  for (std::size_t buffer = 0; buffer < memory.size(); ++buffer) {
    const bool is_record = launch->buffers[buffer].name == "samples";
    for (std::size_t n = 0; n < memory[buffer].size(); ++n)
      if (memory[buffer][n] != outcome.memory[buffer][n] &&
          (lie == Lie::answers ? is_record && n % record == errors : !is_record))
        ++changed;
  }
  return {changed, std::move(liar.asked)};
}

void count_seen(const CountRequest& request, const RunProgram& program, const CountWords& words,
                const RunMemory& memory, Counted& counted) {
  const auto note = [&](const Seen& seen, std::string what) {
    if (seen.changed)
      counted.counts[{Counting::results, Window::after, "", "", std::move(what)}] = {*seen.changed,
                                                                                     *seen.changed};
  };
  note(words_changed(request, program, words, memory, Lie::payload), std::string(seen_words));
  const Seen all = words_changed(request, program, words, memory, Lie::answers);
  note(all, std::string(seen_answers));
  // One answer of a barrier hides that another is not asked for.
  for (const Answer& one : all.asked)
    note(words_changed(request, program, words, memory, Lie::answers, one),
         fmt::format("{} where {} is {}", seen_answers, one.barriers.empty() ? "one" : one.barriers,
                     one.is));
  counted.lied = true;
}

}  // namespace

Counted count_executions(const CountRequest& request) {
  Counted counted;
  counted.items = request.items;
  const auto program = ptx::run::decode(request.file, request.entry);
  if (!program) {
    counted.why_not = program.error().message;
    return counted;
  }
  const CountWords words(request.file, *program, request.barriers);
  RunMemory memory;
  for (const bool twice : {false, true}) {
    auto run = run_once(request, *program, words, twice ? 2 * request.items : request.items);
    if (!run) {
      counted.why_not = run.error().message;
      counted.counts.clear();
      return counted;
    }
    for (const auto& [key, count] : run->counts)
      (twice ? counted.counts[key].twice : counted.counts[key].once) = count;
    if (!twice) memory = std::move(run->memory);
  }
  if (request.lies) count_seen(request, *program, words, memory, counted);
  return counted;
}

}  // namespace phasebit::protocol
