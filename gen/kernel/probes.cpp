#include "gen/kernel/probes.h"

#include "core/base/text.h"
#include "gen/forms/form.h"
#include "gen/kernel/facts.h"
#include "gen/kernel/layout.h"

#include <algorithm>
#include <array>

namespace phasebit::kernel {

using launch::Role;
using launch::VariantKey;

namespace {

// The last warp of the consumers leaves after half of the items. It drops its arrivals in its last
// lap, so that lap must be a whole one.
void let_one_leave(Plan& plan) {
  std::vector<launch::RoleSlice>& slices = plan.launch.slices;
  const auto last =
      std::find_if(slices.rbegin(), slices.rend(),
                   [](const launch::RoleSlice& slice) { return slice.role == Role::consumer; });
  last->leaves_early = true;
  plan.launch.min_items = 2 * plan.num_stages;
}

Status finish_ring(const launch::VariantKey& variant, Plan& plan) {
  plan.launch.item_granule = plan.unrolled ? plan.num_stages : 1;
  plan.launch.min_items = plan.launch.item_granule;
  plan.launch.timed_role = plan.unified ? Role::both : Role::consumer;
  PHASEBIT_TRY_ASSIGN(together, whole_number(variant, "items_a_phase", 1));
  plan.launch.unit =
      together == 1 ? "cycles per item" : fmt::format("cycles per {} items", together);
  if (variant.value("early_exit") == "drop") let_one_leave(plan);
  if (plan.unrolled)
    plan.items_per_iteration = {{"producer", plan.num_stages / plan.producer.turns},
                                {"consumer", plan.num_stages / plan.consumer.turns}};
  return {};
}

// CTAs of the largest cluster but the one that they speak to.
constexpr int most_arrivers = 15;

// After lay_out_warps. Size and ranks of the cluster, and which CTA has which role: the producers
// are those of first_rank, the consumers those of second_rank, which may be the same; unified warps
// are in every CTA. Step::spec for a rank that the cluster does not have.
Status finish_cluster(const launch::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(size, whole_number(variant, "cluster_size", 2));
  PHASEBIT_TRY_ASSIGN(first, whole_number(variant, "first_rank", 0));
  PHASEBIT_TRY_ASSIGN(second, whole_number(variant, "second_rank", 1));
  if (first >= size || second >= size)
    return fail(Step::spec, "{}: ranks {} and {} of a cluster of {}", variant.id, first, second,
                size);
  launch::LaunchShape& launch = plan.launch;
  launch.cluster_size = size;
  launch.first_rank = first;
  launch.second_rank = second;
  for (launch::RoleSlice& slice : launch.slices) {
    if (slice.role == Role::producer) slice.rank_in_cluster = first;
    if (slice.role == Role::consumer) slice.rank_in_cluster = second;
  }
  // The first CTA's record speaks for the cluster (templates/probes/cluster/record.ptx).
  plan.phases_checked = size * plan.facts.read_words() * plan.num_stages;
  launch.timed_role = plan.unified ? Role::both : Role::producer;
  const bool round_trip = plan.num_stages == 1;
  launch.unit = plan.unified ? "cycles per barrier"
                : round_trip ? "cycles per round trip"
                             : "cycles per item";
  return repeat_items(variant, plan);
}

// After lay_out_warps. Producers of `arrivers` CTAs do one thing to second_rank; those of
// first_rank alone leave a record. work_amount says how many CTAs.
Status finish_remote(const launch::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY(finish_cluster(variant, plan));
  PHASEBIT_TRY_ASSIGN(arrivers, whole_number(variant, "arrivers", 1));
  launch::LaunchShape& launch = plan.launch;
  std::erase_if(launch.slices,
                [](const launch::RoleSlice& slice) { return slice.role != Role::producer; });
  launch.work_amount = static_cast<std::uint32_t>(arrivers);
  launch.unit = "cycles per item";
  const bool loads = variant.value("operation") == "load";
  plan.timed_verbs = {loads ? "load" : "commit"};
  plan.phases_checked = loads ? 0 : 1;
  // After what the protocol has: a barrier a CTA (templates/probes/remote/prepare.ptx).
  launch.dynamic_shared_bytes += 8 * most_arrivers;
  launch.max_items = most_expected / (arrivers * std::max(1, plan.facts.handed_full));
  return {};
}

Status lay_out_form(const launch::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(launch, forms::form_launch(*book, forms::form_point(variant)));
  plan.launch = std::move(launch);
  plan.consumer.warps_mask = 1;
  return {};
}

// The operand table counts on the shared memory after the payload's offset.
Status finish_form(const launch::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(launch, forms::form_launch(*book, forms::form_point(variant)));
  plan.launch.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  return {};
}

Status lay_out_barrier_word(const launch::VariantKey&, Plan& plan) {
  launch::RoleSlice slice;
  slice.role = Role::consumer;
  plan.launch.slices = {slice};
  plan.launch.threads = 32;
  return {};
}

constexpr int sub_partitions = 4;
// CTAs of a loaded point: of two warps each, they give every sub-partition four.
constexpr int busy_ctas = 8;
constexpr int most_warps = 32;

// A try of a phase that never comes may sleep, for an unknown time, and so may its chain.
constexpr int most_blocked_items = 64;

// More than any GPU has: the bench takes those that there are.
constexpr int all_sms = 1024;
constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 33;  // hundreds of L2 caches
constexpr std::uint64_t l2_bytes = std::uint64_t{1} << 24;
constexpr std::uint32_t data_seed = 1;

void add_slice(Plan& plan, int warp, Role role, int rank) {
  launch::RoleSlice slice;
  slice.warp = warp;
  slice.role = role;
  slice.rank = rank;
  plan.launch.slices.push_back(slice);
  plan.launch.threads = std::max(plan.launch.threads, 32 * (warp + 1));
}

void size_warps(RolePlan& role, int warps) {
  role.units = role.warps = warps;
  role.threads = 32 * warps;
}

// These probes read back barriers of their own choice (templates/common/verify_phases.ptx), not all
// that the protocol has.
void read_back(Plan& plan, space::ReadBack how, int barriers) {
  plan.phases_checked = how == space::ReadBack::phases ? barriers : 0;
}

// The whole tiles in so many bytes.
launch::DataShape data_of(std::uint64_t bytes, int tile_bytes, int readers) {
  const auto tile = static_cast<std::uint64_t>(tile_bytes);
  return {static_cast<std::int64_t>(bytes / tile * tile), tile_bytes, readers};
}

// In place of images of a slot the data, whose tiles lie one after the other in the map's
// outermost dimension too.
Status map_data(const VariantKey& variant, launch::LaunchShape& launch) {
  const std::int64_t tiles = launch.data.bytes / launch.data.tile_bytes;
  for (launch::tensor::TensorMap& map : launch.tensor_maps) {
    map.buffer = launch.buffers.front().name;
    map.sizes.back() = tile_step(map) * launch.payload.tile.copies * tiles;
  }
  return check_tiles(variant, launch);
}

// The same copies from large data. No thread reads what comes, so no word is verified: bytes are
// counted off.
Status copy_from_memory(const VariantKey& variant, Plan& plan) {
  launch::LaunchShape& launch = plan.launch;
  const launch::TilePayload tile = launch.payload.tile;
  launch.buffers = {{"data", memory_bytes, {launch::BufferFill::Kind::blocks, data_seed}}};
  launch.data = data_of(memory_bytes, plan.slot_bytes, 0);
  launch.payload = {};  // no images: of the tiles what a copy says of its place
  launch.payload.tile = {{}, tile.at, tile.copies, tile.offsets};
  return map_data(variant, launch);
}

// verb: `num_stages` times one verb of one warp is an item.
Status finish_verb(const VariantKey& variant, Plan& plan) {
  const std::string verb = variant.value("verb"), path = variant.value("path");
  const bool produces = verb == "acquire" || verb == "try_acquire" || verb == "commit";
  launch::LaunchShape& launch = plan.launch;
  launch.timed_role = produces ? Role::producer : Role::consumer;
  launch.unit = "cycles per item";
  plan.items_per_iteration = {{"producer", plan.num_stages / plan.producer.turns},
                              {"consumer", plan.num_stages / plan.consumer.turns}};
  // Warps with barriers of their own do not take turns: each handles all items.
  launch.producer_turns = launch.consumer_turns = 1;
  plan.timed_verbs = {verb};
  if (variant.value("load") == "busy") launch.load_ctas = busy_ctas;
  const bool arrives = verb == "commit" || verb == "release";
  read_back(plan, produces ? plan.facts.read_full : plan.facts.read_empty,
            arrives ? plan.num_stages : 0);
  if (arrives && variant.value("reads") == "completion")
    plan.timed_verbs.emplace_back(produces ? "wait" : "acquire");
  if (path == "blocked") launch.max_items = most_blocked_items;
  if (path == "pending") {
    const int count = plan.facts.most_arrivals;
    const int a_turn = produces ? plan.facts.handed_full : plan.facts.handed_empty;
    if (count == 0 || a_turn == 0)
      return fail(Step::spec, "{}: the protocol does not say the arrivals of a pending phase",
                  variant.id);
    (produces ? plan.full_arrivals : plan.empty_arrivals) = count;
    launch.max_items = (count - 1) / a_turn;
  }
  return {};
}

// response: a producer that commits late, and what its consumer reads then.
Status finish_response(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(delay_cycles, whole_number(variant, "delay_cycles", 0));
  launch::LaunchShape& launch = plan.launch;
  launch.delay_cycles = static_cast<std::uint32_t>(delay_cycles);
  launch.timed_role = Role::consumer;
  launch.unit = "cycles per item";
  launch.readings = {{"wake", "cycles from commit to wake-up", Role::consumer, 0}};
  if (variant.value("counting") == "on")
    launch.readings.push_back({"polls", "polls that failed, per item", Role::consumer, 1});
  // A launch of the longest delays takes some milliseconds.
  constexpr int most_delay_cycles = 1 << 21;
  if (launch.delay_cycles > 0)
    launch.max_items =
        std::max(4, most_delay_cycles / std::max(256, static_cast<int>(launch.delay_cycles)));
  return {};
}

// interference: victim warps on sub-partition 0 and, there or elsewhere, consumers that wait.
Status lay_out_interference(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(victims, whole_number(variant, "victims", 1));
  PHASEBIT_TRY_ASSIGN(waiters, whole_number(variant, "waiters", 0));
  const bool same = variant.value("placing") == "same";
  for (int i = 0; i < victims; ++i) {
    add_slice(plan, sub_partitions * i, Role::victim, 32 * i);
    plan.victim_warps_mask |= 1U << (sub_partitions * i);
  }
  int placed = 0;
  for (int warp = 1; placed < waiters && warp < most_warps; ++warp) {
    const bool beside = warp % sub_partitions == 0;
    if (beside != same || (plan.victim_warps_mask >> warp & 1U) != 0) continue;
    add_slice(plan, warp, Role::consumer, 32 * placed++);
    plan.consumer.warps_mask |= 1U << warp;
  }
  if (placed < waiters || victims > most_warps / sub_partitions)
    return fail(Step::spec, "{}: {} victims and {} waiters do not fit in {} warps", variant.id,
                victims, waiters, most_warps);
  // The victims commit when they are done: as many producers.
  size_warps(plan.producer, victims);
  size_warps(plan.consumer, waiters);
  plan.producer.warps_mask = plan.victim_warps_mask;
  return {};
}

Status finish_interference(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(waits, whole_number(variant, "waits", 1));
  plan.launch.work_amount = static_cast<std::uint32_t>(waits);
  plan.launch.timed_role = Role::victim;
  plan.launch.unit = "cycles per block";
  read_back(plan, plan.facts.read_full, 1);
  plan.launch.dynamic_shared_bytes += 32 * 4;  // a word a lane that the victims read
  plan.timed_verbs = {"work"};
  if (plan.consumer.threads > 0) plan.timed_verbs.emplace_back("wait");
  return {};
}

// fanin: all warps arrive and wait.
// A wait that arrives is both; so is the arrival of a barrier whose halves cannot be had apart.
Status finish_fanin(const VariantKey& variant, Plan& plan) {
  plan.launch.timed_role = Role::both;
  plan.launch.unit = "cycles per phase";
  read_back(plan, plan.facts.read_full, 1);
  plan.timed_verbs = {"commit", "wait"};
  if (plan.facts.waits_arrive) {
    plan.timed_verbs = {"wait"};
    plan.full_arrivals = plan.consumer.threads;
  }
  if (!plan.facts.can_do("split")) plan.timed_verbs = {"commit"};
  return repeat_items(variant, plan);
}

// stream: a grid on one SM or more that reads data.
Status finish_stream(const launch::VariantKey& variant, Plan& plan) {
  launch::LaunchShape& launch = plan.launch;
  launch.sms = all_sms;
  if (variant.value("sms") != "every") {
    PHASEBIT_TRY_ASSIGN(sms, whole_number(variant, "sms", 1));
    launch.sms = sms;
  }
  launch.item_granule = plan.unrolled ? plan.num_stages : 1;
  launch.min_items = launch.item_granule;
  launch.timed_role = launch::Role::consumer;
  launch.unit = "ns per item";
  // Both sizes read one buffer, so that it is made once per run.
  const launch::product::ProductShape product = launch.payload.product;
  const auto fill =
      product.rows > 0 ? launch::BufferFill::Kind::signs : launch::BufferFill::Kind::blocks;
  launch.buffers = {{"data", memory_bytes, {fill, data_seed}},
                    {"places", 4 * all_sms, {launch::BufferFill::Kind::word, 0}}};
  const bool l2 = variant.value("resident") == "l2";
  launch.data = data_of(l2 ? l2_bytes : memory_bytes, plan.slot_bytes, 1);
  const launch::TilePayload tile = launch.payload.tile;
  launch.payload = {};  // no images
  launch.payload.product = product;
  launch.payload.tile = tile;
  PHASEBIT_TRY(map_data(variant, launch));
  if (!plan.facts.can_do("hand_over"))
    launch.dynamic_shared_bytes = plan.payload_offset;  // no slots
  if (plan.unrolled)
    plan.items_per_iteration = {{"producer", plan.num_stages / plan.producer.turns},
                                {"consumer", plan.num_stages / plan.consumer.turns}};
  return {};
}

// issue: producers that wait for their own copies.
Status lay_out_issue(const launch::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY(lay_out_warps(variant, plan));
  launch::LaunchShape& launch = plan.launch;
  std::erase_if(launch.slices, [](const launch::RoleSlice& slice) {
    return slice.role != launch::Role::producer;
  });
  plan.consumer.warps_mask = 0;
  launch.threads = 32 * static_cast<int>(launch.slices.size());
  return {};
}

// No thread releases: the full barriers alone are used.
Status finish_issue(const launch::VariantKey& variant, Plan& plan) {
  if (variant.value("resident") == "hbm") PHASEBIT_TRY(copy_from_memory(variant, plan));
  launch::LaunchShape& launch = plan.launch;
  launch.item_granule = plan.unrolled ? plan.num_stages : 1;
  launch.min_items = launch.item_granule;
  launch.timed_role = launch::Role::producer;
  launch.slots_summed = plan.num_stages;
  plan.facts.read_empty = space::ReadBack::none;
  plan.phases_checked = plan.num_stages;
  plan.timed_verbs = {"acquire", "fill", "tail"};
  if (plan.unrolled)
    plan.items_per_iteration = {{"producer", plan.num_stages / plan.producer.turns}};
  return {};
}

// {axis} stands for the axis's value.
std::string filled_in(const VariantKey& variant, std::string text) {
  for (const auto& [axis, value] : variant.axes)
    if (const size_t at = text.find("{" + axis + "}"); at != std::string::npos)
      text.replace(at, axis.size() + 2, value);
  return text;
}

// Rows of a workload's matrix as a tensor, whose tiles are swizzled by their rows' bytes.
Status add_map(const Figures& figures, const space::WorkloadFacts::Map& one, bool halves,
               launch::LaunchShape& launch) {
  launch::tensor::TensorMap map;
  map.name = one.name;
  map.buffer = one.of;
  map.element = halves ? launch::tensor::TensorElement::bf16 : launch::tensor::TensorElement::f32;
  PHASEBIT_TRY_ASSIGN(rows, figures.wide_number(*one.rows));
  PHASEBIT_TRY_ASSIGN(columns, figures.wide_number(*one.columns));
  PHASEBIT_TRY_ASSIGN(box_rows, figures.number(*one.box_rows));
  PHASEBIT_TRY_ASSIGN(box_columns, figures.number(*one.box_columns));
  const int row_bytes = launch::tensor::bytes_of(map.element) * box_columns;
  map.sizes = {columns, std::max<std::int64_t>(1, rows)};
  map.box = {box_columns, box_rows};
  map.swizzle = row_bytes == 64 ? launch::tensor::TensorSwizzle::by_64
                                : launch::tensor::TensorSwizzle::by_128;
  map.strides = launch::tensor::usual(map).strides;
  if (const auto wrong = complaint_about(
          map,
          std::max<std::int64_t>(launch::buffer_bytes(launch, map.buffer), map.strides.front())))
    return with_hint(
        fail(Step::spec, "{}: {}: {}: {}", one.where, map.name, wrong->key, wrong->what),
        wrong->hint);
  launch.tensor_maps.push_back(std::move(map));
  return {};
}

// What [output] says besides the buffer.
Result<launch::workload::WorkloadShape> workload_of(const Figures& figures, const Plan& plan,
                                                    std::int64_t elements) {
  const space::WorkloadFacts& facts = figures.chosen(space::ComponentKind::probe).plan.workload;
  launch::workload::WorkloadShape made;
  made.reference = facts.reference;
  made.output = facts.output.name;
  made.elements = elements;
  made.relative = facts.relative;
  made.absolute = facts.absolute;
  PHASEBIT_TRY_ASSIGN(tile, figures.number(facts.tile));
  PHASEBIT_TRY_ASSIGN(rows, figures.number(facts.rows));
  PHASEBIT_TRY_ASSIGN(columns, figures.number(facts.columns));
  PHASEBIT_TRY_ASSIGN(tile_rows, figures.number(facts.tile_rows));
  PHASEBIT_TRY_ASSIGN(items_a_tile, figures.number(facts.items_a_tile));
  PHASEBIT_TRY_ASSIGN(launches, figures.number(facts.launches));
  PHASEBIT_TRY_ASSIGN(halves, figures.holds(facts.halves));
  PHASEBIT_TRY_ASSIGN(drawn, figures.holds(facts.drawn));
  PHASEBIT_TRY_ASSIGN(cancels, figures.holds(facts.cancels));
  PHASEBIT_TRY_ASSIGN(overlaps, figures.holds(facts.overlaps));
  made.tile_elements = facts.tile ? tile : plan.slot_bytes / 4;
  made.rows = rows, made.columns = columns, made.tile_rows = tile_rows;
  made.items_a_tile = std::max(1, items_a_tile);
  made.launches = std::max(1, launches);
  made.halves = halves, made.drawn = drawn, made.cancels = cancels, made.overlaps = overlaps;
  return made;
}

// A workload: a grid on all SMs that reads inputs and writes an output, which is verified.
Status finish_workload(const Figures& figures, const VariantKey& variant, Plan& plan) {
  const space::WorkloadFacts& facts = figures.chosen(space::ComponentKind::probe).plan.workload;
  if (facts.reference.empty()) return {};
  launch::LaunchShape& launch = plan.launch;
  launch.sms = all_sms;
  // Idle warps would leave room for fewer CTAs, which is another kernel.
  launch.fixed_warps = true;
  launch.payload = {};  // no images
  launch.max_items = 0;
  PHASEBIT_TRY_ASSIGN(halves, figures.holds(facts.halves));
  const auto add = [&](const space::WorkloadFacts::Input& one,
                       launch::BufferFill fill) -> Result<std::int64_t> {
    PHASEBIT_TRY_ASSIGN(elements, figures.wide_number(*one.elements));
    if (elements < 0 || elements > launch::workload::most_elements)
      return fail(Step::spec, "{}: {}: {} elements, 0 to {}", one.where, one.name, elements,
                  launch::workload::most_elements);
    launch.buffers.push_back(
        {one.name, (halves ? 2U : 4U) * static_cast<std::uint64_t>(elements), fill});
    return elements;
  };
  for (const space::WorkloadFacts::Input& input : facts.inputs) {
    const std::string text = filled_in(variant, input.fill);
    const auto fill = launch::BufferFill::of_text(text);
    if (!fill)
      return with_hint(fail(Step::spec, "{}: fill: no contents '{}'", input.where, text),
                       launch::BufferFill::forms);
    if (const auto added = add(input, *fill); !added) return tl::unexpected<Error>(added.error());
  }
  using Kind = launch::BufferFill::Kind;
  PHASEBIT_TRY_ASSIGN(elements, add(facts.output, {Kind::word, launch::workload::untouched}));
  PHASEBIT_TRY_ASSIGN(workload, workload_of(figures, plan, elements));
  launch.workload = std::move(workload);
  for (const space::WorkloadFacts::Map& one : facts.maps)
    PHASEBIT_TRY(add_map(figures, one, halves, launch));
  PHASEBIT_TRY_ASSIGN(scratch, figures.number(facts.scratch));
  PHASEBIT_TRY_ASSIGN(alignment, figures.number(facts.scratch_alignment));
  int& shared_bytes = launch.dynamic_shared_bytes;
  if (!plan.facts.can_do("hand_over")) shared_bytes = plan.payload_offset;
  if (alignment > 0) shared_bytes = (shared_bytes + alignment - 1) / alignment * alignment;
  shared_bytes += scratch;
  return {};
}

constexpr std::array planners = {
    ProbePlanner{"ring", "cycles per {items_a_phase} items", lay_out_warps, finish_ring},
    ProbePlanner{"verb", "cycles per {items_a_phase} items", lay_out_warps, finish_verb},
    ProbePlanner{"response", "cycles per {items_a_phase} items", lay_out_warps, finish_response},
    ProbePlanner{"interference", "cycles per block", lay_out_interference, finish_interference},
    ProbePlanner{"fanin", "cycles per phase", lay_out_warps, finish_fanin},
    ProbePlanner{"cluster", "cycles per barrier|cycles per round trip|cycles per item",
                 lay_out_warps, finish_cluster},
    ProbePlanner{"remote", "cycles per item", lay_out_warps, finish_remote},
    ProbePlanner{"barrier_word", "cycles per {items_a_phase} items", lay_out_barrier_word,
                 finish_ring},
    ProbePlanner{"stream", "ns per item", lay_out_warps, finish_stream},
    ProbePlanner{"issue", "cycles per item", lay_out_issue, finish_issue},
    ProbePlanner{"form", "cycles per {} operations", lay_out_form, finish_form},
};

}  // namespace

const ProbePlanner& planner_of(const space::Catalogue& catalogue, const std::string& probe) {
  constexpr auto kind = space::ComponentKind::probe;
  for (const space::Component* one = catalogue.find(kind, probe); one != nullptr;
       one = catalogue.find(kind, one->uses))
    for (const ProbePlanner& planner : planners)
      if (planner.probe == one->name) return planner;
  return planners.front();
}

namespace {

bool is_unit(std::string_view unit, std::string_view declared, const ValueOf& value_of) {
  const std::size_t open = declared.find('{'), close = declared.find('}');
  if (open == std::string_view::npos) return unit == declared;
  const std::string axis(declared.substr(open + 1, close - open - 1));
  const std::string* said = axis.empty() ? nullptr : value_of(axis);
  const std::string count = said != nullptr ? *said : axis.empty() ? "" : "1";
  const std::string_view before = declared.substr(0, open), after = declared.substr(close + 1);
  if (count == "1") return unit == fmt::format("{}{}", before, after.substr(1, after.size() - 2));
  if (!count.empty()) return unit == fmt::format("{}{}{}", before, count, after);
  if (!unit.starts_with(before) || !unit.ends_with(after)) return false;
  unit = unit.substr(before.size(), unit.size() - before.size() - after.size());
  return !unit.empty() && unit.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool may_have_unit(const space::Catalogue& catalogue, const std::string& unit,
                   const ValueOf& value_of) {
  const std::string* probe = value_of("probe");
  const space::Component* declared =
      probe == nullptr ? nullptr : catalogue.find(space::ComponentKind::probe, *probe);
  if (declared == nullptr) return true;
  if (!declared->plan.unit.empty()) return unit == declared->plan.unit;
  const auto units = base::split(planner_of(catalogue, *probe).units, '|');
  return std::any_of(units.begin(), units.end(),
                     [&](std::string_view one) { return is_unit(unit, one, value_of); });
}

Status apply_declared(const Figures& figures, const VariantKey& variant, Plan& plan) {
  const space::ProbePlanFacts& declared = figures.chosen(space::ComponentKind::probe).plan;
  launch::LaunchShape& launch = plan.launch;
  if (declared.timed_role) launch.timed_role = *declared.timed_role;
  if (!declared.unit.empty()) launch.unit = declared.unit;
  if (!declared.timed_verbs.empty()) plan.timed_verbs = declared.timed_verbs;
  if (!declared.readings.empty()) launch.readings = declared.readings;
  if (!declared.guarded) launch.guarded = false;
  PHASEBIT_TRY_ASSIGN(cluster_size, figures.number(declared.cluster_size));
  if (declared.cluster_size) launch.cluster_size = cluster_size;
  PHASEBIT_TRY_ASSIGN(work_amount, figures.number(declared.work_amount));
  if (declared.work_amount) launch.work_amount = static_cast<std::uint32_t>(work_amount);
  PHASEBIT_TRY_ASSIGN(min_items, figures.number(declared.min_items));
  if (declared.min_items) launch.min_items = std::max(launch.item_granule, min_items);
  PHASEBIT_TRY_ASSIGN(max_items, figures.number(declared.max_items));
  if (declared.max_items) launch.max_items = max_items;
  PHASEBIT_TRY_ASSIGN(phases, figures.number(declared.phases));
  if (declared.phases) read_back(plan, plan.facts.read_full, phases);
  PHASEBIT_TRY(finish_workload(figures, variant, plan));
  return declared.repeats ? repeat_items(variant, plan) : Status();
}

}  // namespace phasebit::kernel
