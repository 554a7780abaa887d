// What a request asks for beside its defaults, so that nothing asked for is silently ignored.
#pragma once

#include "pipeline/select/space.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::pipeline::select {

// The options that were given, in the words of the command line: "--sweep", "-a". The templates are
// none of them: every command takes some.
std::vector<std::string> given_options(const SpaceRequest& request);

// Step::usage, "WHAT: no --sweep, --limit with it", for what was given beside `allowed`.
Status take_only(const SpaceRequest& request, const std::vector<std::string_view>& allowed,
                 std::string_view what, std::string_view hint);

}  // namespace phasebit::pipeline::select
