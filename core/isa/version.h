// Dotted versions (PTX 8.0, ptxas 13.5.37) and ranges of them.
#pragma once

#include "core/base/error.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::isa {

struct Version {
  std::vector<int> parts;
  std::string text() const;
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b);
};

// "13.5.37"; nullopt-like error (Step::spec) when it is not dotted numbers.
Result<Version> parse_version(std::string_view text);

// Orders texts as versions, 12.9 before 12.10; by letter what is not a version.
bool older_version(const std::string& a, const std::string& b);

// A range such as ">=12.4", "<12.4", ">=11.8 <12.4", or "" for all. A missing part counts as 0.
Result<bool> version_in_range(const Version& version, std::string_view range);

// "13.5.37" of what a CUDA tool says of itself: "Cuda compilation tools, release 13.5, V13.5.37",
// "nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.39125733_0"; "" when there is none.
std::string version_in_banner(std::string_view text);

}  // namespace phasebit::isa
