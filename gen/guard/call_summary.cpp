#include "gen/guard/call_summary.h"

#include "core/ptx/flow/values.h"

#include <algorithm>

namespace phasebit::guard {

using ptx::PtxFunction;
using ptx::flow::PtxFlow;
using ptx::flow::PtxLoop;

namespace {

// Dependence of the whole function, as if it were one loop.
PtxLoop whole(const PtxFlow& flow) {
  PtxLoop all;
  all.header = -1;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) all.blocks.push_back(static_cast<int>(b));
  return all;
}

bool gives_back(const PtxFunction& function, const ptx::flow::PtxDependence& dependence) {
  return std::any_of(function.returns.begin(), function.returns.end(), [&](const auto& result) {
    return dependence.names.contains({0, result.name});
  });
}

CallSummary summary_of(const ptx::PtxFile& file, const PtxFunction& function, const PtxFlow& flow,
                       const CallSummaries& summaries) {
  const Sources sources(file, flow, summaries);
  const PtxLoop all = whole(flow);
  const auto is_poll = [&](std::size_t i) { return sources.poll(i).has_value(); };
  const auto is_timer = [&](std::size_t i) { return sources.timer(i); };
  CallSummary made;
  made.writes = std::any_of(flow.blocks.begin(), flow.blocks.end(), [&](const auto& block) {
    return std::any_of(block.statements.begin(), block.statements.end(),
                       [&](std::size_t i) { return sources.writes(i); });
  });
  if (function.returns.empty()) return made;
  made.polls = gives_back(function, ptx::flow::dependent_on(file, flow, all, is_poll,
                                                            [](std::size_t) { return false; }));
  made.times = gives_back(function, ptx::flow::dependent_on(file, flow, all, is_timer, is_poll));
  return made;
}

}  // namespace

std::optional<image::WaitKind> Sources::poll(std::size_t i) const {
  if (flow_.locals.contains(i)) return std::nullopt;
  if (const auto kind = polls(at(i))) return kind;
  return summary(i).polls ? std::optional(image::WaitKind::call) : std::nullopt;
}

bool Sources::timer(std::size_t i) const {
  return reads_timer(at(i)) || summary(i).times;
}

bool Sources::writes(std::size_t i) const {
  return may_write(at(i)) || (calls(i) && summary(i).writes);
}

bool Sources::calls(std::size_t i) const {
  return !ptx::flow::call_of(at(i)).callee.empty();
}

CallSummary Sources::summary(std::size_t i) const {
  const auto found = summaries_.find(ptx::flow::call_of(at(i)).callee);
  return found == summaries_.end() ? CallSummary{} : found->second;
}

CallSummaries summaries_of(const ptx::PtxFile& file) {
  CallSummaries summaries;
  std::vector<std::pair<const PtxFunction*, PtxFlow>> bodies;
  for (const PtxFunction& function : file.functions)
    if (function.has_body && !function.entry)
      bodies.emplace_back(&function, ptx::flow::flow_of(file, function));
  // A function may call one that stands below it: as often as something changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [function, flow] : bodies) {
      const CallSummary now = summary_of(file, *function, flow, summaries);
      CallSummary& known = summaries[function->name];
      changed = changed || known.polls != now.polls || known.times != now.times ||
                known.writes != now.writes;
      known = now;
    }
  }
  return summaries;
}

}  // namespace phasebit::guard
