// The protocols of variants and of files, checked.
#pragma once

#include "analysis/protocol/check.h"
#include "core/base/error.h"
#include "core/launch/verify.h"
#include "join/capture/external_launch.h"
#include "join/select/space.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::join::protocol {

struct CheckRequest {
  select::SpaceRequest space;
  capture::ExternalFacts external;  // of kernels without a head
  int items = 0;                    // 0: several numbers of them, run::usual_items
  phasebit::protocol::CheckOptions options;
  unsigned jobs = 0;    // 0: all cores
  bool counts = false;  // what a variant executes an item, too
};

// One for each kernel, in the order of the space. A kernel that cannot be launched as it is said to
// be is `unsupported`. Step::usage and the like for what is wrong with the request.
Result<std::vector<phasebit::protocol::Checked>> check_variants(const CheckRequest& request);

// A variant's launch, run once, and what it left.
struct VariantRun {
  std::string launch;  // "1 CTA of 64 threads, 13 items"
  std::vector<std::string> findings;
  std::uint64_t instructions = 0;  // of warps
  bool ended = false;
  launch::LaunchShape shape;
  launch::LaunchOutput output;
  Status verified;  // by the code that verifies a GPU's launches
};
// Of the one variant of the space. Step::launch where it cannot be run, with the place; Step::usage
// for a kernel without a head.
Result<VariantRun> run_variant(const CheckRequest& request);

}  // namespace phasebit::join::protocol
