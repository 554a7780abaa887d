#include "gen/reduce/reduce.h"

#include "gen/reduce/change.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace phasebit::reduce {
namespace {

// How many ways to take several steps together are tried at once.
constexpr std::size_t ways = 32;

class Reducer {
 public:
  Reducer(FlatKernel first, const StillShows& still_shows, const ReduceLimits& limits)
      : still_shows_(still_shows), limits_(limits), unwritten_(unwritten_registers(first)) {
    reduced_.kernel = std::move(first);
  }

  ReducedKernel run() {
    bool smaller = true;
    while (smaller && !stopped_) {
      smaller = false;
      for (std::size_t size = size_of(reduced_.kernel).statements / 2; size >= 1; size /= 2)
        while (take_some(removals(reduced_.kernel, size))) smaller = true;
      while (take_some(simplifications(reduced_.kernel))) smaller = true;
    }
    reduced_.finished = !stopped_;
    return std::move(reduced_);
  }

 private:
  // Those that show it, by position. Texts that were tried before, and those that are not smaller,
  // are not tried.
  std::vector<std::size_t> ask(const std::vector<FlatKernel>& candidates) {
    const KernelSize now = size_of(reduced_.kernel);
    std::vector<std::string> texts(candidates.size());
    std::vector<std::size_t> open;
    std::set<std::string> asked;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!(size_of(candidates[i]) < now)) continue;
      texts[i] = as_kernel(candidates[i], "k").hash;
      if (!answers_.contains(texts[i]) && asked.insert(texts[i]).second) open.push_back(i);
    }
    for (std::size_t from = 0; from < open.size(); from += limits_.candidates) {
      if (limits_.out_of_time && limits_.out_of_time()) stopped_ = true;
      if (stopped_) break;
      const std::size_t to = std::min(open.size(), from + limits_.candidates);
      std::vector<FlatKernel> some;
      for (std::size_t i = from; i < to; ++i) some.push_back(candidates[open[i]]);
      const std::vector<bool> answers = still_shows_(some);
      ++reduced_.rounds;
      reduced_.tried += some.size();
      for (std::size_t i = from; i < to; ++i) answers_[texts[open[i]]] = answers[i - from];
    }
    std::vector<std::size_t> shows;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (const auto known = answers_.find(texts[i]); known != answers_.end() && known->second)
        shows.push_back(i);
    return shows;
  }

  // Each step alone; then those that show it together, as many as go. False when none does, or the
  // time is over.
  bool take_some(const std::vector<Change>& changes) {
    if (stopped_) return false;
    std::vector<FlatKernel> alone;
    for (const Change& change : changes)
      alone.push_back(apply(reduced_.kernel, change, unwritten_));
    const std::vector<std::size_t> good = ask(alone);
    if (good.empty()) return false;
    std::vector<FlatKernel> tried{alone[good.front()]};
    for (const std::vector<std::size_t>& way : together(good)) {
      FlatKernel kernel = reduced_.kernel;
      for (const std::size_t i : way) kernel = apply(kernel, changes[i], unwritten_);
      tried.push_back(std::move(kernel));
    }
    const std::vector<std::size_t> shows = ask(tried);
    const std::size_t best = *std::min_element(
        shows.begin(), shows.end(),
        [&](std::size_t a, std::size_t b) { return size_of(tried[a]) < size_of(tried[b]); });
    reduced_.kernel = std::move(tried[best]);
    return true;
  }

  // The first k of them, for several k, and all but one, for several.
  static std::vector<std::vector<std::size_t>> together(const std::vector<std::size_t>& good) {
    std::vector<std::vector<std::size_t>> found;
    const std::size_t step = (good.size() + ways - 1) / ways;
    for (std::size_t end = good.size(); end > 1; end -= std::min(step, end - 1)) {
      found.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(end));
      found.push_back(good);
      found.back().erase(found.back().begin() + static_cast<std::ptrdiff_t>(end - 1));
    }
    return found;
  }

  const StillShows& still_shows_;
  const ReduceLimits& limits_;
  std::set<std::string> unwritten_;
  std::map<std::string, bool> answers_;  // by hash of the text
  bool stopped_ = false;
  ReducedKernel reduced_;
};

}  // namespace

ReducedKernel reduce(FlatKernel first, const StillShows& still_shows, const ReduceLimits& limits) {
  return Reducer(std::move(first), still_shows, limits).run();
}

}  // namespace phasebit::reduce
