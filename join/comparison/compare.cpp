#include "join/comparison/compare.h"

#include "core/base/text.h"
#include "core/results/statistics.h"
#include "core/results/variant_row.h"
#include "join/explain/explain.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/ranges.h>

namespace phasebit::join::comparison {

using launch::KeyAxes;
using report::data::Aggregate;
using report::data::Comparison;
using report::data::Figure;

namespace {

// Standard deviations that hold 95 % of a normal distribution on both sides.
constexpr double wide = 1.96;
constexpr double half_a_cycle = 0.5;
// Cycles hardly depend on the clock; what comes from memory does.
constexpr double clock_percent = 1;
constexpr std::size_t most_explained = 20;

bool is_component(const std::string& axis) {
  return std::find(launch::component_axes.begin(), launch::component_axes.end(), axis) !=
         launch::component_axes.end();
}

// What a pair has in common: the components and what is not at its default, whose meaning is that
// of A, so that an axis that one side does not know yet is as its default.
KeyAxes key_of(const Sides& sides, const Aggregate& one, const std::set<std::string>& apart) {
  if (apart.contains("id")) return {};
  const results::VariantRow& variant = one.axes.variant();
  if (!variant.has_key()) return {{"id", one.id}};
  std::vector<std::string> components;
  for (const char* axis : launch::component_axes) components.push_back(variant.value(axis));
  KeyAxes key;
  for (const auto& [axis, value] : variant.axes()) {
    if (apart.contains(axis)) continue;
    const std::string* otherwise = nullptr;
    for (const Side& side : sides)
      if (otherwise == nullptr && !is_component(axis))
        otherwise = side.data.kept->catalogue.default_of(axis, components);
    if (otherwise == nullptr || *otherwise != value) key.emplace_back(axis, value);
  }
  std::sort(key.begin(), key.end());
  return key;
}

using ByKey = std::map<KeyAxes, const Aggregate*>;

Result<ByKey> by_key(const Sides& sides, const Side& side, const std::set<std::string>& apart) {
  ByKey all;
  for (const Aggregate* one : side.chosen) {
    const auto [known, is_new] = all.emplace(key_of(sides, *one, apart), one);
    if (!is_new)
      return with_hint(fail(Step::usage, "{}: {} and {} are the same but for {}", side.name,
                            known->second->id, one->id, fmt::join(apart, ", ")),
                       "select one of them by its other axes");
  }
  return all;
}

// "wait is try_wait in A and its default in B" for each axis in which the keys differ.
std::vector<std::string> differences(const KeyAxes& a, const KeyAxes& b) {
  std::map<std::string, std::array<std::string, 2>> values;
  for (const auto& [axis, value] : a) values[axis][0] = value;
  for (const auto& [axis, value] : b) values[axis][1] = value;
  std::vector<std::string> lines;
  for (auto& [axis, both] : values) {
    if (both[0] == both[1]) continue;
    for (std::string& value : both)
      if (value.empty()) value = "its default";
    lines.push_back(fmt::format("{} is {} in A and {} in B", axis, both[0], both[1]));
  }
  return lines;
}

tl::unexpected<Error> nothing_in_common(const ByKey& a, const ByKey& b) {
  constexpr std::ptrdiff_t most = 300;  // of each side: all pairs of them are looked at
  const auto end_of = [&](const ByKey& all) {
    return std::next(all.begin(), std::min(most, std::ssize(all)));
  };
  std::vector<std::string> fewest;
  for (auto one = a.begin(); one != end_of(a); ++one)
    for (auto other = b.begin(); other != end_of(b); ++other)
      if (auto lines = differences(one->first, other->first);
          fewest.empty() || lines.size() < fewest.size())
        fewest = std::move(lines);
  return with_hint(
      fail(Step::usage, "no point in common; of the nearest {}", fmt::join(fewest, ", ")),
      "to pair them: --a AXIS=VALUE --b AXIS=VALUE");
}

// Of both sides the larger; nothing where neither has measured a code twice.
std::optional<double> aa_floor(const Sides& sides, const std::string& stratum) {
  std::optional<double> floor;
  for (const Side& side : sides)
    if (!side.data.aggregation.floors.empty())
      floor = std::max(floor.value_or(0),
                       report::data::floor_of(side.data.aggregation, stratum).cycles);
  return floor;
}

// By Student's t over the pairs, whose standard deviation is at least that of two measurements of
// one code; of two figures without pairs by their intervals.
double chance_of(const Comparison& made, double of_one_code) {
  if (!made.pairs.any()) {
    const double deviation = std::max(made.difference.half_width, made.floor) / wide;
    return std::erfc(std::abs(made.difference.value) / deviation / std::sqrt(2.0));
  }
  std::vector<double> half_widths;
  double sum = 0, squares = 0;
  for (const auto& pair : made.pairs.pairs) {
    sum += pair.value;
    half_widths.push_back(pair.half_width());
  }
  const auto count = static_cast<double>(half_widths.size());
  const double mean = sum / count;
  for (const auto& pair : made.pairs.pairs) squares += (pair.value - mean) * (pair.value - mean);
  const double deviation = std::max(
      {std::sqrt(squares / (count - 1)), of_one_code / wide, results::median(half_widths) / wide});
  return results::student_p(mean / (deviation / std::sqrt(count)), half_widths.size() - 1);
}

// A figure of several values is shown as these.
void add_flags(const Aggregate& a, const Aggregate& b, std::vector<std::string>& lines) {
  const std::vector<std::string> of_a = results::words_of(a.flags),
                                 of_b = results::words_of(b.flags);
  for (const std::string& flag : of_a)
    lines.push_back(fmt::format("{}: {}", base::contains(of_b, flag) ? "A, B" : "A", flag));
  for (const std::string& flag : of_b)
    if (!base::contains(of_a, flag)) lines.push_back("B: " + flag);
  for (const auto& [name, one] : {std::pair("A", &a), std::pair("B", &b)})
    if (!one->reason.empty() && one->reason.what != report::data::Missing::several_values)
      lines.push_back(fmt::format("{}: {}", name, one->reason.text));
}

std::vector<std::string> reasons_of(const Sides& sides, const ComparedPair& pair) {
  const Aggregate &a = *pair.before, &b = *pair.after;
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const std::string& before, const std::string& after) {
    if (before != after) lines.push_back(fmt::format("{} {} -> {}", what, before, after));
  };
  const auto add_clock = [&](const char* what, double before, double after) {
    if (before > 0 && after > 0 && std::abs(after / before - 1) * 100 > clock_percent)
      add(what, fmt::format("{:.0f}", before), fmt::format("{:.0f} MHz", after));
  };
  constexpr std::size_t shown = 6;
  const bool is_step = pair.verdict <= PairVerdict::faster;
  const bool one_code = is_step && a.sass_class == b.sass_class;
  if (one_code) lines.emplace_back("same code");
  add("unit", a.unit, b.unit);
  add("code", a.text_hash.substr(0, shown), b.text_hash.substr(0, shown));
  if (a.text_hash == b.text_hash && a.sass_class != b.sass_class)
    lines.emplace_back("same instructions, other data, attributes or launch shape");
  add("ptxas", ptxas_of(a), ptxas_of(b));
  add_clock("clock", a.megahertz, b.megahertz);
  add_clock("memory clock", a.state.memory_megahertz, b.state.memory_megahertz);
  add_flags(a, b, lines);
  if (one_code && sides[0].gpus != sides[1].gpus) lines.emplace_back("another GPU");
  if (one_code)
    add("driver", fmt::format("{}", fmt::join(sides[0].drivers, ", ")),
        fmt::format("{}", fmt::join(sides[1].drivers, ", ")));
  return lines;
}

class Comparer {
 public:
  explicit Comparer(Comparisons& all) : all_(all) {}

  Status run() {
    const std::set<std::string> apart = set_apart(all_.sides);
    PHASEBIT_TRY_ASSIGN(a, by_key(all_.sides, all_.sides[0], apart));
    PHASEBIT_TRY_ASSIGN(b, by_key(all_.sides, all_.sides[1], apart));
    std::set<std::pair<std::string, std::string>> ids;
    std::vector<std::pair<const Aggregate*, const Aggregate*>> pairs;
    for (const auto& [key, one] : a)
      if (const auto other = b.find(key); other != b.end()) {
        pairs.emplace_back(one, other->second);
        ids.emplace(one->id, other->second->id);
      }
    if (pairs.empty()) return nothing_in_common(a, b);
    all_.alone_a = a.size() - pairs.size(), all_.alone_b = b.size() - pairs.size();
    for (const auto& [one, other] : pairs)
      if (!one->same_as.empty() && ids.contains({one->same_as, other->same_as}))
        ++all_.same_code;
      else
        add(*one, *other, apart);
    decide();
    return {};
  }

 private:
  void add(const Aggregate& one, const Aggregate& other, const std::set<std::string>& apart) {
    ComparedPair pair;
    pair.before = &one, pair.after = &other, pair.id = one.id;
    if (one.id != other.id && apart.contains("id")) pair.id = one.id + " and " + other.id;
    const results::VariantRow& variant = one.axes.variant();
    if (one.id != other.id && variant.has_key() && !apart.contains("id")) {
      KeyAxes defaults = *variant.defaults, named = variant.named;
      for (KeyAxes* axes : {&defaults, &named})
        for (auto& [axis, value] : *axes)
          if (apart.contains(axis)) value = "*";
      pair.id = results::display_id(defaults, named);
    }
    const Figure before = figure_of(one);
    Figure after = figure_of(other);
    // Conditions are alike on every GPU; that it is another one is said.
    after.gpu = before.gpu;
    const auto aa = aa_floor(all_.sides, one.axes.stratum());
    pair.comparison = report::data::compare(before, after, aa);
    pair.shown = "no figure";
    if (pair.comparison.verdict != pair.shown && one.unit == other.unit) {
      tested_.push_back(all_.pairs.size());
      ps_.push_back(chance_of(pair.comparison, std::max(half_a_cycle, aa.value_or(0))));
    }
    all_.pairs.push_back(std::move(pair));
  }

  // A verdict needs the floor, as everywhere, and a chance that stays small among all pairs.
  void decide() {
    const std::vector<double> corrected = results::holm(ps_);
    for (std::size_t n = 0; n < tested_.size(); ++n) {
      ComparedPair& pair = all_.pairs[tested_[n]];
      const Comparison& made = pair.comparison;
      pair.p = corrected[n];
      const bool is_step = made.is_step() && pair.p <= most_chance;
      pair.verdict = made.verdict == "SAME"     ? PairVerdict::same
                     : !is_step                 ? PairVerdict::ambiguous
                     : made.verdict == "slower" ? PairVerdict::slower
                                                : PairVerdict::faster;
      pair.shown = is_step          ? to_string(pair.verdict)
                   : made.is_step() ? fmt::format("AMBIGUOUS (p {:.2f})", pair.p)
                                    : made.verdict;
    }
    for (ComparedPair& pair : all_.pairs) pair.reasons = reasons_of(all_.sides, pair);
    std::stable_sort(all_.pairs.begin(), all_.pairs.end(), [](const auto& a, const auto& b) {
      if (a.verdict != b.verdict) return a.verdict < b.verdict;
      const bool is_step = a.verdict <= PairVerdict::faster;
      return is_step && std::abs(a.percent()) != std::abs(b.percent())
                 ? std::abs(a.percent()) > std::abs(b.percent())
                 : a.id < b.id;
    });
  }

  Comparisons& all_;
  std::vector<std::size_t> tested_;
  std::vector<double> ps_;
};

// The instructions of the largest differences of code.
Status explain_largest(const CompareRequest& request, Comparisons& all) {
  std::set<std::string> targets = all.sides[0].targets;
  targets.insert(all.sides[1].targets.begin(), all.sides[1].targets.end());
  if (targets.size() != 1)
    return fail(Step::usage, "--explain: A and B are code for {}", fmt::join(targets, ", "));
  explain::ExplainRequest options;
  options.space.home = request.home;
  options.tools.home = request.home;
  std::vector<std::string> ids;
  std::vector<ComparedPair*> from;
  const auto id_of = [&](const Aggregate& one, const Aggregate& other) {
    const bool by_run = ptxas_of(one) != ptxas_of(other) && !one.axes.has("ptxas");
    return by_run ? one.id + "/ptxas=" + one.run_ptxas : one.id;
  };
  for (ComparedPair& pair : all.pairs) {
    const Aggregate &a = *pair.before, &b = *pair.after;
    if (pair.verdict > PairVerdict::faster || a.sass_class == b.sass_class) continue;
    if (from.size() == most_explained) break;
    ids.insert(ids.end(), {id_of(a, b), id_of(b, a)});
    from.push_back(&pair);
  }
  if (from.empty()) return {};
  // As the catalogue spells them: the pinned ptxas is not named.
  PHASEBIT_TRY_ASSIGN(space, select::open_ids(options.space, ids));
  const std::vector<launch::VariantKey>& variants = space.expansion.variants;
  std::vector<explain::ExplainedPair> explained(from.size());
  for (std::size_t n = 0; n < from.size(); ++n) {
    const Aggregate &a = *from[n]->before, &b = *from[n]->after;
    explained[n].before = variants[2 * n].id, explained[n].after = variants[2 * n + 1].id;
    explained[n].measured_before = {a.text_hash, a.sass_class};
    explained[n].measured_after = {b.text_hash, b.sass_class};
  }
  PHASEBIT_TRY(explain::find_reasons(options, *targets.begin(), {}, explained));
  for (std::size_t n = 0; n < explained.size(); ++n)
    from[n]->reasons.insert(from[n]->reasons.end(), explained[n].reasons.begin(),
                            explained[n].reasons.end());
  return {};
}

}  // namespace

std::string to_string(PairVerdict verdict) {
  switch (verdict) {
    case PairVerdict::slower: return "SLOWER";
    case PairVerdict::faster: return "FASTER";
    case PairVerdict::ambiguous: return "AMBIGUOUS";
    case PairVerdict::same: return "SAME";
    case PairVerdict::no_figure: return "no figure";
  }
  bug("no such PairVerdict");
}

double ComparedPair::difference() const {
  return comparison.pairs.any() ? comparison.pairs.median : comparison.difference.value;
}

double ComparedPair::percent() const {
  if (verdict == PairVerdict::no_figure) return 0;
  double before = comparison.before.value;
  if (!comparison.before.reason.empty()) {
    std::vector<double> values;
    for (const report::data::AtCondition& one : comparison.before.at) values.push_back(one.value);
    before = values.empty() ? 0 : results::median(values);
  }
  return before == 0 ? 0 : 100 * difference() / before;
}

bool ComparedPair::lost() const {
  return before->reason.is_measured() && after->reason.what == report::data::Missing::failed;
}

Result<Comparisons> compare(const CompareRequest& request) {
  Comparisons all;
  PHASEBIT_TRY_ASSIGN(sides, open_sides(request));
  all.sides = std::move(sides);
  PHASEBIT_TRY(Comparer(all).run());
  if (request.explain) PHASEBIT_TRY(explain_largest(request, all));
  return all;
}

bool is_worse(const Comparisons& all, double percent) {
  return std::any_of(all.pairs.begin(), all.pairs.end(), [&](const ComparedPair& pair) {
    return pair.lost() || (pair.verdict == PairVerdict::slower && pair.percent() > percent);
  });
}

}  // namespace phasebit::join::comparison
