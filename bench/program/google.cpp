#include "bench/program/google.h"

#include "bench/program/options.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <benchmark/benchmark.h>
#include <unistd.h>

namespace phasebit::bench::program {
namespace {

// Google Benchmark keeps its benchmarks and flags for the whole process, and so must this.
struct Suite {
  std::vector<std::string> arguments;
  std::vector<int> calls;               // of each benchmark in the pass under way
  std::vector<BenchmarkFigures> first;  // of each: of its first repetition in the pass
  std::function<BenchmarkFigures(std::size_t, int)> figures;
};

Suite& suite() {
  static Suite the_suite;
  return the_suite;
}

constexpr const char* hidden_error = "not run";

// Value of "--name=value" among the arguments, "true" for "--name", `fallback` when it is not
// there.
std::string argument(const std::string& name, const std::string& fallback) {
  std::string value = fallback;
  for (const std::string& word : suite().arguments) {
    if (word == name) value = "true";
    if (word.starts_with(name + "=")) value = word.substr(name.size() + 1);
  }
  return value;
}

bool truth(const std::string& value) {
  static const std::vector<std::string> no = {"0", "f", "n", "false", "no", "off"};
  return std::find(no.begin(), no.end(), value) == no.end();
}

void add_default(const char* name, const char* variable, const char* value) {
  if (argument(name, "").empty() && std::getenv(variable) == nullptr)
    suite().arguments.push_back(fmt::format("{}={}", name, value));
}

// Google Benchmark divides by the mean of the repetitions, and writes NaN, which is not JSON.
double not_zero(double value) {
  return value == 0 ? 1e-12 : value;
}

// Google Benchmark 1.7 takes the statistics to compute from the first repetition, and an error has
// none: where the first is an error, all are. The store has those that were measured.
BenchmarkFigures figures_of_next(std::size_t index) {
  const int repetition = suite().calls[index]++;
  BenchmarkFigures figures = suite().figures(index, repetition);
  BenchmarkFigures& first = suite().first[index];
  if (repetition == 0) first = figures;
  if (figures.error.empty() && !first.error.empty()) {
    figures.error = "measured, but not the first repetition: " + first.error;
    figures.hidden = first.hidden;
  }
  return figures;
}

void run_one(benchmark::State& state, std::size_t index) {
  const BenchmarkFigures figures = figures_of_next(index);
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(not_zero(figures.seconds));
  if (!figures.error.empty())
    state.SkipWithError(figures.hidden ? hidden_error : figures.error.c_str());
  if (!figures.label.empty()) state.SetLabel(figures.label);
  for (const auto& [name, value] : figures.counters) state.counters[name] = not_zero(value);
}

void run_pass(benchmark::BenchmarkReporter* display, benchmark::BenchmarkReporter* file) {
  std::fill(suite().calls.begin(), suite().calls.end(), 0);
  suite().first.assign(suite().calls.size(), {});
  benchmark::RunSpecifiedBenchmarks(display, file);
}

class Silent final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// A benchmark that was not run (Ctrl-C, a lost GPU) is one line at the end, not one line each.
class Console final : public benchmark::ConsoleReporter {
 public:
  using ConsoleReporter::ConsoleReporter;
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown;
    for (const Run& run : runs)
      if (!run.error_occurred || run.error_message != hidden_error) shown.push_back(run);
    if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
  }
};

std::unique_ptr<benchmark::BenchmarkReporter> console() {
  if (argument("--benchmark_format", "console") != "console") return nullptr;  // its own
  const std::string color = argument("--benchmark_color", "auto");
  const bool colored = color == "auto" ? ::isatty(STDOUT_FILENO) != 0 : truth(color);
  const bool tabular = truth(argument("--benchmark_counters_tabular", "true"));
  const int options = (colored ? benchmark::ConsoleReporter::OO_Color : 0) |
                      (tabular ? benchmark::ConsoleReporter::OO_Tabular : 0);
  return std::make_unique<Console>(static_cast<benchmark::ConsoleReporter::OutputOptions>(options));
}

Status hand_over_flags() {
  add_default("--benchmark_repetitions", "BENCHMARK_REPETITIONS", "10");
  // Google Benchmark keeps the pointer to the program's name for its reports.
  static std::vector<std::string> words;
  words = suite().arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) return tl::unexpected<Error>(unknown_flag(argv[1]));
  return {};
}

}  // namespace

Result<BenchmarkSelection> select_benchmarks(std::vector<std::string> arguments,
                                             const std::vector<std::string>& names) {
  suite().arguments = std::move(arguments);
  PHASEBIT_TRY(hand_over_flags());
  suite().calls.assign(names.size(), 0);
  for (std::size_t n = 0; n < names.size(); ++n)
    benchmark::RegisterBenchmark(names[n].c_str(),
                                 [n](benchmark::State& state) { run_one(state, n); })
        ->Iterations(1)
        ->UseManualTime();
  BenchmarkSelection selection;
  selection.only_listed = truth(argument("--benchmark_list_tests", "false"));
  selection.random_order = truth(argument("--benchmark_enable_random_interleaving", "true"));
  suite().figures = [](std::size_t, int) { return BenchmarkFigures{}; };
  Silent silent, silent_file;
  const bool has_file = !argument("--benchmark_out", "").empty();
  if (selection.only_listed) {
    benchmark::RunSpecifiedBenchmarks();
    return selection;
  }
  run_pass(&silent, has_file ? &silent_file : nullptr);
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (suite().calls[n] == 0) continue;
    selection.selected.push_back(n);
    selection.repetitions = suite().calls[n];
  }
  if (selection.selected.empty())
    return with_hint(fail(Step::usage, "no variant of the bundle matches --benchmark_filter={}",
                          benchmark::GetBenchmarkFilter()),
                     "--benchmark_list_tests lists them");
  return selection;
}

void report_benchmarks(const std::map<std::string, std::string>& context,
                       const std::function<BenchmarkFigures(std::size_t, int)>& figures) {
  for (const auto& [key, value] : context) benchmark::AddCustomContext(key, value);
  suite().figures = figures;
  const auto display = console();
  run_pass(display.get(), nullptr);
}

}  // namespace phasebit::bench::program
