#include "gen/probes/make_plan.h"

#include "gen/probes/layout.h"
#include "gen/probes/probes.h"

namespace phasebit::probes {

using image::VariantKey;

namespace {

int round_up(int value, int to) {
  return (value + to - 1) / to * to;
}

// The producers' moves, where the mover copies images of the payload.
Status place_copies(const VariantKey& variant, Plan& plan, int copy_bytes) {
  if (copy_bytes == 0) return {};
  RolePlan& role = plan.producer;
  if (plan.slot_bytes % (copy_bytes * role.threads) != 0)
    return fail(Step::spec, "{}: payload_bytes {} are no whole copies of {} bytes for {} threads",
                variant.id, plan.slot_bytes, copy_bytes, role.threads);
  role.vector_words = copy_bytes / 4;
  role.moves = plan.slot_bytes / (copy_bytes * role.threads);
  plan.launch.payload.period = image::copied_payload_period;
  return {};
}

Status place_payload(const VariantKey& variant, Plan& plan, int payload_bytes) {
  plan.slot_bytes = payload_bytes;
  for (RolePlan* role : {&plan.producer, &plan.consumer}) {
    const bool wide = payload_bytes % (16 * role->threads) == 0;
    role->vector_words = wide ? 4 : 1;
    if (payload_bytes % (4 * role->threads) != 0)
      return fail(Step::spec, "{}: payload_bytes {} cannot be split evenly over {} threads",
                  variant.id, payload_bytes, role->threads);
    role->moves = payload_bytes / (4 * role->vector_words * role->threads);
  }
  plan.launch.payload.words_per_slot = payload_bytes / 4;
  plan.launch.payload.consumer_threads = plan.consumer.threads;
  plan.launch.payload.consumer_vector_words = plan.consumer.vector_words;
  return {};
}

Status place_moves(const VariantKey& variant, const Figures& figures, Plan& plan) {
  const catalogue::MoverFacts& mover = figures.chosen(catalogue::ComponentKind::mover).mover;
  PHASEBIT_TRY_ASSIGN(bytes, figures.number(mover.bytes));
  PHASEBIT_TRY_ASSIGN(copy_bytes, figures.number(mover.copy_bytes));
  if (bytes == 0) return {};
  PHASEBIT_TRY(place_payload(variant, plan, bytes));
  PHASEBIT_TRY(place_copies(variant, plan, copy_bytes));
  return place_tiles(variant, figures, plan);
}

void place_shared_memory(Plan& plan) {
  plan.empty_offset = 8 * plan.num_stages;
  plan.ticket_offset = 16 * plan.num_stages;
  plan.scratch_offset = plan.ticket_offset + 16;
  constexpr int scratch_bytes = 16 * 4;
  plan.extra_offset = plan.scratch_offset + scratch_bytes;
  plan.payload_offset = round_up(plan.extra_offset + plan.facts.extra_bytes * plan.num_stages,
                                 plan.payload_alignment);
  plan.launch.dynamic_shared_bytes = plan.payload_offset + plan.num_stages * plan.slot_bytes;
}

}  // namespace

Result<Plan> make_plan(const catalogue::Catalogue& catalogue, const VariantKey& variant) {
  PHASEBIT_TRY_ASSIGN(figures, Figures::of(catalogue, variant));
  Plan plan;
  plan.unified = variant.value("roles") == "unified";
  plan.unrolled = variant.value("addressing") == "unrolled";
  PHASEBIT_TRY_ASSIGN(num_stages, whole_number(variant, "num_stages", 1));
  PHASEBIT_TRY_ASSIGN(ctas_per_sm, whole_number(variant, "ctas_per_sm", 1));
  PHASEBIT_TRY_ASSIGN(work_amount,
                      figures.number(figures.chosen(catalogue::ComponentKind::work).work.amount));
  plan.num_stages = num_stages;
  plan.launch.ctas_per_sm = ctas_per_sm;
  plan.launch.work_amount = static_cast<std::uint32_t>(work_amount);
  const ProbePlanner& probe = planner_of(variant.value("probe"));
  PHASEBIT_TRY(probe.lay_out(variant, plan));
  figures.set(plan.derived());
  PHASEBIT_TRY_ASSIGN(facts, evaluate_facts(figures));
  plan.facts = std::move(facts);
  if (plan.facts.waits_arrive) {
    plan.facts.full_arrivals += plan.consumer.threads;
    plan.facts.empty_arrivals += plan.producer.threads;
  }
  PHASEBIT_TRY(place_moves(variant, figures, plan));
  place_shared_memory(plan);
  plan.phases_checked = plan.facts.read_words() * num_stages;
  PHASEBIT_TRY(probe.finish(variant, plan));
  plan.launch.phases_checked = plan.phases_checked;
  return plan;
}

}  // namespace phasebit::probes
