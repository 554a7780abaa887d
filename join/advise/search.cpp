#include "join/advise/search.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <set>

namespace phasebit::join::advise {

namespace {

// Of each candidate, round by round; the first is of the exploration.
constexpr std::array<int, 4> steps = {1, 2, 4, all_conditions};
constexpr std::size_t least_points = 2 * all_conditions;
// Half of the points explore, in so many batches: each is chosen by what those before showed.
constexpr std::size_t batches = 4;
// An estimate that is so much slower than the best is not looked at.
constexpr double hopeless = 1.5;

class Searcher {
 public:
  Searcher(const SearchWorld& world, std::size_t most_points, Search& search)
      : world_(world), most_(most_points), made_(search) {}

  Status run() {
    const std::vector<Standing> all = world_.standings();
    made_.all_points = all.size() * all_conditions;
    for (const Standing& one : all)
      if (one.measured) had_[one.id] = all_conditions;
    made_.known = had_.size();
    PHASEBIT_TRY(explore());
    std::vector<Standing> left = measured();
    if (left.empty()) return fail(Step::usage, "no candidate has a figure");
    for (std::size_t n = 1; n < steps.size() && left.size() > 1 && !alike(left, steps[n - 1]); ++n)
      PHASEBIT_TRY(halve(left, steps[n]));
    conclude(left);
    return {};
  }

 private:
  // Of `all` those that were measured or, if not, those that are worth it.
  std::vector<Standing> measured() const {
    std::vector<Standing> found;
    for (Standing& one : world_.standings())
      if (one.measured && !lost_.contains(one.id)) found.push_back(std::move(one));
    return found;
  }

  std::vector<Standing> worth_a_look() const {
    const std::vector<Standing> all = world_.standings(), known = measured();
    std::vector<Standing> found;
    for (const Standing& one : all)
      if (!one.measured && !lost_.contains(one.id) &&
          (known.empty() || one.value < hopeless * known.front().value))
        found.push_back(one);
    return found;
  }

  Status explore() {
    const std::size_t batch = std::max<std::size_t>(1, most_ / 2 / batches);
    for (std::size_t n = 0; n < batches; ++n) {
      const std::vector<Standing> open = worth_a_look();
      std::vector<std::string> ids;
      for (const Standing& one : open)
        if (ids.size() < batch) ids.push_back(one.id);
      if (ids.empty()) break;
      const std::size_t left = open.size() + measured().size();
      PHASEBIT_TRY(measure(ids, 1));
      add_round(left, ids.size(), 1, ids.size());
    }
    if (made_.rounds.empty()) return {};
    // What was not measured is out, by its estimate.
    std::size_t others = 0;
    const Standing* closest = nullptr;
    const std::vector<Standing> all = world_.standings();
    for (const Standing& one : all) {
      if (one.measured || lost_.contains(one.id)) continue;
      if (others++ == 0) closest = &one;
    }
    rule_out(others, closest);
    return {};
  }

  // The better half of `left`, as far as the points reach, under more conditions.
  Status halve(std::vector<Standing>& left, int conditions) {
    const std::size_t before = left.size();
    std::size_t cost = 0, keep = 0;
    for (; keep < std::max<std::size_t>(2, (left.size() + 1) / 2); ++keep) {
      cost += cost_of(left[keep].id, conditions);
      if (made_.points + cost > most_) break;
    }
    if (keep < 2) {
      out_of_points_ = true;
      return {};
    }
    if (keep < left.size()) rule_out(left.size() - keep, &left[keep]);
    left.resize(keep);
    std::vector<std::string> ids;
    std::size_t points = 0;
    for (const Standing& one : left)
      if (const std::size_t own = cost_of(one.id, conditions); own > 0) {
        ids.push_back(one.id);
        points += own;
      }
    if (!ids.empty()) PHASEBIT_TRY(measure(ids, conditions));
    take_again(left);
    add_round(std::min(before, keep), ids.size(), conditions, points);
    drop_slower(left);
    return {};
  }

  std::size_t cost_of(const std::string& id, int conditions) const {
    const auto had = had_.find(id);
    return static_cast<std::size_t>(
        std::max(0, conditions - (had == had_.end() ? 0 : had->second)));
  }

  Status measure(const std::vector<std::string>& ids, int conditions) {
    PHASEBIT_TRY_ASSIGN(lost, world_.measure(ids, conditions));
    for (const std::string& id : ids) {
      made_.points += cost_of(id, conditions);
      had_[id] = conditions;
    }
    lost_.insert(lost.begin(), lost.end());
    made_.lost = lost_.size();
    return {};
  }

  // Their values as they are now.
  void take_again(std::vector<Standing>& left) const {
    std::set<std::string> ids;
    for (const Standing& one : left) ids.insert(one.id);
    left = measured();
    std::erase_if(left, [&](const Standing& one) { return !ids.contains(one.id); });
  }

  void drop_slower(std::vector<Standing>& left) {
    if (left.empty()) return;
    const std::string best = left.front().id;
    std::vector<Standing> kept, out;
    for (Standing& one : left) {
      const bool slower = one.id != best && world_.is_slower(best, one.id);
      (slower ? out : kept).push_back(std::move(one));
    }
    left = std::move(kept);
    if (!out.empty()) rule_out(out.size(), &out.front());
  }

  // Whether a longer look at them would change nothing that matters.
  static bool alike(const std::vector<Standing>& left, int conditions) {
    return conditions >= all_conditions / 2 &&
           left.back().value <= left.front().value * (1 + least_percent / 100);
  }

  void add_round(std::size_t left, std::size_t measured_now, int conditions, std::size_t points) {
    const std::vector<Standing> known = measured();
    made_.rounds.push_back({left, measured_now, conditions, points, 0, 0,
                            known.empty() ? "" : known.front().id,
                            known.empty() ? 0 : known.front().value});
  }

  // In the last round.
  void rule_out(std::size_t count, const Standing* closest) {
    if (made_.rounds.empty() || count == 0) return;
    Round& round = made_.rounds.back();
    const double percent = 100 * (closest->value - round.value) / round.value;
    round.percent = round.out == 0 ? percent : std::min(round.percent, percent);
    round.out += count;
  }

  void conclude(const std::vector<Standing>& left) {
    for (const Standing& one : left) made_.left.push_back(one.id);
    made_.ended = left.size() == 1 ? "one is left"
                  : out_of_points_
                      ? fmt::format("{} are left, and no points to tell them apart", left.size())
                      : fmt::format("{} are left that the floor does not tell apart", left.size());
  }

  const SearchWorld& world_;
  std::size_t most_;
  Search& made_;
  std::map<std::string, int> had_;  // conditions, by id
  std::set<std::string> lost_;
  bool out_of_points_ = false;
};

}  // namespace

std::size_t default_points(std::size_t candidates) {
  constexpr std::size_t share = 10;
  return std::max(least_points, candidates * all_conditions / share);
}

Status run_search(const SearchWorld& world, std::size_t most_points, Search& search) {
  return Searcher(world, most_points, search).run();
}

base::Table rounds_table(const Search& search, const std::string& unit,
                         const std::function<std::string(const std::string& id)>& named) {
  base::Table table;
  table.columns = {{"round", true},      {"candidates", true}, {"measured", true},
                   {"conditions", true}, {"points", true},     {"ruled out", true},
                   {"slower by", true},  {unit, true},         {"best so far"}};
  std::size_t number = 0;
  for (const Round& round : search.rounds) {
    const auto whole = [](std::size_t value) {
      return base::Cell{std::to_string(value), static_cast<double>(value), std::nullopt};
    };
    table.rows.push_back(
        {whole(++number), whole(round.left), whole(round.measured),
         whole(static_cast<std::size_t>(round.conditions)), whole(round.points), whole(round.out),
         round.out == 0
             ? base::Cell("-")
             : base::Cell{fmt::format("{:+.1f} %", round.percent), round.percent, std::nullopt},
         base::Cell{fmt::format("{:.4g}", round.value), round.value, std::nullopt},
         round.best.empty() ? "-" : named(round.best)});
  }
  return table;
}

}  // namespace phasebit::join::advise
