#include "bench/program/options.h"

#include "core/base/documents.h"
#include "core/base/home.h"
#include "core/base/parse.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

namespace phasebit::bench::program {
namespace {

constexpr const char* footer = R"(Google Benchmark's flags work as well:
  --benchmark_list_tests            names of the variants
  --benchmark_filter=REGEX          choose some
  --benchmark_repetitions=N         default 10 here
  --benchmark_format=json, --benchmark_out=FILE, --benchmark_out_format=json|csv
  --benchmark_enable_random_interleaving=false
                                    the bundle's order instead of a random one
--benchmark_min_time has no effect: a point ends when its median is known well enough.

Exit codes: 0 something was measured, or is in the store; 2 usage; 17 bundle; 18 device or
anchors; 22 store; 130 interrupted; when every point failed, that of the first error's step.

Examples:
  phasebit-bench --dry-run
  phasebit-bench --bundle bundle --store my.sqlite)";

constexpr const char* benchmark_flags[] = {
    "--benchmark_list_tests",
    "--benchmark_filter",
    "--benchmark_repetitions",
    "--benchmark_format",
    "--benchmark_out",
    "--benchmark_out_format",
    "--benchmark_min_time",
    "--benchmark_color",
    "--benchmark_counters_tabular",
    "--benchmark_context",
    "--benchmark_report_aggregates_only",
    "--benchmark_display_aggregates_only",
    "--benchmark_enable_random_interleaving",
    "--benchmark_time_unit",
};

void add_flags(CLI::App& app, BenchOptions& options) {
  app.add_option("--bundle", options.bundle, "folder that `phasebit pack` made")
      ->capture_default_str();
  app.add_option("--store", options.store, "result store, created when it is missing")
      ->capture_default_str();
  // What it does anyway; for scripts that say what they mean.
  auto* resume =
      app.add_flag("--resume", options.resume, "skip points that the store has (the default)");
  app.add_flag("--fresh", options.fresh, "measure them anew")->excludes(resume);
  app.add_option("--seed", options.seed, "of the random order; a new one by default");
  app.add_option("--device", options.device, "ordinal of the GPU")->capture_default_str();
  app.add_option("--sm", options.sm, "SM to measure on")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--modes", options.modes,
               "measure the chosen variants in fresh processes, on several SMs and sub-partitions");
  app.add_option("--processes", options.processes, "fresh processes of --modes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--max-rounds", options.max_rounds, "most rounds of a point")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--point-seconds", options.point_seconds, "most seconds of a point")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--watchdog-seconds", options.watchdog_seconds,
                 "a point that takes longer is killed, and is an error row")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--counters", options.counters,
               "hardware counters of one more launch of each variant, by CUPTI; where the GPU does "
               "not permit it, a note says why")
      ->excludes("--modes");
  app.add_option("--cupti", options.cupti,
                 "libcupti.so of CUDA 12.6 or newer for --counters; else the one that the loader "
                 "or /usr/local/cuda has");
  app.add_flag("--dry-run", options.dry_run, "say what would be measured");
  app.add_flag("--allow-busy", options.allow_busy, "measure while other processes run");
  app.add_flag("--ignore-anchors", options.ignore_anchors, "go on when an anchor is off");
  app.add_flag("--no-aa", options.no_aa, "no A/A controls");
  app.add_flag("--same-conditions", options.same_conditions,
               "repetitions do not change start offset, SM, sub-partitions or the code's place");
  app.add_flag("--worker", options.worker)->group("");
  app.add_flag("--refuse-busy", options.refuse_busy)->group("");
}

std::vector<std::string> our_flags() {
  CLI::App app;
  BenchOptions ignored;
  add_flags(app, ignored);
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) flags.push_back(option->get_name());
  flags.insert(flags.end(), std::begin(benchmark_flags), std::end(benchmark_flags));
  return flags;
}

}  // namespace

Result<BenchOptions> parse_bench_options(int argc, char** argv) {
  BenchOptions options;
  CLI::App app("Measures the variants of a bundle on a GPU.", "phasebit-bench");
  app.allow_extras();
  app.set_version_flag("--version", fmt::format("phasebit-bench {}", base::program_version()));
  app.footer(footer);
  add_flags(app, options);
  base::add_documents(app, {std::string(base::program_version()),
                            "measures the variants of a bundle on a GPU",
                            {{"CUDA_VISIBLE_DEVICES", "which GPUs --device counts"}},
                            {{"bundle", "of the current folder: what `phasebit pack` made"},
                             {"results.sqlite", "of the current folder: the result store"}},
                            {}});
  for (int n = 0; n < argc; ++n)
    options.command += fmt::format("{}{}", n == 0 ? "" : " ", n == 0 ? "phasebit-bench" : argv[n]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
  } catch (const CLI::CallForVersion& asked) {
    options.help = std::string(asked.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    return tl::unexpected<Error>(base::usage_error(app, error));
  }
  options.rest = app.remaining();
  for (const std::string& word : options.rest)
    if (!word.starts_with("--benchmark_") && !word.starts_with("--v="))
      return tl::unexpected<Error>(unknown_flag(word));
  options.rest.insert(options.rest.begin(), argc > 0 ? argv[0] : "phasebit-bench");
  return options;
}

Error unknown_flag(const std::string& flag) {
  const std::string name = flag.substr(0, flag.find('='));
  return Error{Step::usage, fmt::format("unknown argument '{}'", flag),
               base::nearest_word_hint(name, our_flags())};
}

}  // namespace phasebit::bench::program
