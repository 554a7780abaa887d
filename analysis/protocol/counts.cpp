#include "analysis/protocol/counts.h"

#include "analysis/protocol/count_words.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::run::Grade;
using ptx::run::Instruction;
using ptx::run::Mask;
using ptx::run::Op;
using ptx::run::RunOutcome;
using ptx::run::RunProgram;
using ptx::run::Warp;

namespace {

constexpr std::uint64_t most_steps = 1'000'000;
constexpr std::size_t windows = 3;

using Counts = std::map<CountKey, std::uint64_t>;

// Counts one run.
class Counter : public ptx::run::RunWatch {
 public:
  Counter(const ptx::PtxFile& file, const RunProgram& program, const CountWords& words,
          std::size_t threads)
      : file_(file), program_(program), words_(words), lanes_(program.code.size()) {
    state_.resize(threads, Window::before);
  }

  void executed(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) override {
    if (one.op == Op::clock) read_clock(warp, one, lanes);
    ptx::run::each_group(
        lanes, [&](int first, int lane) { return state_of(warp, lane) == state_of(warp, first); },
        [&](int first, Mask same) { count(warp, one, pc, same, state_of(warp, first)); });
  }

  Counts take() {
    for (std::size_t pc = 0; pc < lanes_.size(); ++pc)
      for (std::size_t n = 0; n < windows; ++n)
        if (lanes_[pc][n] != 0) add_statement(program_.code[pc], static_cast<Window>(n), pc);
    return std::move(counts_);
  }

 private:
  Window& state_of(const Warp& warp, int lane) {
    const int thread = warp.first_thread + lane;
    return state_[static_cast<std::size_t>(thread)];
  }

  const ptx::PtxHeading* heading_of(const Instruction& one) const {
    const int heading = file_.statements[one.statement].heading;
    return heading < 0 ? nullptr : &file_.headings[static_cast<std::size_t>(heading)];
  }

  CountKey key_of(const Instruction& one, Counting counting, Window window,
                  std::string what) const {
    const ptx::PtxHeading* heading = heading_of(one);
    if (heading == nullptr) return {counting, window, "", "", std::move(what)};
    return {counting, window, heading->verb, heading->role, std::move(what)};
  }

  void read_clock(const Warp& warp, const Instruction& one, Mask lanes) {
    const ptx::PtxHeading* heading = heading_of(one);
    if (heading == nullptr) return;
    if (heading->verb != "clock_start" && heading->verb != "clock_end") return;
    const Window now = heading->verb == "clock_start" ? Window::inside : Window::after;
    ptx::run::each_lane(lanes, [&](int lane) { state_of(warp, lane) = now; });
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
    std::uint64_t places = 0;
    bool has_places = false;
    ptx::run::each_lane(lanes, [&](int lane) {
      const auto place = words_.places(warp, one, lane);
      has_places = has_places || place.has_value();
      places += place.value_or(0);
    });
    if (has_places) add(one, Counting::places, window, words_.statement(warp, one, 0), places);
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
  std::vector<Window> state_;
  std::vector<std::array<std::uint64_t, windows>> lanes_;  // by instruction
  Counts counts_;
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

Result<Counts> run_once(const CountRequest& request, const RunProgram& program,
                        const CountWords& words, std::uint32_t items) {
  PHASEBIT_TRY_ASSIGN(launch, request.launch(items));
  const int threads = launch.ctas() * launch.warps() * ptx::run::lanes_of_warp;
  Counter counter(request.file, program, words, static_cast<std::size_t>(threads));
  ptx::run::RunOptions options;
  options.most_steps = most_steps;
  options.watch = &counter;
  const RunOutcome outcome = ptx::run::Machine(program, launch, options).run();
  if (!outcome.ended) return fail(Step::launch, "{}", why_not(request.file, program, outcome));
  return counter.take();
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
  for (const bool twice : {false, true}) {
    const auto counts =
        run_once(request, *program, words, twice ? 2 * request.items : request.items);
    if (!counts) {
      counted.why_not = counts.error().message;
      counted.counts.clear();
      return counted;
    }
    for (const auto& [key, count] : *counts)
      (twice ? counted.counts[key].twice : counted.counts[key].once) = count;
  }
  return counted;
}

}  // namespace phasebit::protocol
