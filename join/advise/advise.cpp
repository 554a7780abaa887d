#include "join/advise/advise.h"

#include "analysis/report/claims/claim.h"
#include "analysis/report/sql/figures.h"
#include "core/base/text.h"
#include "gen/kernel/make_plan.h"
#include "join/explain/explain.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::join::advise {

using launch::find_axis;
using launch::KeyAxes;
using report::sql::ReportDatabase;
using space::Catalogue;

namespace {

constexpr double least_cycles = 0.5;  // no floor is below
constexpr std::size_t most_claims = 3, most_neighbours = 3;
// Of the ranking, how many are estimated with their interval.
constexpr std::size_t most_whole = 16;

// Of a file, one a line.
Result<std::set<std::string>> ids_of(const std::string& path) {
  if (path.empty()) return std::set<std::string>();
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  const std::vector<std::string> ids = select::ids_in(text);
  return std::set<std::string>(ids.begin(), ids.end());
}

// The models of the results that the target runs on: the one asked for first, else the last by
// name, as reports have it.
Result<std::vector<std::string>> gpus_of(const ReportDatabase& database,
                                         const AdviseRequest& request) {
  std::set<std::string> names, targets;
  const std::string target(base::trimmed(request.target, "af"));  // sm_90a runs on an sm_90
  for (const auto& device : database.devices()) {
    targets.insert(device.target);
    if (!request.target.empty() && device.target != target) continue;
    if (device.name.find(request.device) != std::string::npos || device.uuid == request.device)
      names.insert(device.name);
  }
  if (names.empty())
    return with_hint(
        fail(Step::usage, "no GPU of the results is {}",
             fmt::join({request.target, request.device},
                       request.target.empty() || request.device.empty() ? "" : " and ")),
        fmt::format("they are of {}; measure yours with phasebit-bench, then --results STORE",
                    fmt::join(targets, ", ")));
  return std::vector<std::string>(names.rbegin(), names.rend());
}

bool can(const Catalogue& catalogue, space::ComponentKind kind, const Variant& variant,
         const std::string& what) {
  const std::string& name = variant.key.axes[static_cast<std::size_t>(kind)].second;
  const space::Component* component = catalogue.find(kind, name);
  return component != nullptr && base::contains(component->can, what);
}

bool hands_over(const Catalogue& catalogue, const Variant& variant) {
  return can(catalogue, space::ComponentKind::protocol, variant, "hand_over");
}

bool has_all(const Variant& variant, const KeyAxes& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
    return variant.key.value(axis.first) == axis.second;
  });
}

// Of an axis that the user does not give: nothing where a row has the default, else the value that
// most rows have.
std::optional<std::string> value_taken(const std::vector<const Row*>& rows,
                                       const std::string& axis) {
  std::map<std::string, std::size_t> counts;
  for (const Row* row : rows) {
    const std::string* named = find_axis(row->variant.named, axis);
    if (named == nullptr) return std::nullopt;
    ++counts[*named];
  }
  if (counts.empty()) return std::nullopt;
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Values of the problem that no row has at their default: those of the rows that have what is
// given, or where there is none of those of the same components.
KeyAxes complete(const Catalogue& catalogue, const Question& question,
                 const std::vector<Row>& rows) {
  std::vector<const Row*> like;
  KeyAxes components;
  for (const auto& axis : question.given)
    if (axis.first == "mover") components.push_back(axis);
  for (const KeyAxes& wanted : {question.given, components}) {
    for (const Row& row : rows)
      if (hands_over(catalogue, row.variant) && has_all(row.variant, wanted)) like.push_back(&row);
    if (!like.empty()) break;
  }
  std::set<std::string> axes;
  for (const Row* row : like)
    for (const auto& [axis, value] : row->variant.named) axes.insert(axis);
  KeyAxes taken;
  for (const std::string& axis : axes) {
    if (question.gives(axis) || base::contains(catalogue.choices(), axis)) continue;
    const auto value = value_taken(like, axis);
    if (!value) continue;
    taken.emplace_back(axis, *value);
    std::erase_if(like, [&](const Row* row) { return row->variant.key.value(axis) != *value; });
  }
  return taken;
}

// The choices of a row with those that the question fixes in their place.
class Candidates {
 public:
  Candidates(const Catalogue& catalogue, const Question& question, KeyAxes problem)
      : catalogue_(catalogue), question_(question), problem_(std::move(problem)) {}

  void add(const Row& row) {
    KeyAxes values = problem_;
    for (const auto& axis : row.variant.named)
      if (base::contains(catalogue_.choices(), axis.first) &&
          question_.allowed(axis.first) == nullptr)
        values.push_back(axis);
    add_among(values, 0);
  }
  std::vector<Variant> take() { return std::move(variants_); }
  const std::string& pruned() const { return pruned_; }

 private:
  void add_among(KeyAxes values, std::size_t next) {
    if (next < question_.among.size()) {
      for (const std::string& value : question_.among[next].values) {
        KeyAxes more = values;
        more.emplace_back(question_.among[next].axis, value);
        add_among(std::move(more), next + 1);
      }
      return;
    }
    std::sort(values.begin(), values.end());
    if (!tried_.insert(values).second) return;
    auto variant = variant_of(catalogue_, values, pruned_);
    if (variant && hands_over(catalogue_, *variant) && known_.insert(variant->key.id).second)
      variants_.push_back(std::move(*variant));
  }

  const Catalogue& catalogue_;
  const Question& question_;
  KeyAxes problem_;
  std::set<KeyAxes> tried_;
  std::set<std::string> known_;
  std::vector<Variant> variants_;
  std::string pruned_;
};

Result<std::vector<Variant>> candidates(const Catalogue& catalogue, const Question& question,
                                        const KeyAxes& taken, const std::vector<Row>& rows) {
  KeyAxes problem = question.given;
  problem.insert(problem.end(), taken.begin(), taken.end());
  const std::string mover = *find_axis(problem, "mover");
  Candidates found(catalogue, question, problem);
  bool any = false;
  for (const Row& row : rows) {
    if (row.variant.key.value("mover") != mover || !hands_over(catalogue, row.variant)) continue;
    any = true;
    found.add(row);
  }
  std::vector<Variant> variants = found.take();
  if (!variants.empty()) return variants;
  const std::string what =
      fmt::format("{}, {}, {}", *find_axis(problem, "probe"), mover, *find_axis(problem, "work"));
  if (!any)
    return with_hint(fail(Step::usage, "no row of the results has {} (probe, mover, work)", what),
                     "phasebit sql \"select distinct probe, mover, work from figure\" says what "
                     "was measured");
  return with_hint(fail(Step::usage, "no variant of {} is so: {}", what, found.pruned()),
                   "`phasebit list axes` says where an axis has a meaning");
}

// One GPU's rows, by id and as an estimator.
struct Model {
  const Catalogue& catalogue;
  Evidence evidence;
  std::map<std::string, const Row*> by_id;
  std::optional<Space> space;  // made when something is estimated

  Model(const Catalogue& of, Evidence rows) : catalogue(of), evidence(std::move(rows)) {
    for (const Row& row : evidence.rows) by_id[row.variant.key.id] = &row;
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // With `whole`, the interval too, which takes time.
  Period period(const Variant& variant, bool whole) {
    const auto row = by_id.find(variant.key.id);
    if (row != by_id.end())
      return {
          row->second->value, row->second->low, row->second->high, true, row->second->figure, {}};
    if (!space) space.emplace(catalogue, evidence.rows);
    const Place place = space->place_of(variant);
    if (!whole) return {space->estimator().value(place), 0, 0, false, 0, {}};
    Estimate made = space->estimator().estimate(place);
    Period period{made.value, made.low, made.high, false, 0, {}};
    for (const std::size_t n : made.from) {
      const Row& from = evidence.rows[n];
      if (period.from.size() < most_neighbours) period.from.push_back(from.variant.key.id);
    }
    return period;
  }
};

// Names every pair of a ranking with the first by its floor.
class Compared {
 public:
  Compared(ReportDatabase& database, std::int64_t g) : figures_(database.sqlite(), g) {}

  // Whether `other` is slower than `best` by no more than what does not matter.
  bool same(const Period& best, const Period& other) {
    if (other.value - best.value > std::max(best.value * least_percent / 100, least_cycles))
      return false;
    if (!best.measured || !other.measured) return true;
    if (best.figure == other.figure) return true;
    return figures_.compare(best.figure, other.figure).verdict != "slower";
  }

 private:
  report::sql::QueryFigures figures_;
};

Result<std::int64_t> shared_of(const Catalogue& catalogue, const Variant& variant) {
  PHASEBIT_TRY_ASSIGN(plan, kernel::make_plan(catalogue, variant.key));
  return static_cast<std::int64_t>(plan.launch.dynamic_shared_bytes);
}

void sort(std::vector<Choice>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.periods.front().value < b.periods.front().value;
  });
}

// Ranks what fits, the fastest by whole estimates. Step::usage with what takes least where nothing
// does.
Status rank(const Catalogue& catalogue, std::vector<Variant> variants, Model& model,
            Advice& advice) {
  std::optional<Choice> least;
  for (Variant& variant : variants) {
    const auto shared = shared_of(catalogue, variant);
    if (!shared) continue;
    Choice choice{std::move(variant), {}, *shared, false};
    if (advice.shared_budget > 0 && *shared > advice.shared_budget) {
      ++advice.left_out;
      if (!least || choice.shared_bytes < least->shared_bytes) least = std::move(choice);
      continue;
    }
    choice.periods.push_back(model.period(choice.variant, false));
    advice.measured += choice.periods.front().measured ? 1 : 0;
    advice.ranked.push_back(std::move(choice));
  }
  if (advice.ranked.empty() && least)
    return with_hint(
        fail(Step::usage, "nothing fits {} bytes of shared memory: the least is {} bytes, {}",
             advice.shared_budget, least->shared_bytes, least->variant.key.id),
        fmt::format("it takes {:.4g} {}; a smaller payload_bytes needs less",
                    model.period(least->variant, false).value, model.evidence.unit));
  sort(advice.ranked);
  for (std::size_t n = 0; n < std::min(most_whole, advice.ranked.size()); ++n)
    advice.ranked[n].periods = {model.period(advice.ranked[n].variant, true)};
  sort(advice.ranked);
  return {};
}

// Which of the ranking do not matter against its best.
void compare(ReportDatabase& database, Model& model, Advice& advice) {
  Compared compared(database, model.evidence.g);
  const Period& best = advice.ranked.front().periods.front();
  for (Choice& choice : advice.ranked) choice.same = compared.same(best, choice.periods.front());
  advice.first = first_choice(advice.ranked);
  for (std::size_t n = 0; n < advice.ranked.size() && !advice.runner_up; ++n) {
    Choice& choice = advice.ranked[n];
    if (!choice.same && choice.periods.front().high == 0) {
      choice.periods = {model.period(choice.variant, true)};
      choice.same = compared.same(best, choice.periods.front());
    }
    if (!choice.same) advice.runner_up = n;
  }
}

// The fastest of the same problem with nothing to wait for and nothing that moves.
double work_alone(const Model& model, const Variant& first, const Catalogue& catalogue) {
  double least = 0;
  for (const Row& row : model.evidence.rows) {
    const auto& axes = row.variant.key.axes;
    if (hands_over(catalogue, row.variant) ||
        !can(catalogue, space::ComponentKind::mover, row.variant, "stays"))
      continue;
    const bool alike = std::all_of(axes.begin() + 4, axes.end(), [&](const auto& axis) {
      const std::string own = first.key.value(axis.first);
      return own.empty() || own == axis.second || base::contains(catalogue.choices(), axis.first);
    });
    if (alike && (least == 0 || row.value < least)) least = row.value;
  }
  return least;
}

// The values that any row of the probe and the work has for an axis.
std::set<std::string> values_of(const Model& model, const std::string& axis) {
  std::set<std::string> values;
  for (const Row& row : model.evidence.rows)
    if (const std::string value = row.variant.key.value(axis); !value.empty()) values.insert(value);
  return values;
}

// What the first choice would take with the best other value of an axis, by estimate.
std::optional<AxisAnswer> unseen_answer(const Catalogue& catalogue, Model& model,
                                        const Choice& first, const std::string& axis,
                                        const std::vector<std::string>* allowed) {
  const double own = first.periods.front().value;
  const std::string taken = first.variant.key.value(axis);
  std::string ignored;
  std::optional<AxisAnswer> best;
  Variant nearest;
  for (const std::string& value : values_of(model, axis)) {
    if (value == taken || (allowed != nullptr && !base::contains(*allowed, value))) continue;
    KeyAxes values = first.variant.named;
    std::erase_if(values, [&](const auto& one) { return one.first == axis; });
    values.emplace_back(axis, value);
    const auto variant = variant_of(catalogue, values, ignored);
    if (!variant) continue;
    const double percent = 100 * (model.period(*variant, false).value - own) / own;
    if (best && best->percent <= percent) continue;
    best = {axis, taken, value, percent, false, true, 0, true};
    nearest = *variant;
  }
  if (!best) return best;
  const Period period = model.period(nearest, true);
  best->percent = 100 * (period.value - own) / own;
  best->half_percent = 100 * (period.high - period.value) / own;
  best->matters = std::abs(best->percent) > std::max(least_percent, best->half_percent);
  return best;
}

// Of the choices that no candidate varies alone: estimates, which do not rank.
void add_unseen(const Catalogue& catalogue, const Question& question, Model& model,
                Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  for (const std::string& axis : catalogue.choices()) {
    const bool answered = std::any_of(advice.axes.begin(), advice.axes.end(),
                                      [&](const auto& one) { return one.axis == axis; });
    if (answered || first.variant.key.value(axis).empty()) continue;
    const auto answer = unseen_answer(catalogue, model, first, axis, question.allowed(axis));
    if (answer) advice.axes.push_back(*answer);
  }
}

// Whether the claim's `when` holds.
bool is_meant(const report::claims::Claim& claim, const report::claims::RowAxes& axes) {
  if (claim.when.empty()) return true;
  const auto value = claim.when.value([&](const std::string& name) -> std::optional<double> {
    const std::string* own = report::claims::axis_of(axes, name);
    return own == nullptr ? std::nullopt : base::number_in(*own);
  });
  return value && *value > 0;
}

// Claims that speak of the variant and name an axis that was answered.
Result<std::vector<ClaimOfChoice>> claims_of(const AdviseRequest& request, const Advice& advice) {
  PHASEBIT_TRY_ASSIGN(all, report::claims::read_claims(request.home.data / "claims"));
  report::claims::RowAxes axes;
  for (const auto& [axis, value] : advice.ranked[advice.first].variant.key.axes)
    axes.emplace_back(axis, value);
  std::sort(axes.begin(), axes.end());
  std::vector<std::pair<std::size_t, const report::claims::Claim*>> found;
  for (const auto& claim : all) {
    if (!claim.where.matches(axes) || !is_meant(claim, axes)) continue;
    if (!claim.a.matches(axes) && (claim.b.tests().empty() || !claim.b.matches(axes))) continue;
    std::size_t named = 0;
    for (const AxisAnswer& answer : advice.axes)
      named += claim.where.names(answer.axis) || claim.a.names(answer.axis) ? 1 : 0;
    if (named > 0) found.emplace_back(named, &claim);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ClaimOfChoice> claims;
  for (const auto& [named, claim] : found)
    if (claims.size() < most_claims) claims.push_back({claim->name, claim->says});
  return claims;
}

void add_neighbours(const Model& model, Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  for (const std::string& id : first.periods.front().from) {
    const Row& row = *model.by_id.at(id);
    advice.neighbours.push_back({id, row.value, differences(row.variant, first.variant)});
  }
}

// What of the advice is shown gets its period on the other GPUs too.
void add_periods(std::vector<std::unique_ptr<Model>>& others, Advice& advice) {
  const auto complete_one = [&](Choice& choice) {
    for (auto& other : others) choice.periods.push_back(other->period(choice.variant, true));
  };
  complete_one(advice.ranked[advice.first]);
  if (advice.runner_up) complete_one(advice.ranked[*advice.runner_up]);
}

// Axes of the problem that the user did not give and rows differ in.
void add_defaults(const Catalogue& catalogue, const Question& question, const Model& model,
                  Advice& advice) {
  for (const auto& axis : advice.ranked[advice.first].variant.key.axes)
    if (!question.gives(axis.first) && find_axis(advice.taken, axis.first) == nullptr &&
        !base::contains(catalogue.choices(), axis.first) && values_of(model, axis.first).size() > 1)
      advice.defaults.push_back(axis);
}

Result<ReportDatabase> open_results(const AdviseRequest& request) {
  std::vector<fs::path> files(request.results.begin(), request.results.end());
  if (!request.only_results)
    for (fs::path& file : explain::published_results(request.home)) files.push_back(file);
  if (files.empty()) return explain::nothing_published(request.home, "results are");
  PHASEBIT_TRY_ASSIGN(axes, explain::declared_axes(request.home));
  return ReportDatabase::open(files, request.home.cache, axes.check);
}

}  // namespace

Result<Advice> advise(const AdviseRequest& request) {
  PHASEBIT_TRY_ASSIGN(catalogue, Catalogue::load(request.home.data / "templates"));
  PHASEBIT_TRY_ASSIGN(question, read_question(catalogue, request.asked));
  Advice advice;
  if (!request.shared.empty()) {
    PHASEBIT_TRY_ASSIGN(bytes, read_bytes(request.shared));
    advice.shared_budget = bytes;
  }
  PHASEBIT_TRY_ASSIGN(without, ids_of(request.without));
  PHASEBIT_TRY_ASSIGN(database, open_results(request));
  PHASEBIT_TRY_ASSIGN(gpus, gpus_of(database, request));
  std::vector<std::unique_ptr<Model>> models;
  for (const std::string& gpu : gpus) {
    PHASEBIT_TRY_ASSIGN(rows, read_evidence(database, catalogue, question, gpu, without));
    if (rows.rows.empty() && gpus.size() > 1) continue;  // it measured nothing of the kind
    models.push_back(std::make_unique<Model>(catalogue, std::move(rows)));
    advice.gpus.push_back(gpu);
  }
  if (models.empty()) return fail(Step::usage, "no GPU of the results measured such a problem");
  std::unique_ptr<Model> model = std::move(models.front());
  models.erase(models.begin());
  advice.unit = model->evidence.unit;
  advice.given = question.given;
  advice.taken = complete(catalogue, question, model->evidence.rows);
  PHASEBIT_TRY_ASSIGN(variants,
                      candidates(catalogue, question, advice.taken, model->evidence.rows));
  PHASEBIT_TRY(rank(catalogue, std::move(variants), *model, advice));
  compare(database, *model, advice);
  add_periods(models, advice);
  add_defaults(catalogue, question, *model, advice);
  advice.axes = axis_answers(advice.ranked, advice.first, catalogue.choices());
  add_unseen(catalogue, question, *model, advice);
  advice.stages = by_stages(advice.ranked, advice.first);
  advice.work_alone = work_alone(*model, advice.ranked[advice.first].variant, catalogue);
  advice.copy_alone = copy_alone(database, advice.ranked[advice.first].variant, model->evidence.g);
  add_neighbours(*model, advice);
  PHASEBIT_TRY_ASSIGN(claims, claims_of(request, advice));
  advice.claims = std::move(claims);
  return advice;
}

}  // namespace phasebit::join::advise
