#include "bench/campaign/vary.h"

#include "core/image/placement/code_moves.h"

#include <algorithm>
#include <string>

namespace phasebit::bench::campaign {

using device::DeviceInfo;
using image::LaunchShape;
using image::Role;
using record::Conditions;

namespace {

constexpr int factors = 6;
constexpr std::uint64_t most_start_offset = 31;
constexpr std::uint64_t paddings =
    image::placement::largest_padding_bytes / image::placement::padding_step_bytes;

// Numbers from 0 on that look random and are always the same.
std::uint64_t number_of(const std::string& text, int repetition, std::uint64_t below) {
  const auto base = std::stoull("0" + text.substr(0, 15), nullptr, 16);
  std::uint64_t mixed = base + static_cast<std::uint64_t>(repetition) * 0x9E3779B97F4A7C15U;
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
         shape.threads + 32 * idle_warps <= device.max_threads_per_cta;
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
  for (const image::RoleSlice& slice : shape.slices) {
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

Conditions vary(const Conditions& base, const image::BundleVariant& variant, int repetition,
                const DeviceInfo& device) {
  Conditions changed = base;
  if (repetition == 0) return changed;
  const LaunchShape& shape = variant.launch;
  const auto number = [&](std::uint64_t below) {
    return number_of(variant.key.hash, repetition, below);
  };
  switch ((repetition - 1) % factors) {
    case 1:
      if (shape.cluster_size <= 1 && device.row.multiprocessors > 1)
        changed.sm = other_sm(base, device.row.multiprocessors,
                              number(static_cast<std::uint64_t>(device.row.multiprocessors - 1)));
      break;
    case 2: changed.first_warp = base.first_warp + shift(shape, device, number(3)); break;
    case 3: {
      // One padding a module, so that it is loaded twice and not once for each of its kernels.
      const image::Image* timed = variant.image(image::Build::timed);
      if (timed != nullptr)
        changed.padding = image::placement::padding_step_bytes *
                          static_cast<int>(1 + number_of(timed->module, repetition, paddings));
      break;
    }
    case 4: set_roles_together(shape, device, changed); break;
    default:
      changed.start_offset = static_cast<std::uint32_t>(1 + number(most_start_offset));
      break;
  }
  return changed;
}

}  // namespace phasebit::bench::campaign
