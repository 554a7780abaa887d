#include "bench/point/verify.h"

#include <algorithm>

namespace phasebit {
namespace {

const char* name_of(Role role) {
  switch (role) {
    case Role::none: return "none";
    case Role::producer: return "producer";
    case Role::consumer: return "consumer";
    case Role::both: return "producer and consumer";
    case Role::bystander: return "bystander";
  }
  bug("unknown role");
}

int turns_of(const LaunchShape& shape, Role role) {
  return role == Role::producer ? shape.producer_turns : shape.consumer_turns;
}

bool folds_payload(const LaunchShape& shape, const RoleSlice& slice) {
  return shape.payload.words_per_slot > 0 &&
         (slice.role == Role::consumer || slice.role == Role::both);
}

int thread_of(const RoleSlice& slice, int n) {
  return 32 * slice.warp + slice.first_lane + n * slice.lane_stride;
}

// "warp 1 of cta 0 (consumer)"
std::string where(const RoleSlice& slice, int cta) {
  return fmt::format("warp {} of cta {} ({})", slice.warp, cta, name_of(slice.role));
}

Status verify_record(const LaunchShape& shape, const Placement& placement,
                     const LaunchOutput& output, const RoleSlice& slice, int cta) {
  const int index = cta * 2 * shape.warps() + slice.record_index();
  const SampleRecord& record = output.records[static_cast<std::size_t>(index)];
  if (record.role == 0)
    return fail(Step::verify, "{} left no record after {} items", where(slice, cta), output.items);
  if (record.role != static_cast<std::uint32_t>(slice.role))
    return fail(Step::verify, "{} left a record of role {}, expected {}", where(slice, cta),
                record.role, static_cast<std::uint32_t>(slice.role));
  if (record.sm != static_cast<std::uint32_t>(placement.sm))
    return fail(Step::verify, "{} ran on SM {}, expected {}", where(slice, cta), record.sm,
                placement.sm);
  const std::uint32_t expected =
      items_of_unit(output.items, slice.unit, turns_of(shape, slice.role));
  if (record.items != expected)
    return fail(Step::verify, "{} handled {} items, expected {} of {}", where(slice, cta),
                record.items, expected, output.items);
  if (record.phase_errors != 0)
    return fail(Step::verify, "{} found {} of {} barriers in the wrong phase after {} items",
                where(slice, cta), record.phase_errors, record.phases_checked, output.items);
  if (record.clock_end < record.clock_start)
    return fail(Step::verify, "{} read clock {} before and {} after", where(slice, cta),
                record.clock_start, record.clock_end);
  return {};
}

Status verify_fold(const LaunchShape& shape, const LaunchOutput& output, const RoleSlice& slice,
                   int cta, const std::vector<std::uint32_t>& expected) {
  for (int n = 0; n < slice.lanes(); ++n) {
    const int thread = thread_of(slice, n);
    const int index = cta * shape.threads + thread;
    const std::uint32_t found = output.fold[static_cast<std::size_t>(index)];
    const std::uint32_t wanted = expected[static_cast<std::size_t>(thread)];
    if (found == wanted) continue;
    if (found == payload_poison)
      return fail(Step::verify, "{}, thread {}: no payload fold after {} items, expected {:#010x}",
                  where(slice, cta), thread, output.items, wanted);
    return fail(Step::verify,
                "{}, thread {}: payload fold {:#010x} after {} items, expected {:#010x}",
                where(slice, cta), thread, found, output.items, wanted);
  }
  return {};
}

// A record where the shape has no slice: a role ran in the wrong warp.
Status verify_no_other_record(const LaunchShape& shape, const LaunchOutput& output) {
  std::vector<bool> known(static_cast<std::size_t>(2 * shape.warps()), false);
  for (const RoleSlice& slice : shape.slices)
    known[static_cast<std::size_t>(slice.record_index())] = true;
  for (std::size_t n = 0; n < output.records.size(); ++n)
    if (output.records[n].role != 0 && !known[n % known.size()])
      return fail(Step::verify, "record {} has role {}, but no role runs there", n,
                  output.records[n].role);
  return {};
}

}  // namespace

const std::vector<std::uint32_t>& ExpectedFolds::after(std::uint32_t items) {
  auto [found, is_new] = by_items_.try_emplace(items);
  if (!is_new) return found->second;
  found->second.resize(static_cast<std::size_t>(shape_.threads));
  for (const RoleSlice& slice : shape_.slices)
    for (int n = 0; folds_payload(shape_, slice) && n < slice.lanes(); ++n)
      found->second[static_cast<std::size_t>(thread_of(slice, n))] =
          expected_fold(shape_, seed_, items, slice.unit, slice.rank + n);
  return found->second;
}

Status verify_launch(const LaunchShape& shape, const Placement& placement,
                     const LaunchOutput& output, ExpectedFolds& folds) {
  if (output.status.code != 0) return fail(Step::guard, "{}", describe(output.status));
  for (int cta = 0; cta < shape.ctas_per_sm; ++cta) {
    for (const RoleSlice& slice : shape.slices) {
      PHASEBIT_TRY(verify_record(shape, placement, output, slice, cta));
      if (folds_payload(shape, slice))
        PHASEBIT_TRY(verify_fold(shape, output, slice, cta, folds.after(output.items)));
    }
  }
  return verify_no_other_record(shape, output);
}

const SampleRecord& timed_record(const LaunchShape& shape, const LaunchOutput& output) {
  const auto slice = std::find_if(shape.slices.begin(), shape.slices.end(), [&](const auto& s) {
    return s.role == shape.timed_role || s.role == Role::both;
  });
  if (slice == shape.slices.end()) bug("a launch shape without its timed role");
  return output.records[static_cast<std::size_t>(slice->record_index())];
}

}  // namespace phasebit
