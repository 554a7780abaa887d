// What lies in shared memory: barriers and the slots of the payload; and the tensor maps that fill
// them.
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/image/product/check.h"
#include "core/ptx/head/complaint.h"

#include <algorithm>

namespace phasebit::ptx::head {
namespace {

constexpr int named_barriers = 16;

bool in_memory(const HeadBarrier& barrier) {
  return barrier_bytes(barrier.kind) > 0;
}

std::int64_t last_of(const HeadBarrier& barrier) {
  return barrier.base + std::int64_t{barrier.stride} * (barrier.count - 1);
}

Status check_barrier(const CheckedHead& checked, const HeadBarrier& barrier) {
  const std::string key = "barrier " + barrier.name;
  const int shared = checked.head.launch.dynamic_shared_bytes;
  if (barrier.kind == "named") {
    const std::int64_t last = last_of(barrier);
    if (last < named_barriers) return {};
    return checked.complain(key, "a CTA has barriers 0 to 15", "its last barrier is {}", last);
  }
  if (!in_memory(barrier)) return {};
  const std::int64_t end = last_of(barrier) + barrier_bytes(barrier.kind);
  if (end > shared)
    return checked.complain(key, fmt::format("write `shared_bytes = {}` or more in [launch]", end),
                            "it ends at byte {}, the kernel has {} bytes of shared memory", end,
                            shared);
  if (barrier.base % 8 != 0 || barrier.stride % 8 != 0)
    return checked.complain(key, "base and stride are multiples of 8",
                            "base {} and stride {} do not keep it at multiples of 8", barrier.base,
                            barrier.stride);
  if (barrier.kind == "mbarrier" && barrier.arrivals == 0)
    return checked.complain(key, "write `arrivals = 1`: the count of its mbarrier.init",
                            "no arrivals complete a phase");
  return {};
}

// One barrier of one slot: its bytes, or its id.
struct Place {
  int first, end;
  const HeadBarrier* barrier;
};

Status check_overlap(const CheckedHead& checked, bool memory) {
  std::vector<Place> places;
  for (const HeadBarrier& barrier : checked.head.barriers) {
    if (in_memory(barrier) != memory || (!memory && barrier.kind != "named")) continue;
    const int size = memory ? barrier_bytes(barrier.kind) : 1;
    for (int slot = 0; slot < barrier.count; ++slot) {
      const int first = barrier.base + barrier.stride * slot;
      places.push_back({first, first + size, &barrier});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.first < b.first; });
  for (size_t n = 1; n < places.size(); ++n) {
    const Place &below = places[n - 1], &above = places[n];
    if (above.first >= below.end) continue;
    const char* what = memory ? "byte" : "id";
    return checked.complain("barrier " + above.barrier->name,
                            "give each slot of each barrier a place of its own by `base` and "
                            "`stride`",
                            "{} {} is barrier {}'s already", what, above.first,
                            below.barrier->name);
  }
  return {};
}

Status check_phases(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  if (launch.phases_checked == 0) return {};
  std::int64_t barriers = 0;
  for (const HeadBarrier& barrier : checked.head.barriers)
    if (in_memory(barrier)) barriers += barrier.count;
  if (barriers == 0)
    return checked.complain("phases", "list the barriers, or leave `phases` out",
                            "{} are verified, and the head has no barriers in shared memory",
                            launch.phases_checked);
  // The first CTA of a cluster reads back those of all.
  const std::int64_t most = barriers * launch.cluster_size;
  if (launch.phases_checked <= most) return {};
  return checked.complain("phases", fmt::format("write `phases = {}` or less", most),
                          "{} are verified, and all slots have {} barriers", launch.phases_checked,
                          most);
}

Status check_payload(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  const image::PayloadShape& payload = launch.payload;
  if (payload.words_per_slot == 0) return {};
  if (const std::string why = image::product::why_unknown(
          payload.product, {payload.words_per_slot, payload.consumer_threads, payload.period});
      !why.empty())
    return checked.complain("payload", "mend `product`, `words` or `threads`", "product: {}", why);
  const std::int64_t step = std::int64_t{payload.consumer_threads} * payload.consumer_vector_words;
  const bool reads_words = payload.product.rows == 0;
  if (reads_words && payload.thread_words == 0 && payload.words_per_slot % step != 0)
    return checked.complain("payload", fmt::format("write a multiple of {} as `words`", step),
                            "{} words do not go into reads of {} words by {} threads",
                            payload.words_per_slot, payload.consumer_vector_words,
                            payload.consumer_threads);
  std::int64_t slots = 1, barriers = 0;
  for (const HeadBarrier& barrier : checked.head.barriers) {
    slots = std::max<std::int64_t>(slots, barrier.count);
    barriers += std::int64_t{barrier.count} * barrier_bytes(barrier.kind);
  }
  const std::int64_t needed = 4 * payload.words_per_slot * slots;
  const std::int64_t left = launch.dynamic_shared_bytes - barriers;
  if (needed <= left) return {};
  return checked.complain(
      "payload", fmt::format("write `shared_bytes = {}` or more in [launch]", needed + barriers),
      "{} slots of {} words have {} bytes, the barriers leave {}", slots, payload.words_per_slot,
      needed, left);
}

}  // namespace

Status check_head_memory(const CheckedHead& checked) {
  for (const HeadBarrier& barrier : checked.head.barriers)
    PHASEBIT_TRY(check_barrier(checked, barrier));
  PHASEBIT_TRY(check_overlap(checked, true));
  PHASEBIT_TRY(check_overlap(checked, false));
  PHASEBIT_TRY(check_phases(checked));
  return check_payload(checked);
}

Status check_head_tensor_maps(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  for (const image::tensor::TensorMap& map : launch.tensor_maps) {
    const std::string key = "tensor map " + map.name;
    const std::int64_t bytes = image::buffer_bytes(launch, map.buffer);
    if (bytes < 0) {
      std::vector<std::string> names = {image::payload_in_buffer};
      for (const image::Buffer& buffer : launch.buffers) names.push_back(buffer.name);
      return checked.complain(key, base::nearest_word_hint(map.buffer, names),
                              "there is no buffer '{}'", map.buffer);
    }
    if (const auto wrong = image::tensor::complaint_about(map, bytes))
      return checked.complain(key, wrong->hint, "{}: {}", wrong->key, wrong->what);
  }
  // A tile is of the data that a grid reads, or of the payload.
  const image::TilePayload& tile = launch.payload.tile;
  const bool of_data = launch.payload.words_per_slot == 0 && launch.data.bytes > 0;
  std::vector<std::string> names;
  for (const image::tensor::TensorMap& map : launch.tensor_maps) names.push_back(map.name);
  if (!tile.map.empty() && !base::contains(names, tile.map))
    return checked.complain(of_data ? "data" : "payload", base::nearest_word_hint(tile.map, names),
                            "there is no tensor map '{}'", tile.map);
  if (const auto words = image::words_of_slot(launch); !words)
    return checked.complain(of_data ? "data" : "payload", words.error().hint, "{}",
                            words.error().message);
  if (const auto stored = image::expected_stored(launch, 0, 0); !stored)
    return checked.complain("stored", stored.error().hint, "{}", stored.error().message);
  return {};
}

}  // namespace phasebit::ptx::head
