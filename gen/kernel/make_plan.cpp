#include "gen/kernel/make_plan.h"

#include "core/base/word.h"
#include "core/ptx/head/head.h"
#include "gen/kernel/layout.h"
#include "gen/kernel/probes.h"

#include <algorithm>
#include <numeric>

namespace phasebit::kernel {

using launch::VariantKey;

namespace {

int round_up(int value, int to) {
  return (value + to - 1) / to * to;
}

// What a mover's facts come to for a variant; 0: not said.
struct Moves {
  int bytes = 0, copy_bytes = 0, copiers = 0, read_bytes = 0;
  int kept_bytes = 0;  // of a copy that come from memory
  int period = 0;      // items whose words differ, where slots keep theirs
};

Result<Moves> moves_of(const Figures& figures) {
  const space::MoverFacts& mover = figures.chosen(space::ComponentKind::mover).mover;
  PHASEBIT_TRY_ASSIGN(bytes, figures.number(mover.bytes));
  PHASEBIT_TRY_ASSIGN(copy_bytes, figures.number(mover.copy_bytes));
  PHASEBIT_TRY_ASSIGN(copiers, figures.number(mover.copiers));
  PHASEBIT_TRY_ASSIGN(read_bytes, figures.number(mover.read_bytes));
  PHASEBIT_TRY_ASSIGN(kept_bytes, figures.number(mover.kept_bytes));
  PHASEBIT_TRY_ASSIGN(period, figures.number(mover.period));
  return Moves{bytes, copy_bytes, copiers, read_bytes, mover.kept_bytes ? kept_bytes : copy_bytes,
               period};
}

// The producers' moves, where the mover copies images of the payload.
Status place_copies(const VariantKey& variant, Plan& plan, const Moves& moves) {
  RolePlan& role = plan.producer;
  role.movers = moves.copiers > 0 ? moves.copiers : role.threads;
  constexpr int bulk_bytes = 16;  // PTX ISA, cp.async.bulk: the size is a multiple of it
  if (moves.copiers > 0 && moves.copy_bytes % bulk_bytes != 0)
    return fail(Step::spec,
                "{}: payload_bytes {}: {} copies of {} bytes; a copy is a multiple of {} bytes",
                variant.id, plan.slot_bytes, plan.slot_bytes / moves.copy_bytes, moves.copy_bytes,
                bulk_bytes);
  if (plan.slot_bytes % (moves.copy_bytes * role.movers) != 0)
    return fail(Step::spec, "{}: payload_bytes {} are not whole copies of {} bytes for {} {}",
                variant.id, plan.slot_bytes, moves.copy_bytes, role.movers,
                moves.copiers > 0 ? "that copy" : "threads");
  role.vector_words = moves.copy_bytes / 4;
  role.moves = plan.slot_bytes / (moves.copy_bytes * role.movers);
  plan.launch.payload.period = launch::copied_payload_period;
  if (moves.kept_bytes == moves.copy_bytes) return {};
  if (moves.kept_bytes % 4 != 0 || moves.kept_bytes > moves.copy_bytes)
    return fail(Step::spec,
                "{}: {} bytes of a copy of {} come from memory: whole words of 4 are verified",
                variant.id, moves.kept_bytes, moves.copy_bytes);
  plan.launch.payload.copy_words = moves.copy_bytes / 4;
  plan.launch.payload.kept_words = moves.kept_bytes / 4;
  return {};
}

Status split_evenly(const VariantKey& variant, int payload_bytes, RolePlan& role) {
  if (payload_bytes % (4 * role.threads) != 0)
    return fail(Step::spec, "{}: payload_bytes {} cannot be split evenly over {} threads",
                variant.id, payload_bytes, role.threads);
  role.movers = role.threads;
  role.vector_words = payload_bytes % (16 * role.threads) == 0 ? 4 : 1;
  role.moves = payload_bytes / (4 * role.vector_words * role.threads);
  return {};
}

// Consumers of a copied slot may read a part of it, and several of them one word of a small one.
Status place_reads(const VariantKey& variant, Plan& plan, const Moves& moves) {
  RolePlan& role = plan.consumer;
  if (plan.launch.payload.product.rows > 0) {
    role.vector_words = 0;
    return {};
  }
  const bool small = moves.copy_bytes > 0 && moves.bytes < 4 * role.threads;
  if (small && 4 * role.threads % moves.bytes == 0) {
    role.movers = role.threads;
    role.moves = role.vector_words = plan.launch.payload.thread_words = 1;
    return {};
  }
  PHASEBIT_TRY(split_evenly(variant, moves.bytes, role));
  if (moves.read_bytes == 0) return {};
  const int share = moves.bytes / role.threads;
  if (moves.read_bytes > share || moves.read_bytes % (4 * role.vector_words) != 0)
    return fail(Step::spec, "{}: {} bytes for each of {} threads, a thread reads {}", variant.id,
                share, role.threads, moves.read_bytes);
  role.moves = moves.read_bytes / (4 * role.vector_words);
  plan.launch.payload.thread_words = moves.read_bytes / 4;
  return {};
}

Status place_moves(const VariantKey& variant, const Figures& figures, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(moves, moves_of(figures));
  if (moves.bytes == 0) return {};
  plan.slot_bytes = moves.bytes;
  if (moves.bytes % 4 != 0)
    return fail(Step::spec, "{}: payload_bytes {} is not a multiple of 4", variant.id, moves.bytes);
  PHASEBIT_TRY(moves.copy_bytes > 0 ? place_copies(variant, plan, moves)
                                    : split_evenly(variant, moves.bytes, plan.producer));
  PHASEBIT_TRY(place_product(variant, figures, plan));
  PHASEBIT_TRY(place_reads(variant, plan, moves));
  launch::PayloadShape& payload = plan.launch.payload;
  if (moves.period > 0) payload.period = moves.period;
  payload.words_per_slot = moves.bytes / 4;
  payload.consumer_threads = plan.consumer.threads;
  payload.consumer_vector_words = std::max(1, plan.consumer.vector_words);
  PHASEBIT_TRY(place_tiles(variant, figures, plan));
  return place_stored(variant, figures, plan);
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

// What a probe's [plan] may get wrong.
Status check_timed(const VariantKey& variant, const launch::LaunchShape& launch) {
  const auto says = [&](const char* key, const std::string& wrong, const std::string& hint) {
    return with_hint(fail(Step::spec, "probes/{}/probe.toml: [plan]: {}: {}",
                          variant.value("probe"), key, wrong),
                     hint);
  };
  if (!launch::has_timed_warp(launch))
    return says("timed_role", fmt::format("no warp is {}", base::word_of(launch.timed_role)),
                "name one of the roles");
  if (const auto fault = ptx::head::fault_of_figure(launch.unit, launch.sms > 0))
    return says("unit", fmt::format("'{}': {}", launch.unit, fault->what), fault->hint);
  return {};
}

// Work that differs from item to item and begins anew: a chain holds whole turns of it.
Status take_whole_repeats(const Figures& figures, launch::LaunchShape& launch) {
  PHASEBIT_TRY_ASSIGN(repeats,
                      figures.number(figures.chosen(space::ComponentKind::work).work.repeats));
  if (repeats > 1) launch.item_granule = std::lcm(launch.item_granule, repeats);
  launch.min_items = round_up(std::max(launch.min_items, 1), launch.item_granule);
  return {};
}

}  // namespace

Result<Plan> make_plan(const space::Catalogue& catalogue, const VariantKey& variant) {
  PHASEBIT_TRY_ASSIGN(figures, Figures::of(catalogue, variant));
  Plan plan;
  plan.unified = variant.value("roles") == "unified";
  plan.unrolled = variant.value("addressing") == "unrolled";
  PHASEBIT_TRY_ASSIGN(num_stages, whole_number(variant, "num_stages", 1));
  PHASEBIT_TRY_ASSIGN(ctas_per_sm, whole_number(variant, "ctas_per_sm", 1));
  PHASEBIT_TRY_ASSIGN(work_amount,
                      figures.number(figures.chosen(space::ComponentKind::work).work.amount));
  plan.num_stages = num_stages;
  plan.launch.ctas_per_sm = ctas_per_sm;
  plan.launch.work_amount = static_cast<std::uint32_t>(work_amount);
  const ProbePlanner& probe = planner_of(catalogue, variant.value("probe"));
  PHASEBIT_TRY(probe.lay_out(variant, plan));
  figures.set(plan.derived());
  PHASEBIT_TRY_ASSIGN(facts, evaluate_facts(figures));
  plan.facts = std::move(facts);
  if (plan.facts.fixed_warps) plan.launch.fixed_warps = true;
  if (plan.facts.waits_arrive) {
    plan.facts.full_arrivals += plan.consumer.threads;
    plan.facts.empty_arrivals += plan.producer.threads;
  }
  PHASEBIT_TRY(place_moves(variant, figures, plan));
  place_shared_memory(plan);
  plan.phases_checked = plan.facts.read_words() * num_stages;
  PHASEBIT_TRY(probe.finish(variant, plan));
  PHASEBIT_TRY(apply_declared(figures, variant, plan));
  PHASEBIT_TRY(take_whole_repeats(figures, plan.launch));
  if (variant.value("clusters") == "every") plan.launch.load_ctas = isa::most_sms;
  PHASEBIT_TRY(check_timed(variant, plan.launch));
  plan.launch.phases_checked = plan.phases_checked;
  return plan;
}

}  // namespace phasebit::kernel
