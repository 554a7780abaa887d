// How a variant is launched and what a right run of it leaves. Pure values: the bench needs
// neither the axes nor the templates.
#pragma once

#include "core/isa/targets.h"
#include "core/launch/abi.h"
#include "core/launch/buffer.h"
#include "core/launch/product/product.h"
#include "core/launch/stores/store.h"
#include "core/launch/tensor/tile.h"
#include "core/launch/workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::launch {

using isa::most_ctas_of_cluster;
using isa::most_shared_bytes;
using isa::most_sms;
using isa::most_threads_of_cta;

// The threads of one warp that play one role: lanes first_lane, first_lane + lane_stride, ...
struct RoleSlice {
  int warp = 0;         // within the CTA
  int first_lane = 0;   // it writes the SampleRecord
  int lane_stride = 1;  // 2 when the roles split a warp by thread parity
  Role role = Role::none;
  int unit = 0;  // of the role; one that takes turns handles items unit, unit + n, ...
  int rank = 0;  // rank of its first thread among the threads that share a slot
  // The CTA of the cluster that has this role, by %cluster_ctarank; -1: every CTA has it.
  int rank_in_cluster = -1;
  bool leaves_early = false;  // after half of the items, and the others go on
  bool is_in(int cta) const { return rank_in_cluster < 0 || rank_in_cluster == cta; }
  int lanes() const { return 32 / lane_stride; }
  int record_index() const { return 2 * warp + (first_lane != 0 ? 1 : 0); }
  bool operator==(const RoleSlice&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const RoleSlice* /*type*/) {
  // A head says the first four for several warps at once (core/ptx/head).
  visit("warp", &RoleSlice::warp, {.toml = nullptr, .most = 31});
  visit("first_lane", &RoleSlice::first_lane, {.toml = nullptr, .most = 31});
  visit("lane_stride", &RoleSlice::lane_stride, {.toml = nullptr, .least = 1, .most = 32});
  visit("role", &RoleSlice::role, {.toml = nullptr});
  visit("unit", &RoleSlice::unit);
  visit("rank", &RoleSlice::rank);
  visit("rank_in_cluster", &RoleSlice::rank_in_cluster,
        {.toml = "cta", .least = -1, .most = most_ctas_of_cluster - 1});
  visit("leaves_early", &RoleSlice::leaves_early);
}

// The payload of a slot: word w of item i is seed + i * payload_item_step + w (mod 2^32). Thread r
// of the T that share a slot reads, in this order, words (m * T + r) * vector_words + v for m = 0..
// and v = 0..vector_words-1, and adds each to its checksum: h = h * payload_checksum_multiplier +
// word, from h = 0. Word numbers are modulo the words of the slot: of a slot with fewer words than
// readers, several read the same. A thread may stop early, after `thread_words` words.
inline constexpr std::uint32_t payload_checksum_multiplier = 0x01000193U;  // = 3 mod 4

// The name of what payload_in points to, for tensor maps that lie in it.
inline constexpr const char* payload_in_buffer = "payload_in";

// A copy engine cannot compute, so item i carries the words of item i mod `period`.
// The kernel writes so many images of a slot to payload_in itself. A prime above the greatest
// num_stages, so that what a slot held laps ago is never what it should hold.
inline constexpr int copied_payload_period = 37;

// Where tensor copies fill the slots: a slot is `copies` tiles of the map in a row, side by side in
// the outermost dimension. `at` are the coordinates of the first of image 0; those of the next
// image are so many tiles further in that dimension. Then word w of item i is word w of the tiles:
// one of the image, seed + (i modulo period) * payload_item_step + its number in the image, or one
// of the map's fill. A tile of an im2col map is all pixels of one image of the tensor, moved by
// `offsets`. Of data that a grid reads (DataShape) the images are its tiles: each word of a tile
// comes once.
struct TilePayload {
  std::string map;  // "": no tensor copy
  std::vector<int> at;
  int copies = 1;
  std::vector<int> offsets = {};
  bool operator==(const TilePayload&) const = default;
  bool empty() const { return map.empty(); }
};
template <typename Visit>
void fields(Visit& visit, const TilePayload* /*type*/) {
  visit("map", &TilePayload::map, {.must = ""});
  visit("at", &TilePayload::at, {.always = true});
  visit("copies", &TilePayload::copies, {.least = 1, .most = most_shared_bytes / 16});
  visit("offsets", &TilePayload::offsets);
}

struct PayloadShape {
  int words_per_slot = 0;         // 0: no payload, counts and phases alone are checked
  int consumer_threads = 0;       // T of the consumers
  int consumer_vector_words = 1;  // 1 or 4
  int period = 0;                 // items whose words differ; 0: all
  TilePayload tile = {};
  int thread_words = 0;  // that a thread reads of a slot; 0: its even share
  // Of each copy_words words of a slot the first kept_words come from memory, the rest are zeros;
  // copy_words is 0 where all come.
  int copy_words = 0, kept_words = 0;
  product::ProductShape product = {};  // rows 0: the threads read words
  int words_of_thread() const {
    return thread_words > 0 ? thread_words : words_per_slot / consumer_threads;
  }
  std::int64_t images_bytes() const {  // of payload_in
    return std::int64_t{4} * period * words_per_slot;
  }
  bool operator==(const PayloadShape&) const = default;
  bool empty() const { return words_per_slot == 0; }
};
// Fields that only say which words a slot must have, and are verified, do not count in the
// signature: what puts the words there is in the code, a buffer or a map, which do.
template <typename Visit>
void fields(Visit& visit, const PayloadShape* /*type*/) {
  using Shape = PayloadShape;
  visit("words_per_slot", &Shape::words_per_slot,
        {.toml = "words", .most = most_shared_bytes / 4, .always = true, .by_key = true});
  visit("consumer_threads", &Shape::consumer_threads, {.toml = "threads", .always = true});
  visit("consumer_vector_words", &Shape::consumer_vector_words,
        {.toml = "vector", .least = 1, .most = 4});
  visit("period", &Shape::period, {.most = copied_payload_period});
  visit("thread_words", &Shape::thread_words, {.toml = "reads", .if_set = true});
  visit("copy_words", &Shape::copy_words, {.toml = "copied", .in_signature = false});
  visit("kept_words", &Shape::kept_words,
        {.toml = "kept", .with_last = true, .in_signature = false});
  visit("product", &Shape::product, {.if_set = true, .in_signature = false, .by_key = true});
  visit("tile", &Shape::tile, {.if_set = true, .in_signature = false});
}

// Data that a whole grid reads: the first `bytes` of the launch's first buffer, whose fill is
// `blocks`. Readers, so many a CTA, take its tiles in turn: item i of reader r of R is tile
// i * R + r, round and round. A thread's checksum is the sum of the words it read (mod 2^32), and
// the sum of all threads' is verified.
struct DataShape {
  std::int64_t bytes = 0;  // 0: none; a multiple of tile_bytes
  int tile_bytes = 0;
  int readers = 1;
  bool operator==(const DataShape&) const = default;
  bool empty() const { return bytes == 0; }
};
template <typename Visit>
void fields(Visit& visit, const DataShape* /*type*/) {
  visit("bytes", &DataShape::bytes, {.always = true});
  visit("tile_bytes", &DataShape::tile_bytes,
        {.toml = "tile", .least = 4, .most = most_shared_bytes, .always = true});
  visit("readers", &DataShape::readers, {.most = most_threads_of_cta});
}

// A sum over a launch's items that a role leaves in addition to its clocks, in
// SampleRecord::readings. Its slope over the items is a figure of its own: polls an item, cycles
// from arrival to wake-up.
struct Reading {
  std::string name;  // "polls"
  std::string unit;  // "polls per item"
  Role role = Role::consumer;
  int index = 0;
  bool operator==(const Reading&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const Reading* /*type*/) {
  visit("name", &Reading::name, {.must = ""});
  visit("unit", &Reading::unit, {.must = ""});
  visit("role", &Reading::role, {.must = "write `role = \"consumer\"`"});
  visit("index", &Reading::index, {.most = 1});
}

// Clusters. With cluster_size above 1 one cluster of that many CTAs is the whole grid; target_sm
// and the tickets mean nothing, so its kernel must read neither. "CTA" is then %cluster_ctarank: it
// indexes records and checksums, and guarded builds report it. Each slice says by rank_in_cluster
// which CTA it is in: a probe between two ranks has its slices twice, once with first_rank and once
// with second_rank, and CTAs of other ranks leave no record. ctas_per_sm is 1, load_ctas 0, and the
// number is the timed role's in CTA first_rank.
struct LaunchShape {
  int threads = 0;  // of one CTA, without first_warp's
  // Its warps are the hardware's warpgroups, as wgmma and setmaxnreg take them, and its bounds
  // leave no room for others: a placement has no idle warps.
  bool fixed_warps = false;
  // What the axis sub_partitions says of where the roles sit: behind the first gap_after warps,
  // gap_warps idle ones. gap_after 0: the warps sit as they come, and a repetition may move them.
  int gap_after = 0, gap_warps = 0;
  int ctas_per_sm = 1;
  // SMs that run ctas_per_sm CTAs each, SM 0 first; of a device that has fewer, all. 0: one SM, the
  // placement's. With several a launch lasts from the first clock read of the grid to the last, by
  // %globaltimer: its figure is in ns, and the checksums are sums over what the whole grid read.
  int sms = 0;
  int load_ctas = 0;  // CTAs of that size next to them that keep the SM busy and leave no record
  // CTAs of a cluster. Above 1 exactly one cluster is launched, on SMs of the GPU's choice.
  int cluster_size = 1;
  int dynamic_shared_bytes = 0;
  int item_granule = 1;    // items must be a multiple of it
  int min_items = 1;       // and at least this
  int max_items = 0;       // and at most this; 0: any number
  int producer_turns = 1;  // units of a role that take turns; 1 when they share every slot
  int consumer_turns = 1;
  Role timed_role = Role::consumer;  // whose clock pair is the number: its first slice in CTA
                                     // first_rank, which is 0 without clusters
  std::uint32_t work_amount = 0;
  std::uint32_t delay_cycles = 0;
  int first_rank = 0, second_rank = 0;
  std::vector<Reading> readings;
  bool guarded = true;  // false: it waits for nothing, so there is no guarded build
  // Barriers or flags whose end state each CTA reads back, as its first record says
  // (SampleRecord::phases_checked); of a cluster the first CTA, for all. A launch that read back
  // fewer fails; 0: its items alone are verified.
  int phases_checked = 0;
  // Slots that no thread reads in the window: after it the checksums of all threads together are
  // the sum of the words that the last so many items left in them; 0: of none.
  int slots_summed = 0;
  std::string unit = "cycles per item";  // or "cycles per round trip"
  std::vector<RoleSlice> slices;
  PayloadShape payload;
  stores::StoreShape stored;
  DataShape data;
  workload::WorkloadShape workload;
  // Whose addresses the kernel takes after the parameter block, in this order. What payload_in
  // points to is not among them: the payload says how much it is.
  std::vector<Buffer> buffers;
  // After those the kernel takes each of these, in this order.
  std::vector<tensor::TensorMap> tensor_maps;
  int warps() const { return threads / 32; }
  int ctas() const { return (sms > 0 ? sms : 1) * ctas_per_sm * cluster_size; }  // leave records
  int records() const { return ctas() * 2 * warps(); }
  bool operator==(const LaunchShape&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const LaunchShape* /*type*/) {
  using Shape = LaunchShape;
  constexpr const char *launch = "launch", *expects = "expects", *resources = "resources";
  visit("threads", &Shape::threads,
        {.table = launch,
         .least = 1,
         .most = most_threads_of_cta,
         .must = "write `threads = 64`: the threads of a CTA"});
  visit("ctas_per_sm", &Shape::ctas_per_sm,
        {.table = launch, .least = 1, .most = 32, .by_key = true});
  visit("sms", &Shape::sms, {.table = launch, .most = most_sms, .if_set = true, .by_key = true});
  visit("load_ctas", &Shape::load_ctas, {.table = launch, .by_key = true});
  visit("cluster_size", &Shape::cluster_size,
        {.table = launch, .least = 1, .most = most_ctas_of_cluster, .by_key = true});
  visit("dynamic_shared_bytes", &Shape::dynamic_shared_bytes,
        {.toml = "shared_bytes", .table = launch, .most = most_shared_bytes, .always = true});
  visit("item_granule", &Shape::item_granule, {.toml = "granule", .table = launch, .least = 1});
  visit("min_items", &Shape::min_items, {.table = launch, .least = 1});
  visit("max_items", &Shape::max_items, {.table = launch});
  visit("producer_turns", &Shape::producer_turns,
        {.table = launch, .least = 1, .most = most_threads_of_cta, .by_key = true});
  visit("consumer_turns", &Shape::consumer_turns,
        {.table = launch, .least = 1, .most = most_threads_of_cta, .by_key = true});
  visit("timed_role", &Shape::timed_role,
        {.table = launch, .must = "write `timed_role = \"consumer\"`", .by_key = true});
  visit("guarded", &Shape::guarded, {.table = launch, .by_key = true});
  // It changes no launch, only which repetitions bench/campaign may give idle warps. What needs it
  // (wgmma, setmaxnreg) is in the code.
  visit("fixed_warps", &Shape::fixed_warps,
        {.table = launch, .if_set = true, .in_signature = false, .by_key = true});
  visit("gap_after", &Shape::gap_after,
        {.table = launch, .most = 31, .if_set = true, .by_key = true});
  visit("gap_warps", &Shape::gap_warps,
        {.table = launch, .most = 31, .if_set = true, .by_key = true});
  visit("unit", &Shape::unit, {.table = launch, .always = true, .by_key = true});
  visit("work_amount", &Shape::work_amount, {.table = launch, .by_key = true});
  visit("delay_cycles", &Shape::delay_cycles, {.table = launch, .by_key = true});
  visit("first_rank", &Shape::first_rank,
        {.table = launch, .most = most_ctas_of_cluster - 1, .by_key = true});
  visit("second_rank", &Shape::second_rank,
        {.table = launch, .most = most_ctas_of_cluster - 1, .by_key = true});
  visit("slices", &Shape::slices, {.toml = nullptr});
  // Verified, not measured.
  visit("phases_checked", &Shape::phases_checked,
        {.toml = "phases", .table = expects, .in_signature = false});
  visit("slots_summed", &Shape::slots_summed,
        {.table = expects, .if_set = true, .in_signature = false, .by_key = true});
  visit("payload", &Shape::payload, {.table = expects});
  // The code stores whether or not the buffer, which counts, is verified afterwards.
  visit("stored", &Shape::stored,
        {.table = expects, .if_set = true, .in_signature = false, .by_key = true});
  visit("data", &Shape::data, {.table = expects, .by_hand = true, .if_set = true});
  visit("workload", &Shape::workload, {.table = expects, .if_set = true, .by_key = true});
  visit("readings", &Shape::readings, {.table = expects});
  visit("buffers", &Shape::buffers, {.table = resources, .by_hand = true, .if_set = true});
  visit("tensor_maps", &Shape::tensor_maps, {.table = resources, .if_set = true});
}

// Whether a warp has the timed role.
bool has_timed_warp(const LaunchShape& shape);

// Items that a unit handles of `items`: those equal to unit modulo turns.
std::uint32_t items_of_unit(std::uint32_t items, int unit, int turns);

// The items that pass before a slice leaves, and those of them that it handles.
std::uint32_t items_until_leaving(const RoleSlice& slice, std::uint32_t items);
std::uint32_t items_of_slice(const LaunchShape& shape, const RoleSlice& slice, std::uint32_t items);

// The items of a CTA where a launch is of so many: the same, but of a workload its tiles.
std::uint32_t items_of_cta(const LaunchShape& shape, std::uint32_t items, int cta);

// Step::bundle when the shape's largest count leaves no room for four chain lengths.
Status check_chain(const LaunchShape& shape);

// The smallest number of items that is at least `items` and that the shape allows, as long as the
// chain n, 2n, 3n, 4n stays within the shape's largest count.
std::uint32_t allowed_items(const LaunchShape& shape, std::uint64_t items);

// Counts for the guarded build: the smallest, its neighbours, and a few that end in another slot;
// none above the shape's largest.
std::vector<std::uint32_t> guard_counts(const LaunchShape& shape);

// What its kernel's buffers are: the shape's own, then what payload_in points to, which the kernel
// writes itself and a shape that copies nothing has no bytes of.
std::vector<Buffer> buffers_of(const LaunchShape& shape);
// The tensor maps of a launch of so many items: those of a workload's rows have as many as it has.
std::vector<tensor::TensorMap> maps_of(const LaunchShape& shape, std::uint32_t items);

// The block of a launch as far as the shape says it: no addresses, no items, no placement.
KernelParams params_of(const LaunchShape& shape);

// Bytes of a buffer of the launch, or of payload_in; -1 of none.
std::int64_t buffer_bytes(const LaunchShape& shape, const std::string& name);

// The words of a slot that tensor copies fill, those of the first image or tile of data; none of
// another. Step::bundle when there is no such map, or its tiles are not a slot of whole words.
Result<std::vector<tensor::TileWord>> words_of_slot(const LaunchShape& shape);

// Word w of a slot that threads copy: a word of the image, or a zero.
tensor::TileWord word_of_copy(const PayloadShape& payload, int word);

// The checksum that thread `rank` of consumer unit `unit` holds after `items` items. Closed form of
// the recurrence above, O(words per thread + log items). 0 without a payload. `words`: what
// words_of_slot gives.
std::uint32_t expected_checksum(const LaunchShape& shape, std::uint32_t seed, std::uint32_t items,
                                int unit, int rank,
                                const std::vector<tensor::TileWord>& words = {});

// The sum of the words that items `first` to `items` - 1 leave in their slots, of a payload whose
// images are copied. `words`: what words_of_slot gives.
std::uint32_t sum_of_items(const LaunchShape& shape, std::uint32_t seed, std::uint32_t first,
                           std::uint32_t items, const std::vector<tensor::TileWord>& words);

// Of a slot whose matrices are multiplied: the products of its images, and how many items of each a
// slice handles.
product::Products products_of(const LaunchShape& shape, std::uint32_t seed,
                              const std::vector<tensor::TileWord>& words);
std::vector<std::uint32_t> items_by_image(const LaunchShape& shape, const RoleSlice& slice,
                                          std::uint32_t items);

// The buffer of shape.stored after `items` items; no words where nothing is stored. Step::bundle
// when there is no such buffer or map, or they do not fit the slot.
Result<std::vector<std::uint32_t>> expected_stored(const LaunchShape& shape, std::uint32_t seed,
                                                   std::uint32_t items);

}  // namespace phasebit::launch
