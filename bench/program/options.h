// The command line: our flags here, Google Benchmark's passed on.
#pragma once

#include "core/base/file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::bench::program {

struct BenchOptions {
  fs::path bundle = "bundle";
  fs::path store = "results.sqlite";
  bool resume = true;
  bool fresh = false;
  std::optional<std::uint64_t> seed;
  int sm = 0;
  int device = 0;
  bool modes = false;
  int processes = 3;  // of the modes pass
  int max_rounds = 64;
  double point_seconds = 0.25;
  double watchdog_seconds = 10;
  bool counters = false;
  fs::path cupti;
  bool dry_run = false;
  bool allow_busy = false;
  bool ignore_anchors = false;
  bool no_aa = false;
  bool same_conditions = false;
  bool worker = false;            // hidden: this is the child
  bool refuse_busy = false;       // hidden: the first child looks for other processes
  std::vector<std::string> rest;  // for Google Benchmark, program name first
  std::string help;               // what to print instead of running
  std::string command;            // as it was given
};

Result<BenchOptions> parse_bench_options(int argc, char** argv);

// Step::usage for a flag that neither side knows, with the nearest one that exists.
Error unknown_flag(const std::string& flag);

}  // namespace phasebit::bench::program
