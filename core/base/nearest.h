// The nearest valid word for a typo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::base {

// Number of insertions, deletions, replacements and swaps of neighbours between two words.
int edit_distance(std::string_view a, std::string_view b);

// "did you mean 'x'?" when a word is near enough (a third of its length, at least 2), else
// "one of: a, b, c" (at most 12 of them). Empty when there are no words.
std::string nearest_word_hint(std::string_view word, const std::vector<std::string>& valid);

}  // namespace phasebit::base
