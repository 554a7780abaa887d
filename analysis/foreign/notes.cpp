#include "analysis/foreign/notes.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::foreign {

std::vector<std::string> fold_notes(const std::string& file, const std::vector<ImageNote>& notes,
                                    const std::string& what) {
  struct Group {
    const ImageNote* first = nullptr;
    std::size_t count = 0;
  };
  std::vector<Group> groups;
  for (const ImageNote& note : notes) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.first->text == note.text;
    });
    if (same == groups.end())
      groups.push_back({&note, 1});
    else
      ++same->count;
  }
  std::vector<std::string> all;
  for (const auto& [first, count] : groups)
    all.push_back(count == 1 ? fmt::format("{}: {}", first->image, first->text)
                             : fmt::format("{}: {} {}: {} (the first: {})", file, count, what,
                                           first->text, first->image));
  return all;
}

}  // namespace phasebit::foreign
