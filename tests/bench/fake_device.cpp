#include "tests/bench/fake_device.h"

#include "core/launch/bundle.h"
#include "tests/bench/fake_kernel.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

namespace phasebit::test {

using bench::device::Device;
using bench::device::Grid;
using launch::ExternalParameter;
using launch::LaunchShape;

namespace {

using nlohmann::json;

// Between two launches, cycles.
constexpr std::uint64_t fake_gap_cycles = 4000;

class FakeDevice final : public Device {
 public:
  Status open(const bench::device::DeviceRequest& request) {
    PHASEBIT_TRY_ASSIGN(manifest, launch::read_manifest(request.bundle));
    manifest_ = manifest;
    PHASEBIT_TRY_ASSIGN(text, base::read_file(request.bundle / "fake.json"));
    const json script = json::parse(text);
    const json device = script.value("device", json::object());
    if (const std::string error = device.value("error", ""); !error.empty())
      return fail(Step::device, "{}", error);
    if (request.refuse_busy && device.value("busy", false))
      return fail(Step::device, "the fake GPU is in use by 1 other process");
    const json kernels = script.value("kernels", json::object());
    for (const auto& [entry, value] : kernels.items()) scripts_[entry] = fake_script(value);
    info_.sm = device.value("sm", 90);
    info_.max_shared_bytes_per_cta = 232448;
    info_.max_threads_per_cta = 1024;
    max_cluster_ = device.value("max_cluster", info_.sm >= 90 ? 16 : 0);
    refused_map_ = device.value("refused_map", "");
    passes_ = device.value("passes", 3);
    no_counters_ = device.value("no_counters", "");
    counted_fault_ = device.value("counted_fault", "");
    info_.launches_clusters = max_cluster_ > 0;
    info_.row = {device.value("uuid", "GPU-fake"),
                 device.value("name", "Fake GPU"),
                 "none",
                 fmt::format("sm_{}", info_.sm),
                 device.value("multiprocessors", 4),
                 1 << 20,
                 1'600'000};
    for (launch::BundleVariant& variant : manifest_.variants)
      variant.launch.sms = std::min(variant.launch.sms, info_.row.multiprocessors);
    return {};
  }

  const bench::device::DeviceInfo& info() const override { return info_; }
  Result<Module> load(const std::string&) override { return 0; }
  Result<Function> function(Module, const std::string& entry, int) override {
    entries_.push_back(entry);
    return static_cast<Function>(entries_.size() - 1);
  }
  Status allow_cluster(Function, const Grid& grid) override {
    if (grid.cluster_size > max_cluster_)
      return bench::device::refuse_cluster(info_, grid.cluster_size, max_cluster_);
    return {};
  }
  Result<Address> variable(Module, const std::string& name) override {
    if (name != launch::guard_variable)
      return fail(Step::bundle, "the module has no variable {}", name);
    return reinterpret_cast<Address>(&guard_block_);
  }
  Result<HostMemory> allocate_host(std::size_t bytes) override {
    PHASEBIT_TRY_ASSIGN(address, allocate(bytes));
    return HostMemory{address, reinterpret_cast<void*>(address)};
  }
  Status wait(std::chrono::milliseconds limit) override {
    if (!stuck_) return {};
    return fail(Step::launch, "did not end within {} ms", limit.count());
  }
  Result<Address> allocate(std::size_t bytes) override {
    memory_.emplace_back(bytes);
    return reinterpret_cast<Address>(memory_.back().data());
  }
  Status fill(Address address, std::uint32_t word, std::size_t words) override {
    std::fill_n(reinterpret_cast<std::uint32_t*>(address), words, word);
    return {};
  }

  Status write(Address to, const void* from, std::size_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return {};
  }
  Status copy(Address to, Address from, std::size_t bytes) override {
    return write(to, reinterpret_cast<const void*>(from), bytes);
  }

  // Its bytes begin with the tensor's address.
  Result<bench::device::EncodedMap> encode(const launch::tensor::TensorMap& map,
                                           Address tensor) override {
    if (map.name == refused_map_)
      return fail(Step::bundle, "tensor map {}: {}: cuTensorMapEncodeTiled: refused (scripted)",
                  map.name, launch::tensor::describe(map));
    bench::device::EncodedMap encoded;
    std::memcpy(encoded.bytes.data(), &tensor, sizeof tensor);
    return encoded;
  }

  Status launch(Function function, const Grid& grid, const launch::KernelParams& params,
                const bench::device::Arguments& arguments) override {
    const std::string& entry = entries_[static_cast<std::size_t>(function)];
    FakeScript& script = scripts_[entry];
    if (counting_) script.fault = counted_fault_;
    counted_items_ = params.items;
    ++launches_;
    if (script.faulty_launches == 0) script.fault.clear();
    if (script.faulty_launches > 0) --script.faulty_launches;
    if (script.hang)
      while (true) ::pause();
    if (script.die) ::raise(SIGKILL);
    if (script.launch_error)
      return fail(Step::launch, "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (scripted)");
    const LaunchShape* shape = shape_of(entry, grid, params);
    if (shape == nullptr)
      return fail(Step::launch, "no shape of {} threads, {} CTAs of {} a cluster", grid.threads,
                  grid.ctas, grid.cluster_size);
    if (shape->workload.empty())
      PHASEBIT_TRY(check_fake_buffers(shape->buffers, arguments.buffers));
    if (arguments.tensor_maps.size() != shape->tensor_maps.size())
      return fail(Step::launch, "{} tensor maps in {} parameters", shape->tensor_maps.size(),
                  arguments.tensor_maps.size());
    double cycles = script.intercept + script.cycles * params.items;
    if (params.first_warp < script.by_first_warp.size())
      cycles += script.by_first_warp[params.first_warp] * params.items;
    if (script.noise > 0) cycles += static_cast<double>(random_() % script.noise);
    FakeLaunch one{clock_, static_cast<std::uint64_t>(cycles), {0, 0}};
    for (std::size_t n = 0; n < script.readings.size(); ++n) {
      double sum = 10 + script.readings[n] * params.items;
      if (n < script.reading_noise.size() && script.reading_noise[n] > 0)
        sum += static_cast<double>(random_() % script.reading_noise[n]);
      one.readings[n] = static_cast<std::uint32_t>(sum);
    }
    run_fake_kernel(*shape, script, params, one);
    PHASEBIT_TRY(store_slots(*shape, script, params, arguments.buffers));
    if (!shape->workload.empty()) PHASEBIT_TRY(run_fake_scale(script, params, arguments.buffers));
    stuck_ = fake_guard(script, guard_block_);
    clock_ += one.cycles + fake_gap_cycles;
    health_ = {true, script.throttled};
    return {};
  }

  // The script's cycles are its nanoseconds.
  Result<double> launch_timed(Function function, const Grid& grid,
                              const launch::KernelParams& params,
                              const std::vector<bench::device::Arguments>& all) override {
    const std::uint64_t start = clock_ + fake_gap_cycles;
    for (const auto& one : all) PHASEBIT_TRY(launch(function, grid, params, one));
    return static_cast<double>(clock_ - start);
  }

  // The script's cycles are its nanoseconds; the items are where the manifest says.
  Result<double> launch_external(Function function, const launch::ExternalLaunch& external,
                                 const std::vector<std::byte>& parameters,
                                 std::optional<std::chrono::milliseconds> limit) override {
    const FakeScript& script = scripts_[entries_[static_cast<std::size_t>(function)]];
    if (script.launch_error)
      return fail(Step::launch, "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (scripted)");
    if (fake_guard(script, guard_block_))
      return fail(Step::launch, "did not end within {} ms", limit.value().count());
    for (const ExternalParameter& one : external.parameters) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &parameters[static_cast<std::size_t>(one.offset)],
                  static_cast<std::size_t>(std::min(one.bytes, 8)));
      if (one.kind == ExternalParameter::Kind::tensor_map || one.at > 0) continue;
      if (one.kind == ExternalParameter::Kind::buffer)
        PHASEBIT_TRY(check_fake_buffer(script, external, one.buffer, bits));
      if (one.kind == ExternalParameter::Kind::items)
        return script.intercept + script.cycles * static_cast<double>(bits);
    }
    return script.intercept;
  }

  Status read(Address address, void* into, std::size_t bytes) override {
    std::memcpy(into, reinterpret_cast<const void*>(address), bytes);
    return {};
  }
  bench::device::Health health() override { return health_; }

  // What is counted are the launches themselves: how many, of how many items, over which SMs.
  Result<bench::device::Counted> count(bench::device::CountedOver over,
                                       const std::function<Status()>& pass) override {
    if (!no_counters_.empty()) return with_hint(fail(Step::device, "{}", no_counters_), "a hint");
    const int before = launches_;
    counting_ = true;
    for (int n = 0; n < passes_; ++n) PHASEBIT_TRY(pass());
    counting_ = false;
    const bool all = over == bench::device::CountedOver::all_sms;
    return bench::device::Counted{{{"launches", static_cast<double>(launches_ - before)},
                                   {"items", static_cast<double>(counted_items_)},
                                   {"all_sms", all ? 1.0 : 0.0}},
                                  {"counters that Fake does not have: stall_gmma_cycles"}};
  }

 private:
  // As a kernel that overwrites what it found.
  static Status check_fake_buffer(const FakeScript& script, const launch::ExternalLaunch& external,
                                  const launch::Buffer& buffer, std::uint64_t address) {
    PHASEBIT_TRY(check_fake_buffers({buffer}, {address}));
    for (const launch::ExternalContents& one : external.contents) {
      auto* held = reinterpret_cast<char*>(address + one.at);
      if (one.buffer != buffer.name) continue;
      if (std::string(held, one.bytes) != script.holds)
        return fail(Step::launch, "buffer '{}' holds '{}'", one.buffer,
                    std::string(held, one.bytes));
      std::memset(held, 0, one.bytes);
    }
    return {};
  }

  // One kernel serves many shapes: what the launch says tells which.
  const LaunchShape* shape_of(const std::string& entry, const Grid& grid,
                              const launch::KernelParams& params) const {
    const int threads = grid.threads - 32 * static_cast<int>(params.first_warp + params.gap_warps);
    for (const launch::BundleVariant& variant : manifest_.variants) {
      const LaunchShape& shape = variant.launch;
      const int load = shape.sms > 0 ? shape.sms : shape.load_ctas;
      const bool same = shape.threads == threads && shape.cluster_size == grid.cluster_size &&
                        shape.first_rank == params.first_rank &&
                        shape.second_rank == params.second_rank &&
                        load == static_cast<int>(params.load_ctas);
      if (!shape.workload.empty() && shape.ctas() != grid.ctas) continue;
      for (const launch::Image& image : variant.images)
        if (same && image.entry == entry) return &shape;
    }
    return nullptr;
  }

  // With the fault wrong_stored the last word is one more than it should be.
  static Status store_slots(const LaunchShape& shape, const FakeScript& script,
                            const launch::KernelParams& params,
                            const std::vector<Address>& buffers) {
    PHASEBIT_TRY_ASSIGN(stored, launch::expected_stored(shape, params.seed, params.items));
    if (!stored.empty() && script.fault == "wrong_stored") ++stored.back();
    for (std::size_t n = 0; n < shape.buffers.size() && !stored.empty(); ++n)
      if (shape.buffers[n].name == shape.stored.buffer)
        std::memcpy(reinterpret_cast<void*>(buffers[n]), stored.data(), 4 * stored.size());
    return {};
  }

  launch::Manifest manifest_;
  bench::device::DeviceInfo info_;
  std::map<std::string, FakeScript> scripts_;
  std::vector<std::string> entries_;
  std::deque<std::vector<std::uint64_t>> memory_;  // words: aligned for every record
  std::uint64_t clock_ = 1'000'000;
  std::mt19937 random_{12345};
  bench::device::Health health_;
  int max_cluster_ = 0;
  std::string refused_map_, no_counters_, counted_fault_;
  int passes_ = 0, launches_ = 0;
  std::uint32_t counted_items_ = 0;
  bool counting_ = false;
  Address guard_block_ = 0;  // what the kernels' pb_guard holds
  bool stuck_ = false;
};

}  // namespace

Result<std::unique_ptr<Device>> open_fake_device(const bench::device::DeviceRequest& request) {
  auto device = std::make_unique<FakeDevice>();
  PHASEBIT_TRY(device->open(request));
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace phasebit::test
