#include "pipeline/images/refusals.h"

#include <algorithm>

namespace phasebit::pipeline::images {
namespace {

struct Group {
  std::string text;
  std::vector<std::string> images;
};

// An error may begin with the name of its own image: that is no difference.
std::string text_of(const Refusal& refusal) {
  Error error = refusal.error;
  const std::string id = refusal.image.substr(refusal.image.find(' ') + 1);
  for (const std::string& name : {refusal.image, id})
    if (!name.empty() && error.message.starts_with(name + ": "))
      error.message.erase(0, name.size() + 2);
  return error.text();
}

std::vector<Group> grouped(const std::vector<Refusal>& refusals) {
  std::vector<Group> groups;
  for (const Refusal& refusal : refusals) {
    const std::string text = text_of(refusal);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& one) { return one.text == text; });
    if (group == groups.end()) group = groups.insert(group, {text, {}});
    group->images.push_back(refusal.image);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.images.size() > b.images.size();
  });
  return groups;
}

}  // namespace

std::string refusal_text(const std::vector<Refusal>& refusals, std::size_t most,
                         const std::string& rest) {
  constexpr std::size_t shown_images = 3;
  const std::vector<Group> groups = grouped(refusals);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const std::vector<std::string>& images = groups[i].images;
    text += fmt::format("{}\n  {} image{}:\n", groups[i].text, images.size(),
                        images.size() == 1 ? "" : "s");
    for (std::size_t n = 0; n < std::min(shown_images, images.size()); ++n)
      text += fmt::format("    {}\n", images[n]);
    if (images.size() > shown_images) text += "    ...\n";
  }
  if (groups.size() > most)
    text += fmt::format("... and {} other errors{}{}\n", groups.size() - most,
                        rest.empty() ? "" : "; ", rest);
  return text;
}

}  // namespace phasebit::pipeline::images
