// Google Benchmark, reduced to the few things that we ask of it: which benchmarks its flags select,
// and telling their figures in its formats.
#pragma once

#include "core/base/error.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace phasebit::bench::program {

// One benchmark in one repetition.
struct BenchmarkFigures {
  double seconds = 0;  // manual time
  std::vector<std::pair<std::string, double>> counters;
  std::string label;
  std::string error;    // "" when there are figures
  bool hidden = false;  // an error not worth a line on a terminal: it was not run at all
};

struct BenchmarkSelection {
  bool only_listed = false;           // --benchmark_list_tests: nothing more to do
  std::vector<std::size_t> selected;  // indices of the names, in their order
  int repetitions = 1;
  bool random_order = true;
};

// Hands over the flags and the names; tells which the flags select by letting Google Benchmark run
// all of them with nothing in them. Step::usage for a flag that it does not know, or when no name
// matches the filter. Once a process.
Result<BenchmarkSelection> select_benchmarks(std::vector<std::string> arguments,
                                             const std::vector<std::string>& names);

// Runs what was selected. `figures` is asked once for each index and repetition.
void report_benchmarks(const std::map<std::string, std::string>& context,
                       const std::function<BenchmarkFigures(std::size_t, int)>& figures);

}  // namespace phasebit::bench::program
