#include "tests/bench/fake_kernel.h"

#include "core/launch/guard_sites.h"

#include <bit>
#include <utility>

#include <nlohmann/json.hpp>

namespace phasebit::test {

using launch::KernelParams;
using launch::LaunchShape;
using launch::Role;
using launch::RoleSlice;

namespace {

constexpr std::uint64_t fake_tick_ns = 32;

// What one launch of one variant leaves in memory.
class Kernel {
 public:
  Kernel(const LaunchShape& shape, const FakeScript& script, const KernelParams& params)
      : shape_(shape), script_(script), params_(params) {}

  void run(const FakeLaunch& launch) const {
    if (script_.fault == "no_ticket") return;
    // The load comes to the SM as well, unless a fault keeps it away.
    const std::uint32_t load = script_.fault == "no_load" ? 0 : params_.load_ctas;
    if (shape_.cluster_size == 1)
      *at<std::uint32_t>(params_.ticket) = static_cast<std::uint32_t>(shape_.ctas_per_sm) + load;
    if (script_.fault == "bad_status") {
      at<launch::StatusRecord>(params_.status)->code = 9;
      return;
    }
    for (int cta = 0; cta < shape_.ctas(); ++cta)
      for (const RoleSlice& slice : shape_.slices) {
        if (!slice.is_in(cta)) continue;
        record(slice, cta, launch);
        checksum(slice, cta);
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

  void record(const RoleSlice& slice, int cta, const FakeLaunch& launch) const {
    if (faulty(slice, "no_record")) return;
    launch::SampleRecord record;
    record.clock_start = launch.clock;
    record.clock_end = launch.clock + launch.cycles;
    record.timer_start = to_ns(record.clock_start);
    record.timer_end = to_ns(record.clock_end);
    const int turns = slice.role == Role::producer ? shape_.producer_turns : shape_.consumer_turns;
    const bool all = slice.role == Role::victim;
    const std::uint32_t own = launch::items_of_cta(shape_, params_.items, cta);
    record.items = all ? params_.items : launch::items_of_unit(own, slice.unit, turns);
    record.role = static_cast<std::uint32_t>(slice.role);
    const bool cluster = shape_.cluster_size > 1;
    record.sm = cluster ? 2 * static_cast<std::uint32_t>(cta) + 1 : params_.target_sm;
    // One warp reads the barriers back: the first, or the one that finds a wrong phase.
    const bool is_found = script_.fault == "wrong_phase";
    if (is_found ? faulty(slice, "wrong_phase") : slice.record_index() == 0)
      record.phases_checked = static_cast<std::uint32_t>(shape_.phases_checked);
    record.readings[0] = script_.timer_step;
    for (const launch::Reading& reading : shape_.readings)
      if (reading.role == slice.role)
        record.readings[reading.index] = launch.readings[reading.index];
    if (faulty(slice, "wrong_items")) --record.items;
    if (faulty(slice, "wrong_role")) record.role = 3;
    if (faulty(slice, "wrong_phase")) record.phase_errors = 1;
    if (faulty(slice, "fewer_checked")) --record.phases_checked;
    if (faulty(slice, "other_sm")) ++record.sm;
    if (faulty(slice, "backwards")) std::swap(record.clock_start, record.clock_end);
    at<launch::SampleRecord>(params_.samples)[cta * 2 * shape_.warps() + slice.record_index()] =
        record;
  }

  // Word by word, as a kernel does it: another way than expected_checksum's closed form.
  std::uint32_t checksum_of(const RoleSlice& slice, int lane) const {
    const launch::PayloadShape& payload = shape_.payload;
    const int vector = payload.consumer_vector_words, threads = payload.consumer_threads;
    const auto tile = launch::words_of_slot(shape_).value();
    const auto period = static_cast<std::uint32_t>(payload.period);
    std::uint32_t hash = 0;
    const bool turns = shape_.consumer_turns > 1;
    for (std::uint32_t item = turns ? static_cast<std::uint32_t>(slice.unit) : 0;
         item < params_.items; item += static_cast<std::uint32_t>(shape_.consumer_turns))
      for (int m = 0; m < payload.words_per_slot / (threads * vector); ++m)
        for (int v = 0; v < vector; ++v) {
          const int word = (m * threads + slice.rank + lane) * vector + v;
          const launch::tensor::TileWord own =
              tile.empty() ? launch::tensor::TileWord{false, static_cast<std::uint32_t>(word)}
                           : tile[static_cast<std::size_t>(word)];
          const std::uint32_t image = period > 0 ? item % period : item;
          const std::uint32_t first = params_.seed + image * launch::payload_item_step;
          hash = hash * launch::payload_checksum_multiplier + own.value + (own.is_fill ? 0 : first);
        }
    return hash;
  }

  void checksum(const RoleSlice& slice, int cta) const {
    if (shape_.payload.words_per_slot == 0 || slice.role == Role::producer ||
        slice.role == Role::victim)
      return;
    for (int lane = 0; lane < slice.lanes(); ++lane) {
      const int thread = 32 * slice.warp + slice.first_lane + lane * slice.lane_stride;
      if (script_.fault == "no_checksum" && thread == script_.at) continue;
      std::uint32_t value = checksum_of(slice, lane);
      if (script_.fault == "wrong_checksum" && thread == script_.at) value ^= 1;
      at<std::uint32_t>(params_.payload_out)[cta * shape_.threads + thread] = value;
    }
  }

  static std::uint64_t to_ns(std::uint64_t clock) {
    const auto ns = static_cast<std::uint64_t>(static_cast<double>(clock) * 1000 / fake_megahertz);
    return ns / fake_tick_ns * fake_tick_ns;
  }

  const LaunchShape& shape_;
  const FakeScript& script_;
  const KernelParams& params_;
};

}  // namespace

FakeScript fake_script(const nlohmann::json& json) {
  const FakeScript usual;
  FakeScript script;
  script.cycles = json.value("cycles", usual.cycles);
  script.intercept = json.value("intercept", usual.intercept);
  script.holds = json.value("holds", usual.holds);
  script.noise = json.value("noise", usual.noise);
  script.hang = json.value("hang", false);
  script.die = json.value("die", false);
  script.launch_error = json.value("launch_error", false);
  script.throttled = json.value("throttled", false);
  script.by_first_warp = json.value("by_first_warp", usual.by_first_warp);
  script.fault = json.value("fault", usual.fault);
  script.faulty_launches = json.value("faulty_launches", usual.faulty_launches);
  script.at = json.value("at", usual.at);
  script.timer_step = json.value("timer_step", usual.timer_step);
  script.readings = json.value("readings", usual.readings);
  script.reading_noise = json.value("reading_noise", usual.reading_noise);
  return script;
}

Status check_fake_buffers(const std::vector<launch::Buffer>& buffers,
                          const std::vector<std::uint64_t>& addresses) {
  if (buffers.size() != addresses.size())
    return fail(Step::launch, "{} buffers in {} parameters", buffers.size(), addresses.size());
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    auto* words = reinterpret_cast<std::uint32_t*>(addresses[n]);
    const std::size_t last = buffers[n].words() - 1;
    const std::string fill = launch::to_string(buffers[n].fill);
    // Known words of each fill: those of random:1 are what numpy's MT19937 draws first.
    const bool right = fill == "none"       ? true
                       : fill == "index"    ? words[0] == 0 && words[last] == last
                       : fill == "random:1" ? words[0] == 1791095845U && words[1] == 4282876139U
                                            : words[0] == buffers[n].fill.word &&
                                                  words[last] == buffers[n].fill.word;
    if (!right) return fail(Step::launch, "buffer '{}' is not filled as it says", buffers[n].name);
    ++words[0];
    if (last > 0) ++words[last];
  }
  return {};
}

Status run_fake_scale(const FakeScript& script, const KernelParams& params,
                      const std::vector<std::uint64_t>& addresses) {
  const auto* in = reinterpret_cast<const float*>(addresses.at(0));
  auto* out = reinterpret_cast<float*>(addresses.at(1));
  for (std::size_t n = 0; in != out && n < params.items; ++n)
    if (std::bit_cast<std::uint32_t>(out[n]) != launch::workload::untouched)
      return fail(Step::launch, "the output is not filled at {}", n);
  const bool left_out = script.fault == "not_written", wrong = script.fault == "wrong_output";
  const std::size_t written = params.items > 0 && left_out ? params.items - 1 : params.items;
  for (std::size_t n = 0; n < written; ++n)
    out[n] = std::bit_cast<float>(params.work_amount) * in[n];
  if (wrong && written > 0) out[written - 1] += 1;
  if (script.fault == "one_too_many") out[written] = 0;
  return {};
}

bool fake_guard(const FakeScript& script, std::uint64_t block) {
  if (block == 0) return false;
  const auto& header = *reinterpret_cast<const launch::GuardHeader*>(block);
  if (script.fault == "report") {
    auto& report = *reinterpret_cast<launch::GuardReport*>(header.report);
    report = {1, 1, 0, 1, 0, 3, 1, 0, 1024 + 16, 0, header.limit_ns, 1024, 0, 0};
  }
  if (script.fault != "crumbs") return false;
  reinterpret_cast<std::uint32_t*>(header.crumbs)[1] = 2;
  return true;
}

void run_fake_kernel(const LaunchShape& shape, const FakeScript& script, const KernelParams& params,
                     const FakeLaunch& launch) {
  Kernel(shape, script, params).run(launch);
}

}  // namespace phasebit::test
