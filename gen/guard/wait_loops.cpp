#include "gen/guard/wait_loops.h"

#include "core/ptx/values.h"

#include <algorithm>

namespace phasebit {
namespace {

// What polls and what reads a clock, calls included.
class Sources {
 public:
  Sources(const PtxFile& file, const CallSummaries& summaries)
      : file_(file), summaries_(summaries) {}

  std::optional<WaitKind> poll(std::size_t i) const {
    if (const auto kind = polls(at(i))) return kind;
    return summary(i).polls ? std::optional(WaitKind::call) : std::nullopt;
  }
  bool timer(std::size_t i) const { return reads_timer(at(i)) || summary(i).times; }

 private:
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  CallSummary summary(std::size_t i) const {
    const auto found = summaries_.find(call_of(at(i)).callee);
    return found == summaries_.end() ? CallSummary{} : found->second;
  }

  const PtxFile& file_;
  const CallSummaries& summaries_;
};

// Dependence of the whole function, as if it were one loop.
PtxLoop whole(const PtxFlow& flow) {
  PtxLoop all;
  all.header = -1;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) all.blocks.push_back(static_cast<int>(b));
  return all;
}

bool gives_back(const PtxFunction& function, const PtxDependence& dependence) {
  return std::any_of(function.returns.begin(), function.returns.end(), [&](const auto& result) {
    return dependence.names.contains({0, result.name});
  });
}

bool leaves(const PtxLoop& loop, const PtxJump& jump) {
  if (jump.leaves || (jump.falls_to >= 0 && !loop.holds(jump.falls_to))) return true;
  return std::any_of(jump.targets.begin(), jump.targets.end(),
                     [&](int target) { return !loop.holds(target); });
}

// Calls take(jump) for each way out; false where the loop has one that no branch decides.
bool collect_exits(const PtxFlow& flow, const PtxLoop& loop, std::vector<PtxJump>& exits) {
  for (const PtxJump& jump : flow.jumps) {
    if (!loop.holds(jump.block) || !leaves(loop, jump)) continue;
    if (jump.predicate.empty() && !jump.by_index) return false;
    exits.push_back(jump);
  }
  return !exits.empty();
}

std::optional<WaitLoop> as_wait(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                                const Sources& sources, const std::set<std::size_t>& taken) {
  WaitLoop wait{loop, {}, {}};
  for (const int block : loop.blocks)
    for (const std::size_t i : flow.blocks[static_cast<std::size_t>(block)].statements)
      if (const auto kind = sources.poll(i); kind && !taken.contains(i))
        wait.polls.push_back({i, *kind});
  if (wait.polls.empty() || !collect_exits(flow, loop, wait.exits)) return std::nullopt;
  const auto is_poll = [&](std::size_t i) { return sources.poll(i) && !taken.contains(i); };
  const auto is_timer = [&](std::size_t i) { return sources.timer(i); };
  const PtxDependence polled =
      dependent_on(file, flow, loop, is_poll, [](std::size_t) { return false; });
  // What a poll gives back is news, whatever its operands depend on.
  const PtxDependence timed = dependent_on(
      file, flow, loop, is_timer, [&](std::size_t i) { return sources.poll(i).has_value(); });
  for (const PtxJump& exit : wait.exits) {
    const auto names = read_by(file, flow, exit.statement);
    const auto depends = [&](const PtxDependence& on) {
      return std::any_of(names.begin(), names.end(),
                         [&](const PtxName& name) { return on.names.contains(name); });
    };
    if (!depends(polled) || depends(timed)) return std::nullopt;
  }
  return wait;
}

}  // namespace

CallSummaries summaries_of(const PtxFile& file) {
  CallSummaries summaries;
  // A function may call one that stands below it: as often as something changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const PtxFunction& function : file.functions) {
      if (!function.has_body || function.returns.empty()) continue;
      const PtxFlow flow = flow_of(file, function);
      const Sources sources(file, summaries);
      const PtxLoop all = whole(flow);
      const auto is_poll = [&](std::size_t i) { return sources.poll(i).has_value(); };
      const auto never = [](std::size_t) { return false; };
      const CallSummary now{
          gives_back(function, dependent_on(file, flow, all, is_poll, never)),
          gives_back(function, dependent_on(
                                   file, flow, all, [&](std::size_t i) { return sources.timer(i); },
                                   is_poll))};
      CallSummary& known = summaries[function.name];
      changed = changed || known.polls != now.polls || known.times != now.times;
      known = now;
    }
  }
  return summaries;
}

std::vector<WaitLoop> wait_loops_of(const PtxFile& file, const PtxFlow& flow,
                                    const CallSummaries& summaries) {
  const Sources sources(file, summaries);
  std::vector<WaitLoop> waits;
  std::set<std::size_t> taken;  // polls of wait loops found so far
  for (const PtxLoop& loop : loops_of(flow)) {
    auto wait = as_wait(file, flow, loop, sources, taken);
    if (!wait) continue;
    for (const Poll& poll : wait->polls) taken.insert(poll.statement);
    waits.push_back(std::move(*wait));
  }
  return waits;
}

}  // namespace phasebit
