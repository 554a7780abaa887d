// What ptxas and the gate make of the variants of a space, counted.
#pragma once

#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::pipeline::images {

struct AssembleRequest {
  select::SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;  // empty or "all": every one that ptxas knows
  std::string targets_file;          // one a line
  std::string build = "timed";       // timed, guarded or both
  bool gate = false;
  std::string rules;  // with gate: a file of them, for kernels without a head
};

// What became of the variants on one target and build, by one choice of ptxas.
struct TargetCount {
  std::string target, build, ptxas;  // ptxas: version and flags
  size_t assembled = 0, skipped = 0, refused = 0, classes = 0;
  size_t gate_passed = 0, gate_failed = 0, ungated = 0;
  int most_registers = 0, spills = 0, warnings = 0;
};

struct Failure {
  std::string target, build, variant;
  Error error;
};

struct AssembledImages {
  std::vector<TargetCount> counts;
  std::vector<Failure> failures;
  std::map<std::string, size_t> skipped;  // images by reason
};

// Notes of ptxas go to standard error.
Result<AssembledImages> assemble_images(const AssembleRequest& request);

}  // namespace phasebit::pipeline::images
