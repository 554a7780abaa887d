// Whether a launch did what its shape says: every item handled once, in order, by the right role,
// and every barrier in the phase that follows.
#pragma once

#include "core/base/error.h"
#include "core/launch/guard_sites.h"
#include "core/launch/launch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace phasebit::launch {

// What a thread's checksum holds when the kernel wrote none. A right checksum has this value once
// in 2^32.
inline constexpr std::uint32_t payload_poison = 0xDEADBEEFU;

// What one launch left in memory, whatever ran it: a GPU, or an interpreter of its PTX.
struct LaunchOutput {
  std::uint32_t items = 0;
  std::uint32_t first_tile = 0;  // of the data, where the launch began to read
  std::uint32_t ctas = 0;        // that claimed the SM, of those launched; 0 in a cluster
  int sm = 0;                    // the GPU's compute capability
  StatusRecord status;
  GuardReport report;                   // of a guarded kernel
  std::vector<std::uint32_t> crumbs;    // where its warps left, when one gave up
  std::vector<SampleRecord> records;    // LaunchShape::records()
  std::vector<std::uint32_t> checksum;  // LaunchShape::ctas() * threads
  std::vector<std::uint32_t> stored;    // the buffer of LaunchShape::stored, or of a workload
  bool is_read_apart = false;           // a workload's output is too large to be here
  double duration_ns = 0;               // of a launch that was timed as a whole
};

// CTAs that must come to the target SM. A cluster has no such count, and comes as a whole or not at
// all.
int wanted_ctas(const LaunchShape& shape);

// Whether those CTAs met there, so that there is something to verify.
bool met(const LaunchShape& shape, const LaunchOutput& output);

// Tiles that an item of the launch takes of its data: one for each that reads, or copies.
std::uint64_t tiles_an_item(const LaunchShape& shape);

// What a workload's output must hold after a launch: of a shape that check_shape has passed.
workload::Expected expected_output(const LaunchShape& shape);

// Sums over data filled with `blocks` (BufferFill), wherever in it one begins.

// Made once for many questions: it draws the words of one block.
class DataSums {
 public:
  // Data of whole tiles, whose blocks are drawn from the seed.
  DataSums(std::uint32_t seed, std::int64_t bytes, int tile_bytes);
  // Of `count` tiles from `first` on, round and round, modulo 2^32.
  std::uint32_t of_tiles(std::uint64_t first, std::uint64_t count) const {
    return before(first + count) - before(first);
  }

 private:
  std::uint32_t of_words(std::uint64_t words) const;
  std::uint32_t before(std::uint64_t tile) const;

  std::uint64_t tiles_, tile_words_;
  std::vector<std::uint32_t> below_;  // at n: the sum of the block's first n words
};

// The same of tiles of `signs` data whose matrices are multiplied: what all accumulators add up to.
class ProductSums {
 public:
  // `words`: which word of its tile each word of a slot is; none where copies keep their order.
  ProductSums(std::uint32_t seed, const DataShape& data, const product::ProductShape& product,
              const std::vector<tensor::TileWord>& words);
  std::uint32_t of_tiles(std::uint64_t first, std::uint64_t count) const;

 private:
  std::uint64_t tiles_;
  std::vector<std::uint32_t> totals_;  // of each tile until the data repeat
};

// The checksums expected of one variant, kept by item count: a point asks for four counts many
// times.
class ExpectedChecksums {
 public:
  // Of a shape that check_shape has passed.
  ExpectedChecksums(const LaunchShape& shape, std::uint32_t seed)
      : shape_(shape), seed_(seed), words_(words_of_slot(shape).value_or(Words())) {}
  // By thread of the CTA; a thread without checksum has 0.
  const std::vector<std::uint32_t>& after(std::uint32_t items);
  // Of a grid that reads data, from that tile on: the sum of all its checksums.
  std::uint32_t sum_after(std::uint32_t items, std::uint32_t first_tile);
  // What the last items left in slots that no thread read: shape.slots_summed.
  std::uint32_t left_after(std::uint32_t items, std::uint32_t first_tile);
  // The buffer that slots are stored to.
  const std::vector<std::uint32_t>& stored_after(std::uint32_t items);

 private:
  using Words = std::vector<tensor::TileWord>;
  const DataSums& data_sums();
  std::uint32_t product_after(const RoleSlice& slice, int thread, std::uint32_t items);

  const LaunchShape& shape_;
  std::uint32_t seed_;
  Words words_;  // of a slot that tensor copies fill
  product::Products products_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_items_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> stored_;
  std::optional<DataSums> sums_;
  std::optional<ProductSums> product_sums_;
};

// `target_sm`: where a launch on one SM was to run. A grid on several has SMs of its own, and in a
// cluster the SM is the GPU's choice, but one CTA has one.
// Step::guard when the guarded build reported a fault; Step::verify names the warp, the thread,
// what was expected and what was found.
Status verify_launch(const LaunchShape& shape, int target_sm, const LaunchOutput& output,
                     ExpectedChecksums& checksums);

// The record of the slice whose clock pair is the number: the timed role's first slice in CTA
// first_rank, which is CTA 0 without clusters.
const SampleRecord& timed_record(const LaunchShape& shape, const LaunchOutput& output);

// From the first clock read of a grid to the last, by %globaltimer.
std::uint64_t span_ns(const LaunchOutput& output);

// The record that holds a reading: of the role's first slice in that CTA, or in the first that has
// the role.
const SampleRecord& record_of(const LaunchShape& shape, const LaunchOutput& output, Role role);

// Launch shapes that no launch could follow: they come from a manifest, which others may have
// written.

// Step::bundle for a cluster rank or a reading that a record has no place for, a role without a
// slice, or no room for four chain lengths.
Status check_shape(const LaunchShape& shape);

}  // namespace phasebit::launch
