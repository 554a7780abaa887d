// The protocols of variants and of files, checked.
#pragma once

#include "analysis/protocol/check.h"
#include "core/base/error.h"
#include "join/capture/external_launch.h"
#include "join/select/space.h"

#include <vector>

namespace phasebit::join::protocol {

struct CheckRequest {
  select::SpaceRequest space;
  capture::ExternalFacts external;  // of kernels without a head
  int items = 0;                    // 0: each slot comes round three times
  phasebit::protocol::CheckOptions options;
  unsigned jobs = 0;  // 0: all cores
};

// One for each kernel, in the order of the space. A kernel that cannot be launched as it is said to
// be is `unsupported`. Step::usage and the like for what is wrong with the request.
Result<std::vector<phasebit::protocol::Checked>> check_variants(const CheckRequest& request);

}  // namespace phasebit::join::protocol
