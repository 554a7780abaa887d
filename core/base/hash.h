// Content hashes (XXH3, 128 bits): names for texts and code, no protection against an adversary.
#pragma once

#include <string>
#include <string_view>

namespace phasebit::base {

// 32 hexadecimal digits.
std::string content_hash(std::string_view content);

// The first 12 digits: enough for a file of a few million variants, short enough to read.
std::string short_hash(std::string_view content);

}  // namespace phasebit::base
