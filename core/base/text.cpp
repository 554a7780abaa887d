#include "core/base/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::base {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& valid) {
  if (valid.empty()) return {};
  const auto nearest = std::min_element(valid.begin(), valid.end(), [&](auto& a, auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  const int limit = std::max(2, static_cast<int>(word.size()) / 3);
  return edit_distance(word, *nearest) <= limit ? *nearest : std::string();
}

std::string nearest_word_hint(std::string_view word, const std::vector<std::string>& valid) {
  if (valid.empty()) return {};
  const std::string nearest = nearest_word(word, valid);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  const size_t shown = std::min<size_t>(valid.size(), 12);
  std::string list = fmt::format("{}", fmt::join(valid.begin(), valid.begin() + shown, ", "));
  return fmt::format("one of: {}{}", list, shown < valid.size() ? ", ..." : "");
}

}  // namespace phasebit::base
