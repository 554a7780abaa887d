#include "bench/point/launcher.h"

#include <algorithm>
#include <cstring>

namespace phasebit::bench::point {

using device::Device;
using device::Grid;
using launch::KernelParams;
using launch::LaunchOutput;
using launch::LaunchShape;
using launch::wanted_ctas;

namespace {

// A grid that finds its SM taken finds it free a moment later; more tries than this were never seen
// to help.
constexpr int tries = 5;

// What all launches of a batch have in common.
KernelParams params_of(const LaunchShape& shape, const BatchRequest& request) {
  KernelParams params = launch::params_of(shape);
  params.seed = request.seed;
  params.target_sm = static_cast<std::uint32_t>(request.placement.sm);
  params.gap_after = static_cast<std::uint16_t>(request.placement.gap_after);
  params.gap_warps = static_cast<std::uint16_t>(request.placement.gap_warps);
  params.start_offset = request.placement.start_offset;
  params.first_warp = static_cast<std::uint32_t>(request.placement.first_warp);
  params.guard_limit_ns = request.guard_limit_ns;
  return params;
}

// What a workload's output must be does not depend on how it is made: variants share it.
LaunchShape asked_of_output(const LaunchShape& shape) {
  LaunchShape asked;
  asked.workload = shape.workload;
  asked.workload.tile_elements = 1;
  asked.workload.drawn = false;
  asked.buffers = shape.buffers;
  asked.work_amount = shape.work_amount;
  return asked;
}

// Of each launch of a workload: what one wrote is the next one's first input.
std::vector<device::Arguments> chained(const LaunchShape& shape, const device::Arguments& first) {
  std::vector<device::Arguments> all = {first};
  for (int n = 1; n < shape.workload.launches; ++n) {
    device::Arguments& next = all.emplace_back(first);
    for (std::size_t at = 0; at < shape.buffers.size(); ++at)
      if (shape.buffers[at].name == shape.workload.output) next.buffers[0] = first.buffers[at];
    next.overlaps = shape.workload.overlaps;
  }
  return all;
}

}  // namespace

// All that starts as zero lies together, and so does all that starts as poison: two fills a batch.
// Zeroed, for each launch: records, status, the 32 bytes of the ticket, the word that ends the load
// CTAs among them.
struct Launcher::Layout {
  Layout(const LaunchShape& shape, std::size_t launches)
      : record_bytes(static_cast<std::size_t>(shape.records()) * sizeof(launch::SampleRecord)),
        checksum_words(static_cast<std::size_t>(shape.ctas() * shape.threads)),
        zeroed_bytes(launches * zeroed_stride()),
        total_bytes(zeroed_bytes + launches * checksum_words * sizeof(std::uint32_t)) {}
  std::size_t zeroed_stride() const { return record_bytes + sizeof(launch::StatusRecord) + 32; }
  std::size_t records(std::size_t n) const { return n * zeroed_stride(); }
  std::size_t status(std::size_t n) const { return records(n) + record_bytes; }
  std::size_t ticket(std::size_t n) const { return status(n) + sizeof(launch::StatusRecord); }
  std::size_t checksum(std::size_t n) const {
    return zeroed_bytes + n * checksum_words * sizeof(std::uint32_t);
  }
  std::size_t record_bytes, checksum_words, zeroed_bytes, total_bytes;
};

Grid grid_of(const LaunchShape& shape, const results::Conditions& placement, int multiprocessors) {
  const int threads = shape.threads + 32 * placement.idle_warps();
  if (!shape.workload.empty())
    return Grid{shape.ctas(), threads, shape.cluster_size, shape.dynamic_shared_bytes};
  if (shape.cluster_size > 1) {  // and clusters of load, one CTA an SM
    const int load = std::min(shape.load_ctas, multiprocessors) - shape.cluster_size;
    const int clusters = 1 + std::max(0, load) / shape.cluster_size;
    return Grid{clusters * shape.cluster_size, threads, shape.cluster_size,
                shape.dynamic_shared_bytes};
  }
  const int on_an_sm = shape.ctas_per_sm + shape.load_ctas;
  return Grid{multiprocessors * (on_an_sm + 1), threads, 1, shape.dynamic_shared_bytes};
}

Status Launcher::reserve(std::size_t bytes) {
  if (host_.size() < bytes) host_.resize(bytes);
  if (bytes <= region_bytes_) return {};
  const std::size_t wanted = std::max(bytes, 2 * region_bytes_);
  PHASEBIT_TRY_ASSIGN(region, device_.allocate(wanted));
  region_ = region;
  region_bytes_ = wanted;
  return {};
}

std::uint32_t Launcher::next_tile(const LaunchShape& shape, std::uint32_t items) {
  // Warps that take turns begin at tiles of their own: none of these is after the last.
  constexpr std::uint64_t first_of = 32;
  const auto tile = static_cast<std::uint64_t>(shape.data.tile_bytes);
  const std::uint64_t tiles = static_cast<std::uint64_t>(shape.data.bytes) / tile;
  const std::uint64_t step = first_of * tile;
  const std::uint64_t first = (next_byte_ + step - 1) / step * first_of;
  next_byte_ = (first + items * launch::tiles_an_item(shape)) * tile;
  return static_cast<std::uint32_t>(first % tiles);
}

// Where a map's tensor lies is known from now on.
Status Launcher::encode_maps(const LaunchShape& shape, std::uint32_t items,
                             Device::Address payload_in, device::Arguments& arguments) {
  for (const launch::tensor::TensorMap& map : launch::maps_of(shape, items)) {
    Device::Address tensor = payload_in;
    for (std::size_t n = 0; n < shape.buffers.size(); ++n)
      if (shape.buffers[n].name == map.buffer) tensor = arguments.buffers[n];
    PHASEBIT_TRY_ASSIGN(encoded, device_.encode(map, tensor));
    arguments.tensor_maps.push_back(encoded);
  }
  return {};
}

// The next launch of the batch stores to the same buffer.
Status Launcher::keep_stored(const LaunchShape& shape, std::size_t launch, std::size_t launches) {
  for (std::size_t n = 0; n < shape.buffers.size(); ++n) {
    if (shape.buffers[n].name != shape.stored.buffer) continue;
    const std::size_t bytes = 4 * shape.buffers[n].words();
    if (launch == 0 && kept_bytes_ < launches * bytes) {
      PHASEBIT_TRY_ASSIGN(kept, device_.allocate(launches * bytes));
      kept_ = kept;
      kept_bytes_ = launches * bytes;
    }
    PHASEBIT_TRY(device_.copy(kept_ + launch * bytes, buffers_.addresses()[n], bytes));
  }
  return {};
}

Status Launcher::read_stored(const LaunchShape& shape, std::vector<LaunchOutput>& outputs) {
  for (const launch::Buffer& buffer : shape.buffers) {
    if (buffer.name != shape.stored.buffer) continue;
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      outputs[n].stored.resize(buffer.words());
      const std::size_t bytes = 4 * buffer.words();
      PHASEBIT_TRY(device_.read(kept_ + n * bytes, outputs[n].stored.data(), bytes));
    }
  }
  return {};
}

// Piece by piece: it may be of many GiB. Words after the last element are looked at as well, as far
// as one that runs over is likely to come.
Status Launcher::check_output(const LaunchShape& shape, std::uint32_t items) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 24, beyond = std::uint64_t{1} << 16;
  const LaunchShape asked = asked_of_output(shape);
  if (!expected_ || expected_->first != asked)
    expected_.emplace(asked, launch::expected_output(asked));
  if (output_.host == nullptr) {
    PHASEBIT_TRY_ASSIGN(host, device_.allocate_host(4 * piece));
    output_ = host;
  }
  auto* const words = static_cast<std::uint32_t*>(output_.host);
  for (std::size_t n = 0; n < shape.buffers.size(); ++n) {
    if (shape.buffers[n].name != shape.workload.output) continue;
    const std::uint64_t words_left = items / (shape.workload.halves ? 2 : 1);
    const std::uint64_t end =
        std::min<std::uint64_t>(shape.buffers[n].words(), words_left + beyond);
    for (std::uint64_t first = 0; first < end; first += piece) {
      const std::uint64_t count = std::min(piece, end - first);
      PHASEBIT_TRY(device_.read(buffers_.addresses()[n] + 4 * first, words, 4 * count));
      PHASEBIT_TRY(expected_->second.check(items, first, {words, count}));
    }
  }
  return {};
}

Status Launcher::wait_for(const BatchRequest& request) {
  const Status ended = device_.wait(request.hang_limit);
  if (ended) return {};
  const launch::GuardTable& table = *request.guard->table;
  std::string text = ended.error().message;
  const launch::GuardReport report = guard_.report();
  if (report.code != 0) text += "; " + launch::describe(report, table, device_.info().sm);
  const std::string crumbs = launch::describe_crumbs(guard_.crumbs(), table);
  if (!crumbs.empty()) text += "; " + crumbs;
  return fail(ended.error().step, "{}", text);
}

// The duration of all, where it is asked for.
Result<double> Launcher::launch(Device::Function function, const Grid& grid,
                                const KernelParams& params,
                                const std::vector<device::Arguments>& of_each, bool timed) {
  if (timed) return device_.launch_timed(function, grid, params, of_each);
  for (const device::Arguments& one : of_each)
    PHASEBIT_TRY(device_.launch(function, grid, params, one));
  return 0;
}

Result<BatchOutput> Launcher::run_once(Device::Function function, const LaunchShape& shape,
                                       const BatchRequest& request) {
  const std::size_t launches = request.items.size();
  const Layout layout(shape, launches);
  PHASEBIT_TRY(reserve(layout.total_bytes));
  PHASEBIT_TRY(device_.fill(region_, 0, layout.zeroed_bytes / 4));
  PHASEBIT_TRY(device_.fill(region_ + layout.zeroed_bytes, launch::payload_poison,
                            launches * layout.checksum_words));
  const Grid grid = grid_of(shape, request.placement, device_.info().row.multiprocessors);
  KernelParams params = params_of(shape, request);
  PHASEBIT_TRY(buffers_.make(launch::buffers_of(shape)));
  device::Arguments arguments;
  arguments.buffers = buffers_.addresses();
  params.payload_in = arguments.buffers.back();
  arguments.buffers.pop_back();
  // A workload is launched once a batch, and other maps are the same for any number of items.
  PHASEBIT_TRY(encode_maps(shape, request.items.front(), params.payload_in, arguments));
  const std::vector<device::Arguments> of_each = chained(shape, arguments);
  std::vector<std::uint32_t> first_tiles(launches);
  BatchOutput batch{std::vector<LaunchOutput>(launches), {}};
  for (std::size_t n = 0; n < launches; ++n) {
    params.items = request.items[n];
    params.samples = region_ + layout.records(n);
    params.status = region_ + layout.status(n);
    params.ticket = region_ + layout.ticket(n);
    params.payload_out = region_ + layout.checksum(n);
    if (shape.data.bytes > 0) params.work_amount = first_tiles[n] = next_tile(shape, params.items);
    if (request.guard)
      PHASEBIT_TRY(guard_.prepare(request.guard->variable, grid.ctas, request.guard_limit_ns));
    PHASEBIT_TRY(buffers_.fill());
    PHASEBIT_TRY_ASSIGN(ns, launch(function, grid, params, of_each, request.timed));
    batch.launches[n].duration_ns = ns / shape.workload.launches;
    PHASEBIT_TRY(keep_stored(shape, n, launches));
  }
  if (request.guard) PHASEBIT_TRY(wait_for(request));
  // The last of several, since the power that the driver knows lags behind.
  if (request.timed) batch.state = device_.state();
  while (shape.sms > 0 && device_.busy()) batch.state = device_.state();
  PHASEBIT_TRY(device_.read(region_, host_.data(), layout.total_bytes));
  for (std::size_t n = 0; n < launches; ++n) {
    LaunchOutput& output = batch.launches[n];
    output.items = request.items[n];
    output.first_tile = first_tiles[n];
    output.is_read_apart = !shape.workload.empty();
    output.sm = device_.info().sm;
    if (request.guard) output.report = guard_.report();
    if (output.report.code != 0) output.crumbs = guard_.crumbs();
    output.records.resize(static_cast<std::size_t>(shape.records()));
    output.checksum.resize(layout.checksum_words);
    std::memcpy(output.records.data(), &host_[layout.records(n)], layout.record_bytes);
    std::memcpy(&output.status, &host_[layout.status(n)], sizeof output.status);
    std::memcpy(&output.ctas, &host_[layout.ticket(n)], sizeof output.ctas);
    std::memcpy(output.checksum.data(), &host_[layout.checksum(n)], layout.checksum_words * 4);
  }
  PHASEBIT_TRY(read_stored(shape, batch.launches));
  return batch;
}

Result<BatchOutput> Launcher::run(Device::Function function, const LaunchShape& shape,
                                  const BatchRequest& request) {
  std::uint32_t fewest = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    PHASEBIT_TRY_ASSIGN(batch, run_once(function, shape, request));
    const auto& launches = batch.launches;
    const auto short_of = std::find_if(launches.begin(), launches.end(),
                                       [&](const LaunchOutput& o) { return !met(shape, o); });
    if (short_of == launches.end()) return std::move(batch);
    fewest = short_of->ctas;
  }
  if (shape.sms > 0)
    return fail(Step::device, "{} of {} CTAs came to run on {} SMs, in {} attempts", fewest,
                wanted_ctas(shape), shape.sms, tries);
  return with_hint(
      fail(Step::device, "{} of {} CTAs came to run on SM {}, in {} attempts", fewest,
           wanted_ctas(shape), request.placement.sm, tries),
      fmt::format("SM numbers go from 0 to {}; another process may hold this one: try --sm",
                  device_.info().row.multiprocessors - 1));
}

}  // namespace phasebit::bench::point
