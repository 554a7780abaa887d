#include "bench/program/bench_main.h"

#include "bench/campaign/campaign.h"
#include "bench/campaign/modes_pass.h"
#include "bench/program/google.h"
#include "bench/program/options.h"
#include "bench/worker/handle.h"
#include "core/base/interrupt.h"
#include "core/base/standard_output.h"
#include "core/launch/bundle.h"
#include "core/results/flag.h"

#include <algorithm>
#include <random>

#include <unistd.h>

namespace phasebit::bench::program {

using campaign::Campaign;
using campaign::PlanRequest;
using launch::Manifest;

namespace {

constexpr int interrupted_exit_code = 130;
// For --dry-run alone: a point with its share of everything, from a run on an H200.
constexpr double seconds_per_point = 0.006;

int complain(const Error& error) {
  return base::complain("phasebit-bench", error);
}

struct Selected {
  std::vector<std::size_t> variants;  // what the names stand for, in the manifest
  BenchmarkSelection benchmarks;
};

Result<Selected> choose(const BenchOptions& options, const Manifest& manifest) {
  Selected chosen;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < manifest.variants.size(); ++n) {
    if (campaign::is_anchor(manifest.variants[n])) continue;
    chosen.variants.push_back(n);
    names.push_back(manifest.variants[n].key.id);
  }
  for (const std::string& word : options.rest)
    if (word.starts_with("--benchmark_min_time"))
      fmt::print(stderr, "{} has no effect: a point ends when its median is known well enough\n",
                 word);
  PHASEBIT_TRY_ASSIGN(benchmarks, select_benchmarks(options.rest, names));
  chosen.benchmarks = benchmarks;
  return chosen;
}

PlanRequest plan_request(const BenchOptions& options, const Selected& chosen, std::uint64_t seed) {
  PlanRequest request;
  for (const std::size_t n : chosen.benchmarks.selected)
    request.selected.push_back(chosen.variants[n]);
  request.repetitions = chosen.benchmarks.repetitions;
  request.random_order = chosen.benchmarks.random_order;
  request.seed = seed;
  request.aa_control = !options.no_aa;
  return request;
}

int dry_run(const Manifest& manifest, const PlanRequest& request) {
  const campaign::CampaignPlan plan = campaign::make_bench_plan(manifest, request);
  fmt::print("{} variants, {} repetitions\n", request.selected.size(), request.repetitions);
  fmt::print("{} SASS classes; {} variants share the code of another one\n", plan.classes,
             request.selected.size() - plan.classes - plan.refused);
  fmt::print("{} variants refused by the gate\n", plan.refused);
  fmt::print("{} points to measure (A/A controls among them), those in the store not counted off\n",
             plan.launched);
  fmt::print("about {}\n",
             campaign::duration_text(static_cast<double>(plan.launched) * seconds_per_point));
  return 0;
}

BenchmarkFigures figures_of(const campaign::Outcome& outcome, bool stopped) {
  BenchmarkFigures figures;
  figures.label = outcome.note;
  if (!outcome.error && !outcome.summary && !stopped && !outcome.note.empty()) return figures;
  if (outcome.error || !outcome.summary) {
    figures.error = outcome.error ? outcome.error->text() : "no samples";
    figures.hidden = stopped;
    return figures;
  }
  const results::Summary& summary = *outcome.summary;
  if (outcome.megahertz > 0) figures.seconds = summary.cycles / outcome.megahertz * 1e-6;
  // A stranger's kernel is timed from outside: no clock of the SM is known, and none is needed.
  const bool in_ns = outcome.unit.starts_with("ns ");
  if (in_ns) figures.seconds = summary.cycles * 1e-9;
  std::string unit = outcome.unit;
  std::replace(unit.begin(), unit.end(), ' ', '_');
  figures.counters = {{unit, summary.cycles},
                      {"ci_half_width", summary.interval.interval.half_width()},
                      {"items_per_launch", outcome.items_per_launch}};
  if (!in_ns) figures.counters.emplace_back("MHz", outcome.megahertz);
  for (std::size_t n = 0; n < std::min(outcome.readings.size(), summary.readings.size()); ++n) {
    const std::string& name = outcome.readings[n].name;
    const results::ReadingSummary& reading = summary.readings[n];
    figures.counters.emplace_back(name, reading.value);
    figures.counters.emplace_back(name + "_ci_half_width", reading.interval.interval.half_width());
  }
  std::vector<std::string> words = results::words_of(outcome.conditions);
  for (const results::Flag& flag : results::flags_of(outcome.quality))
    if (flag.kind != results::Flag::Kind::first_use) words.push_back(results::word_of(flag));
  for (const std::string& word : words) figures.label += (figures.label.empty() ? "" : ", ") + word;
  return figures;
}

void tell_aa(const Campaign& campaign) {
  std::vector<double> cycles, shares;
  for (const auto& [difference, share] : campaign.aa_differences()) {
    cycles.push_back(difference);
    shares.push_back(share);
  }
  if (cycles.empty()) return;
  fmt::print(
      stderr,
      "A/A over {} pairs: median difference {:.3f} cycles ({:.3f} %), 95th percentile {:.3f} "
      "cycles ({:.3f} %)\n",
      cycles.size(), results::median(cycles), 100 * results::median(shares),
      results::quantile(cycles, 0.95), 100 * results::quantile(shares, 0.95));
}

int conclude(const BenchOptions& options, const Campaign& campaign) {
  const campaign::Tally& tally = campaign.tally();
  const double rate = tally.seconds > 0 ? static_cast<double>(tally.measured) / tally.seconds : 0;
  fmt::print(stderr,
             "{} points measured in {} ({:.0f} a second), {} from the store, {} with the code of "
             "another, {} failed; run {} in {}\n",
             tally.measured, campaign::duration_text(tally.seconds), rate, tally.from_store,
             tally.same_class, tally.failed, campaign.run_id(), options.store.string());
  tell_aa(campaign);
  if (campaign.stopped() && base::interrupted()) {
    fmt::print(stderr, "interrupted: finished points are kept; the same command resumes:\n  {}\n",
               options.command);
    return interrupted_exit_code;
  }
  if (campaign.stopped()) return complain(*campaign.stopped());
  const bool something = tally.measured + tally.from_store > 0;
  if (!something && tally.first_error) return base::exit_code(tally.first_error->step);
  return 0;
}

std::map<std::string, std::string> context_of(const Manifest& manifest, const Campaign& campaign) {
  const results::DeviceRow& device = campaign.device().row;
  return {{"gpu", device.name},
          {"gpu_uuid", device.uuid},
          {"gpu_driver", device.driver},
          {"target", manifest.target},
          {"ptxas", manifest.ptxas},
          {"run", campaign.run_id()},
          {"time", "of one item, from in-kernel cycles and the achieved clock"}};
}

void run_sweep(Campaign& campaign, const Manifest& manifest, const Selected& chosen,
               const PlanRequest& request) {
  campaign.plan(request);
  report_benchmarks(context_of(manifest, campaign), [&](std::size_t n, int repetition) {
    const campaign::Outcome outcome = campaign.result(chosen.variants[n], repetition);
    return figures_of(outcome, campaign.stopped().has_value());
  });
  campaign.finish();
}

worker::WorkerOptions worker_options(const BenchOptions& options) {
  worker::WorkerOptions worker;
  worker.command = {"/proc/self/exe",        "--worker", "--bundle",
                    options.bundle.string(), "--device", std::to_string(options.device)};
  if (!options.allow_busy) worker.command.emplace_back("--refuse-busy");
  if (!options.cupti.empty())
    worker.command.insert(worker.command.end(), {"--cupti", options.cupti.string()});
  worker.watchdog = std::chrono::milliseconds(static_cast<long>(1000 * options.watchdog_seconds));
  return worker;
}

Result<int> measure(const BenchOptions& options, const Manifest& manifest, const Selected& chosen,
                    const PlanRequest& request) {
  worker::WorkerHandle worker(worker_options(options));
  PHASEBIT_TRY(worker.start());  // first: without a GPU there is no point in making a store
  PHASEBIT_TRY_ASSIGN(store, results::Store::open(options.store));
  campaign::Progress progress(stderr, ::isatty(STDERR_FILENO) != 0);
  Campaign campaign(manifest, store, worker, progress,
                    {results::Conditions{{options.sm, 0}}, !options.same_conditions, request.seed,
                     options.fresh, options.counters, options.ignore_anchors, options.max_rounds,
                     options.point_seconds, options.command});
  if (const Status opened = campaign.open(); !opened) {
    if (!base::interrupted()) return tl::unexpected<Error>(opened.error());
    fmt::print(stderr, "interrupted while the anchors were measured\n");
    return interrupted_exit_code;
  }
  if (options.modes)
    campaign::run_modes_pass(campaign, worker, progress, manifest,
                             {request.selected, options.processes}, stdout);
  else
    run_sweep(campaign, manifest, chosen, request);
  return conclude(options, campaign);
}

Result<int> run(const BenchOptions& options) {
  PHASEBIT_TRY_ASSIGN(manifest, launch::read_manifest(options.bundle));
  // In a run a module that cannot be used costs the rows of its kernels alone.
  PHASEBIT_TRY(options.dry_run ? launch::check_bundle(options.bundle, manifest)
                               : launch::check_manifest(manifest));
  PHASEBIT_TRY_ASSIGN(chosen, choose(options, manifest));
  if (chosen.benchmarks.only_listed) return 0;
  std::random_device random;
  const std::uint64_t seed = options.seed.value_or(random());
  const PlanRequest request = plan_request(options, chosen, seed);
  if (options.dry_run) return dry_run(manifest, request);
  base::catch_interrupts();
  return measure(options, manifest, chosen, request);
}

}  // namespace

int bench_main(int argc, char** argv, const device::DeviceFactory& open_device) {
  const auto options = parse_bench_options(argc, argv);
  if (!options) return complain(options.error());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return 0;
  }
  if (options->worker)
    return worker::run_worker(
        {options->device, options->refuse_busy, options->bundle, options->cupti}, open_device);
  const auto code = run(*options);
  return code ? *code : complain(code.error());
}

}  // namespace phasebit::bench::program
