#include "gen/guard/function_guard.h"

#include "core/isa/opcodes.h"
#include "core/ptx/flow/values.h"
#include "gen/guard/helpers.h"
#include "gen/guard/insertions.h"
#include "gen/guard/registers.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::guard {

namespace {

using Part = ptx::PtxStatement::Part;
using Lines = std::vector<std::string>;

// A wait that lasts less is not looked at: most end in a few hundred.
constexpr int quiet_ns = 65536;

class FunctionGuard {
 public:
  FunctionGuard(GuardJob& job, const ptx::PtxFunction& function)
      : job_(job), function_(function), flow_(ptx::flow::flow_of(job.file, function)) {}

  void run() {
    note_what_is_not_understood();
    const auto [waits, unbound] = wait_loops_of(job_.file, flow_, job_.summaries);
    for (const WaitLoop& wait : waits)
      blocks_of_waits_.insert(wait.loop.blocks.begin(), wait.loop.blocks.end());
    for (const UnboundLoop& one : unbound) note(one.statement, one.why);
    if (const auto again = polled_recursion(job_.file, function_, flow_, job_.summaries))
      note(*again,
           fmt::format("'{}' calls itself as a poll says; not guarded because it is not a loop",
                       function_.name));
    for (const WaitLoop& wait : waits) {
      // A thread is in one wait at a time, but for waits within waits: these have registers of
      // their own, all others share them.
      depth_ = std::count_if(waits.begin(), waits.end(), [&](const WaitLoop& other) {
        return other.loop.header != wait.loop.header && other.loop.holds(wait.loop.header);
      });
      depths_ = std::max(depths_, depth_ + 1);
      bound(wait);
    }
    bool falls_off = function_.entry;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      const ptx::PtxStatement& statement = at(i);
      if (statement.part != Part::instruction) continue;
      falls_off = function_.entry && (!leaves(statement) || !statement.guard.empty());
      take(i);
    }
    if (falls_off && job_.counts_exits)
      job_.insertions.before(function_.close, {call("", "pb_guard_exit", "pbg_base")});
    if (uses_base_) declare();
  }

 private:
  const ptx::PtxStatement& at(std::size_t i) const { return job_.file.statements[i].parsed; }
  bool leaves(const ptx::PtxStatement& statement) const {
    return is(statement, isa::PtxFact::exits) ||
           (function_.entry && is(statement, isa::PtxFact::returns));
  }

  std::string call(const std::string& guard, const char* name, const std::string& arguments) {
    uses_base_ = true;
    return fmt::format("{}call {}, ({});", guard.empty() ? "" : guard + " ", name, arguments);
  }

  // The register that holds the item of the role that the heading of `statement` names, where it
  // can be read at `reader`; "" where the head does not say so.
  std::string item_at(std::size_t reader, std::size_t statement) const {
    const std::string item = job_.item_register(function_.name, statement);
    return flow_.scopes.declaring(flow_.scopes.of(reader), item) < 0 ? std::string() : item;
  }

  // The call with the item as its last argument; all bits of it where it is not known.
  Lines call_with_item(std::size_t i, const std::string& item, const std::string& guard,
                       const char* name, const std::string& arguments) {
    const Lines taken = capture_value(flow_.scopes, flow_.scopes.of(i), item, "pbg_item", guard);
    if (item.empty() || taken.empty())
      return {call(guard, name, arguments + ", 0xffffffffffffffff")};
    Lines lines = {"{", ".reg .b64 pbg_item;"};
    lines.insert(lines.end(), taken.begin(), taken.end());
    lines.push_back(call(guard, name, arguments + ", pbg_item"));
    lines.emplace_back("}");
    return lines;
  }

  void note_what_is_not_understood() {
    for (const std::size_t i : flow_.not_understood)
      note(i, fmt::format("'{}' is kept, and not understood: a wait around it may not be bounded",
                          ptx::plain_text(job_.file.statements[i].text)));
  }

  void note(std::size_t statement, const std::string& text) {
    job_.notes.push_back(
        fmt::format("{}: {}", job_.file.place(job_.file.statements[statement]), text));
  }

  std::uint32_t add_site(std::size_t statement, launch::WaitKind kind, std::string operand,
                         std::string address) {
    return job_.add_site({0,
                          kind,
                          function_.name,
                          {},
                          0,
                          {},
                          {},
                          {},
                          std::move(operand),
                          std::move(address),
                          {},
                          item_at(statement, statement)},
                         statement);
  }

  void take(std::size_t i) {
    const ptx::PtxStatement& statement = at(i);
    if (const auto barrier = uses_barrier(statement)) count_in(i, *barrier);
    const ClusterUse cluster = uses_cluster_barrier(statement);
    if (cluster != ClusterUse::none) count_in_cluster(i, cluster);
    if (is(statement, isa::PtxFact::unseen)) leave_crumbs(i);
    if (is(statement, isa::PtxFact::registers)) count_registers(i);
    if (job_.counts_exits && leaves(statement))
      job_.insertions.before(i, {call(statement.guard, "pb_guard_exit", "pbg_base")});
  }

  // A turn of a loop that waits is not progress, and so no barrier is that each turn passes.
  std::uint32_t barrier_site(std::size_t i, launch::WaitKind kind, const std::string& id,
                             const std::string& count) {
    const bool turns = blocks_of_waits_.contains(flow_.block_of(i));
    return add_site(i, kind, id, count) | (turns ? guard_no_progress : 0);
  }

  void count_in(std::size_t i, const BarrierUse& use) {
    const std::uint32_t number =
        use.waits ? barrier_site(i, launch::WaitKind::barrier, use.id, use.count) : 0;
    // Lanes that come apart would count 32 each: they may not, and need only be brought together.
    if (use.aligned && !use.count.empty())
      job_.insertions.before(
          i, {at(i).guard + (at(i).guard.empty() ? "" : " ") + "bar.warp.sync 0xffffffff;"});
    job_.insertions.before(
        i, call_with_item(i, item_at(i, i), at(i).guard, "pb_guard_barrier",
                          fmt::format("pbg_base, {}, {}, {}, {}", number, use.id,
                                      use.count.empty() ? "0" : use.count, use.waits ? 1 : 0)));
  }

  void count_in_cluster(std::size_t i, ClusterUse use) {
    uses_cluster_ = true;
    const std::string& guard = at(i).guard;
    if (use == ClusterUse::arrive) {
      uses_base_ = true;
      job_.insertions.before(
          i, {fmt::format("{}call (pbg_phase), pb_guard_cluster_arrive, (pbg_base);",
                          guard.empty() ? "" : guard + " ")});
      return;
    }
    const std::uint32_t number = barrier_site(i, launch::WaitKind::cluster_barrier, {}, {});
    job_.insertions.before(i, call_with_item(i, item_at(i, i), guard, "pb_guard_cluster_wait",
                                             fmt::format("pbg_base, {}, pbg_phase", number)));
  }

  // Counted in place of the instruction: with what the guard needs, ptxas drops it or gives up.
  void count_registers(std::size_t i) {
    job_.insertions.remove(i);
    const auto begin = job_.registers_at_begin.find(function_.name);
    if (begin == job_.registers_at_begin.end() || at(i).operands.empty())
      return note(i, fmt::format("{}: not guarded because the text does not say with how many "
                                 "registers a warp begins (.maxnreg, or .maxntid and "
                                 ".minnctapersm; --launch FILE of `phasebit capture` says it too)",
                                 at(i).name));
    const std::string& count = at(i).operands.front();
    const std::uint32_t number =
        is(at(i), isa::PtxFact::takes) ? add_site(i, launch::WaitKind::registers, count, {}) : 0;
    job_.insertions.before(
        i, call_with_item(i, item_at(i, i), at(i).guard, "pb_guard_registers",
                          fmt::format("pbg_base, {}, {}, {}", number, begin->second, count)));
  }

  void leave_crumbs(std::size_t i) {
    const ptx::PtxStatement& statement = at(i);
    const std::string operand = statement.operands.empty() ? "" : statement.operands.front();
    const std::uint32_t number = add_site(i, launch::WaitKind::unknown, operand, {});
    job_.insertions.before(
        i, {call(statement.guard, "pb_guard_crumb", fmt::format("pbg_base, {}", number))});
    job_.insertions.after(i, {call(statement.guard, "pb_guard_crumb", "pbg_base, 0")});
  }

  void bound(const WaitLoop& wait) {
    const Poll& first = wait.polls.front();
    const ptx::PtxStatement& poll = at(first.statement);
    const bool barrier =
        first.kind == launch::WaitKind::parity || first.kind == launch::WaitKind::state;
    const std::string address = poll.operand(1);
    const std::uint32_t number =
        add_site(first.statement, first.kind,
                 barrier && poll.operands.size() > 2 ? poll.operand(2) : compared_with(wait),
                 address.starts_with('[') ? address.substr(1, address.size() - 2) : "");
    // All polls of the loop are of one kind, or the word is not read.
    const bool near =
        barrier && std::all_of(wait.polls.begin(), wait.polls.end(), [&](auto& one) {
          return one.kind == launch::WaitKind::parity || one.kind == launch::WaitKind::state;
        });
    look(wait, number, near);
    for (const Poll& one : wait.polls) capture(wait, one);
    for (const ptx::flow::PtxJump& exit : wait.exits) end_wait(wait, exit);
  }

  static std::string named(const char* what, std::ptrdiff_t depth) {
    return fmt::format("pbg_{}_{}", what, depth);
  }
  std::string named(const char* what) const { return named(what, depth_); }

  // At the loop's head, which every lane of it passes: since when, and whether too long.
  void look(const WaitLoop& wait, std::uint32_t number, bool reads_word) {
    const std::string since = named("since"), value = named("value");
    Lines lines = {"{", ".reg .pred pbg_do;", ".reg .b64 pbg_now;",
                   "mov.u64 pbg_now, %globaltimer;"};
    // Another value than at the last look is progress, of the grid: a counter that is worked off is
    // not a hang, a loop that passes phase after phase is none, and threads that only hear of the
    // poll wait with it.
    lines.push_back(fmt::format("setp.ne.b64 pbg_do, {}, {};", value, named("seen")));
    lines.emplace_back("@pbg_do st.volatile.global.u64 [pbg_base], pbg_now;");
    lines.push_back(fmt::format("setp.eq.or.u64 pbg_do, {}, 0, pbg_do;", since));
    lines.push_back(fmt::format("@pbg_do mov.u64 {}, pbg_now;", since));
    lines.push_back(fmt::format("@pbg_do mov.b64 {}, {};", named("seen"), value));
    lines.push_back(fmt::format("sub.u64 pbg_now, pbg_now, {};", since));
    lines.push_back(fmt::format("setp.gt.u64 pbg_do, pbg_now, {};", quiet_ns));
    const auto& header = flow_.blocks[static_cast<std::size_t>(wait.loop.header)].statements;
    const std::string item = item_at(header.front(), wait.polls.front().statement);
    for (std::string& line :
         call_with_item(header.front(), item, "@pbg_do", "pb_guard_look",
                        fmt::format("pbg_base, {}, {}, {}, {}, {}",
                                    number | (reads_word ? guard_reads_word : 0), since,
                                    named("operand"), value, named("address"))))
      lines.push_back(std::move(line));
    lines.emplace_back("}");
    for (const std::size_t i : header)
      if (at(i).part == Part::instruction) return job_.insertions.before(i, std::move(lines));
    job_.insertions.after(header.back(), std::move(lines));
  }

  // What the report says of the poll: address and operand before it, the value after it.
  void capture(const WaitLoop& wait, const Poll& poll) {
    const ptx::PtxStatement& statement = at(poll.statement);
    const int scope = flow_.scopes.of(poll.statement);
    const std::string& guard = statement.guard;
    if (poll.kind == launch::WaitKind::call) {
      const ptx::PtxCall made = ptx::call_of(statement);
      if (made.results.size() == 1)
        job_.insertions.after(
            poll.statement,
            capture_value(flow_.scopes, scope, made.results.front(), named("value"), guard));
      return;
    }
    // Whose poll it is has the address; a thread that only reads of it has the value.
    if (statement.operands.size() > 1 && !poll.echo) {
      const bool generic = space_of(statement).empty();
      Lines address =
          capture_address(flow_.scopes, scope, statement.operand(1), named("address"), guard);
      const bool barrier =
          poll.kind == launch::WaitKind::parity || poll.kind == launch::WaitKind::state;
      if (generic && barrier && !address.empty())
        address.push_back(fmt::format("{0}cvta.to.shared.u64 {1}, {1};",
                                      guard.empty() ? "" : guard + " ", named("address")));
      job_.insertions.before(poll.statement, std::move(address));
      if (barrier && statement.operands.size() > 2)
        job_.insertions.before(
            poll.statement,
            capture_value(flow_.scopes, scope, statement.operand(2), named("operand"), guard));
    }
    job_.insertions.after(
        poll.statement,
        capture_value(flow_.scopes, scope, statement.operands.front(), named("value"), guard));
    capture_comparison(wait, poll);
  }

  // What a flag is compared with: the other operand of the setp that reads its value.
  void capture_comparison(const WaitLoop& wait, const Poll& poll) {
    if (poll.kind != launch::WaitKind::flag && poll.kind != launch::WaitKind::atomic) return;
    for (const auto& [i, operand] : comparisons_of(job_.file, flow_, wait.loop, poll.statement))
      job_.insertions.after(i, capture_value(flow_.scopes, flow_.scopes.of(i), operand,
                                             named("operand"), at(i).guard));
  }

  std::string compared_with(const WaitLoop& wait) const {
    const auto found = comparisons_of(job_.file, flow_, wait.loop, wait.polls.front().statement);
    return found.empty() ? std::string() : found.front().second;
  }

  void end_wait(const WaitLoop& wait, const ptx::flow::PtxJump& exit) {
    WaitEnd end = end_of_wait(job_.file, wait.loop, exit, named("since"));
    job_.insertions.before(exit.statement, std::move(end.before));
    job_.insertions.after(exit.statement, std::move(end.after));
  }

  // Registers, before everything else in the function.
  void declare() {
    Lines lines = {".reg .b64 pbg_base;",
                   "{",
                   ".reg .pred pbg_none;",
                   fmt::format("ld.global.u64 pbg_base, [{}];", launch::guard_variable),
                   "setp.eq.u64 pbg_none, pbg_base, 0;",
                   "@pbg_none mov.u64 pbg_base, pb_guard_own;",
                   "}"};
    if (uses_cluster_) {
      lines.emplace_back(".reg .b32 pbg_phase;");
      lines.emplace_back("mov.u32 pbg_phase, 0xffffffff;");
    }
    for (std::ptrdiff_t depth = 0; depth < depths_; ++depth)
      for (const char* what : {"since", "operand", "value", "seen", "address"}) {
        lines.push_back(fmt::format(".reg .b64 {};", named(what, depth)));
        lines.push_back(fmt::format("mov.u64 {}, 0;", named(what, depth)));
      }
    job_.insertions.after(function_.open, std::move(lines));
  }

  GuardJob& job_;
  const ptx::PtxFunction& function_;
  ptx::flow::PtxFlow flow_;
  std::set<int> blocks_of_waits_;
  std::ptrdiff_t depth_ = 0, depths_ = 0;
  bool uses_base_ = false, uses_cluster_ = false;
};

}  // namespace

void guard_function(GuardJob& job, const ptx::PtxFunction& function) {
  FunctionGuard(job, function).run();
}

void GuardJob::find_callers() {
  constexpr std::size_t most = 3;
  std::map<std::string, std::vector<std::string>> places;
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const std::string callee = ptx::call_of(file.statements[i].parsed).callee;
    if (callee.empty()) continue;
    const auto& source = sources[i];
    const std::string place = source ? fmt::format("{}:{}", source->file, source->line)
                                     : fmt::format("{}:{}", file.name, file.statements[i].line);
    std::vector<std::string>& known = places[callee];
    if (std::find(known.begin(), known.end(), place) == known.end()) known.push_back(place);
  }
  for (auto& [callee, all] : places) {
    const std::size_t more = all.size() > most ? all.size() - most : 0;
    all.resize(all.size() - more);
    callers[callee] = fmt::format("{}{}", fmt::join(all, ", "),
                                  more > 0 ? fmt::format(" and {} more", more) : std::string());
  }
}

std::uint32_t GuardJob::add_site(launch::WaitSite site, std::size_t statement) {
  const ptx::PlacedStatement& placed = file.statements[statement];
  site.number = static_cast<std::uint32_t>(sites.size()) + 1;
  site.opcode = placed.parsed.name;
  site.file = file.name;
  site.line = placed.line;
  if (const auto calls = callers.find(site.entry); calls != callers.end())
    site.callers = calls->second;
  if (const auto& source = sources[statement]) {
    site.file = source->file;
    site.line = source->line;
    // The function that the kernel itself calls is the one that a person named after a verb.
    const auto& functions = source->functions;
    if (functions.size() > 1) site.verb = functions[functions.size() - 2];
  }
  if (placed.heading >= 0) {
    const ptx::PtxHeading& heading = file.headings[static_cast<std::size_t>(placed.heading)];
    site.role = heading.role;
    site.verb = heading.verb;
    if (heading.line > 0) site.heading = fmt::format("{}:{}", heading.file, heading.line);
  }
  sites.push_back(std::move(site));
  site_statements.push_back(statement);
  return sites.back().number;
}

std::string GuardJob::item_register(const std::string& function, std::size_t statement) const {
  const auto known = registers.find(function);
  const int heading = file.statements[statement].heading;
  if (known == registers.end() || heading < 0) return {};
  const std::string& role = file.headings[static_cast<std::size_t>(heading)].role;
  for (const ptx::head::HeadRegisters& own : known->second)
    if (role == ptx::head::word_of(own.role)) return own.item;
  return {};
}

}  // namespace phasebit::guard
