#include "core/ptx/headings.h"

#include "core/base/text.h"
#include "core/isa/read_rule.h"

#include <algorithm>
#include <cctype>

namespace phasebit::ptx {

using base::trimmed;

namespace {

bool is_role(const std::string& word) {
  return base::contains(isa::rule_roles(), word);
}

// Takes ":12" off the end.
int take_line_number(std::string_view& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == place.size()) return 0;
  int number = 0;
  for (const char c : place.substr(colon + 1)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 || number > 100'000'000) return 0;
    number = 10 * number + (c - '0');
  }
  place = place.substr(0, colon);
  return number;
}

// Calls take(line, number) for each comment line. What is within a block comment is not a line
// of ours.
template <typename Take>
void each_comment(std::string_view blanks, int line, const Take& take) {
  while (!blanks.empty()) {
    const std::size_t slash = blanks.find('/');
    if (slash == std::string_view::npos) return;
    line +=
        static_cast<int>(std::count(blanks.begin(), blanks.begin() + std::ptrdiff_t(slash), '\n'));
    blanks.remove_prefix(slash);
    const bool block = blanks.starts_with("/*");
    const std::size_t found = blanks.find(block ? "*/" : "\n");
    const std::size_t end = std::min(found, blanks.size() - (block ? 2 : 0)) + (block ? 2 : 0);
    if (!block) take(trimmed(blanks.substr(0, end)), line);
    line +=
        static_cast<int>(std::count(blanks.begin(), blanks.begin() + std::ptrdiff_t(end), '\n'));
    blanks.remove_prefix(end);
  }
}

}  // namespace

std::optional<PtxHeading> heading_of_line(std::string_view line) {
  const std::size_t close = line.find("] ");
  if (!line.starts_with("// [") || close == std::string_view::npos) return std::nullopt;
  const std::string_view words = trimmed(line.substr(4, close - 4));
  std::string_view place = trimmed(line.substr(close + 2));
  if (words.empty() || place.empty() || place.find(' ') != std::string_view::npos)
    return std::nullopt;
  PtxHeading heading;
  heading.line = take_line_number(place);
  heading.file = place;
  const std::size_t blank = words.find(' ');
  if (blank != std::string_view::npos) {
    heading.role = words.substr(0, blank);
    heading.verb = trimmed(words.substr(blank + 1));
    if (heading.verb.find(' ') != std::string::npos) return std::nullopt;
  } else if (is_role(std::string(words))) {
    heading.role = words;
  } else if (words != "-") {
    heading.verb = words;
  }
  if (heading.role == "-") heading.role.clear();
  return heading;
}

std::vector<PtxHeading> headings_in(std::string_view blanks, int line) {
  std::vector<PtxHeading> headings;
  each_comment(blanks, line, [&](std::string_view comment, int at) {
    auto heading = heading_of_line(comment);
    if (!heading) return;
    heading->at_line = at;
    headings.push_back(std::move(*heading));
  });
  return headings;
}

std::vector<PtxHeadLine> head_lines_in(std::string_view blanks, int line) {
  std::vector<PtxHeadLine> lines;
  each_comment(blanks, line, [&](std::string_view comment, int at) {
    constexpr std::string_view mark = "//@";
    if (!comment.starts_with(mark)) return;
    comment.remove_prefix(mark.size());
    if (comment.starts_with(' ')) comment.remove_prefix(1);
    lines.push_back({std::string(comment), at});
  });
  return lines;
}

}  // namespace phasebit::ptx
