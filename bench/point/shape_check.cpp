#include "bench/point/shape_check.h"

#include "bench/point/chain.h"
#include "core/image/product/check.h"

#include <algorithm>
#include <iterator>

namespace phasebit::bench::point {

using image::LaunchShape;
using image::RoleSlice;

namespace {

constexpr int readings_a_record = static_cast<int>(std::size(image::SampleRecord{}.readings));

bool plays(const RoleSlice& slice, image::Role role) {
  return slice.role == role || slice.role == image::Role::both;
}

Status check_ranks(const LaunchShape& shape) {
  if (shape.cluster_size > 1 && (shape.ctas_per_sm != 1 || shape.load_ctas != 0))
    return fail(Step::bundle, "a cluster of {} with {} CTAs per SM and {} of load",
                shape.cluster_size, shape.ctas_per_sm, shape.load_ctas);
  std::vector<int> ranks = {shape.first_rank, shape.second_rank};
  for (const RoleSlice& slice : shape.slices) ranks.push_back(slice.rank_in_cluster);
  for (const int rank : ranks)
    if (rank >= shape.cluster_size || rank < -1)
      return fail(Step::bundle, "rank {} in a cluster of {}", rank, shape.cluster_size);
  return {};
}

Status check_roles(const LaunchShape& shape) {
  const int cta = shape.first_rank;
  const bool timed = std::any_of(shape.slices.begin(), shape.slices.end(), [&](const auto& slice) {
    return plays(slice, shape.timed_role) && slice.is_in(cta);
  });
  if (!timed) return fail(Step::bundle, "no slice in CTA {} has the timed role", cta);
  for (const RoleSlice& slice : shape.slices)
    if (slice.warp < 0 || slice.warp >= shape.warps())
      return fail(Step::bundle, "a role in warp {} of {}", slice.warp, shape.warps());
  for (const image::Reading& reading : shape.readings) {
    if (reading.index < 0 || reading.index >= readings_a_record)
      return fail(Step::bundle, "reading '{}' has index {}, a record has {}", reading.name,
                  reading.index, readings_a_record);
    if (std::none_of(shape.slices.begin(), shape.slices.end(),
                     [&](const auto& slice) { return plays(slice, reading.role); }))
      return fail(Step::bundle, "no slice has the role of reading '{}'", reading.name);
  }
  return {};
}

Status check_tensor_maps(const LaunchShape& shape) {
  for (const image::tensor::TensorMap& map : shape.tensor_maps) {
    const std::int64_t bytes = image::buffer_bytes(shape, map.buffer);
    if (bytes < 0)
      return fail(Step::bundle, "tensor map {}: there is no buffer '{}'", map.name, map.buffer);
    if (const auto wrong = image::tensor::complaint_about(map, bytes))
      return with_hint(
          fail(Step::bundle, "tensor map {}: {}: {}", map.name, wrong->key, wrong->what),
          wrong->hint);
  }
  const auto words = image::words_of_slot(shape);
  if (!words) return tl::unexpected<Error>(words.error());
  if (const auto stored = image::expected_stored(shape, 0, 0); !stored)
    return tl::unexpected<Error>(stored.error());
  return {};
}

// Of a slot's images, or of tiles of data, whose threads and words are known by the grid's sum.
Status check_product(const LaunchShape& shape) {
  const image::PayloadShape& payload = shape.payload;
  const bool of_data = shape.data.bytes > 0 && payload.words_per_slot == 0;
  image::product::Slot slot{payload.words_per_slot, payload.consumer_threads, payload.period};
  if (of_data) slot = {shape.data.tile_bytes / 4, 2 * payload.product.rows, 1};
  const std::string why = image::product::why_unknown(payload.product, slot);
  if (why.empty()) return {};
  return fail(Step::bundle, "product: {}", why);
}

}  // namespace

Status check_shape(const LaunchShape& shape) {
  PHASEBIT_TRY(check_ranks(shape));
  PHASEBIT_TRY(check_roles(shape));
  PHASEBIT_TRY(check_tensor_maps(shape));
  PHASEBIT_TRY(check_product(shape));
  return check_chain(shape);
}

}  // namespace phasebit::bench::point
