#include "analysis/foreign/short_names.h"

#include <algorithm>
#include <numeric>

namespace phasebit::foreign {
namespace {

std::size_t common_prefix(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

// `apart` is the first place where no other name is like this one.
std::string cut(const std::string& name, std::size_t apart, std::size_t width) {
  constexpr std::string_view gap = "...";
  const std::size_t head = width / 3, before = width / 6;
  if (apart + gap.size() < width - head)
    return name.substr(0, width - gap.size()) + std::string(gap);
  // The place that tells it apart, with a little before it; or the end, where that holds it.
  const std::string begin = name.substr(0, head) + std::string(gap);
  const std::size_t to_end = width - begin.size(), room = to_end - gap.size();
  if (apart - before + room >= name.size()) return begin + name.substr(name.size() - to_end);
  return begin + name.substr(apart - before, room) + std::string(gap);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  std::vector<std::string> all = names;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = names[order[i]];
    if (name.size() <= width) continue;
    // Neighbours of the sorted list share most with it.
    std::size_t apart = 0;
    if (i > 0) apart = common_prefix(name, names[order[i - 1]]);
    if (i + 1 < order.size()) apart = std::max(apart, common_prefix(name, names[order[i + 1]]));
    all[order[i]] = cut(name, std::min(apart, name.size() - 1), width);
  }
  return all;
}

}  // namespace phasebit::foreign
