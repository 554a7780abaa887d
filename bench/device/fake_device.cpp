#include "bench/device/fake_device.h"

#include "core/image/bundle.h"

#include <cstring>
#include <deque>
#include <random>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

namespace phasebit {
namespace {

using nlohmann::json;

constexpr double fake_megahertz = 1500;
constexpr std::uint64_t fake_tick_ns = 32;
// Between two launches, cycles.
constexpr std::uint64_t fake_gap_cycles = 4000;

struct Script {
  double cycles = 40;
  double intercept = 300;
  int noise = 0;
  bool hang = false, die = false, launch_error = false, throttled = false;
  std::vector<double> by_first_warp;
  std::string fault;
  int at = 0;
  std::uint32_t timer_step = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Script, cycles, intercept, noise, hang, die,
                                                launch_error, throttled, by_first_warp, fault, at,
                                                timer_step)

// What one launch of one variant leaves in memory.
class Kernel {
 public:
  Kernel(const LaunchShape& shape, const Script& script, const KernelParams& params)
      : shape_(shape), script_(script), params_(params) {}

  void run(std::uint64_t clock, std::uint64_t cycles) const {
    if (script_.fault == "no_ticket") return;
    *at<std::uint32_t>(params_.ticket) = static_cast<std::uint32_t>(shape_.ctas_per_sm);
    if (script_.fault == "deadlock") {
      *at<StatusRecord>(params_.status) = {1, 0, 1, 0, 0, 2, 1, 18};
      return;
    }
    for (int cta = 0; cta < shape_.ctas_per_sm; ++cta)
      for (const RoleSlice& slice : shape_.slices) {
        record(slice, cta, clock, cycles);
        fold(slice, cta);
      }
  }

 private:
  template <typename T>
  static T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(address);
  }
  bool faulty(const RoleSlice& slice, const char* fault) const {
    return script_.fault == fault && script_.at / 32 == slice.warp;
  }

  void record(const RoleSlice& slice, int cta, std::uint64_t clock, std::uint64_t cycles) const {
    if (faulty(slice, "no_record")) return;
    SampleRecord record;
    record.clock_start = clock;
    record.clock_end = clock + cycles;
    record.timer_start = to_ns(record.clock_start);
    record.timer_end = to_ns(record.clock_end);
    const int turns = slice.role == Role::producer ? shape_.producer_turns : shape_.consumer_turns;
    record.items = items_of_unit(params_.items, slice.unit, turns);
    record.role = static_cast<std::uint32_t>(slice.role);
    record.sm = params_.target_sm;
    record.phases_checked = 4;
    record.reserved[0] = script_.timer_step;
    if (faulty(slice, "wrong_items")) --record.items;
    if (faulty(slice, "wrong_role")) record.role = 3;
    if (faulty(slice, "wrong_phase")) record.phase_errors = 1;
    if (faulty(slice, "other_sm")) ++record.sm;
    if (faulty(slice, "backwards")) std::swap(record.clock_start, record.clock_end);
    at<SampleRecord>(params_.samples)[cta * 2 * shape_.warps() + slice.record_index()] = record;
  }

  // Word by word, as a kernel does it: another way than expected_fold's closed form.
  std::uint32_t fold_of(const RoleSlice& slice, int lane) const {
    const PayloadShape& payload = shape_.payload;
    const int vector = payload.consumer_vector_words, threads = payload.consumer_threads;
    std::uint32_t hash = 0;
    const bool turns = shape_.consumer_turns > 1;
    for (std::uint32_t item = turns ? static_cast<std::uint32_t>(slice.unit) : 0;
         item < params_.items; item += static_cast<std::uint32_t>(shape_.consumer_turns))
      for (int m = 0; m < payload.words_per_slot / (threads * vector); ++m)
        for (int v = 0; v < vector; ++v) {
          const int word = (m * threads + slice.rank + lane) * vector + v;
          hash = hash * payload_fold_multiplier + params_.seed + item * payload_item_step +
                 static_cast<std::uint32_t>(word);
        }
    return hash;
  }

  void fold(const RoleSlice& slice, int cta) const {
    if (shape_.payload.words_per_slot == 0 || slice.role == Role::producer) return;
    for (int lane = 0; lane < slice.lanes(); ++lane) {
      const int thread = 32 * slice.warp + slice.first_lane + lane * slice.lane_stride;
      if (script_.fault == "no_fold" && thread == script_.at) continue;
      std::uint32_t value = fold_of(slice, lane);
      if (script_.fault == "wrong_fold" && thread == script_.at) value ^= 1;
      at<std::uint32_t>(params_.payload_out)[cta * shape_.threads + thread] = value;
    }
  }

  static std::uint64_t to_ns(std::uint64_t clock) {
    const auto ns = static_cast<std::uint64_t>(static_cast<double>(clock) * 1000 / fake_megahertz);
    return ns / fake_tick_ns * fake_tick_ns;
  }

  const LaunchShape& shape_;
  const Script& script_;
  const KernelParams& params_;
};

class FakeDevice final : public Device {
 public:
  Status open(const DeviceRequest& request) {
    PHASEBIT_TRY_ASSIGN(manifest, read_manifest(request.bundle));
    manifest_ = manifest;
    PHASEBIT_TRY_ASSIGN(text, read_file(request.bundle / "fake.json"));
    const json script = json::parse(text);
    const json device = script.value("device", json::object());
    if (const std::string error = device.value("error", ""); !error.empty())
      return fail(Step::device, "{}", error);
    if (request.refuse_busy && device.value("busy", false))
      return fail(Step::device, "the fake GPU is in use by 1 other process");
    const json kernels = script.value("kernels", json::object());
    for (const auto& [entry, value] : kernels.items()) scripts_[entry] = value.get<Script>();
    info_.sm = device.value("sm", 90);
    info_.max_shared_bytes_per_cta = 232448;
    info_.max_threads_per_cta = 1024;
    info_.row = {device.value("uuid", "GPU-fake"),
                 device.value("name", "Fake GPU"),
                 "none",
                 fmt::format("sm_{}", info_.sm),
                 device.value("multiprocessors", 4),
                 1 << 20,
                 1'600'000};
    return {};
  }

  const DeviceInfo& info() const override { return info_; }
  Result<Module> load(const std::string&) override { return 0; }
  Result<Function> function(Module, const std::string& entry, int) override {
    entries_.push_back(entry);
    return static_cast<Function>(entries_.size() - 1);
  }
  Result<Address> allocate(std::size_t bytes) override {
    memory_.emplace_back(bytes);
    return reinterpret_cast<Address>(memory_.back().data());
  }
  Status fill(Address address, std::uint32_t word, std::size_t words) override {
    std::fill_n(reinterpret_cast<std::uint32_t*>(address), words, word);
    return {};
  }

  Status launch(Function function, const Grid& grid, const KernelParams& params) override {
    const std::string& entry = entries_[static_cast<std::size_t>(function)];
    const Script& script = scripts_[entry];
    if (script.hang)
      while (true) ::pause();
    if (script.die) ::raise(SIGKILL);
    if (script.launch_error)
      return fail(Step::launch, "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (scripted)");
    const LaunchShape* shape =
        shape_of(entry, grid.threads - 32 * static_cast<int>(params.first_warp));
    if (shape == nullptr) return fail(Step::launch, "no shape of {} threads", grid.threads);
    double cycles = script.intercept + script.cycles * params.items;
    if (params.first_warp < script.by_first_warp.size())
      cycles += script.by_first_warp[params.first_warp] * params.items;
    if (script.noise > 0)
      cycles += static_cast<double>(random_() % static_cast<unsigned>(script.noise));
    const auto whole = static_cast<std::uint64_t>(cycles);
    Kernel(*shape, script, params).run(clock_, whole);
    clock_ += whole + fake_gap_cycles;
    health_ = {true, script.throttled};
    return {};
  }

  Status read(Address address, void* into, std::size_t bytes) override {
    std::memcpy(into, reinterpret_cast<const void*>(address), bytes);
    return {};
  }
  Health health() override { return health_; }

 private:
  const LaunchShape* shape_of(const std::string& entry, int threads) const {
    for (const BundleVariant& variant : manifest_.variants)
      for (const Image& image : variant.images)
        if (image.entry == entry && variant.launch.threads == threads) return &variant.launch;
    return nullptr;
  }

  Manifest manifest_;
  DeviceInfo info_;
  std::map<std::string, Script> scripts_;
  std::vector<std::string> entries_;
  std::deque<std::vector<std::uint64_t>> memory_;  // words: aligned for every record
  std::uint64_t clock_ = 1'000'000;
  std::mt19937 random_{12345};
  Health health_;
};

}  // namespace

Result<std::unique_ptr<Device>> open_fake_device(const DeviceRequest& request) {
  auto device = std::make_unique<FakeDevice>();
  PHASEBIT_TRY(device->open(request));
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace phasebit
