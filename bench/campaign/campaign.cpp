#include "bench/campaign/campaign.h"

#include "bench/campaign/anchors.h"
#include "bench/campaign/plan.h"
#include "core/base/interrupt.h"
#include "core/base/text.h"
#include "core/results/same_code.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

#include <fmt/format.h>

namespace phasebit::bench::campaign {

using base::interrupted;
using launch::BundleVariant;
using results::Conditions;
using results::PointKind;
using results::PointRow;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Outcome without_figure(Error why) {
  Outcome outcome;
  outcome.error = std::move(why);
  return outcome;
}

}  // namespace

Outcome outcome_of(const PointRow& row) {
  Outcome outcome;
  outcome.unit = row.unit;
  outcome.quality = row.quality;
  outcome.conditions = row.conditions;
  outcome.sms = row.sms;
  outcome.readings = row.readings;
  if (row.error) {
    outcome.error = Error{row.error->step, row.error->message, {}};
    return outcome;
  }
  outcome.megahertz = row.megahertz;
  for (const results::Sample& sample : row.samples)
    outcome.items_per_launch = std::max(outcome.items_per_launch, sample.items);
  auto summary = results::summary_of(row);
  if (summary)
    outcome.summary = std::move(*summary);
  else
    outcome.error = summary.error();
  return outcome;
}

Campaign::Campaign(const launch::Manifest& manifest, results::Store& store,
                   worker::WorkerHandle& worker, Progress& progress, CampaignOptions options)
    : manifest_(manifest),
      store_(store),
      worker_(worker),
      progress_(progress),
      options_(std::move(options)) {
  for (const BundleVariant& variant : manifest.variants)
    keys_.emplace(variant.key.hash, &variant.key);
}

Status Campaign::open() {
  PHASEBIT_TRY_ASSIGN(device, worker_.start());
  device_ = device;
  if (options_.conditions.sm >= device_.row.multiprocessors)
    return fail(Step::usage, "--sm {}: {} has SMs 0 to {}", options_.conditions.sm,
                device_.row.name, device_.row.multiprocessors - 1);
  progress_.note(fmt::format("{} ({}), {} SMs, driver {}", device_.row.name, device_.row.target,
                             device_.row.multiprocessors, device_.row.driver));
  if (!device_.unknown.empty()) progress_.note("not known: " + device_.unknown);
  if (!options_.fresh) {
    PHASEBIT_TRY_ASSIGN(finished, FinishedPoints::read(store_));
    finished_ = std::move(finished);
  }
  maker_ = {device_.row.uuid, new_run_id()};
  maker_.limits.max_rounds = options_.max_rounds;
  maker_.limits.max_seconds = options_.point_seconds;
  maker_.limits.counters = options_.counters;
  return run_anchors();
}

// The run's row holds the timer's tick, so the rows of the anchors wait for the one that measures
// it.
Status Campaign::run_anchors() {
  const AnchorPass pass = measure_anchors(manifest_, worker_, maker_, options_.conditions);
  if (interrupted()) return fail(Step::device, "interrupted while the anchors were measured");
  if (pass.timer_tick_ns > 0) maker_.limits.timer_tick_ns = pass.timer_tick_ns;
  results::RunRow run = new_run_row(manifest_, options_.command, options_.seed);
  run.id = maker_.run_id;
  run.timer_tick_ns = maker_.limits.timer_tick_ns;
  run.driver = device_.row.driver;
  PHASEBIT_TRY(store_.add_device(device_.row));
  PHASEBIT_TRY(store_.add_run(run));
  PHASEBIT_TRY(store_.add_catalogue(manifest_.catalogue));
  for (const PointRow& row : pass.rows) {
    PHASEBIT_TRY(add_key(row));
    PHASEBIT_TRY(store_.add_point(row));
  }
  const std::vector<AnchorFigure> figures = judge_anchors(pass.results, device_);
  for (const AnchorFigure& figure : figures)
    progress_.note(fmt::format("{} {}", figure.ok() ? "anchor    " : "ANCHOR OFF", figure.text()));
  return options_.ignore_anchors ? Status{} : check_anchors(pass, figures);
}

void Campaign::plan(const PlanRequest& request) {
  representatives_ = representatives(manifest_, request.selected);
  plan_ = make_bench_plan(manifest_, request);
  next_ = 0;
  progress_.begin(plan_.order.size());
}

void Campaign::write(const PointRow& row) {
  if (const Status written = add_key(row).and_then([&] { return store_.add_point(row); }); !written)
    stopped_ = written.error();
}

// A row means its key: that is in the store before it.
Status Campaign::add_key(const PointRow& row) {
  const auto key = keys_.find(row.variant_hash);
  if (key == keys_.end()) return {};
  const Status added = store_.add_variant(pool_.row_of(*key->second, manifest_.catalogue));
  if (added) keys_.erase(key);
  return added;
}

Outcome Campaign::refuse(PointRow row, const Refusal& refusal) {
  row.set_error(refusal.verdict, {Step::gate, refusal.why});
  if (!finished_.has_error(key_of(row), *row.error)) write(row);
  return outcome_of(row);
}

Outcome Campaign::point_to(PointRow row, std::size_t representative) {
  const std::string& other = manifest_.variants[representative].key.id;
  row.conditions = options_.conditions;  // it ran nowhere
  results::set_same_code(row, other);
  ++tally_.same_class;
  const PointRow* known = finished_.find(key_of(row));
  // Once measured itself, say in a run that selected less, it needs no pointer to another.
  const bool said = known != nullptr && (known->measured() || known->same_as == row.same_as);
  if (!said) write(row);
  Outcome outcome;  // its figures are the other's: see result()
  outcome.note = "same code as " + other;
  return outcome;
}

void Campaign::check_liveness() {
  for (const BundleVariant& variant : manifest_.variants) {
    if (variant.key.id != liveness_anchor) continue;
    const PointRow row = maker_.row(variant, PointKind::anchor, options_.conditions);
    const auto alive = worker_.measure(maker_.request(row, options_.conditions));
    if (!alive && !interrupted())
      stopped_ = Error{
          Step::device,
          fmt::format("the GPU does not work after a point was lost: {}", alive.error().message),
          "see what nvidia-smi says; the same command resumes"};
    return;
  }
}

void Campaign::tell(const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    if (told_.insert(note).second) progress_.note(note);
}

Outcome Campaign::measure_now(PointRow row, const Conditions& conditions,
                              const BundleVariant& variant,
                              const std::optional<point::PointRequest>& next) {
  // Each further hang would cost the watchdog's time.
  if (const auto known = hung_.find(row.variant_hash); known != hung_.end()) {
    row.set_error(results::Verdict::hung, known->second);
    write(row);
    return outcome_of(row);
  }
  const auto measured = worker_.measure(maker_.request(row, conditions), next);
  if (!measured && interrupted()) {
    interrupt();
    return {};
  }
  if (measured && variant.external && variant.external->no_figure) {
    Outcome ended;
    ended.note = "it ended; no figure was asked for";
    if (row.repetition == 0 && !row.aa_control) ++tally_.measured;
    return ended;
  }
  fill_row(row, measured);
  if (measured) tell(measured->notes);
  if (worker_.hung()) row.verdict = results::Verdict::hung;
  write(row);
  if (worker_.hung()) hung_.emplace(row.variant_hash, row.error.value());
  Outcome outcome = outcome_of(row);
  if (outcome.error) {
    progress_.note(fmt::format("{}: {}", variant.key.id, outcome.error->text()));
    if (worker_.lost_worker()) check_liveness();
  } else {
    ++tally_.measured;
  }
  return outcome;
}

Campaign::Prepared Campaign::prepare(const PlannedPoint& point, PointKind kind,
                                     const Conditions& conditions) const {
  const BundleVariant& variant = manifest_.variants[point.variant];
  const Conditions own = kind == PointKind::point && options_.varies
                             ? vary(conditions, variant, point.repetition, device_)
                             : conditions;
  Prepared prepared{maker_.row(variant, kind, own), own, refusal(variant), point.variant, nullptr};
  prepared.row.repetition = point.repetition;
  prepared.row.aa_control = point.aa_control;
  if (!representatives_.empty() && !point.aa_control)
    prepared.representative = representatives_[point.variant];
  // A row without samples says whose they are; it may stem from a run that chose another variant.
  const PointRow* known = finished_.find(key_of(prepared.row));
  const bool counted =
      known != nullptr && (!known->counters.empty() || !known->quality.no_counters.empty());
  if (known != nullptr && known->measured() &&
      (counted || !options_.counters || !counts(prepared.row)))
    prepared.known = known;
  return prepared;
}

std::optional<point::PointRequest> Campaign::request_ahead() const {
  constexpr std::size_t farthest = 64;
  const std::size_t end = std::min(plan_.order.size(), next_ + farthest);
  for (std::size_t n = next_; n < end; ++n) {
    const PlannedPoint& point = plan_.order[n];
    const Prepared prepared = prepare(point, PointKind::point, options_.conditions);
    const bool asks_worker = !prepared.refusal && prepared.known == nullptr &&
                             prepared.representative == point.variant &&
                             !hung_.contains(prepared.row.variant_hash);
    if (asks_worker) return maker_.request(prepared.row, prepared.own);
  }
  return std::nullopt;
}

Outcome Campaign::take(const PlannedPoint& point, PointKind kind, const Conditions& conditions) {
  Prepared prepared = prepare(point, kind, conditions);
  if (const auto refuted = refuted_.find(prepared.representative);
      kind == PointKind::point && refuted != refuted_.end())
    return without_figure(refuted->second);
  if (prepared.refusal) return refuse(std::move(prepared.row), *prepared.refusal);
  if (prepared.representative != point.variant)
    return point_to(std::move(prepared.row), prepared.representative);
  if (prepared.known != nullptr) {
    Outcome outcome = outcome_of(*prepared.known);
    outcome.note = "from the store";
    ++tally_.from_store;
    return outcome;
  }
  const auto next = kind == PointKind::point ? request_ahead() : std::nullopt;
  return measure_now(std::move(prepared.row), prepared.own, manifest_.variants[point.variant],
                     next);
}

void Campaign::keep_aa(const PlannedPoint& point, const Outcome& outcome) {
  const Key key{representatives_[point.variant], point.repetition};
  (point.aa_control ? controls_ : outcomes_)[key] = outcome;
  const auto a = outcomes_.find(key), b = controls_.find(key);
  if (a == outcomes_.end() || b == controls_.end()) return;
  if (!a->second.summary || !b->second.summary) return;
  const double first = a->second.summary->cycles, second = b->second.summary->cycles;
  const double difference = std::abs(first - second);
  aa_differences_.emplace_back(difference, first > 0 ? difference / first : 0);
  const std::size_t other = plan_.control.at(key.first);
  if (other != key.first) hold_class(other, *a->second.summary, *b->second.summary);
}

// In the base conditions, and not for the store.
std::optional<results::Summary> Campaign::measure_aside(std::size_t variant) {
  PointRow row = maker_.row(manifest_.variants[variant], PointKind::point, options_.conditions);
  const auto measured = worker_.measure(maker_.request(row, options_.conditions));
  if (!measured) return std::nullopt;
  fill_row(row, measured);
  auto summary = results::summary_of(row);
  return summary ? std::optional(std::move(*summary)) : std::nullopt;
}

void Campaign::hold_class(std::size_t other, const results::Summary& first,
                          const results::Summary& second) {
  const std::size_t representative = representatives_[other];
  std::vector<results::Summary> all_first = {first}, all_second = {second};
  constexpr int times = 2;
  for (int n = 0; n < times && are_apart(all_first, all_second); ++n) {
    auto more_first = measure_aside(representative), more_second = measure_aside(other);
    if (!more_first || !more_second) return;
    all_first.push_back(std::move(*more_first));
    all_second.push_back(std::move(*more_second));
  }
  if (are_apart(all_first, all_second))
    refute_class(representative, in_words(manifest_.variants[representative].key.id, all_first,
                                          manifest_.variants[other].key.id, all_second));
}

// None of its members has a figure: the report does not forgive a wrong row.
void Campaign::refute_class(std::size_t representative, const std::string& figures) {
  const Error error{
      Step::verify,
      fmt::format("its class is none, two members that have one code differ: {}", figures),
      {}};
  refuted_.emplace(representative, error);
  progress_.note(error.text());
  for (std::size_t n = 0; n < representatives_.size(); ++n) {
    if (representatives_[n] != representative || refusal(manifest_.variants[n])) continue;
    PointRow row = maker_.row(manifest_.variants[n], PointKind::point, options_.conditions);
    row.set_error(results::Verdict::wrong, {error.step, error.message});
    write(row);
    ++tally_.failed;
  }
  if (!tally_.first_error) tally_.first_error = error;
}

void Campaign::interrupt() {
  interrupted_ = true;
  stopped_ = Error{Step::launch, "interrupted", {}};
}

void Campaign::do_point(const PlannedPoint& point) {
  if (interrupted()) return interrupt();
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = take(point, PointKind::point, options_.conditions);
  if (interrupted_) return;
  tally_.seconds += seconds_since(start);
  if (outcome.error) {
    ++tally_.failed;
    if (!tally_.first_error) tally_.first_error = outcome.error;
  }
  if (!point.aa_control && representatives_[point.variant] != point.variant)
    outcomes_[{point.variant, point.repetition}] = outcome;
  else
    keep_aa(point, outcome);
  progress_.step(manifest_.variants[point.variant].key.id, outcome.error.has_value());
}

Outcome Campaign::result(std::size_t variant, int repetition) {
  const Key own{variant, repetition}, other{representatives_[variant], repetition};
  while (!stopped_ && next_ < plan_.order.size() &&
         !(outcomes_.contains(own) && outcomes_.contains(other)))
    do_point(plan_.order[next_++]);
  const auto found = outcomes_.find(own), figures = outcomes_.find(other);
  progress_.clear();
  if (found == outcomes_.end() || figures == outcomes_.end()) {
    return without_figure(stopped_.value_or(Error{Step::usage, "not in the plan", {}}));
  }
  if (const auto refuted = refuted_.find(other.first); refuted != refuted_.end())
    return without_figure(refuted->second);
  if (own == other) return found->second;
  Outcome shared = figures->second;
  shared.note = found->second.note;
  return shared;
}

void Campaign::finish() {
  while (!stopped_ && next_ < plan_.order.size()) do_point(plan_.order[next_++]);
  progress_.clear();
}

Outcome Campaign::measure_at(std::size_t variant, PointKind kind, int repetition,
                             const Conditions& conditions) {
  return take({variant, repetition, false}, kind, conditions);
}

namespace {

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), format, &utc);
  return std::string(text.data(), n);
}

}  // namespace

std::string new_run_id() {
  std::random_device random;
  return fmt::format("{}-{:08x}{:04x}", utc_now("%Y%m%dT%H%M%SZ"), random(), random() & 0xffffU);
}

results::RunRow new_run_row(const launch::Manifest& manifest, const std::string& command,
                            std::uint64_t seed) {
  results::RunRow run;
  run.started = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  run.commit = manifest.commit;
  run.ptxas = manifest.ptxas;
  run.target = manifest.target;
  run.sweep = manifest.sweep;
  run.order_seed = seed;
  return run;
}

namespace {

// Often enough to see it move; writing to a terminal costs as much as a small point.
constexpr auto terminal_period = std::chrono::milliseconds(100);
constexpr auto plain_period = std::chrono::seconds(10);
constexpr std::size_t shown_width = 60;

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  return base::whole_duration_text(seconds);
}

void Progress::begin(std::size_t total) {
  total_ = total;
  done_ = failed_ = 0;
  start_ = last_shown_ = Clock::now();
}

void Progress::step(const std::string& what, bool failed) {
  ++done_;
  if (failed) ++failed_;
  const auto now = Clock::now();
  const bool last = done_ == total_;
  if (!last && now - last_shown_ < (terminal_ ? Clock::duration(terminal_period) : plain_period))
    return;
  last_shown_ = now;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = spent / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  const std::string errors = failed_ == 0 ? "" : fmt::format(", {} failed", failed_);
  const std::string text =
      fmt::format("[{}/{}] {} left{}", done_, total_, duration_text(left), errors);
  if (terminal_)
    fmt::print(out_, "\r\033[K{}  {}", text, what.substr(0, shown_width));
  else
    fmt::print(out_, "{}\n", text);
  std::fflush(out_);
  shown_ = terminal_;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  shown_ = false;
}

void Progress::note(const std::string& text) {
  clear();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

}  // namespace phasebit::bench::campaign
