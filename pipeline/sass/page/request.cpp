#include "pipeline/sass/page/request.h"

#include "core/base/nearest.h"

#include <algorithm>

namespace phasebit::pipeline::sass::page {

Result<std::optional<std::size_t>> page_reference(const std::string& word,
                                                  const std::vector<std::string>& columns) {
  if (word.empty()) return std::optional<std::size_t>();
  const auto found = std::find(columns.begin(), columns.end(), word);
  if (found != columns.end())
    return std::optional(static_cast<std::size_t>(found - columns.begin()));
  return with_hint(fail(Step::usage, "--reference {}: no column of this page", word),
                   base::nearest_word_hint(word, columns));
}

}  // namespace phasebit::pipeline::sass::page
