#include "bench/campaign/plan.h"

#include "core/launch/placement/code_moves.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>

namespace phasebit::bench::campaign {

using device::DeviceInfo;
using launch::BundleVariant;
using launch::GateVerdict;
using launch::LaunchShape;
using launch::Role;
using results::Conditions;
using results::PointKey;
using results::PointRow;

namespace {

// Our own shuffle: what std::shuffle does with a seed is up to the library.
void shuffle(std::vector<PlannedPoint>& points, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t n = points.size(); n > 1; --n) std::swap(points[n - 1], points[random() % n]);
}

// What is measured once. A padded image has the class of the one that is not, and is measured to
// see whether that matters.
std::string class_of(const BundleVariant& variant) {
  const launch::Image* timed = variant.image(launch::Build::timed);
  if (timed == nullptr || timed->padding_bytes == 0 || timed->sass_class.empty())
    return timed == nullptr ? "" : timed->sass_class;
  return fmt::format("{} padded {}", timed->sass_class, timed->padding_bytes);
}

}  // namespace

bool is_anchor(const BundleVariant& variant) {
  return launch::is_anchor(variant.key);
}

std::optional<Refusal> refusal(const BundleVariant& variant) {
  using results::Verdict;
  const launch::Image* timed = variant.image(launch::Build::timed);
  if (timed == nullptr) return Refusal{Verdict::refused, "the bundle holds no timed build"};
  switch (timed->gate.verdict) {
    case GateVerdict::passed: return {};
    case GateVerdict::failed:
      return Refusal{Verdict::refused, "the SASS is not the intended one: " + timed->gate.reason};
    case GateVerdict::ungated:
      if (variant.external) return {};  // no rule says what it must be: its quality says so
      return Refusal{Verdict::ungated,
                     "not gated: " + (timed->gate.reason.empty() ? "no rule covers this family"
                                                                 : timed->gate.reason)};
  }
  bug("unknown verdict");
}

std::vector<std::size_t> representatives(const launch::Manifest& manifest,
                                         const std::vector<std::size_t>& selected) {
  std::vector<std::size_t> measured(manifest.variants.size());
  std::iota(measured.begin(), measured.end(), std::size_t{0});
  std::map<std::string, std::size_t> first;
  for (const std::size_t index : selected) {
    const BundleVariant& variant = manifest.variants[index];
    const std::string sass_class = class_of(variant);
    if (refusal(variant) || sass_class.empty()) continue;
    measured[index] = first.try_emplace(sass_class, index).first->second;
  }
  return measured;
}

CampaignPlan make_bench_plan(const launch::Manifest& manifest, const PlanRequest& request) {
  CampaignPlan plan;
  const auto measured = representatives(manifest, request.selected);
  for (const std::size_t index : request.selected) {
    if (refusal(manifest.variants[index])) {
      ++plan.refused;
      continue;
    }
    auto& other = plan.control.try_emplace(measured[index], measured[index]).first->second;
    if (other == measured[index]) other = index;
  }
  plan.classes = plan.control.size();
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    for (const std::size_t index : request.selected)
      plan.order.push_back({index, repetition, false});
    if (repetition > 0) continue;  // those after it differ on purpose
    for (const auto& [representative, other] : plan.control)
      if (request.aa_control) plan.order.push_back({other, repetition, true});
  }
  plan.launched =
      plan.classes * static_cast<std::size_t>(request.repetitions + (request.aa_control ? 1 : 0));
  if (!request.random_order) return plan;
  shuffle(plan.order, request.seed);
  std::stable_partition(plan.order.begin(), plan.order.end(), [&](const PlannedPoint& point) {
    const auto pair = plan.control.find(measured[point.variant]);
    return request.aa_control && point.repetition == 0 && pair != plan.control.end() &&
           pair->first != pair->second &&
           point.variant == (point.aa_control ? pair->second : pair->first);
  });
  return plan;
}

namespace {

std::uint32_t payload_seed(const PointRow& row) {
  const auto base = std::stoul("0" + row.variant_hash.text().substr(0, 7), nullptr, 16);
  constexpr std::uint32_t odd = 2654435761U;  // spreads the few bits of the hash over the word
  return static_cast<std::uint32_t>(base) * odd + static_cast<std::uint32_t>(row.repetition);
}

}  // namespace

PointRow PointMaker::row(const launch::BundleVariant& variant, results::PointKind kind,
                         const results::Conditions& conditions) const {
  PointRow row;
  row.kind = kind;
  row.variant_id = variant.key.id;
  row.variant_hash = variant.key.hash;
  row.unit = variant.launch.unit;
  if (const launch::Image* timed = variant.image(launch::Build::timed)) {
    row.ptx_hash = timed->ptx_hash;
    row.text_hash = timed->text_hash;
    row.sass_class = timed->sass_class;
    row.module = timed->module;
  }
  row.device_uuid = device_uuid;
  row.run_id = run_id;
  row.conditions = conditions;
  return row;
}

bool counts(const PointRow& row) {
  return row.kind == PointKind::point && row.repetition == 0 && !row.aa_control;
}

point::PointRequest PointMaker::request(const PointRow& row,
                                        const results::Conditions& conditions) const {
  point::PointRequest request = limits;
  request.variant_hash = row.variant_hash;
  request.placement = conditions;
  request.seed = payload_seed(row);
  request.counters = limits.counters && counts(row);
  return request;
}

void fill_row(PointRow& row, const Result<point::Measurement>& measured) {
  if (!measured) {
    row.set_error(results::verdict_of(measured.error().step),
                  {measured.error().step, measured.error().message});
    return;
  }
  row.samples = measured->samples;
  row.readings = measured->readings;
  row.counters = measured->counters;
  row.megahertz = measured->megahertz;
  row.quality = measured->quality;
  row.sms = measured->sms;
  row.state = measured->state;
}

PointKey key_of(const PointRow& row) {
  return {row.kind,       row.variant_hash, row.text_hash,  row.device_uuid,
          row.repetition, row.aa_control,   row.conditions, row.sass_class};
}

FinishedPoints::Key FinishedPoints::key_of(const PointKey& key) {
  return {key.kind,         key.variant_hash,         key.text_hash,
          key.device_uuid,  key.repetition,           key.aa_control,
          key.placement.sm, key.placement.first_warp, key.sass_class};
}

Result<FinishedPoints> FinishedPoints::read(const results::Store& store) {
  FinishedPoints finished;
  PHASEBIT_TRY_ASSIGN(rows, store.points());
  for (PointRow& row : rows) {
    auto [place, is_new] = finished.rows_.try_emplace(key_of(campaign::key_of(row)), row);
    if (!is_new && results::replaces(row, place->second)) place->second = std::move(row);
  }
  return finished;
}

const PointRow* FinishedPoints::find(const PointKey& key) const {
  const auto row = rows_.find(key_of(key));
  return row == rows_.end() || row->second.error ? nullptr : &row->second;
}

bool FinishedPoints::has_error(const PointKey& key, const results::PointError& error) const {
  const auto row = rows_.find(key_of(key));
  return row != rows_.end() && row->second.error && row->second.error->step == error.step &&
         row->second.error->message == error.message;
}

namespace {

constexpr std::uint64_t most_start_offset = 31;
constexpr std::uint64_t paddings =
    launch::placement::largest_padding_bytes / launch::placement::padding_step_bytes;

enum class Change { start_offset, sm, sub_partitions, padding, together, together_padded };
constexpr std::array changes = {
    Change::start_offset,   Change::start_offset, Change::sm,
    Change::sub_partitions, Change::padding,      Change::padding,
    Change::padding,        Change::together,     Change::together_padded};

// From together_padded back to the first padding.
constexpr int first_padding_behind = 4;

// Numbers from 0 on that look random and are always the same.
std::uint64_t number_of(int repetition, std::uint64_t below) {
  std::uint64_t mixed = static_cast<std::uint64_t>(repetition) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return (mixed ^ (mixed >> 31)) % below;
}

int other_sm(const Conditions& base, int sms, std::uint64_t number) {
  return static_cast<int>((static_cast<std::uint64_t>(base.sm) + 1 + number) %
                          static_cast<std::uint64_t>(sms));
}

// Several CTAs on an SM would no longer come together there.
bool has_room(const LaunchShape& shape, const DeviceInfo& device, int idle_warps) {
  return shape.ctas_per_sm == 1 && shape.load_ctas == 0 && !(shape.fixed_warps && idle_warps > 0) &&
         shape.threads + 32 * (shape.gap_warps + idle_warps) <= device.max_threads_per_cta;
}

// One to three warps more, as far as there is room for them.
int shift(const LaunchShape& shape, const DeviceInfo& device, std::uint64_t number) {
  int warps = 1 + static_cast<int>(number % 3);
  while (warps > 0 && !has_room(shape, device, warps)) --warps;
  return warps;
}

// Idle warps between the roles, so that both begin on one sub-partition: of specialised warps that
// do not yet.
void set_roles_together(const LaunchShape& shape, const DeviceInfo& device, Conditions& changed) {
  constexpr int sub_partitions = 4;
  int last_producer = -1, first_consumer = shape.warps();
  for (const launch::RoleSlice& slice : shape.slices) {
    if (slice.role != Role::producer && slice.role != Role::consumer) return;
    if (slice.role == Role::producer) last_producer = std::max(last_producer, slice.warp);
    if (slice.role == Role::consumer) first_consumer = std::min(first_consumer, slice.warp);
  }
  if (last_producer < 0 || first_consumer <= last_producer || shape.cluster_size > 1) return;
  const int gap = (sub_partitions - first_consumer % sub_partitions) % sub_partitions;
  if (!has_room(shape, device, gap)) return;
  changed.gap_after = first_consumer;
  changed.gap_warps = gap;
}

}  // namespace

Conditions vary(const Conditions& base, const launch::BundleVariant& variant, int repetition,
                const DeviceInfo& device) {
  Conditions changed = base;
  if (repetition == 0) return changed;
  const LaunchShape& shape = variant.launch;
  const auto number = [&](std::uint64_t below) { return number_of(repetition, below); };
  const auto pad = [&](int of_repetition) {
    changed.padding = launch::placement::padding_step_bytes *
                      static_cast<int>(1 + number_of(of_repetition, paddings));
  };
  switch (changes[static_cast<std::size_t>(repetition - 1) % changes.size()]) {
    case Change::sm:
      if (shape.cluster_size <= 1 && device.row.multiprocessors > 1)
        changed.sm = other_sm(base, device.row.multiprocessors,
                              number(static_cast<std::uint64_t>(device.row.multiprocessors - 1)));
      break;
    case Change::sub_partitions:
      changed.first_warp = base.first_warp + shift(shape, device, number(3));
      break;
    case Change::padding: pad(repetition); break;
    case Change::together:
      if (shape.gap_after > 0)
        pad(repetition);
      else
        set_roles_together(shape, device, changed);
      break;
    case Change::together_padded:
      if (shape.gap_after == 0) set_roles_together(shape, device, changed);
      // Where it changes the roles' place, with a padding that they were measured with before.
      pad(changed.gap_warps > 0 ? repetition - first_padding_behind : repetition);
      break;
    case Change::start_offset:
      changed.start_offset = static_cast<std::uint32_t>(1 + number(most_start_offset));
      break;
  }
  return changed;
}

}  // namespace phasebit::bench::campaign
