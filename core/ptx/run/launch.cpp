#include "core/ptx/run/launch.h"

#include <algorithm>
#include <cstring>

namespace phasebit::ptx::run {

using launch::KernelParams;
using launch::LaunchShape;

namespace {

// In this order; those of the shape follow.
enum Kept : std::size_t { samples, status, ticket, payload_out, payload_in, kept_buffers };

// So long a CTA waits for those that share its SM.
constexpr std::uint64_t patience_ns = 1'000'000'000;

// What a buffer holds from its first word on; a run of a few items does not come further.
constexpr std::uint64_t most_filled_bytes = std::uint64_t{1} << 24;

RunBuffer filled(launch::Buffer buffer) {
  using Kind = launch::BufferFill::Kind;
  RunBuffer made{buffer.name, buffer.bytes, {}};
  // "none": what the last launch left. Zeros are zeros to the end.
  made.is_open = buffer.fill.kind == Kind::none || buffer.bytes > most_filled_bytes;
  if (buffer.fill.kind == Kind::none) return made;
  if (buffer.fill.kind == Kind::word && buffer.fill.word == 0) made.is_open = false;
  buffer.bytes = std::min(buffer.bytes, most_filled_bytes);
  made.words = launch::content_of(buffer);
  if (made.words.empty()) made.words.assign(buffer.words(), buffer.fill.word);
  return made;
}

}  // namespace

void put_parameter(RunLaunch& launch, std::size_t offset, std::uint64_t value, int bytes) {
  const std::size_t end = offset + static_cast<std::size_t>(bytes);
  if (launch.parameters.size() < end) launch.parameters.resize(end);
  std::memcpy(&launch.parameters[offset], &value, static_cast<std::size_t>(bytes));
}

// Of a product that is made tile by tile: two tiles side by side, a few items deep, which is no
// multiple of a ring's slots, and rows enough for the ring to come round.
void make_small(LaunchShape& shape) {
  launch::workload::WorkloadShape& work = shape.workload;
  constexpr std::int64_t bands = 16;
  constexpr int deep = 5;
  const std::int64_t item = work.columns / work.items_a_tile,
                     full_rows = work.rows_of(static_cast<std::uint64_t>(work.elements));
  const std::int64_t rows =
      std::min(work.rows, 2 * std::int64_t{work.tile_elements} / work.tile_rows);
  work.items_a_tile = std::min(work.items_a_tile, deep);
  const std::int64_t columns = item * work.items_a_tile;
  const std::int64_t all = std::min(full_rows, bands * work.tile_rows);
  const auto length = [&](std::int64_t one, std::int64_t full, std::int64_t small) {
    return one == full ? small : one;
  };
  for (std::size_t n = 0; n < shape.buffers.size(); ++n)
    shape.buffers[n].bytes = 2 * static_cast<std::uint64_t>(n == 0   ? all * columns
                                                            : n == 1 ? rows * columns
                                                                     : all * rows);
  for (launch::tensor::TensorMap& map : shape.tensor_maps) {
    const bool is_output = map.buffer == work.output;
    map.sizes = {is_output ? length(map.sizes[0], work.rows, rows)
                           : length(map.sizes[0], work.columns, columns),
                 map.buffer == shape.buffers[1].name ? rows : all};
    map.strides = launch::tensor::usual(map).strides;
  }
  work.rows = rows, work.columns = columns, work.elements = all * rows;
}

LaunchShape shape_of_run(LaunchShape shape) {
  shape.sms = std::min(shape.sms, 2);
  if (shape.workload.tile_rows > 0) make_small(shape);
  // The text is the same for any size: a run is of those that its loops come round in.
  constexpr std::int64_t least_elements = std::int64_t{1} << 20;
  if (launch::workload::WorkloadShape& work = shape.workload;
      !work.empty() && work.columns == 0 && work.elements < least_elements) {
    work.elements = least_elements;
    for (launch::Buffer& buffer : shape.buffers) {
      buffer.bytes = 4 * static_cast<std::uint64_t>(least_elements);
      if (buffer.name == work.output) break;
    }
  }
  // Of matrices that are chosen by their indices a few.
  constexpr std::uint32_t most_matrices = 5;
  for (std::size_t n = 1; n < shape.buffers.size(); ++n)
    if (launch::BufferFill& fill = shape.buffers[n].fill; fill.bound > most_matrices) {
      shape.buffers[n - 1].bytes = shape.buffers[n - 1].bytes / fill.bound * most_matrices;
      fill.bound = most_matrices;
    }
  return shape;
}

Result<RunLaunch> launch_of(const launch::ExternalLaunch& external, std::uint32_t items) {
  if (!external.contents.empty())
    return fail(Step::launch, "buffer {}: contents of a file are not modelled",
                external.contents.front().buffer);
  RunLaunch made;
  made.grid = external.grid;
  made.block = external.block;
  made.cluster = external.cluster;
  made.cooperative = external.cooperative;
  made.shared_bytes = static_cast<std::uint32_t>(external.shared_bytes);
  std::vector<std::uint64_t> addresses;
  for (const launch::Buffer& buffer : launch::buffers_of(external)) {
    addresses.push_back(address_of_buffer(made.buffers.size()));
    made.buffers.push_back(filled(buffer));
  }
  std::vector<launch::MapBytes> encoded;
  for (const launch::ExternalParameter& one : external.parameters) {
    if (one.kind != launch::ExternalParameter::Kind::tensor_map) continue;
    const std::size_t buffer = launch::place_of(one, launch::buffers_of(external));
    made.maps.push_back(
        {static_cast<std::size_t>(one.offset), *one.map, addresses[buffer] + one.at});
    encoded.emplace_back();
  }
  for (const std::byte one : launch::parameter_block(external, items, addresses, encoded))
    made.parameters.push_back(static_cast<std::uint8_t>(one));
  return made;
}

Result<RunLaunch> launch_of(const LaunchShape& shape, std::uint32_t items,
                            const std::vector<std::uint32_t>& places) {
  if (places.size() != 2 + shape.buffers.size() + shape.tensor_maps.size())
    return fail(Step::launch, "the kernel has {} parameters, its head names {} buffers",
                places.size() - 1, shape.buffers.size());
  RunLaunch made;
  const int on_an_sm = shape.ctas_per_sm + shape.load_ctas, sms = std::max(1, shape.sms);
  if (const auto most = shape.workload.most_of_launch(); !shape.workload.empty() && items > most)
    return fail(Step::launch, "{} elements, the inputs have room for {}", items, most);
  made.cluster = {shape.cluster_size, 1, 1};
  const bool one_cluster = shape.cluster_size > 1 && shape.workload.empty();
  made.grid = {one_cluster ? shape.cluster_size : sms * on_an_sm * shape.cluster_size, 1, 1};
  made.block = {shape.threads, 1, 1};
  for (int cta = 0; cta < made.ctas(); ++cta)
    made.sm_of_cta.push_back(shape.cluster_size > 1 ? cta : cta / on_an_sm);
  made.shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  const auto checksums =
      static_cast<std::size_t>(shape.ctas()) * static_cast<std::size_t>(shape.threads);
  const auto records = static_cast<std::size_t>(shape.records());
  made.buffers.resize(kept_buffers);
  made.buffers[samples] = {"samples", records * sizeof(launch::SampleRecord), {}};
  made.buffers[status] = {"status", sizeof(launch::StatusRecord), {}};
  made.buffers[ticket] = {"ticket", 32, {}};
  made.buffers[payload_out] = {"payload_out", checksums * 4,
                               std::vector<std::uint32_t>(checksums, launch::payload_poison)};
  made.buffers[payload_in] = {
      launch::payload_in_buffer, static_cast<std::uint64_t>(shape.payload.images_bytes()), {}};
  KernelParams params = launch::params_of(shape);
  params.items = items;
  params.seed = seed_of_run;
  params.guard_limit_ns = patience_ns;
  params.samples = address_of_buffer(samples);
  params.status = address_of_buffer(status);
  params.ticket = address_of_buffer(ticket);
  params.payload_out = address_of_buffer(payload_out);
  params.payload_in = address_of_buffer(payload_in);
  if (shape.data.bytes > 0) params.work_amount = 0;
  made.parameters.resize(sizeof params);
  std::memcpy(made.parameters.data(), &params, sizeof params);
  for (std::size_t n = 0; n < shape.buffers.size(); ++n) {
    put_parameter(made, places[n + 1], address_of_buffer(made.buffers.size()), 8);
    launch::Buffer buffer = shape.buffers[n];
    // Of a workload so many elements as are asked for: what comes after them is out of bounds.
    const bool is_output = buffer.name == shape.workload.output;
    if (is_output || (buffer.fill.is_float() && shape.workload.columns == 0))
      buffer.bytes = (shape.workload.halves ? std::uint64_t{2} : std::uint64_t{4}) * items;
    made.buffers.push_back(filled(buffer));
  }
  const std::vector<launch::tensor::TensorMap> maps = launch::maps_of(shape, items);
  for (std::size_t n = 0; n < maps.size(); ++n) {
    const launch::tensor::TensorMap& map = maps[n];
    std::size_t buffer = payload_in;
    for (std::size_t other = kept_buffers; other < made.buffers.size(); ++other)
      if (made.buffers[other].name == map.buffer) buffer = other;
    const std::size_t offset = places[1 + shape.buffers.size() + n];
    made.maps.push_back({offset, map, address_of_buffer(buffer)});
    made.parameters.resize(std::max(made.parameters.size(), offset + sizeof(launch::MapBytes)));
  }
  return made;
}

launch::LaunchOutput output_of(const LaunchShape& shape, std::uint32_t items,
                               const RunMemory& memory) {
  launch::LaunchOutput output;
  output.items = items;
  output.sm = 90;
  output.records.resize(static_cast<std::size_t>(shape.records()));
  std::memcpy(static_cast<void*>(output.records.data()), memory[samples].data(),
              output.records.size() * sizeof(launch::SampleRecord));
  std::memcpy(static_cast<void*>(&output.status), memory[status].data(), sizeof output.status);
  output.ctas = memory[ticket].front();
  output.checksum = memory[payload_out];
  for (std::size_t n = 0; n < shape.buffers.size(); ++n)
    if (shape.buffers[n].name == shape.stored.buffer ||
        shape.buffers[n].name == shape.workload.output)
      output.stored = memory[kept_buffers + n];
  return output;
}

std::vector<std::uint32_t> usual_items(const LaunchShape& shape, int num_stages) {
  if (!shape.workload.empty())
    return element_counts(shape.workload, shape.ctas() / shape.cluster_size, num_stages,
                          shape.workload.most_of_launch());
  const auto stages = static_cast<std::uint64_t>(std::max(1, num_stages));
  const std::uint64_t first = 3 * stages + 1;
  std::vector<std::uint32_t> counts;
  for (const std::uint64_t wanted :
       {first, first + 1, 2 * first - 1, std::max<std::uint64_t>(1, stages - 1)})
    if (const std::uint32_t items = launch::allowed_items(shape, wanted);
        std::find(counts.begin(), counts.end(), items) == counts.end())
      counts.push_back(items);
  return counts;
}

}  // namespace phasebit::ptx::run
