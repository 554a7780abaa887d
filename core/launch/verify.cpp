#include "core/launch/verify.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/launch/buffer.h"
#include "core/launch/product/product.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <random>

namespace phasebit::launch {

namespace {

const char* name_of(Role role) {
  switch (role) {
    case Role::none: return "none";
    case Role::producer: return "producer";
    case Role::consumer: return "consumer";
    case Role::both: return "producer and consumer";
    case Role::victim: return "victim";
  }
  bug("unknown role");
}

bool reads(const RoleSlice& slice) {
  return slice.role == Role::consumer || slice.role == Role::both;
}

bool has_checksum(const LaunchShape& shape, const RoleSlice& slice) {
  return shape.payload.words_per_slot > 0 && reads(slice);
}

int thread_of(const RoleSlice& slice, int n) {
  return 32 * slice.warp + slice.first_lane + n * slice.lane_stride;
}

std::uint32_t checksum_of(const LaunchShape& shape, const LaunchOutput& output, int cta,
                          int thread) {
  const int index = cta * shape.threads + thread;
  return output.checksum.at(static_cast<std::size_t>(index));
}

// "warp 1 of cta 0 (consumer)"
std::string where(const RoleSlice& slice, int cta) {
  return fmt::format("warp {} of cta {} ({})", slice.warp, cta, name_of(slice.role));
}

const SampleRecord& record_at(const LaunchShape& shape, const LaunchOutput& output, int cta,
                              const RoleSlice& slice) {
  const int index = cta * 2 * shape.warps() + slice.record_index();
  return output.records[static_cast<std::size_t>(index)];
}

Status verify_record(const LaunchShape& shape, const LaunchOutput& output, const RoleSlice& slice,
                     int cta, std::uint32_t sm) {
  const SampleRecord& record = record_at(shape, output, cta, slice);
  if (record.role == 0)
    return fail(Step::verify, "{} left no record after {} items", where(slice, cta), output.items);
  if (record.role != static_cast<std::uint32_t>(slice.role))
    return fail(Step::verify, "{} left a record of role {}, expected {}", where(slice, cta),
                record.role, static_cast<std::uint32_t>(slice.role));
  if (record.sm != sm)
    return fail(Step::verify, "{} ran on SM {}, expected {}", where(slice, cta), record.sm, sm);
  const std::uint32_t expected =
      items_of_slice(shape, slice, items_of_cta(shape, output.items, cta));
  if (record.items != expected && !shape.workload.drawn)
    return fail(Step::verify, "{} handled {} items, expected {} of {}", where(slice, cta),
                record.items, expected, output.items);
  if (record.phase_errors != 0 && slice.role != Role::victim)
    return fail(Step::verify, "{} found {} of {} barriers in the wrong phase after {} items",
                where(slice, cta), record.phase_errors, record.phases_checked, output.items);
  if (record.clock_end < record.clock_start)
    return fail(Step::verify, "{} read clock {} before and {} after", where(slice, cta),
                record.clock_start, record.clock_end);
  return {};
}

Status verify_checksum(const LaunchShape& shape, const LaunchOutput& output, const RoleSlice& slice,
                       int cta, const std::vector<std::uint32_t>& expected) {
  for (int n = 0; n < slice.lanes(); ++n) {
    const int thread = thread_of(slice, n);
    const std::uint32_t found = checksum_of(shape, output, cta, thread);
    const std::uint32_t wanted = expected[static_cast<std::size_t>(thread)];
    if (found == wanted) continue;
    if (found == payload_poison)
      return fail(Step::verify,
                  "{}, thread {}: no payload checksum after {} items, expected {:#010x}",
                  where(slice, cta), thread, output.items, wanted);
    return fail(Step::verify,
                "{}, thread {}: payload checksum {:#010x} after {} items, expected {:#010x}",
                where(slice, cta), thread, found, output.items, wanted);
  }
  return {};
}

// Of the threads that read, each as it is: of thousands a launch one sum may well be the word
// that stands for none.
Status verify_sum(const LaunchShape& shape, const LaunchOutput& output, std::uint32_t wanted) {
  std::uint32_t found = 0;
  for (int cta = 0; cta < shape.ctas(); ++cta)
    for (const RoleSlice& slice : shape.slices)
      for (int n = 0; reads(slice) && n < slice.lanes(); ++n)
        found += checksum_of(shape, output, cta, thread_of(slice, n));
  if (found == wanted) return {};
  return fail(Step::verify, "the sum of all {} is {:#010x} after {} items, expected {:#010x}",
              shape.payload.product.rows > 0 ? "accumulators" : "words read", found, output.items,
              wanted);
}

Status verify_slots(const LaunchOutput& output, std::uint32_t wanted) {
  const std::uint32_t found =
      std::accumulate(output.checksum.begin(), output.checksum.end(), std::uint32_t{0});
  if (found == wanted) return {};
  return fail(Step::verify,
              "the words that the last items left in the slots sum to {:#010x} after {} items, "
              "expected {:#010x}",
              found, output.items, wanted);
}

// Word for word: the first that is not as it should be is named by its image and place.
Status verify_stored(const LaunchShape& shape, const LaunchOutput& output,
                     const std::vector<std::uint32_t>& expected) {
  const auto words = static_cast<std::size_t>(shape.payload.words_per_slot);
  if (output.stored.size() != expected.size())
    return fail(Step::verify, "{} words of '{}' were read back, expected {}", output.stored.size(),
                shape.stored.buffer, expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n)
    if (output.stored[n] != expected[n])
      return fail(Step::verify,
                  "'{}' holds {:#010x} in word {} of image {} after {} items, expected {:#010x}",
                  shape.stored.buffer, output.stored[n], n % words, n / words, output.items,
                  expected[n]);
  return {};
}

Status check_workload(const LaunchShape& shape) {
  const workload::WorkloadShape& work = shape.workload;
  if (workload::reference_of(work.reference) == nullptr)
    return with_hint(fail(Step::bundle, "workload: no reference '{}'", work.reference),
                     base::nearest_word_hint(work.reference, workload::reference_names()));
  const auto bytes = (work.halves ? 2 : 4) * work.elements;
  if (const std::int64_t room = buffer_bytes(shape, work.output); room < bytes)
    return fail(Step::bundle, "workload: {} elements in {} bytes of '{}'", work.elements,
                std::max<std::int64_t>(room, 0), work.output);
  if (shape.buffers.front().name == work.output)
    return fail(Step::bundle, "workload: no buffer before '{}' is its input", work.output);
  for (std::size_t n = 0; n < shape.buffers.size(); ++n) {
    const Buffer& buffer = shape.buffers[n];
    if (buffer.name == work.output) break;
    if (buffer.fill.kind == BufferFill::Kind::indices) {
      const auto matrix = 4 * static_cast<std::uint64_t>(work.rows * work.columns);
      const Buffer& matrices = shape.buffers[n == 0 ? 0 : n - 1];
      if (const std::uint64_t least = matrix * buffer.fill.bound;
          matrix == 0 || n == 0 || matrices.bytes < least)
        return fail(Step::bundle,
                    "workload: '{}' holds indices below {}, '{}' {} matrices of {} bytes",
                    buffer.name, buffer.fill.bound, matrices.name,
                    matrix == 0 ? 0 : matrices.bytes / matrix, matrix);
      continue;
    }
    if (!buffer.fill.is_float())
      return fail(Step::bundle, "workload: input '{}' holds {}, not numbers", buffer.name,
                  to_string(buffer.fill));
  }
  return {};
}

// Every tile was handled once, and the output is what the reference says.
Status verify_output(const LaunchShape& shape, const LaunchOutput& output) {
  const workload::WorkloadShape& work = shape.workload;
  PHASEBIT_TRY(check_workload(shape));  // it may be of a user's head
  for (const RoleSlice& slice : shape.slices) {
    if (!work.drawn || slice.unit != 0) continue;
    std::uint64_t handled = 0;
    for (int cta = 0; cta < shape.ctas(); ++cta)
      handled += record_at(shape, output, cta, slice).items;
    const auto tiles = output.items / static_cast<std::uint32_t>(work.tile_elements);
    if (handled != tiles)
      return fail(Step::verify, "the CTAs drew {} tiles, expected {}", handled, tiles);
  }
  if (output.is_read_apart) return {};
  LaunchShape one = shape;  // what follows one launch is what the interpreter makes
  one.workload.launches = 1;
  return expected_output(one).check(output.items, 0, output.stored);
}

// The first thread that is left in a CTA says how many barriers it read back; of a probe's cluster,
// that of one CTA.
Status verify_phases_checked(const LaunchShape& shape, const LaunchOutput& output, int cta) {
  if (shape.cluster_size > 1 && shape.workload.empty() && cta != shape.first_rank) return {};
  std::uint32_t checked = 0;
  const std::size_t records_of_cta = 2 * static_cast<std::size_t>(shape.warps());
  for (std::size_t n = 0; n < records_of_cta; ++n)
    checked = std::max(
        checked, output.records[static_cast<std::size_t>(cta) * records_of_cta + n].phases_checked);
  if (checked >= static_cast<std::uint32_t>(shape.phases_checked)) return {};
  return fail(Step::verify, "cta {} read back {} of {} barriers after {} items", cta, checked,
              shape.phases_checked, output.items);
}

// A record where the shape has no slice: a role ran in the wrong warp.
Status verify_no_other_record(const LaunchShape& shape, const LaunchOutput& output) {
  std::vector<bool> known(output.records.size(), false);
  for (int cta = 0; cta < shape.ctas(); ++cta)
    for (const RoleSlice& slice : shape.slices)
      if (slice.is_in(cta)) {
        const int index = cta * 2 * shape.warps() + slice.record_index();
        known[static_cast<std::size_t>(index)] = true;
      }
  for (std::size_t n = 0; n < output.records.size(); ++n)
    if (output.records[n].role != 0 && !known[n])
      return fail(Step::verify, "record {} has role {}, but no role runs there", n,
                  output.records[n].role);
  return {};
}

// Where a CTA must have run: a cluster's and a workload's where its first record says.
std::uint32_t sm_of(const LaunchShape& shape, int target_sm, const LaunchOutput& output, int cta) {
  if (shape.workload.empty()) {
    if (shape.sms > 0) return static_cast<std::uint32_t>(cta / shape.ctas_per_sm);
    if (shape.cluster_size <= 1) return static_cast<std::uint32_t>(target_sm);
  }
  for (const RoleSlice& slice : shape.slices)
    if (slice.is_in(cta)) return record_at(shape, output, cta, slice).sm;
  return 0;  // no role runs there
}

int first_cta(const LaunchShape& shape) {
  return shape.cluster_size > 1 ? shape.first_rank : 0;
}

// The first slice of a role in a CTA, or null.
const RoleSlice* slice_of(const LaunchShape& shape, Role role, int cta) {
  for (const RoleSlice& slice : shape.slices)
    if ((slice.role == role || slice.role == Role::both) && slice.is_in(cta)) return &slice;
  return nullptr;
}

}  // namespace

int wanted_ctas(const LaunchShape& shape) {
  if (!shape.workload.empty()) return 0;  // they do not say that they came
  if (shape.sms > 0) return shape.ctas();
  return shape.cluster_size > 1 ? 0 : shape.ctas_per_sm + shape.load_ctas;
}

bool met(const LaunchShape& shape, const LaunchOutput& output) {
  const auto not_coresident = static_cast<std::uint32_t>(StatusCode::not_coresident);
  if (output.report.code != 0) return true;  // it came far enough to wait in vain
  return output.ctas >= static_cast<std::uint32_t>(wanted_ctas(shape)) &&
         output.status.code != not_coresident;
}

workload::Expected expected_output(const LaunchShape& shape) {
  workload::Problem problem{std::bit_cast<float>(shape.work_amount),
                            {},
                            static_cast<std::uint64_t>(shape.workload.rows),
                            static_cast<std::uint64_t>(shape.workload.columns),
                            shape.workload.launches};
  for (const Buffer& buffer : shape.buffers) {
    if (buffer.name == shape.workload.output) break;
    Buffer period = buffer;
    period.bytes = std::min<std::uint64_t>(period.bytes, 4 * float_words);
    std::vector<float>& values = problem.inputs.emplace_back();
    if (buffer.fill.is_float()) {
      values = numbers_of(period);
    } else {
      for (const std::uint32_t word : content_of(period))
        values.push_back(std::bit_cast<float>(word));
    }
    if (values.empty()) values.push_back(0);  // of no elements none is asked for
  }
  return {shape.workload, std::move(problem)};
}

std::uint64_t tiles_an_item(const LaunchShape& shape) {
  return static_cast<std::uint64_t>(std::max(1, shape.data.readers)) *
         static_cast<std::uint64_t>(shape.ctas());
}

const std::vector<std::uint32_t>& ExpectedChecksums::after(std::uint32_t items) {
  auto [found, is_new] = by_items_.try_emplace(items);
  if (!is_new) return found->second;
  found->second.resize(static_cast<std::size_t>(shape_.threads));
  for (const RoleSlice& slice : shape_.slices)
    for (int n = 0; has_checksum(shape_, slice) && n < slice.lanes(); ++n)
      found->second[static_cast<std::size_t>(thread_of(slice, n))] =
          shape_.payload.product.rows > 0
              ? product_after(slice, n, items)
              : expected_checksum(shape_, seed_, items_until_leaving(slice, items), slice.unit,
                                  slice.rank + n, words_);
  return found->second;
}

std::uint32_t ExpectedChecksums::product_after(const RoleSlice& slice, int n, std::uint32_t items) {
  if (products_.empty()) products_ = products_of(shape_, seed_, words_);
  return products_.checksum(items_by_image(shape_, slice, items), slice.rank + n,
                            payload_checksum_multiplier);
}

const std::vector<std::uint32_t>& ExpectedChecksums::stored_after(std::uint32_t items) {
  auto [found, is_new] = stored_.try_emplace(items);
  if (is_new) found->second = expected_stored(shape_, seed_, items).value_or(found->second);
  return found->second;
}

std::uint32_t ExpectedChecksums::sum_after(std::uint32_t items, std::uint32_t first_tile) {
  const DataShape& data = shape_.data;
  if (const auto& product = shape_.payload.product; product.rows > 0) {
    if (!product_sums_)
      product_sums_.emplace(shape_.buffers.at(0).fill.word, data, product, words_);
    return product_sums_->of_tiles(first_tile, items * tiles_an_item(shape_));
  }
  return data_sums().of_tiles(first_tile, items * tiles_an_item(shape_));
}

std::uint32_t ExpectedChecksums::left_after(std::uint32_t items, std::uint32_t first_tile) {
  const std::uint32_t last = std::min(items, static_cast<std::uint32_t>(shape_.slots_summed));
  if (shape_.data.bytes == 0) return sum_of_items(shape_, seed_, items - last, items, words_);
  return data_sums().of_tiles(first_tile + items - last, last);
}

const DataSums& ExpectedChecksums::data_sums() {
  const DataShape& data = shape_.data;
  if (!sums_) sums_.emplace(shape_.buffers.at(0).fill.word, data.bytes, data.tile_bytes);
  return *sums_;
}

Status verify_launch(const LaunchShape& shape, int target_sm, const LaunchOutput& output,
                     ExpectedChecksums& checksums) {
  if (output.status.code != 0) return fail(Step::guard, "{}", describe(output.status));
  for (int cta = 0; cta < shape.ctas(); ++cta) {
    const std::uint32_t sm = sm_of(shape, target_sm, output, cta);
    for (const RoleSlice& slice : shape.slices) {
      if (!slice.is_in(cta)) continue;
      PHASEBIT_TRY(verify_record(shape, output, slice, cta, sm));
      if (has_checksum(shape, slice))
        PHASEBIT_TRY(verify_checksum(shape, output, slice, cta, checksums.after(output.items)));
    }
  }
  if (shape.data.readers > 0 && shape.data.bytes > 0)
    PHASEBIT_TRY(verify_sum(shape, output, checksums.sum_after(output.items, output.first_tile)));
  if (shape.slots_summed > 0)
    PHASEBIT_TRY(verify_slots(output, checksums.left_after(output.items, output.first_tile)));
  if (!shape.stored.buffer.empty())
    PHASEBIT_TRY(verify_stored(shape, output, checksums.stored_after(output.items)));
  if (!shape.workload.empty()) PHASEBIT_TRY(verify_output(shape, output));
  PHASEBIT_TRY(verify_no_other_record(shape, output));
  for (int cta = 0; cta < shape.ctas(); ++cta)
    PHASEBIT_TRY(verify_phases_checked(shape, output, cta));
  return {};
}

const SampleRecord& timed_record(const LaunchShape& shape, const LaunchOutput& output) {
  const RoleSlice* slice = slice_of(shape, shape.timed_role, first_cta(shape));
  if (slice == nullptr) bug("a launch shape without its timed role");
  return record_at(shape, output, first_cta(shape), *slice);
}

std::uint64_t span_ns(const LaunchOutput& output) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const SampleRecord& record : output.records) {
    if (record.role == 0) continue;
    first = std::min(first, record.timer_start);
    last = std::max(last, record.timer_end);
  }
  return last > first ? last - first : 0;
}

const SampleRecord& record_of(const LaunchShape& shape, const LaunchOutput& output, Role role) {
  if (const RoleSlice* slice = slice_of(shape, role, first_cta(shape)))
    return record_at(shape, output, first_cta(shape), *slice);
  for (int cta = 0; cta < shape.ctas(); ++cta)
    if (const RoleSlice* slice = slice_of(shape, role, cta))
      return record_at(shape, output, cta, *slice);
  bug("a launch shape without the role of its reading");
}

DataSums::DataSums(std::uint32_t seed, std::int64_t bytes, int tile_bytes)
    : tiles_(static_cast<std::uint64_t>(bytes / tile_bytes)),
      tile_words_(static_cast<std::uint64_t>(tile_bytes) / 4) {
  below_.reserve(block_words + 1);
  std::mt19937 draw(seed);
  std::uint32_t sum = 0;
  below_.push_back(sum);
  for (std::size_t word = 0; word < block_words; ++word)
    below_.push_back(sum += static_cast<std::uint32_t>(draw()));
}

std::uint32_t DataSums::of_words(std::uint64_t words) const {
  const std::uint64_t blocks = words / block_words, rest = words % block_words;
  // Block b is the first one, with b steps added to each word.
  const std::uint64_t steps = block_words * (blocks * (blocks - 1) / 2) + rest * blocks;
  return static_cast<std::uint32_t>(blocks) * below_.back() + below_[rest] +
         static_cast<std::uint32_t>(steps) * payload_item_step;
}

// From the data's begin.
std::uint32_t DataSums::before(std::uint64_t tile) const {
  return static_cast<std::uint32_t>(tile / tiles_) * of_words(tiles_ * tile_words_) +
         of_words(tile % tiles_ * tile_words_);
}

ProductSums::ProductSums(std::uint32_t seed, const DataShape& data,
                         const product::ProductShape& product,
                         const std::vector<tensor::TileWord>& words)
    : tiles_(static_cast<std::uint64_t>(data.bytes / data.tile_bytes)) {
  const std::size_t tile_words = static_cast<std::size_t>(data.tile_bytes) / 4;
  // Tiles begin at so many places of what repeats, and the last may end after it.
  const std::size_t places = sign_words / std::gcd(sign_words, tile_words);
  const std::vector<std::uint32_t> content =
      content_of({"", 4 * (sign_words + tile_words), {BufferFill::Kind::signs, seed}});
  std::vector<std::uint32_t> slot(tile_words);
  for (std::size_t tile = 0; tile < places; ++tile) {
    const std::size_t first = tile * tile_words % sign_words;
    for (std::size_t n = 0; n < tile_words; ++n)
      slot[n] = content[first + (words.empty() ? n : words[n].value)];
    totals_.push_back(product::total_of(product, slot));
  }
}

std::uint32_t ProductSums::of_tiles(std::uint64_t first, std::uint64_t count) const {
  std::uint32_t sum = 0;
  for (std::uint64_t tile = first; tile < first + count; ++tile)
    sum += totals_[tile % tiles_ % totals_.size()];
  return sum;
}

namespace {

constexpr int readings_a_record = static_cast<int>(std::size(SampleRecord{}.readings));

bool plays(const RoleSlice& slice, Role role) {
  return slice.role == role || slice.role == Role::both;
}

Status check_ranks(const LaunchShape& shape) {
  if (shape.cluster_size > 1 && shape.ctas_per_sm != 1)
    return fail(Step::bundle, "a cluster of {} with {} CTAs per SM", shape.cluster_size,
                shape.ctas_per_sm);
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
  for (const Reading& reading : shape.readings) {
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
  for (const tensor::TensorMap& map : shape.tensor_maps) {
    const std::int64_t bytes = buffer_bytes(shape, map.buffer);
    if (bytes < 0)
      return fail(Step::bundle, "tensor map {}: there is no buffer '{}'", map.name, map.buffer);
    if (const auto wrong = tensor::complaint_about(map, bytes))
      return with_hint(
          fail(Step::bundle, "tensor map {}: {}: {}", map.name, wrong->key, wrong->what),
          wrong->hint);
  }
  const auto words = words_of_slot(shape);
  if (!words) return tl::unexpected<Error>(words.error());
  if (const auto stored = expected_stored(shape, 0, 0); !stored)
    return tl::unexpected<Error>(stored.error());
  return {};
}

// Of a slot's images, or of tiles of data, whose threads and words are known by the grid's sum.
Status check_product(const LaunchShape& shape) {
  const PayloadShape& payload = shape.payload;
  const bool of_data = shape.data.bytes > 0 && payload.words_per_slot == 0;
  product::Slot slot{payload.words_per_slot, payload.consumer_threads, payload.period};
  if (of_data) slot = {shape.data.tile_bytes / 4, 2 * payload.product.rows, 1};
  const std::string why = product::why_unknown(payload.product, slot);
  if (why.empty()) return {};
  return fail(Step::bundle, "product: {}", why);
}

}  // namespace

Status check_shape(const LaunchShape& shape) {
  PHASEBIT_TRY(check_ranks(shape));
  PHASEBIT_TRY(check_roles(shape));
  PHASEBIT_TRY(check_tensor_maps(shape));
  PHASEBIT_TRY(check_product(shape));
  if (!shape.workload.empty()) PHASEBIT_TRY(check_workload(shape));
  if (shape.workload.cancels)
    return fail(Step::bundle, "workload: a CTA for every tile, which is not launched");
  return check_chain(shape);
}

}  // namespace phasebit::launch
