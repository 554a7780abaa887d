#include "gen/guard/wait_loops.h"

#include "core/isa/opcodes.h"
#include "core/ptx/flow/counts.h"
#include "core/ptx/flow/proof.h"
#include "core/ptx/flow/stuck.h"
#include "core/ptx/flow/values.h"
#include "gen/guard/polls.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::guard {

using isa::PtxFact;
using ptx::PtxFile;
using ptx::flow::PtxFlow;
using ptx::flow::PtxJump;
using ptx::flow::PtxLoop;
using ptx::flow::PtxName;

namespace {

using Statements = std::set<std::size_t>;

// Of one loop: numbers that are tried, each with its neighbours, and shifts of them.
constexpr std::size_t most_literals = 8, most_shifts = 3;

// Statements that are followed, in all tries of one loop; a large loop is tried with 0, 1, 3 and
// -1.
constexpr std::size_t most_followed = 20000, least_tries = 24;

bool leaves(const PtxLoop& loop, const PtxJump& jump) {
  if (jump.leaves || (jump.falls_to >= 0 && !loop.holds(jump.falls_to))) return true;
  return std::any_of(jump.targets.begin(), jump.targets.end(),
                     [&](int target) { return !loop.holds(target); });
}

enum class Counts {
  all,  // each bounds its loop
  own   // but those that go on only as the polls say
};

// One loop, and what decides its exits.
class LoopJudge {
 public:
  LoopJudge(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop, const Sources& sources,
            const ptx::flow::PtxOnce& once, const Statements& taken)
      : file_(file),
        flow_(flow),
        loop_(loop),
        sources_(sources),
        once_(once),
        steady_(file, flow, loop, [this](std::size_t i) { return changed_by_others(i); }) {
    for (const std::size_t i : statements_of(flow, loop)) {
      if (sources.poll(i) && !taken.contains(i)) strong_.insert(i);
      if (sources.writes(i)) writers_.push_back(i);
      if (sources.loads_weakly(i) && !taken.contains(i)) weak_.insert(i);
      if (is_own(i, PtxFact::load)) own_loads_.insert(i);
      if (is_own(i, PtxFact::store)) own_stores_.push_back(i);
      if (sources.calls_unknown(i) && !strong_.contains(i)) unknown_.insert(i);
    }
    can_leave_ = collect_exits();
    find_deadlines();
    std::erase_if(own_loads_, [&](std::size_t i) { return !steady_.operands(i); });
    std::erase_if(weak_, [&](std::size_t i) {
      return !looks_again(i) || (dispatches() && space_of(at(i)) == ".shared");
    });
  }

  std::optional<WaitLoop> wait(Counts counts) const {
    if (!can_leave_ || (strong_.empty() && weak_.empty())) return std::nullopt;
    if (!strong_.empty() && all_depend_on(strong_, false, counts))
      return made_of(strong_, echoes_of_polls());
    Statements unwritten = weak_;
    const Statements echoes = echoes_of_polls();
    std::erase_if(unwritten,
                  [&](std::size_t i) { return writer_of(i) != 0 && !echoes.contains(i); });
    unwritten.insert(echoes.begin(), echoes.end());
    if (unwritten.empty()) return std::nullopt;
    unwritten.insert(strong_.begin(), strong_.end());
    return all_depend_on(unwritten, true, counts) ? std::optional(made_of(unwritten, echoes))
                                                  : std::nullopt;
  }

  // Why it may be a wait all the same; "" where it is none.
  std::string doubt() const {
    if (exits_.empty()) return doubt_of_ends();
    if (!can_leave_) return {};
    Statements all = weak_;
    all.insert(strong_.begin(), strong_.end());
    if (!all.empty() && all_depend_on(all, true, Counts::own)) return doubt_of_writers();
    std::string exits = strong_.empty() ? std::string() : doubt_of_exits();
    if (exits.empty()) exits = doubt_of_calls(std::move(all));
    if (exits.empty()) exits = doubt_of_bounds();
    return exits.empty() ? doubt_of_rounds() : exits;
  }

 private:
  const ptx::PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  // Of local memory that is not followed like registers.
  bool is_own(std::size_t i, PtxFact fact) const {
    return is(at(i), fact) && is(at(i), PtxFact::local) && !flow_.locals.contains(i);
  }

  // At the same place in each turn, or not in a turn whose predicate says so.
  bool looks_again(std::size_t i) const {
    std::vector<PtxName> read = ptx::flow::read_by(file_, flow_, i);
    std::erase_if(read, [&](const PtxName& name) {
      return !at(i).guard.empty() && at(i).guard.ends_with(name.second) &&
             flow_.scopes.type_of(name.first, name.second) == ".pred";
    });
    return std::all_of(read.begin(), read.end(),
                       [&](const PtxName& name) { return steady_.name(name, i); });
  }

  // False where the loop has an exit that no branch decides, or none.
  bool collect_exits() {
    for (const PtxJump& jump : flow_.jumps) {
      if (!loop_.holds(jump.block) || !leaves(loop_, jump)) continue;
      if (jump.predicate.empty() && !jump.by_index) return false;
      exits_.push_back(jump);
    }
    return !exits_.empty();
  }

  // The first statement of the loop that may write what this one loads; 0: none.
  std::size_t writer_of(std::size_t load) const {
    for (const std::size_t i : writers_)
      if (sources_.calls(i) || may_meet(at(i), at(load))) return i;
    return 0;
  }

  // Warps that wait at a barrier for what they shall do next: the barrier is the wait, not the
  // number that is read after it.
  bool dispatches() const {
    const auto waits = [&](std::size_t i) {
      const auto barrier = uses_barrier(at(i));
      return barrier && barrier->waits;
    };
    const auto own = statements_of(flow_, loop_);
    return std::any_of(exits_.begin(), exits_.end(),
                       [](const PtxJump& exit) { return exit.by_index; }) &&
           std::any_of(own.begin(), own.end(), waits);
  }

  // Loads where the loop writes nothing but what it polled: one thread polls, all read; or a thread
  // keeps what it polled in a table of its own.
  Statements echoes_of_polls() const {
    if (strong_.empty()) return {};
    const auto polled = names_of([&](std::size_t i) { return strong_.contains(i); }, {});
    const auto stores_poll = [&](std::size_t i) {
      const auto read = ptx::flow::read_by(file_, flow_, i);
      return is(at(i), PtxFact::store) && !is(at(i), PtxFact::async) &&
             std::any_of(read.begin(), read.end(),
                         [&](const PtxName& name) { return polled.contains(name); });
    };
    Statements found;
    for (const std::size_t load : weak_) {
      const bool others = std::any_of(writers_.begin(), writers_.end(), [&](std::size_t i) {
        const bool meets = sources_.calls(i) || may_meet(at(i), at(load));
        return meets && !strong_.contains(i) && !stores_poll(i);
      });
      if (writer_of(load) != 0 && !others) found.insert(load);
    }
    if (!own_stores_.empty() && std::all_of(own_stores_.begin(), own_stores_.end(), stores_poll))
      found.insert(own_loads_.begin(), own_loads_.end());
    return found;
  }

  bool changed_by_others(std::size_t i) const {
    const bool load = sources_.loads_weakly(i) || polls(at(i)) == launch::WaitKind::flag;
    return load && !flow_.locals.contains(i) && writer_of(i) == 0;
  }

  bool is_poll(std::size_t i, const Statements& polls) const {
    return polls.contains(i) || sources_.poll(i).has_value();
  }

  std::set<PtxName> names_of(const std::function<bool(std::size_t)>& is_source,
                             const Statements& polls) const {
    return ptx::flow::dependent_on(file_, flow_, loop_, is_source,
                                   [&](std::size_t i) { return is_poll(i, polls); })
        .names;
  }

  bool reads(const PtxJump& exit, const std::set<PtxName>& names) const {
    return reads_any(exit.statement, names);
  }

  // What a value can be but news of a poll, the polls' operands aside: what a poll gives back is
  // news, whatever these depend on (a hint from a clock is not an exit by time).
  struct Bounds {
    std::set<PtxName> timed, foreign;
  };
  Bounds bounds_apart_from(const Statements& polls) const {
    const auto stops = [&](std::size_t i) { return is_poll(i, polls); };
    const auto is_timer = [&](std::size_t i) { return sources_.timer(i); };
    const auto is_foreign = [&](std::size_t i) {
      return !stops(i) && !flow_.locals.contains(i) && (loads(at(i)) || sources_.calls(i));
    };
    return {names_of(is_timer, polls), names_of(is_foreign, polls)};
  }

  // Which comparisons with a clock give up in time. Those with a time that the loop puts off do
  // not, nor does the sign of a clock.
  void find_deadlines() {
    const auto timed = bounds_apart_from(strong_).timed;
    if (timed.empty()) return;
    const auto hands_on = [&](std::size_t i) {
      return sources_.timer(i) || is(at(i), PtxFact::moves) ||
             at(i).name.find(".param") != std::string::npos;
    };
    auto clocks = names_of([&](std::size_t i) { return sources_.timer(i); }, strong_);
    const ptx::flow::PtxCounts counts(
        file_, flow_, loop_, names(), [&](std::size_t i) { return is_poll(i, strong_); }, nullptr);
    std::vector<std::size_t> comparisons;
    for (const std::size_t i : statements_of(flow_, loop_)) {
      if (is(at(i), PtxFact::compares) && at(i).operands.size() > 2 && names().deciding.contains(i))
        comparisons.push_back(i);
      if (!hands_on(i))
        for (const PtxName& name : ptx::flow::written_by(file_, flow_, i)) clocks.erase(name);
    }
    for (const std::size_t i : comparisons)
      for (const std::size_t side : {1U, 2U}) {
        const PtxName clock = name_at(i, side), limit = name_at(i, 3 - side);
        if (!timed.contains(clock)) continue;
        const bool number = ptx::flow::literal_number(limit.second).has_value();
        const bool put_off = number ? clocks.contains(clock) : counts.decides(i, limit);
        (put_off ? put_off_ : deadlines_).insert(i);
      }
  }

  bool times_out(const PtxJump& exit, const Bounds& bounds) const {
    return reads(exit, bounds.timed) && (put_off_.empty() || !deadlines_.empty());
  }

  PtxName name_at(std::size_t i, std::size_t operand) const {
    return flow_.name_at(i, at(i).operand(operand));
  }

  // What the polls may give back for good: each number that the loop compares or masks what it
  // polled with, those next to it, and it before a shift.
  std::vector<ptx::flow::PtxPolled> stuck_polls(const Statements& polls) const {
    const auto polled = names_of([&](std::size_t i) { return is_poll(i, polls); }, {});
    std::set<long> literals, shifts;
    bool floats = false, predicates = false, compares = false;
    for (const std::size_t i : statements_of(flow_, loop_)) {
      predicates =
          predicates || is(at(i), PtxFact::phase) || (is_poll(i, polls) && sources_.calls(i));
      if (!names().deciding.contains(i) || !reads_any(i, polled)) continue;
      const bool setp = is(at(i), PtxFact::compares);
      compares = compares || (setp && at(i).operands.size() > 2 &&
                              !ptx::flow::literal_number(at(i).operand(1)) &&
                              !ptx::flow::literal_number(at(i).operand(2)));
      floats = floats || (setp && at(i).name.find(".f") != std::string::npos);
      predicates = predicates || is(at(i), PtxFact::votes) ||
                   (!setp && !at(i).operands.empty() &&
                    at(i).operands.front().find('|') != std::string::npos);
      for (const std::string& operand : at(i).operands)
        if (const auto number = ptx::flow::literal_number(operand))
          (is(at(i), PtxFact::shifts) ? shifts : literals).insert(*number);
    }
    std::vector<long> numbers = {0, -1, 1, 3};
    const auto add = [&](long number) {
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
        numbers.push_back(number);
    };
    for (const long literal : first_of(literals, most_literals)) {
      for (const long near : {literal, literal - 1, literal + 1}) add(near);
      for (const long shift : first_of(shifts, most_shifts))
        add(static_cast<long>(static_cast<unsigned long>(literal) << (shift & 63)));
    }
    std::vector<ptx::flow::PtxPolled> found;
    for (const long number : numbers)
      for (const bool predicate : {false, true})
        for (const int order : {-1, 0, 1, 2})
          if ((predicates || !predicate) && (floats || order == 0 || (compares && order != 2)))
            found.push_back({number, predicate, order});
    const std::size_t most = std::max(least_tries, most_followed / names().deciding.size());
    if (found.size() > most) found.resize(most);
    return found;
  }

  static std::vector<long> first_of(const std::set<long>& numbers, std::size_t most) {
    std::vector<long> found(numbers.begin(), numbers.end());
    if (found.size() > most) found.resize(most);
    return found;
  }

  const ptx::flow::PtxLoopNames& names() const {
    if (!names_) names_.emplace(file_, flow_, loop_);
    return *names_;
  }

  bool reads_any(std::size_t i, const std::set<PtxName>& names) const {
    const auto read = ptx::flow::read_by(file_, flow_, i);
    return std::any_of(read.begin(), read.end(),
                       [&](const PtxName& name) { return names.contains(name); });
  }

  // Whether one of the exits goes by a count, whatever the polls give back: by one that each turn
  // moves one way. One that goes on only when a poll says so, or by as much as it says, is as stuck
  // as the poll.
  bool counts_out(const std::vector<PtxJump>& exits, const Statements& polls, Counts counts) const {
    const auto is_poll = [&](std::size_t i) { return this->is_poll(i, polls); };
    const auto stops = [&](std::size_t i) { return is_poll(i) || put_off_.contains(i); };
    const auto by = [&](const ptx::flow::PtxCounts& counted, const ptx::flow::PtxStuck* stuck) {
      return std::any_of(exits.begin(), exits.end(), [&](const PtxJump& exit) {
        return (stuck == nullptr || stuck->runs_statement(exit.statement)) &&
               counted.decide(exit.statement);
      });
    };
    if (!by({file_, flow_, loop_, names(), stops, nullptr}, nullptr)) return false;
    if (counts == Counts::all || counts_out_anyway(exits, polls)) return true;
    return each_time_stuck(polls, true, stops, by,
                           [](const ptx::flow::PtxStuck&) { return false; });
  }

  // Whatever the polls give back, while they stay as they are: the loop ends, or its counts end it,
  // or what `settled` says when they are all known. `later`: after the first turns.
  template <typename Stops, typename ByCounts, typename Settled>
  bool each_time_stuck(const Statements& polls, bool later, const Stops& stops,
                       const ByCounts& by_counts, const Settled& settled) const {
    const auto is_poll = [&](std::size_t i) { return this->is_poll(i, polls); };
    auto stuck_at = stuck_polls(polls);
    for (ptx::flow::PtxPolled& polled : stuck_at) polled.later = later;
    return std::all_of(stuck_at.begin(), stuck_at.end(), [&](const auto& polled) {
      // A count that goes on moves what a poll is compared with, and that may move other counts.
      for (std::set<PtxName> moving;;) {
        const ptx::flow::PtxStuck stuck(file_, flow_, loop_, names(), is_poll, polled, moving);
        const ptx::flow::PtxCounts counted(file_, flow_, loop_, names(), stops, &stuck);
        if (!stuck.goes_round() || by_counts(counted, &stuck)) return true;
        const std::size_t before = moving.size();
        add_compared_counts(stuck, counted, moving);
        if (moving.size() == before) return settled(stuck);
      }
    });
  }

  // Each turn comes by one of the exits, and counts there, and no poll has a say in that.
  bool counts_out_anyway(const std::vector<PtxJump>& exits, const Statements& polls) const {
    const auto stops = [&](std::size_t i) { return is_poll(i, polls); };
    const auto polled =
        ptx::flow::dependent_on(file_, flow_, loop_, stops, [](std::size_t) { return false; });
    const ptx::flow::PtxStuck any(file_, flow_, loop_, names(), stops, {0, false, 0, false}, {});
    const auto ends = [&](std::size_t i) { return stops(i) || put_off_.contains(i); };
    const ptx::flow::PtxCounts counted(file_, flow_, loop_, names(), ends, &any);
    return std::any_of(exits.begin(), exits.end(), [&](const PtxJump& exit) {
      return !polled.blocks.contains(exit.block) && !reads(exit, polled.names) &&
             counted.decide(exit.statement, ptx::flow::PtxCounts::Moves::each_turn);
    });
  }

  void add_compared_counts(const ptx::flow::PtxStuck& stuck, const ptx::flow::PtxCounts& counted,
                           std::set<PtxName>& moving) const {
    for (const std::size_t i : statements_of(flow_, loop_)) {
      if (!is(at(i), PtxFact::compares) || !names().deciding.contains(i) ||
          !stuck.runs_statement(i))
        continue;
      for (const PtxName& name : names().reads.at(i))
        if (!moving.contains(name) && !stuck.number(name) && counted.decides(i, name))
          moving.insert(name);
    }
  }

  // Each exit but those that nothing in the loop changes; `alone`: on nothing else that changes.
  bool all_depend_on(const Statements& polls, bool alone, Counts counts) const {
    const auto polled = ptx::flow::dependent_on(
        file_, flow_, loop_, [&](std::size_t i) { return polls.contains(i); },
        [](std::size_t) { return false; });
    std::vector<PtxJump> deciding = exits_;
    std::erase_if(deciding, [&](const PtxJump& exit) {
      return steady_.operands(exit.statement) && !reads(exit, polled.names);
    });
    for (const PtxJump& exit : deciding)
      if (!reads(exit, polled.names)) return false;
    if (deciding.empty()) return false;
    const Bounds bounds = bounds_apart_from(polls);
    const bool bounded = std::any_of(deciding.begin(), deciding.end(), [&](const PtxJump& exit) {
      return times_out(exit, bounds) || (alone && reads(exit, bounds.foreign));
    });
    return !bounded && !counts_out(deciding, polls, counts);
  }

  WaitLoop made_of(const Statements& polls, const Statements& echoes) const {
    WaitLoop made{loop_, {}, exits_};
    for (const std::size_t i : polls)
      if (!echoes.contains(i))
        made.polls.push_back(
            {i, sources_.poll(i).value_or(sources_.calls(i) ? launch::WaitKind::call
                                                            : launch::WaitKind::flag)});
    for (const std::size_t i : echoes) made.polls.push_back({i, launch::WaitKind::flag, true});
    return made;
  }

  std::string line_of(std::size_t i) const {
    return fmt::format("'{}' on line {}", at(i).name, file_.statements[i].line);
  }

  std::string doubt_of_writers() const {
    for (const std::size_t load : weak_)
      if (const std::size_t writer = writer_of(load); writer != 0)
        return fmt::format(
            "the loop leaves by a value that it loads; not guarded because {} may change that "
            "value",
            line_of(writer));
    return {};
  }

  // The polls, and the loads at places that change.
  Statements polls_and_tables() const {
    Statements found = strong_;
    for (const std::size_t i : statements_of(flow_, loop_)) {
      const std::string space = space_of(at(i));
      if (is(at(i), PtxFact::load) && space != ".param" && space != ".local" &&
          !flow_.locals.contains(i) && !steady_.operands(i))
        found.insert(i);
    }
    return found;
  }

  // It polls, and leaves by something else as well, of which nothing shows that it bounds it.
  std::string doubt_of_exits() const {
    const Bounds bounds = bounds_apart_from(strong_);
    const auto polled = names_of([&](std::size_t i) { return strong_.contains(i); }, strong_);
    const PtxJump* other = nullptr;
    bool polls = false;
    for (const PtxJump& exit : exits_) {
      const bool news = reads(exit, polled), foreign = reads(exit, bounds.foreign),
                 timed = times_out(exit, bounds),
                 counted = counts_out({exit}, strong_, Counts::own);
      // From row to row of a table, as the polls say: it may come back to the row where it was.
      const bool walks = news && counted && !counts_out({exit}, polls_and_tables(), Counts::own);
      if (!foreign && !walks && (counted || timed)) return {};
      polls = polls || walks || (news && !foreign);
      // Round and round, to and fro: what changes there may never come to where it leaves.
      const bool wanders = !news && !steady_.operands(exit.statement);
      if (foreign || walks || wanders) other = &exit;
    }
    if (!polls || other == nullptr) return {};
    return fmt::format(
        "the loop polls, and leaves by something else too; not guarded because nothing shows what "
        "decides {}",
        line_of(other->statement));
  }

  // It polls, and what else decides its exits is not a proved bound.
  std::string doubt_of_bounds() const {
    Statements asked = strong_;
    for (const std::size_t i : statements_of(flow_, loop_))
      if (may_poll(at(i))) asked.insert(i);
    if (asked.empty()) return {};
    const auto polled = ptx::flow::dependent_on(
        file_, flow_, loop_, [&](std::size_t i) { return asked.contains(i); },
        [&](std::size_t i) { return sources_.poll(i) && !strong_.contains(i); });
    const bool asks = std::any_of(exits_.begin(), exits_.end(),
                                  [&](const PtxJump& exit) { return reads(exit, polled.names); });
    if (!asks || is_bounded()) return {};
    return fmt::format(
        "the loop looks at {} again and again; not guarded because nothing shows what ends it, and "
        "no count or clock is sure to",
        line_of(*asked.begin()));
  }

  // It loads from places that come round.
  std::string doubt_of_rounds() const {
    const auto load = round_load(file_, flow_, loop_, names(), sources_, steady_, once_, exits_);
    if (!load) return {};
    return fmt::format("the loop looks at {} again and again; not guarded because {}",
                       line_of(load->statement),
                       load->may_stay ? "what its place goes on by may be 0"
                                      : "the places that it loads from come round");
  }

  // It has no exit but in what it calls.
  std::string doubt_of_ends() const {
    for (const std::size_t i : statements_of(flow_, loop_))
      if (sources_.ends(i))
        return fmt::format(
            "the loop has no exit; not guarded because {} ends the thread as a poll "
            "says",
            line_of(i));
    return {};
  }

  // Whatever the polls give back, while they stay as they are, an exit comes by a count or a clock.
  bool is_bounded() const {
    const auto is_poll = [&](std::size_t i) { return this->is_poll(i, strong_); };
    const auto is_clock = [&](std::size_t i) { return sources_.timer(i) && !is_poll(i); };
    const auto no_count = [](const auto&, const auto*) { return false; };
    return each_time_stuck(
        strong_, false, is_poll, no_count, [&](const ptx::flow::PtxStuck& stuck) {
          const ptx::flow::PtxProof proof(file_, flow_, loop_, names(), steady_, once_, stuck,
                                          is_poll, is_clock);
          return std::any_of(flow_.jumps.begin(), flow_.jumps.end(), [&](const PtxJump& jump) {
            return loop_.holds(jump.block) && proof.ends_by(jump);
          });
        });
  }

  // A function that this text does not have, or that only a register names, may poll.
  std::string doubt_of_calls(Statements all) const {
    if (unknown_.empty()) return {};
    all.insert(unknown_.begin(), unknown_.end());
    if (!all_depend_on(all, true, Counts::own)) return {};
    return fmt::format(
        "the loop leaves by what a function gives back; not guarded because nothing shows what {} "
        "calls",
        line_of(*unknown_.begin()));
  }

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  const Sources& sources_;
  const ptx::flow::PtxOnce& once_;
  ptx::flow::PtxSteady steady_;
  Statements strong_, weak_, unknown_, own_loads_;  // own: of tables that are not followed
  Statements deadlines_, put_off_;
  mutable std::optional<ptx::flow::PtxLoopNames> names_;  // where it is followed
  std::vector<std::size_t> writers_, own_stores_;
  std::vector<PtxJump> exits_;
  bool can_leave_ = false;
};

}  // namespace

FoundLoops wait_loops_of(const PtxFile& file, const PtxFlow& flow, const CallSummaries& summaries) {
  const Sources sources(file, flow, summaries);
  const ptx::flow::PtxOnce once(file, flow);
  FoundLoops found;
  Statements taken;  // polls of wait loops found so far
  for (const PtxLoop& loop : ptx::flow::loops_of(flow)) {
    const LoopJudge judge(file, flow, loop, sources, once, taken);
    std::optional<WaitLoop> wait;
    for (const Counts counts : {Counts::all, Counts::own}) {
      if (!wait) wait = judge.wait(counts);
      // A wait at the beginning of a loop that does more has its head in common with that.
      if (!wait)
        for (const PtxLoop& within : ptx::flow::loops_within(flow, loop))
          if ((wait = LoopJudge(file, flow, within, sources, once, taken).wait(counts))) break;
    }
    if (wait) {
      for (const Poll& poll : wait->polls) taken.insert(poll.statement);
      found.waits.push_back(std::move(*wait));
    } else if (std::string why = judge.doubt(); !why.empty()) {
      const auto header = static_cast<std::size_t>(loop.header);
      found.unbound.push_back({flow.blocks[header].statements.front(), std::move(why)});
    }
  }
  for (const std::size_t statement : ptx::flow::second_entries_of(flow))
    found.unbound.push_back({statement,
                             "the loop has two entries; not guarded because it has no one place "
                             "that each turn passes"});
  return found;
}

std::vector<std::pair<std::size_t, std::string>> comparisons_of(const PtxFile& file,
                                                                const PtxFlow& flow,
                                                                const PtxLoop& loop,
                                                                std::size_t poll) {
  std::vector<std::pair<std::size_t, std::string>> found;
  const auto values = ptx::flow::written_by(file, flow, poll);
  for (const std::size_t i : statements_of(flow, loop)) {
    const ptx::PtxStatement& statement = file.statements[i].parsed;
    if (!is(statement, PtxFact::compares) || statement.operands.size() < 3) continue;
    for (const int side : {1, 2}) {
      const std::string& mine = statement.operand(static_cast<std::size_t>(side));
      if (std::find(values.begin(), values.end(), flow.name_at(i, mine)) != values.end())
        found.emplace_back(i, statement.operand(static_cast<std::size_t>(3 - side)));
    }
  }
  return found;
}

}  // namespace phasebit::guard
