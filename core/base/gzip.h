// gzip through zlib. The same bytes always give the same file: no name, no time.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace phasebit::base {

std::string gzip(std::string_view content);

// Step::io with `name` when it is no gzip file, damaged or cut short.
Result<std::string> gunzip(std::string_view content, const std::string& name);

}  // namespace phasebit::base
