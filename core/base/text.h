// Small questions about texts, and how durations are said.
#pragma once

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace phasebit::base {

// Without the blanks at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

inline bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

inline bool starts_with_any(std::string_view text,
                            std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// The parts between the separators: of "" one that is empty.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The number that a word is; nothing when it is none.
inline std::optional<double> number_in(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Whether the word is one of those in `list`, which has a blank around each.
inline bool is_listed(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// A duration, to the second: "12 s", "3 min 20 s".
inline std::string whole_duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {} s", whole / 60, whole % 60);
}

// The nearest valid word for a typo.

// Number of insertions, deletions, replacements and swaps of neighbours between two words.
int edit_distance(std::string_view a, std::string_view b);

// The nearest within a third of the word's length, at least 2; else empty.
std::string nearest_word(std::string_view word, const std::vector<std::string>& valid);

// "did you mean 'x'?", or without a near word "one of: a, b, c" (at most 12 of them). Empty when
// there are no words.
std::string nearest_word_hint(std::string_view word, const std::vector<std::string>& valid);

}  // namespace phasebit::base
