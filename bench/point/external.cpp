#include "bench/point/external.h"

#include "bench/point/chain.h"
#include "core/results/record.h"

#include <algorithm>
#include <chrono>

namespace phasebit::bench::point {
namespace {

// Launches shorter than this are mostly start and end, and an event's tick is half a microsecond.
constexpr double least_ns = 50'000;
constexpr std::uint32_t most_external_items = 1U << 24;

}  // namespace

Status ExternalPoint::make_buffers(const fs::path& bundle) {
  const std::vector<launch::Buffer> buffers = launch::buffers_of(external());
  std::vector<BufferMemory::Contents> contents;
  for (const launch::ExternalContents& one : external().contents) {
    PHASEBIT_TRY_ASSIGN(bytes, launch::read_contents(bundle, one));
    const auto named = std::find_if(buffers.begin(), buffers.end(),
                                    [&](const auto& known) { return known.name == one.buffer; });
    contents.push_back(
        {static_cast<std::size_t>(named - buffers.begin()), one.at, std::move(bytes)});
  }
  PHASEBIT_TRY(buffers_.make(buffers, contents));
  for (const launch::ExternalParameter& one : external().parameters) {
    if (!one.map) continue;
    const auto tensor = buffers_.addresses()[launch::place_of(one, buffers)] + one.at;
    PHASEBIT_TRY_ASSIGN(map, device_.encode(*one.map, tensor));
    maps_.push_back(map.bytes);
  }
  return {};
}

std::vector<std::byte> ExternalPoint::parameters(std::uint32_t items) const {
  return launch::parameter_block(external(), items, buffers_.addresses(), maps_);
}

Status ExternalPoint::run_guarded(std::uint32_t items) {
  PHASEBIT_TRY(buffers_.fill());
  PHASEBIT_TRY(guard_.prepare(builds_.guard->variable, static_cast<int>(external().ctas()),
                              request_.guard_limit_ns));
  const std::chrono::milliseconds limit(static_cast<int>(1000 * request_.hang_seconds));
  const auto ended = device_.launch_external(builds_.guarded, external(), parameters(items), limit);
  const launch::GuardTable& table = *builds_.guard->table;
  const launch::GuardReport report = guard_.report();
  if (ended && report.code == 0) return {};
  std::string crumbs = launch::describe_crumbs(guard_.crumbs(), table);
  if (!crumbs.empty()) crumbs = "; left: " + crumbs;
  const std::string what =
      report.code == 0 ? ended.error().message : launch::describe(report, table, device_.info().sm);
  return fail(report.code == 0 ? ended.error().step : Step::guard, "guarded build, {} items: {}{}",
              items, what, crumbs);
}

Status ExternalPoint::run_guarded() {
  const auto& all = external().parameters;
  const bool has_items = std::any_of(all.begin(), all.end(), [](const auto& one) {
    return one.kind == launch::ExternalParameter::Kind::items;
  });
  for (const std::uint32_t items :
       has_items ? launch::guard_counts(launch::LaunchShape()) : std::vector<std::uint32_t>{1})
    PHASEBIT_TRY(run_guarded(items));
  return {};
}

Status ExternalPoint::run_once() {
  PHASEBIT_TRY(buffers_.fill());
  const std::chrono::milliseconds limit(static_cast<int>(1000 * request_.hang_seconds));
  if (const auto ended = device_.launch_external(builds_.timed, external(), parameters(1), limit);
      !ended)
    return tl::unexpected<Error>(ended.error());
  return {};
}

Result<results::Sample> ExternalPoint::run(std::uint32_t items) {
  PHASEBIT_TRY(buffers_.fill());
  PHASEBIT_TRY_ASSIGN(ns, device_.launch_external(builds_.timed, external(), parameters(items)));
  return results::Sample{items, static_cast<std::uint64_t>(ns), {}};
}

// The first of a chain n, 2n, 3n, 4n: as long as a launch must be. Step::verify where no number of
// items makes it so long.
Result<std::uint32_t> ExternalPoint::find_base() {
  std::uint32_t items = 1;
  while (true) {
    PHASEBIT_TRY_ASSIGN(sample, run(items));
    if (static_cast<double>(sample.cycles) >= least_ns) return items;
    if (items >= most_external_items)
      return with_hint(fail(Step::verify,
                            "a launch of {} items takes {} ns: they are not what its "
                            "duration depends on",
                            items, sample.cycles),
                       "another parameter is the number of items, or the grid is too small for "
                       "more; --no-figure runs it without a figure");
    items *= 2;
  }
}

Result<Measurement> ExternalPoint::measure() {
  using Clock = std::chrono::steady_clock;
  PHASEBIT_TRY_ASSIGN(base, find_base());
  Measurement measurement;
  const bool gated =
      request_.variant->image(launch::Build::timed)->gate.verdict == launch::GateVerdict::passed;
  measurement.quality.gate = gated ? results::gate_by_rules_file : results::no_gate;
  measurement.quality.outputs_verified = false;
  const auto start = Clock::now();
  for (int round = 0; round < request_.max_rounds; ++round) {
    for (const std::uint32_t items : chain_counts(base, 1)) {
      PHASEBIT_TRY_ASSIGN(sample, run(items));
      measurement.samples.push_back(sample);
    }
    if (round + 1 < min_rounds) continue;
    PHASEBIT_TRY_ASSIGN(summary, results::summarise(measurement.samples));
    if (results::precise_enough(summary)) return measurement;
    if (std::chrono::duration<double>(Clock::now() - start).count() > request_.max_seconds) break;
  }
  measurement.quality.too_wide.emplace_back();
  return measurement;
}

}  // namespace phasebit::bench::point
