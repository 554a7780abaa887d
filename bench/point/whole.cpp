#include "bench/point/whole.h"

#include "bench/point/chain.h"
#include "core/record/record.h"

#include <algorithm>
#include <chrono>

namespace phasebit::bench::point {
namespace {

// Launches shorter than this are mostly start and end, and an event's tick is half a microsecond.
constexpr double least_ns = 50'000;
constexpr std::uint32_t most_whole_items = 1U << 24;

}  // namespace

Status WholePoint::make_buffers(const fs::path& bundle) {
  const std::vector<image::Buffer> buffers = image::buffers_of(whole());
  std::vector<BufferMemory::Contents> contents;
  for (const image::WholeContents& one : whole().contents) {
    PHASEBIT_TRY_ASSIGN(bytes, image::read_contents(bundle, one));
    const auto named = std::find_if(buffers.begin(), buffers.end(),
                                    [&](const auto& known) { return known.name == one.buffer; });
    contents.push_back(
        {static_cast<std::size_t>(named - buffers.begin()), one.at, std::move(bytes)});
  }
  PHASEBIT_TRY(buffers_.make(buffers, contents));
  for (const image::WholeParameter& one : whole().parameters) {
    if (!one.map) continue;
    const auto tensor = buffers_.addresses()[image::place_of(one, buffers)] + one.at;
    PHASEBIT_TRY_ASSIGN(map, device_.encode(*one.map, tensor));
    maps_.push_back(map.bytes);
  }
  return {};
}

std::vector<std::byte> WholePoint::parameters(std::uint32_t items) const {
  return image::parameter_block(whole(), items, buffers_.addresses(), maps_);
}

Status WholePoint::run_guarded(std::uint32_t items) {
  PHASEBIT_TRY(buffers_.fill());
  PHASEBIT_TRY(guard_.prepare(builds_.guard->variable, static_cast<int>(whole().ctas()),
                              request_.guard_limit_ns));
  const std::chrono::milliseconds limit(static_cast<int>(1000 * request_.hang_seconds));
  const auto ended = device_.launch_whole(builds_.guarded, whole(), parameters(items), limit);
  const image::GuardTable& table = *builds_.guard->table;
  const image::GuardReport report = guard_.report();
  if (ended && report.code == 0) return {};
  std::string crumbs = image::describe_crumbs(guard_.crumbs(), table);
  if (!crumbs.empty()) crumbs = "; left: " + crumbs;
  const std::string what =
      report.code == 0 ? ended.error().message : image::describe(report, table, device_.info().sm);
  return fail(report.code == 0 ? ended.error().step : Step::guard, "guarded build, {} items: {}{}",
              items, what, crumbs);
}

Status WholePoint::run_guarded() {
  const auto& all = whole().parameters;
  const bool has_items = std::any_of(all.begin(), all.end(), [](const auto& one) {
    return one.kind == image::WholeParameter::Kind::items;
  });
  for (const std::uint32_t items :
       has_items ? image::guard_counts(image::LaunchShape()) : std::vector<std::uint32_t>{1})
    PHASEBIT_TRY(run_guarded(items));
  return {};
}

Status WholePoint::run_once() {
  PHASEBIT_TRY(buffers_.fill());
  const std::chrono::milliseconds limit(static_cast<int>(1000 * request_.hang_seconds));
  if (const auto ended = device_.launch_whole(builds_.timed, whole(), parameters(1), limit); !ended)
    return tl::unexpected<Error>(ended.error());
  return {};
}

Result<record::Sample> WholePoint::run(std::uint32_t items) {
  PHASEBIT_TRY(buffers_.fill());
  PHASEBIT_TRY_ASSIGN(ns, device_.launch_whole(builds_.timed, whole(), parameters(items)));
  return record::Sample{items, static_cast<std::uint64_t>(ns), {}};
}

// The first of a chain n, 2n, 3n, 4n: as long as a launch must be. Step::verify where no number of
// items makes it so long.
Result<std::uint32_t> WholePoint::find_base() {
  std::uint32_t items = 1;
  while (true) {
    PHASEBIT_TRY_ASSIGN(sample, run(items));
    if (static_cast<double>(sample.cycles) >= least_ns) return items;
    if (items >= most_whole_items)
      return with_hint(fail(Step::verify,
                            "a launch of {} items takes {} ns: they are not what its "
                            "duration depends on",
                            items, sample.cycles),
                       "another parameter is the number of items, or the grid is too small for "
                       "more; --no-figure runs it without a figure");
    items *= 2;
  }
}

Result<Measurement> WholePoint::measure() {
  using Clock = std::chrono::steady_clock;
  PHASEBIT_TRY_ASSIGN(base, find_base());
  Measurement measurement;
  const bool gated =
      request_.variant->image(image::Build::timed)->gate.verdict == image::GateVerdict::passed;
  measurement.quality.gate = gated ? record::gate_by_rules_file : record::no_gate;
  measurement.quality.outputs_verified = false;
  const auto start = Clock::now();
  for (int round = 0; round < request_.max_rounds; ++round) {
    for (const std::uint32_t items : chain_counts(base, 1)) {
      PHASEBIT_TRY_ASSIGN(sample, run(items));
      measurement.samples.push_back(sample);
    }
    if (round + 1 < min_rounds) continue;
    PHASEBIT_TRY_ASSIGN(summary, record::summarise(measurement.samples));
    if (record::precise_enough(summary)) return measurement;
    if (std::chrono::duration<double>(Clock::now() - start).count() > request_.max_seconds) break;
  }
  measurement.quality.too_wide.emplace_back();
  return measurement;
}

}  // namespace phasebit::bench::point
