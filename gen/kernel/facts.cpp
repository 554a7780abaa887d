#include "gen/kernel/facts.h"

#include "gen/space/point.h"

#include <algorithm>

namespace phasebit::kernel {

using space::Component;
using space::Expression;

namespace {

Status check_range(const Component& protocol, const char* fact, int value, int most,
                   int least = 0) {
  if (value >= least && value <= most) return {};
  return fail(Step::spec, "protocols/{}/protocol.toml: {} = {}: not from {} to {}", protocol.name,
              fact, value, least, most);
}

// An mbarrier without expected arrivals does not exist.
int least_arrivals(const PlanFacts& facts, space::ReadBack how) {
  return how == space::ReadBack::phases && !facts.waits_arrive ? 1 : 0;
}

Status check_facts(const Component& protocol, const PlanFacts& facts) {
  const int most = facts.most_arrivals > 0 ? facts.most_arrivals : most_expected;
  constexpr int most_bytes = 1 << 18;  // more than any CTA has
  PHASEBIT_TRY(check_range(protocol, "[arrivals] full", facts.handed_full, most,
                           least_arrivals(facts, facts.read_full)));
  PHASEBIT_TRY(check_range(protocol, "[arrivals] empty", facts.handed_empty, most,
                           least_arrivals(facts, facts.read_empty)));
  PHASEBIT_TRY(check_range(protocol, "[slot] words", facts.words, most_bytes / 8));
  return check_range(protocol, "[slot] extra bytes", facts.extra_bytes, most_bytes);
}

Status evaluate_protocol(const Figures& figures, PlanFacts& out) {
  const Component& protocol = figures.chosen(space::ComponentKind::protocol);
  const space::ProtocolFacts& facts = protocol.protocol;
  out.can = protocol.can;
  out.words = facts.words;
  out.extra_bytes = facts.extra_bytes;
  out.keeps_address = facts.keeps_address;
  out.counts_laps = facts.counts_laps;
  out.read_full = facts.read_full;
  out.read_empty = facts.read_empty;
  PHASEBIT_TRY_ASSIGN(full, figures.number(facts.full_arrivals));
  PHASEBIT_TRY_ASSIGN(empty, figures.number(facts.empty_arrivals));
  PHASEBIT_TRY_ASSIGN(most, figures.number(facts.most_arrivals));
  PHASEBIT_TRY_ASSIGN(waits_arrive, figures.holds(facts.waits_arrive));
  PHASEBIT_TRY_ASSIGN(early, figures.holds(facts.early));
  PHASEBIT_TRY_ASSIGN(ahead, figures.number(facts.ahead));
  PHASEBIT_TRY_ASSIGN(in_all, figures.holds(facts.empty_in_all));
  out.handed_full = out.full_arrivals = full;
  out.handed_empty = out.empty_arrivals = empty;
  out.most_arrivals = most;
  out.waits_arrive = waits_arrive;
  out.tries_early = early;
  out.ahead = ahead;
  out.empty_in_all = in_all;
  return check_facts(protocol, out);
}

}  // namespace

bool PlanFacts::can_do(std::string_view capability) const {
  return std::find(can.begin(), can.end(), capability) != can.end();
}

Result<PlanFacts> evaluate_facts(const Figures& figures) {
  PlanFacts out;
  PHASEBIT_TRY(evaluate_protocol(figures, out));
  const space::WorkFacts& work = figures.chosen(space::ComponentKind::work).work;
  PHASEBIT_TRY_ASSIGN(producer, figures.holds(work.producer));
  PHASEBIT_TRY_ASSIGN(consumer, figures.holds(work.consumer));
  out.producer_works = producer;
  out.consumer_works = consumer;
  PHASEBIT_TRY_ASSIGN(behind, figures.number(work.behind));
  PHASEBIT_TRY_ASSIGN(fixed, figures.holds(work.fixed));
  if (behind < 0 || behind > 1)
    return fail(Step::spec, "work/{}/work.toml: [works] behind = {}: not 0 or 1",
                figures.chosen(space::ComponentKind::work).name, behind);
  out.releases_behind = behind;
  out.fixed_warps = fixed;
  return out;
}

Result<Figures> Figures::of(const space::Catalogue& catalogue, const launch::VariantKey& variant) {
  PHASEBIT_TRY_ASSIGN(point, space::point_of(catalogue, variant));
  Figures out;
  out.catalogue_ = &catalogue;
  out.point_ = std::move(point);
  return out;
}

void Figures::set(const std::map<std::string, int>& figures) {
  for (const auto& [name, value] : figures) {
    figures_[name] = value;
    const int slot = catalogue_->vocabulary().slot(name);
    if (slot >= 0) point_[static_cast<size_t>(slot)] = value;
  }
}

bool Figures::knows(const Expression& expression) const {
  const auto& derived = catalogue_->derived();
  for (const int slot : expression.slots()) {
    const std::string& name = catalogue_->vocabulary().name(slot).text;
    if (std::find(derived.begin(), derived.end(), name) != derived.end() &&
        !figures_.contains(name))
      return false;
  }
  return true;
}

Result<std::int64_t> Figures::wide_number(const Expression& expression) const {
  if (!knows(expression))
    return fail(Step::spec, "'{}' names a figure that the plan does not supply here",
                expression.text());
  return expression.number(point_);
}

Result<int> Figures::number(const Expression& expression) const {
  return wide_number(expression).map([](std::int64_t value) { return static_cast<int>(value); });
}

Result<int> Figures::number(const std::optional<Expression>& expression) const {
  return expression ? number(*expression) : Result<int>(0);
}

Result<bool> Figures::holds(const std::optional<Expression>& expression) const {
  return number(expression).map([](int value) { return value != 0; });
}

}  // namespace phasebit::kernel
