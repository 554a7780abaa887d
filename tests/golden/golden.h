// Normalised listings of the timed loops: what is committed, so that a change of ptxas, templates
// or rendering shows as a diff that a person can read.
#pragma once

#include "analysis/flow/window.h"
#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::test {

// Registers and predicates are numbered by their first appearance (r0, u0, p0, q0 for R, UR, P,
// UP), branches name labels, addresses are left out: what stays when registers are renamed or code
// in front of the loop grows. Control fields stay: a reader of the diff sees whether only the
// schedule has changed.
struct GoldenKernel {
  std::string variant;
  // "hot  consumer.wait   02 - W0 R- B------ ---  SYNCS.PHASECHK.TRANS64.TRYWAIT p0,[r1+URZ],r2",
  // in the order of the code. The whole kernel where no timed loop was found.
  std::vector<std::string> lines;
};

GoldenKernel golden_kernel(const std::string& variant, const cubin::SassKernel& kernel,
                           const launch::SourceMap& source,
                           const std::vector<flow::RoleWindow>& windows);

struct GoldenTarget {
  std::string target;  // "sm_90a"
  std::vector<GoldenKernel> kernels;
};

// All kernels of one target. `title` is one line for people. A kernel whose lines are those of an
// earlier one names that one instead ("as ID"), or the earlier target that has them ("on sm_90a").
std::string print_golden(const std::string& title, const std::vector<GoldenKernel>& kernels,
                         const std::vector<GoldenTarget>& earlier = {});

// Step::io, with the line, when the text is not what print_golden prints.
Result<std::vector<GoldenKernel>> parse_golden(std::string_view text, const std::string& name,
                                               const std::vector<GoldenTarget>& earlier = {});

struct GoldenChange {
  std::string variant;
  std::string what;  // "new", "gone", or as describe_change and the first lines that differ
};

// What has changed from the committed listings, in the order of the present ones.
std::vector<GoldenChange> compare_golden(const std::vector<GoldenKernel>& committed,
                                         const std::vector<GoldenKernel>& present);

}  // namespace phasebit::test
