#include "bench/device/nvml.h"

#include <array>

#include <dlfcn.h>

namespace phasebit::bench::device {
namespace {

// The few declarations needed: nvml.h is in no package that we ask for. The API reference
// guarantees that a name with its version keeps its signature.
using NvmlDevice = void*;
constexpr int nvml_success = 0, nvml_insufficient_size = 7;
constexpr int sm_clock = 1, memory_clock = 2;  // nvmlClockType_t
constexpr std::uint64_t slow_down_mask = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

// nvmlFieldValue_t, of which a caller sets the first two.
struct FieldValue {
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  int type = 0, code = 0;
  union {
    unsigned whole;
    double other;
  } value{};
};
static_assert(sizeof(FieldValue) == 40);
constexpr unsigned power_at_this_moment = 186;  // NVML_FI_DEV_POWER_INSTANT, milliwatts

}  // namespace

struct Nvml::Impl {
  void* library = nullptr;
  NvmlDevice device = nullptr;
  int (*shutdown)() = nullptr;
  int (*system_driver_version)(char*, unsigned) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, void*) = nullptr;
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;  // milliwatts, over the last second
  int (*fields)(NvmlDevice, int, FieldValue*) = nullptr;

  template <typename F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
};

Nvml::Nvml(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Nvml::~Nvml() {
  if (impl_->shutdown != nullptr) impl_->shutdown();
}

std::unique_ptr<Nvml> Nvml::open(const std::string& uuid) {
  auto impl = std::make_unique<Impl>();
  impl->library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (impl->library == nullptr) return nullptr;
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  if (!impl->find(init, "nvmlInit_v2") || !impl->find(by_uuid, "nvmlDeviceGetHandleByUUID"))
    return nullptr;
  if (init() != nvml_success) return nullptr;
  impl->find(impl->shutdown, "nvmlShutdown");
  impl->find(impl->system_driver_version, "nvmlSystemGetDriverVersion");
  impl->find(impl->processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  // The older name is an alias that every driver of CUDA 12 and 13 still has.
  if (!impl->find(impl->reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
    impl->find(impl->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  impl->find(impl->clock, "nvmlDeviceGetClockInfo");
  impl->find(impl->power, "nvmlDeviceGetPowerUsage");
  impl->find(impl->fields, "nvmlDeviceGetFieldValues");
  auto nvml = std::unique_ptr<Nvml>(new Nvml(std::move(impl)));
  if (by_uuid(uuid.c_str(), &nvml->impl_->device) != nvml_success) return nullptr;
  return nvml;
}

std::optional<int> Nvml::compute_processes() const {
  if (impl_->processes == nullptr) return std::nullopt;
  unsigned count = 0;  // asks for the number alone
  const int code = impl_->processes(impl_->device, &count, nullptr);
  if (code != nvml_success && code != nvml_insufficient_size) return std::nullopt;
  return static_cast<int>(count);
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (impl_->system_driver_version == nullptr ||
      impl_->system_driver_version(text.data(), text.size()) != nvml_success)
    return std::nullopt;
  return std::string(text.data());
}

std::optional<std::uint64_t> Nvml::slow_down_reasons() const {
  unsigned long long reasons = 0;
  if (impl_->reasons == nullptr || impl_->reasons(impl_->device, &reasons) != nvml_success)
    return std::nullopt;
  return reasons & slow_down_mask;
}

results::DeviceState Nvml::state() const {
  const auto megahertz = [&](int which) {
    unsigned value = 0;
    const bool known =
        impl_->clock != nullptr && impl_->clock(impl_->device, which, &value) == nvml_success;
    return known ? static_cast<int>(value) : 0;
  };
  unsigned milliwatts = 0;
  FieldValue now;
  now.field = power_at_this_moment;
  if (impl_->fields != nullptr && impl_->fields(impl_->device, 1, &now) == nvml_success &&
      now.code == nvml_success)
    milliwatts = now.value.whole;
  else if (impl_->power == nullptr || impl_->power(impl_->device, &milliwatts) != nvml_success)
    milliwatts = 0;
  return {megahertz(sm_clock), megahertz(memory_clock), static_cast<int>(milliwatts / 1000)};
}

}  // namespace phasebit::bench::device
