#include "pipeline/sass/short_names.h"

#include "analysis/cubin/source/names.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace phasebit {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// How much of the beginning, or with `from_end` of the end, all have in common; words are whole.
std::size_t common(const std::vector<const std::string*>& names, bool from_end) {
  const auto at = [&](const std::string& name, std::size_t i) {
    return from_end ? name[name.size() - 1 - i] : name[i];
  };
  const std::string& first = *names.front();
  std::size_t count = first.size();
  for (const std::string* name : names) {
    std::size_t same = 0;
    while (same < std::min(count, name->size()) && at(*name, same) == at(first, same)) ++same;
    count = same;
  }
  std::size_t words = count;
  while (words > 0 && is_word(at(first, words - 1))) --words;
  return words > 0 ? words : count;
}

// Beginning and end of what tells a name apart, cut in the middle.
std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t half = (width - 3) / 2;
  return text.substr(0, half) + "..." + text.substr(text.size() - half);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> made;
  std::map<std::string, std::vector<const std::string*>> alike;
  for (const std::string& name : names) {
    made.push_back(shortened(name, width));
    // Of a symbol that nobody demangles nothing stands in brackets.
    if (made.back().size() == name.size()) made.back() = cut(name, 2 * width);
    alike[made.back()].push_back(&name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& those = alike.at(made[i]);
    if (those.size() == 1) continue;
    const std::size_t begin = common(those, false), end = common(those, true);
    const std::size_t size = names[i].size() - std::min(begin + end, names[i].size());
    if (size > 0) made[i] += ": " + cut(names[i].substr(begin, size), width);
  }
  return made;
}

}  // namespace phasebit
