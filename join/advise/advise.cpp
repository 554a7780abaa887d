#include "join/advise/advise.h"

#include "analysis/report/claims/claim.h"
#include "analysis/report/sql/figures.h"
#include "analysis/report/sql/views.h"
#include "core/base/text.h"
#include "gen/kernel/make_plan.h"
#include "join/advise/model.h"
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
using report::sql::QueryFigures;
using report::sql::ReportDatabase;
using space::Catalogue;

namespace {

constexpr double least_cycles = 0.5;  // no floor is below
constexpr std::size_t most_claims = 3;
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

// What other protocols need says nothing of those that are asked about.
bool has_protocol(const Variant& variant, const Question& question) {
  const std::vector<std::string>* allowed = question.allowed("protocol");
  return allowed == nullptr || base::contains(*allowed, variant.key.value("protocol"));
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
      if (hands_over(catalogue, row.variant) && has_all(row.variant, wanted) &&
          has_protocol(row.variant, question))
        like.push_back(&row);
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

// Whether `other` is slower than `best` by no more than what does not matter.
bool same(QueryFigures& figures, const Period& best, const Period& other) {
  if (other.value - best.value > std::max(best.value * least_percent / 100, least_cycles))
    return false;
  if (!best.measured || !other.measured) return true;
  if (best.figure == other.figure) return true;
  return figures.compare(best.figure, other.figure).verdict != "slower";
}

Result<std::int64_t> shared_of(const Catalogue& catalogue, const Variant& variant) {
  PHASEBIT_TRY_ASSIGN(plan, kernel::make_plan(catalogue, variant.key));
  return static_cast<std::int64_t>(plan.launch.dynamic_shared_bytes);
}

void sort(std::vector<Choice>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.periods.front().value < b.periods.front().value;
  });
}

// What fits. Step::usage with what takes least where nothing does.
Result<std::vector<Choice>> fitting(const Catalogue& catalogue, std::vector<Variant> variants,
                                    Model& model, Advice& advice) {
  std::optional<Choice> least;
  std::vector<Choice> fit;
  for (Variant& variant : variants) {
    const auto shared = shared_of(catalogue, variant);
    if (!shared) continue;
    Choice choice{std::move(variant), {}, *shared, false};
    if (advice.shared_budget <= 0 || *shared <= advice.shared_budget) {
      fit.push_back(std::move(choice));
      continue;
    }
    ++advice.left_out;
    if (!least || choice.shared_bytes < least->shared_bytes) least = std::move(choice);
  }
  if (fit.empty() && least)
    return with_hint(
        fail(Step::usage, "nothing fits {} bytes of shared memory: the least is {} bytes, {}",
             advice.shared_budget, least->shared_bytes, least->variant.key.id),
        fmt::format("it takes {:.4g} {}; a smaller payload_bytes needs less",
                    model.period(least->variant, false).value, model.evidence().unit));
  return fit;
}

// Ranks what fits, the fastest by whole estimates.
void rank(Model& model, Advice& advice) {
  advice.measured = 0;
  for (Choice& choice : advice.ranked) {
    choice.periods = {model.period(choice.variant, false)};
    advice.measured += choice.periods.front().measured ? 1 : 0;
  }
  sort(advice.ranked);
  for (std::size_t n = 0; n < std::min(most_whole, advice.ranked.size()); ++n)
    advice.ranked[n].periods = {model.period(advice.ranked[n].variant, true)};
  sort(advice.ranked);
}

// Which of the ranking do not matter against its best, or the best of `among`.
void compare(QueryFigures& figures, Model& model, const std::vector<std::string>& among,
             Advice& advice) {
  const auto counts = [&](const Choice& choice) {
    return among.empty() || base::contains(among, choice.variant.key.id);
  };
  auto first = std::find_if(advice.ranked.begin(), advice.ranked.end(), counts);
  if (first == advice.ranked.end()) first = advice.ranked.begin();
  const Period best = first->periods.front();
  for (Choice& choice : advice.ranked)
    choice.same =
        (&choice == &*first || counts(choice)) && same(figures, best, choice.periods.front());
  advice.first =
      first_choice(advice.ranked, static_cast<std::size_t>(first - advice.ranked.begin()));
  for (auto next = first; next != advice.ranked.end() && !advice.runner_up; ++next) {
    if (!next->same && next->periods.front().high == 0) {
      next->periods = {model.period(next->variant, true)};
      next->same = counts(*next) && same(figures, best, next->periods.front());
    }
    if (!next->same) advice.runner_up = static_cast<std::size_t>(next - advice.ranked.begin());
  }
}

// The fastest of the same problem with nothing to wait for and nothing that moves.
double work_alone(const Model& model, const Variant& first, const Catalogue& catalogue) {
  double least = 0;
  for (const Row& row : model.evidence().rows) {
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
  for (const Row& row : model.evidence().rows)
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
    const Row& row = model.sample(id);
    advice.neighbours.push_back({id, row.value, differences(row.variant, first.variant)});
  }
}

// What of the advice is shown gets its period on the other GPUs too.
void add_periods(std::vector<std::unique_ptr<Model>>& models, Advice& advice) {
  const auto complete_one = [&](Choice& choice) {
    for (std::size_t n = 1; n < models.size(); ++n)
      choice.periods.push_back(models[n]->period(choice.variant, true));
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

struct Advisor::State {
  AdviseRequest request;
  Catalogue catalogue;
  Question question;
  ReportDatabase database;
  std::vector<std::unique_ptr<Model>> models = {};  // the first ranks
  std::optional<QueryFigures> figures = {};         // of the first
  Advice advice = {};                               // what no figure changes, and all that fits

  Model& model() { return *models.front(); }
  Result<std::unique_ptr<Model>> read(const std::string& gpu, const std::set<std::string>& without,
                                      bool other);
  Status read_models(const std::string& gpu, bool anew);
  // Of a variant, on the GPU that ranks; 0 for none.
  std::int64_t newest(const std::string& id);
};

Result<std::unique_ptr<Model>> Advisor::State::read(const std::string& gpu,
                                                    const std::set<std::string>& without,
                                                    bool other) {
  PHASEBIT_TRY_ASSIGN(rows, read_evidence(database, catalogue, question, gpu, without));
  return std::make_unique<Model>(catalogue, std::move(rows), other);
}

Status Advisor::State::read_models(const std::string& gpu, bool anew) {
  PHASEBIT_TRY_ASSIGN(without, ids_of(request.without));
  PHASEBIT_TRY_ASSIGN(gpus, gpus_of(database, request));
  const auto own = std::find(gpus.begin(), gpus.end(), gpu);
  if (own != gpus.end()) std::rotate(gpus.begin(), own, own + 1);
  for (const std::string& name : gpus) {
    PHASEBIT_TRY_ASSIGN(model, read(name, without, false));
    if (model->evidence().rows.empty() && gpus.size() > 1) continue;  // nothing of the kind
    models.push_back(std::move(model));
    advice.gpus.push_back(name);
  }
  if (models.empty()) return fail(Step::usage, "no GPU of the results measured such a problem");
  const bool known = gpu.empty() || advice.gpus.front() == gpu;
  if (known && !anew) return {};
  PHASEBIT_TRY_ASSIGN(model, read(advice.gpus.front(), without, true));
  if (known) {
    models.front() = std::move(model);
    return {};
  }
  models.insert(models.begin(), std::move(model));
  advice.gpus.insert(advice.gpus.begin(), gpu);
  return {};
}

std::int64_t Advisor::State::newest(const std::string& id) {
  report::sql::make_views(database.sqlite(), model().evidence().g, {});
  SQLite::Statement row(database.sqlite(),
                        "SELECT f FROM figure WHERE id = ? AND kind = 'point' AND quantity = "
                        "'cycles' AND newest");
  row.bind(1, id);
  return row.executeStep() ? row.getColumn(0).getInt64() : 0;
}

Advisor::Advisor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Advisor::Advisor(Advisor&&) noexcept = default;
Advisor::~Advisor() = default;

Result<Advisor> Advisor::open(const AdviseRequest& request, const std::string& gpu, bool anew) {
  PHASEBIT_TRY_ASSIGN(catalogue, Catalogue::load(request.home.data / "templates"));
  PHASEBIT_TRY_ASSIGN(question, read_question(catalogue, request.asked));
  std::int64_t budget = 0;
  if (!request.shared.empty()) {
    PHASEBIT_TRY_ASSIGN(bytes, read_bytes(request.shared));
    budget = bytes;
  }
  PHASEBIT_TRY_ASSIGN(database, open_results(request));
  auto state = std::unique_ptr<State>(
      new State{request, std::move(catalogue), std::move(question), std::move(database)});
  Advice& advice = state->advice;
  advice.shared_budget = budget;
  PHASEBIT_TRY(state->read_models(gpu, anew));
  Model& model = state->model();
  advice.unit = model.evidence().unit;
  advice.given = state->question.given;
  advice.taken = complete(state->catalogue, state->question, model.evidence().rows);
  PHASEBIT_TRY_ASSIGN(
      variants, candidates(state->catalogue, state->question, advice.taken, model.evidence().rows));
  PHASEBIT_TRY_ASSIGN(fit, fitting(state->catalogue, std::move(variants), model, advice));
  advice.ranked = std::move(fit);
  if (request.only_results) advice.files = request.results;
  state->figures.emplace(state->database.sqlite(), model.evidence().g);
  return Advisor(std::move(state));
}

const std::string& Advisor::gpu() const {
  return state_->advice.gpus.front();
}

std::string Advisor::target() const {
  constexpr int first_with_features = 90;
  for (const auto& device : state_->database.devices()) {
    if (device.name != gpu()) continue;
    const auto number = base::number_in(std::string_view(device.target).substr(3));
    return device.target + (number && *number >= first_with_features ? "a" : "");
  }
  return {};
}

std::vector<Standing> Advisor::standings() {
  std::vector<Standing> all;
  for (const Choice& choice : state_->advice.ranked) {
    const Period period = state_->model().period(choice.variant, false);
    all.push_back({choice.variant.key.id, period.value, period.measured});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
  return all;
}

void Advisor::learn(const report::data::Figure& figure) {
  const auto& all = state_->advice.ranked;
  const auto choice = std::find_if(
      all.begin(), all.end(), [&](const Choice& one) { return one.variant.key.id == figure.id; });
  if (choice == all.end()) return;
  const launch::VariantKey& key = choice->variant.key;
  state_->model().learn(
      {choice->variant,
       state_->figures->keep(figure, key.value("probe") + "/" + key.value("protocol")),
       figure.value, figure.value - figure.half_width, figure.value + figure.half_width, ""});
}

const report::data::Figure* Advisor::published(const std::string& id) {
  const std::int64_t figure = state_->newest(id);
  return figure == 0 ? nullptr : &state_->figures->at(figure).figure;
}

bool Advisor::is_slower(const std::string& best, const std::string& other) {
  const Row *one = state_->model().find(best), *two = state_->model().find(other);
  return one != nullptr && two != nullptr && one->figure != two->figure &&
         state_->figures->compare(one->figure, two->figure).verdict == "slower";
}

Result<Advice> Advisor::advice(const std::vector<std::string>& among) {
  Advice advice = state_->advice;
  const Catalogue& catalogue = state_->catalogue;
  Model& model = state_->model();
  rank(model, advice);
  compare(*state_->figures, model, among, advice);
  add_periods(state_->models, advice);
  add_defaults(catalogue, state_->question, model, advice);
  advice.axes = axis_answers(advice.ranked, advice.first, catalogue.choices());
  add_unseen(catalogue, state_->question, model, advice);
  advice.stages = by_stages(advice.ranked, advice.first);
  const Variant& first = advice.ranked[advice.first].variant;
  if (!model.of_other_gpu()) {
    advice.work_alone = work_alone(model, first, catalogue);
    advice.copy_alone = copy_alone(state_->database, first, model.evidence().g);
  }
  add_neighbours(model, advice);
  PHASEBIT_TRY_ASSIGN(claims, claims_of(state_->request, advice));
  advice.claims = std::move(claims);
  return advice;
}

Result<Advice> advise(const AdviseRequest& request) {
  PHASEBIT_TRY_ASSIGN(advisor, Advisor::open(request));
  return advisor.advice();
}

}  // namespace phasebit::join::advise
