// The nearest valid word for a typo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::base {

// Number of insertions, deletions, replacements and swaps of neighbours between two words.
int edit_distance(std::string_view a, std::string_view b);

// The nearest within a third of the word's length, at least 2; else empty.
std::string nearest_word(std::string_view word, const std::vector<std::string>& valid);

// "did you mean 'x'?", or without a near word "one of: a, b, c" (at most 12 of them). Empty when
// there are no words.
std::string nearest_word_hint(std::string_view word, const std::vector<std::string>& valid);

}  // namespace phasebit::base
