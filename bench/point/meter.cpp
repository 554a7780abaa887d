#include "bench/point/meter.h"

#include "bench/point/chain.h"
#include "bench/point/external.h"
#include "core/launch/verify.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <chrono>

namespace phasebit::bench::point {

using launch::ExpectedChecksums;
using launch::LaunchOutput;

namespace {

constexpr double ticks_for_a_clock = 200;
constexpr int rounds_per_batch = min_rounds;  // in addition to the one that warms up
constexpr std::uint64_t first_trial = 32;
// Of a workload: p50 of 30 launches at least.
constexpr int launches_that_warm_up = 3, most_launches = 300;
constexpr std::size_t least_launches = 30;
// A launch of so many cycles, some 50 us, does not depend on its start and end.
constexpr std::uint64_t long_item_cycles = 100'000;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

results::Sample sample_of(const launch::LaunchShape& shape, const LaunchOutput& output) {
  const launch::SampleRecord& record = timed_record(shape, output);
  results::Sample sample{output.items, record.clock_end - record.clock_start, {}};
  if (shape.sms > 0) sample.cycles = span_ns(output);
  for (const launch::Reading& reading : shape.readings)
    sample.readings.push_back(record_of(shape, output, reading.role).readings[reading.index]);
  return sample;
}

// Only the anchor that watches the timer leaves a step where others have their first reading.
std::uint32_t smallest_step(std::uint32_t so_far, const launch::LaunchShape& shape,
                            const LaunchOutput& output) {
  if (!shape.readings.empty()) return 0;
  const std::uint32_t step = timed_record(shape, output).readings[0];
  return so_far == 0 || (step != 0 && step < so_far) ? step : so_far;
}

// A cluster's SMs are the GPU's choice: those on which a role ran.
void note_sms(const launch::LaunchShape& shape, const std::vector<LaunchOutput>& outputs,
              std::set<std::uint32_t>& sms) {
  if (shape.cluster_size <= 1) return;
  for (const LaunchOutput& output : outputs)
    for (const launch::SampleRecord& record : output.records)
      if (record.role != 0) sms.insert(record.sm);
}

Measurement empty_measurement(const launch::LaunchShape& shape) {
  Measurement measurement;
  if (shape.phases_checked == 0 && shape.payload.words_per_slot == 0 && shape.data.bytes == 0 &&
      shape.workload.empty())
    measurement.quality.items_only = true;
  for (const launch::Reading& reading : shape.readings)
    measurement.readings.push_back({reading.name, reading.unit});
  return measurement;
}

// "; left: cta 0 warp 1 at ...": every warp that waited when one gave up, itself among them.
std::string others_who_left(const LaunchOutput& output, const launch::GuardTable& table) {
  const std::string crumbs = launch::describe_crumbs(output.crumbs, table);
  return crumbs.empty() ? crumbs : "; left: " + crumbs;
}

}  // namespace

double achieved_megahertz(const launch::LaunchShape& shape,
                          const std::vector<LaunchOutput>& outputs, double timer_tick_ns) {
  if (outputs.empty()) return 0;
  const launch::SampleRecord& first = timed_record(shape, outputs.front());
  const auto on_same_sm = std::find_if(outputs.rbegin(), outputs.rend(), [&](const auto& output) {
    return timed_record(shape, output).sm == first.sm;
  });
  const launch::SampleRecord& last = timed_record(shape, *on_same_sm);
  const auto cycles = static_cast<double>(last.clock_end - first.clock_start);
  const auto ns = static_cast<double>(last.timer_end - first.timer_start);
  if (last.timer_end <= first.timer_start || last.clock_end <= first.clock_start) return 0;
  return ns >= ticks_for_a_clock * timer_tick_ns ? results::rounded_megahertz(1000 * cycles / ns)
                                                 : 0;
}

Result<device::Device::Function> Meter::function_of(const launch::Image& image,
                                                    const MeasureRequest& request) {
  const launch::LaunchShape& shape = request.variant->launch;
  const int wanted = image.build == launch::Build::timed ? request.placement.padding : 0;
  const int padding = modules_.possible_padding(image, wanted);
  PHASEBIT_TRY_ASSIGN(function, modules_.function(image, shape.dynamic_shared_bytes, padding));
  if (shape.cluster_size > 1)
    PHASEBIT_TRY(device_.allow_cluster(
        function, grid_of(shape, request.placement, device_.info().row.multiprocessors)));
  return function;
}

BatchRequest Meter::batch_of(const MeasureRequest& request,
                             std::vector<std::uint32_t> items) const {
  BatchRequest batch;
  batch.items = std::move(items);
  batch.placement = request.placement;
  batch.seed = request.seed;
  batch.guard_limit_ns = request.guard_limit_ns;
  batch.hang_limit = std::chrono::milliseconds(static_cast<int>(1000 * request.hang_seconds));
  return batch;
}

Result<BatchOutput> Meter::run_verified(const MeasureRequest& request,
                                        device::Device::Function function,
                                        std::vector<std::uint32_t> items,
                                        ExpectedChecksums& checksums) {
  const launch::LaunchShape& shape = request.variant->launch;
  PHASEBIT_TRY_ASSIGN(batch, launcher_.run(function, shape, batch_of(request, std::move(items))));
  for (const LaunchOutput& output : batch.launches)
    PHASEBIT_TRY(launch::verify_launch(shape, request.placement.sm, output, checksums));
  return std::move(batch);
}

Status Meter::run_guarded(const MeasureRequest& request, const launch::Image& image,
                          device::Device::Function function, std::uint32_t items,
                          ExpectedChecksums& checksums) {
  BatchRequest batch = batch_of(request, {items});
  if (!image.guard.sites.empty()) {
    PHASEBIT_TRY_ASSIGN(variable,
                        device_.variable(modules_.module_of(image), launch::guard_variable));
    batch.guard = GuardedModule{variable, &image.guard};
  }
  PHASEBIT_TRY_ASSIGN(made, launcher_.run(function, request.variant->launch, batch));
  const LaunchOutput& output = made.launches.front();
  launch::GuardReport report = output.report;
  report.warp =
      static_cast<std::uint32_t>(request.placement.numbered(static_cast<int>(report.warp)));
  if (report.code != 0)
    return fail(Step::guard, "{}{}", launch::describe(report, image.guard, output.sm),
                others_who_left(output, image.guard));
  const launch::LaunchShape& shape = request.variant->launch;
  PHASEBIT_TRY(launch::verify_launch(shape, request.placement.sm, output, checksums));
  return shape.workload.empty() ? Status() : launcher_.check_output(shape, items);
}

Status Meter::run_guarded(const MeasureRequest& request, ExpectedChecksums& checksums) {
  const launch::BundleVariant& variant = *request.variant;
  if (!variant.launch.guarded) return {};
  const auto key = std::make_pair(variant.key.hash, request.placement.idle_warps());
  const launch::Image* image = variant.image(launch::Build::guarded);
  // The anchors have one build: they wait for nothing but their own CTA's barrier.
  if (guarded_.contains(key) || (image == nullptr && launch::is_anchor(variant.key))) return {};
  if (image == nullptr)
    return with_hint(fail(Step::guard, "the bundle holds no guarded build of {}", variant.key.id),
                     "pack it again");
  PHASEBIT_TRY_ASSIGN(function, function_of(*image, request));
  std::vector<std::uint32_t> counts = launch::guard_counts(variant.launch);
  // Every size of a workload is compared with its reference: with idle warps the largest alone.
  const auto other = guarded_.lower_bound({variant.key.hash, 0});
  if (!variant.launch.workload.empty() && other != guarded_.end() &&
      other->first == variant.key.hash)
    counts = {*std::max_element(counts.begin(), counts.end())};
  // One launch a batch: when one hangs, the following would each wait for the limit as well.
  for (const std::uint32_t items : counts) {
    const Status done = run_guarded(request, *image, function, items, checksums);
    if (!done)
      return fail(done.error().step, "guarded build, {} items: {}", items, done.error().message);
  }
  guarded_.insert(key);
  return {};
}

Result<std::uint32_t> Meter::find_base(const MeasureRequest& request,
                                       device::Device::Function function,
                                       ExpectedChecksums& checksums) {
  const launch::LaunchShape& shape = request.variant->launch;
  if (const auto known = bases_.find(request.variant->key.hash); known != bases_.end())
    return known->second;
  // One item may take milliseconds: 128 of them would be the greater part of a second.
  PHASEBIT_TRY_ASSIGN(
      one, run_verified(request, function, {launch::allowed_items(shape, 0)}, checksums));
  const bool is_long = sample_of(shape, one.launches[0]).cycles > long_item_cycles;
  std::uint32_t base = 0;
  for (std::uint64_t first = is_long ? 1 : first_trial; base == 0; first *= 4) {
    PHASEBIT_TRY_ASSIGN(trial,
                        run_verified(request, function, trial_counts(shape, first), checksums));
    base =
        chain_base(shape, sample_of(shape, trial.launches[0]), sample_of(shape, trial.launches[1]));
  }
  bases_.emplace(request.variant->key.hash, base);
  return base;
}

Result<Measurement> Meter::run_timed(const MeasureRequest& request,
                                     device::Device::Function function, std::uint32_t base,
                                     ExpectedChecksums& checksums) {
  const launch::LaunchShape& shape = request.variant->launch;
  Measurement measurement = empty_measurement(shape);
  std::set<std::uint32_t> sms;
  std::vector<results::DeviceState> states;
  const auto start = Clock::now();
  int rounds = 0;
  while (true) {
    // The first round of a batch warms up: clocks, caches, and the way from the host.
    const int fresh = std::min(rounds_per_batch, std::max(1, request.max_rounds - rounds));
    PHASEBIT_TRY_ASSIGN(batch,
                        run_verified(request, function, chain_counts(base, fresh + 1), checksums));
    const std::vector<LaunchOutput>& outputs = batch.launches;
    for (std::size_t n = 4; n < outputs.size(); ++n) {
      measurement.samples.push_back(sample_of(shape, outputs[n]));
      measurement.timer_step_ns = smallest_step(measurement.timer_step_ns, shape, outputs[n]);
    }
    note_sms(shape, outputs, sms);
    states.push_back(batch.state);
    measurement.megahertz = achieved_megahertz(shape, outputs, request.timer_tick_ns);
    rounds += fresh;
    PHASEBIT_TRY_ASSIGN(summary, results::summarise(measurement.samples));
    const bool precise = rounds >= min_rounds && results::precise_enough(summary);
    const bool capped = rounds >= request.max_rounds || seconds_since(start) > request.max_seconds;
    if (!precise && !capped) continue;
    if (!precise) note_too_wide(measurement, summary);
    measurement.quality.modes = summary.modes.size() > 1;
    note_bends(measurement);
    break;
  }
  note_conditions(request, sms, states, measurement);
  PHASEBIT_TRY(
      add_counters(request, function, chain_counts(base, 1).back(), checksums, measurement));
  return measurement;
}

// Each launch finds the output as the fill has left it, whose writes are under way: between two
// launches memory has as much to do as a user's kernels before and after would give it. Records are
// verified after every launch, the output, which may be large, after the first and the last.
Result<Measurement> Meter::run_workload(const MeasureRequest& request,
                                        device::Device::Function function,
                                        ExpectedChecksums& checksums) {
  const launch::LaunchShape& shape = request.variant->launch;
  const auto elements = static_cast<std::uint32_t>(shape.workload.elements);
  Measurement measurement = empty_measurement(shape);
  std::vector<results::DeviceState> states;
  auto start = Clock::now();
  for (int launched = 1;; ++launched) {
    BatchRequest one = batch_of(request, {elements});
    one.timed = true;
    PHASEBIT_TRY_ASSIGN(batch, launcher_.run(function, shape, one));
    const LaunchOutput& output = batch.launches.front();
    PHASEBIT_TRY(launch::verify_launch(shape, request.placement.sm, output, checksums));
    if (launched == 1) PHASEBIT_TRY(launcher_.check_output(shape, elements));
    if (launched <= launches_that_warm_up) {
      start = Clock::now();  // to compare an output may take longer than to measure
      continue;
    }
    measurement.samples.push_back({0, static_cast<std::uint64_t>(output.duration_ns), {}});
    states.push_back(batch.state);
    measurement.megahertz = achieved_megahertz(shape, batch.launches, request.timer_tick_ns);
    if (measurement.samples.size() % least_launches != 0) continue;
    PHASEBIT_TRY_ASSIGN(summary, results::summarise(measurement.samples));
    const bool precise = results::precise_enough(summary);
    if (!precise && launched < most_launches && seconds_since(start) <= request.max_seconds)
      continue;
    if (!precise) note_too_wide(measurement, summary);
    measurement.quality.modes = summary.modes.size() > 1;
    break;
  }
  PHASEBIT_TRY(launcher_.check_output(shape, elements));
  note_conditions(request, {}, states, measurement);
  PHASEBIT_TRY(add_counters(request, function, elements, checksums, measurement));
  if (!measurement.counters.empty()) PHASEBIT_TRY(launcher_.check_output(shape, elements));
  return measurement;
}

Status Meter::add_counters(const MeasureRequest& request, device::Device::Function function,
                           std::uint32_t items, ExpectedChecksums& checksums,
                           Measurement& measurement) {
  if (!request.counters) return {};
  if (request.variant->launch.workload.launches > 1) {
    measurement.quality.no_counters = "two launches are timed together";
    return {};
  }
  const bool on_all = request.variant->launch.sms >= device_.info().row.multiprocessors;
  auto counted = device_.count(
      on_all ? device::CountedOver::all_sms : device::CountedOver::busiest_sm, [&]() -> Status {
        PHASEBIT_TRY(run_verified(request, function, {items}, checksums));
        return {};
      });
  if (counted) {
    measurement.counters = std::move(counted->counters);
    measurement.notes = std::move(counted->notes);
    return {};
  }
  if (counted.error().step != Step::device) return tl::unexpected<Error>(counted.error());
  measurement.quality.no_counters = counted.error().message;
  measurement.notes.push_back("no counters: " + counted.error().text());
  return {};
}

void Meter::note_conditions(const MeasureRequest& request, const std::set<std::uint32_t>& sms,
                            const std::vector<results::DeviceState>& states,
                            Measurement& measurement) {
  const int padding = request.placement.padding;
  results::Quality& quality = measurement.quality;
  quality.padded =
      modules_.possible_padding(*request.variant->image(launch::Build::timed), padding) == padding;
  quality.clock_ok = measurement.megahertz != 0;
  quality.throttled = device_.health().throttled;
  measurement.sms.assign(sms.begin(), sms.end());
  measurement.state = results::median_state(states);
}

Result<Measurement> Meter::measure_external(const MeasureRequest& request,
                                            const PhaseReport& report) {
  const launch::BundleVariant& variant = *request.variant;
  report(Phase::loading);
  ExternalBuilds builds;
  const int shared_bytes = variant.external->shared_bytes;
  PHASEBIT_TRY_ASSIGN(timed, modules_.function(*variant.image(launch::Build::timed), shared_bytes));
  builds.timed = timed;
  const auto key = std::make_pair(variant.key.hash, 0);
  const launch::Image* image = variant.image(launch::Build::guarded);
  if (image != nullptr && !guarded_.contains(key)) {
    if (image->module.empty())
      return fail(Step::guard, "its guarded build was refused: {}", image->gate.reason);
    PHASEBIT_TRY_ASSIGN(guarded, modules_.function(*image, shared_bytes));
    PHASEBIT_TRY_ASSIGN(variable,
                        device_.variable(modules_.module_of(*image), launch::guard_variable));
    builds.guarded = guarded;
    builds.guard = GuardedModule{variable, &image->guard};
  }
  ExternalPoint point(device_, guard_, builds, request);
  PHASEBIT_TRY(point.make_buffers(bundle_));
  if (builds.guard) {
    report(Phase::guarded);
    PHASEBIT_TRY(point.run_guarded());
    guarded_.insert(key);
  }
  if (variant.external->no_figure) {
    if (image == nullptr) PHASEBIT_TRY(point.run_once());
    return Measurement();
  }
  report(Phase::timed);
  PHASEBIT_TRY_ASSIGN(measurement, point.measure());
  if (request.counters) measurement.quality.no_counters = "a kernel without a head";
  return std::move(measurement);
}

Result<Measurement> Meter::measure(const MeasureRequest& asked, const PhaseReport& report) {
  const launch::BundleVariant& variant = *asked.variant;
  MeasureRequest request = asked;
  if (variant.launch.gap_after > 0) {  // where the variant itself sets its roles
    request.placement.gap_after = variant.launch.gap_after;
    request.placement.gap_warps = variant.launch.gap_warps;
  }
  const int threads = variant.launch.threads + 32 * request.placement.idle_warps();
  if (threads > device_.info().max_threads_per_cta)
    return fail(Step::device, "{} threads a CTA with {} idle warps, {} has {}", threads,
                request.placement.idle_warps(), device_.info().row.name,
                device_.info().max_threads_per_cta);
  const launch::Image* timed = variant.image(launch::Build::timed);
  if (timed == nullptr)
    return with_hint(fail(Step::bundle, "the bundle holds no timed build of {}", variant.key.id),
                     "pack it again");
  if (variant.external) return measure_external(request, report);
  PHASEBIT_TRY(launch::check_shape(variant.launch));
  report(Phase::loading);
  ExpectedChecksums checksums(variant.launch, request.seed);
  PHASEBIT_TRY_ASSIGN(function, function_of(*timed, request));
  report(Phase::guarded);
  PHASEBIT_TRY(run_guarded(request, checksums));
  report(Phase::timed);
  if (!variant.launch.workload.empty()) return run_workload(request, function, checksums);
  PHASEBIT_TRY_ASSIGN(base, find_base(request, function, checksums));
  return run_timed(request, function, base, checksums);
}

}  // namespace phasebit::bench::point
