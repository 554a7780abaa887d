// Whether a launch did what its shape says: every item handled once, in order, by the right role,
// and every barrier in the phase that follows.
#pragma once

#include "bench/point/data_sums.h"
#include "bench/point/launcher.h"

#include <map>
#include <vector>

namespace phasebit::bench::point {

// The checksums expected of one variant, kept by item count: a point asks for four counts many
// times.
class ExpectedChecksums {
 public:
  // Of a shape that check_shape has passed.
  ExpectedChecksums(const image::LaunchShape& shape, std::uint32_t seed)
      : shape_(shape), seed_(seed), words_(image::words_of_slot(shape).value_or(Words())) {}
  // By thread of the CTA; a thread without checksum has 0.
  const std::vector<std::uint32_t>& after(std::uint32_t items);
  // Of a grid that reads data, from that tile on: the sum of all its checksums.
  std::uint32_t sum_after(std::uint32_t items, std::uint32_t first_tile);
  // What the last items left in slots that nobody read: shape.slots_summed.
  std::uint32_t left_after(std::uint32_t items, std::uint32_t first_tile);
  // The buffer that slots are stored to.
  const std::vector<std::uint32_t>& stored_after(std::uint32_t items);

 private:
  using Words = std::vector<image::tensor::TileWord>;
  const DataSums& data_sums();
  std::uint32_t product_after(const image::RoleSlice& slice, int thread, std::uint32_t items);

  const image::LaunchShape& shape_;
  std::uint32_t seed_;
  Words words_;  // of a slot that tensor copies fill
  image::product::Products products_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_items_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> stored_;
  std::optional<DataSums> sums_;
  std::optional<ProductSums> product_sums_;
};

// In a cluster the SM is the GPU's choice, but one CTA has one.
// Step::guard when the guarded build reported a fault; Step::verify names the warp, the thread,
// what was expected and what was found.
Status verify_launch(const image::LaunchShape& shape, const record::Placement& placement,
                     const LaunchOutput& output, ExpectedChecksums& checksums);

// The record of the slice whose clock pair is the number: the timed role's first slice in CTA
// first_rank, which is CTA 0 without clusters.
const image::SampleRecord& timed_record(const image::LaunchShape& shape,
                                        const LaunchOutput& output);

// From the first clock read of a grid to the last, by %globaltimer.
std::uint64_t span_ns(const LaunchOutput& output);

// The record that holds a reading: of the role's first slice in that CTA, or in the first that has
// the role.
const image::SampleRecord& record_of(const image::LaunchShape& shape, const LaunchOutput& output,
                                     image::Role role);

}  // namespace phasebit::bench::point
