// What ptxas and the gate make of the variants of a space, counted.
#pragma once

#include "core/base/error.h"
#include "join/images/executions.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::join::images {

struct AssembleRequest {
  select::SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;  // empty or "all": every one that ptxas knows
  std::string targets_file;          // one a line
  std::string build = "timed";       // timed, guarded or both
  bool gate = false;
  std::string rules;       // with gate: a file of them, for kernels without a head
  bool check = false;      // run the kernels, too; with gate
  bool unchecked = false;  // with check: what it refuses is not gated
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
  ExecutionNotes notes;                   // of --check
};

// Notes of ptxas go to standard error.
Result<AssembledImages> assemble_images(const AssembleRequest& request);

// What was refused, said once, with every image that it befell.

struct Refusal {
  std::string image;  // "sm_90a ring/mbarrier/none/none"
  Error error;
};

// For each different error, most frequent first: its text, which has the source line, then how many
// images have it and the first of them, a line each. At most `most` errors; the last line says how
// many more there are and what `rest` does ("--failures FILE writes them all").
std::string refusal_text(const std::vector<Refusal>& refusals, std::size_t most,
                         const std::string& rest);

}  // namespace phasebit::join::images
