#include "bench/device/cupti.h"

#include "bench/device/cupti_calls.h"

#include <cmath>
#include <iterator>
#include <utility>

#include <dlfcn.h>
#include <glob.h>

namespace phasebit::bench::device {

namespace {

struct Metric {
  const char* name;   // of the counter
  const char* cupti;  // its metric; {} is avg or max over the SMs
  bool is_of_sms() const { return std::string_view(cupti).find('{') != std::string_view::npos; }
};

// Cycles that a warp waits for this, for each instruction that it issues: all of them, `selected`
// among them, are the cycles between two instructions of a warp.
#define PHASEBIT_STALL(reason) \
  {"stall_" #reason "_cycles", \
   "smsp__average_warps_issue_stalled_" #reason "_per_issue_active.ratio"}
constexpr Metric metrics_of_a_launch[] = {
    {"issue_slots_percent", "sm__inst_issued.{}.pct_of_peak_sustained_active"},
    {"warps_active_percent", "sm__warps_active.{}.pct_of_peak_sustained_active"},
    {"tensor_pipe_percent", "sm__pipe_tensor_cycles_active.{}.pct_of_peak_sustained_active"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"},
    {"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l2_bytes", "lts__t_bytes.sum"},
    {"l2_percent", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    PHASEBIT_STALL(barrier),
    PHASEBIT_STALL(branch_resolving),
    PHASEBIT_STALL(dispatch_stall),
    PHASEBIT_STALL(drain),
    PHASEBIT_STALL(gmma),
    PHASEBIT_STALL(imc_miss),
    PHASEBIT_STALL(lg_throttle),
    PHASEBIT_STALL(long_scoreboard),
    PHASEBIT_STALL(math_pipe_throttle),
    PHASEBIT_STALL(membar),
    PHASEBIT_STALL(mio_throttle),
    PHASEBIT_STALL(misc),
    PHASEBIT_STALL(no_instruction),
    PHASEBIT_STALL(not_selected),
    PHASEBIT_STALL(selected),
    PHASEBIT_STALL(short_scoreboard),
    PHASEBIT_STALL(sleeping),
    PHASEBIT_STALL(tex_throttle),
    PHASEBIT_STALL(wait),
};
#undef PHASEBIT_STALL
// CUPTI divides the most of an SM by the average of the active cycles of all SMs, which gave 475 %
// where 4 of 64 warps were active on one SM of an H200. These two put it right.
constexpr const char *average_cycles = "sm__cycles_active.avg",
                     *most_cycles = "sm__cycles_active.max";

constexpr int most_passes = 64;

// The newest of a folder with a version in its name first.
void add_matches(const char* pattern, std::vector<std::string>& places) {
  glob_t found{};
  if (::glob(pattern, 0, nullptr, &found) == 0)
    places.insert(places.end(), std::reverse_iterator(found.gl_pathv + found.gl_pathc),
                  std::reverse_iterator(found.gl_pathv));
  ::globfree(&found);
}

std::vector<std::string> places_of(const fs::path& library) {
  std::vector<std::string> places;
  std::error_code ignored;
  if (!library.empty() && !fs::is_directory(library, ignored)) return {library.string()};
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    places.push_back(library.empty() ? name : (library / name).string());
  if (!library.empty()) return places;
  add_matches("/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1[23]", places);
  add_matches("/usr/local/cuda*/lib*/libcupti.so.1[23]", places);
  return places;
}

const char* hint_of(int code) {
  if (code != cupti_insufficient_privileges && code != cupti_virtual_gpu_insufficient_privileges)
    return "";
  return "run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0: "
         "developer.nvidia.com/ERR_NVGPUCTRPERM";
}

}  // namespace

struct Cupti::Metrics {
  void* host = nullptr;  // lives as long as the process
  std::vector<std::string> counters, names;
  std::vector<const char*> pointers;  // to the names
  std::vector<std::uint8_t> config;
  std::vector<bool> of_one_sm;  // counters that are shares of the busiest SM
  std::string lacking;
};

Cupti::~Cupti() = default;

template <typename Params>
Status Cupti::call(const char* name, Params& params) const {
  const auto function = reinterpret_cast<int (*)(Params*)>(::dlsym(library_, name));
  if (function == nullptr)
    return with_hint(fail(Step::device, "{} has no {}", name_, name),
                     "--cupti names one of CUDA 12.6 or newer");
  const int code = function(&params);
  if (code == 0) return {};
  const char* text = nullptr;
  if (const auto text_of =
          reinterpret_cast<int (*)(int, const char**)>(::dlsym(library_, "cuptiGetResultString")))
    text_of(code, &text);
  return with_hint(
      fail(Step::device, "{}: {}", name, text == nullptr ? fmt::format("error {}", code) : text),
      hint_of(code));
}

Result<std::unique_ptr<Cupti>> Cupti::open(const fs::path& library, CUcontext context,
                                           int ordinal) {
  std::unique_ptr<Cupti> cupti(new Cupti);
  for (const std::string& place : places_of(library)) {
    cupti->library_ = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    cupti->name_ = place;
    if (cupti->library_ != nullptr) break;
  }
  if (cupti->library_ == nullptr)
    return with_hint(fail(Step::device, "there is no CUPTI here: {}", ::dlerror()),
                     "it comes with the CUDA toolkit and as nvidia-cuda-cupti: see --cupti");
  cupti->context_ = context;
  CuptiParams<16> initialize;
  PHASEBIT_TRY(cupti->call("cuptiProfilerInitialize", initialize));
  CuptiChipName chip;
  chip.device = static_cast<std::size_t>(ordinal);
  PHASEBIT_TRY(cupti->call("cuptiDeviceGetChipName", chip));
  cupti->chip_ = chip.name;
  CuptiAvailability available;
  available.context = context;
  PHASEBIT_TRY(cupti->call("cuptiProfilerGetCounterAvailability", available));
  cupti->available_.resize(available.bytes);
  available.image = cupti->available_.data();
  PHASEBIT_TRY(cupti->call("cuptiProfilerGetCounterAvailability", available));
  return cupti;
}

Result<std::unique_ptr<Cupti::Metrics>> Cupti::make_metrics(CountedOver over) const {
  auto metrics = std::make_unique<Metrics>();
  CuptiHostInitialize initialize;
  initialize.chip = chip_.c_str();
  initialize.available = available_.data();
  PHASEBIT_TRY(call("cuptiProfilerHostInitialize", initialize));
  metrics->host = initialize.host;
  for (const Metric& metric : metrics_of_a_launch) {
    const std::string name =
        fmt::format(fmt::runtime(metric.cupti), over == CountedOver::all_sms ? "avg" : "max");
    const std::string base = name.substr(0, name.find('.'));
    CuptiMetricProperties properties;
    properties.host = metrics->host;
    properties.name = base.c_str();
    // To add one that the chip lacks leaves the host object of no more use.
    if (call("cuptiProfilerHostGetMetricProperties", properties)) {
      metrics->counters.emplace_back(metric.name);
      metrics->names.push_back(name);
      metrics->of_one_sm.push_back(over == CountedOver::busiest_sm && metric.is_of_sms());
    } else {
      metrics->lacking +=
          fmt::format("{}{} ({})", metrics->lacking.empty() ? "" : ", ", metric.name, base);
    }
  }
  metrics->names.insert(metrics->names.end(), {average_cycles, most_cycles});
  for (const std::string& name : metrics->names) metrics->pointers.push_back(name.c_str());
  PHASEBIT_TRY(configure(*metrics));
  return metrics;
}

Status Cupti::configure(Metrics& metrics) const {
  CuptiAddMetrics add;
  add.host = metrics.host;
  add.names = metrics.pointers.data();
  add.count = metrics.pointers.size();
  PHASEBIT_TRY(call("cuptiProfilerHostConfigAddMetrics", add));
  CuptiConfigSize size;
  size.host = metrics.host;
  PHASEBIT_TRY(call("cuptiProfilerHostGetConfigImageSize", size));
  metrics.config.resize(size.bytes);
  CuptiConfig config;
  config.host = metrics.host;
  config.bytes = size.bytes;
  config.image = metrics.config.data();
  return call("cuptiProfilerHostGetConfigImage", config);
}

// The data are what the passes fill.
Result<std::vector<std::uint8_t>> Cupti::switch_on(Metrics& metrics) {
  CuptiEnable enable;
  enable.context = context_;
  PHASEBIT_TRY(call("cuptiRangeProfilerEnable", enable));
  profiler_ = enable.profiler;
  CuptiDataSize size;
  size.profiler = profiler_;
  size.names = metrics.pointers.data();
  size.count = metrics.pointers.size();
  PHASEBIT_TRY(call("cuptiRangeProfilerGetCounterDataSize", size));
  std::vector<std::uint8_t> data(size.bytes);
  CuptiData initialize;
  initialize.profiler = profiler_;
  initialize.bytes = data.size();
  initialize.image = data.data();
  PHASEBIT_TRY(call("cuptiRangeProfilerCounterDataImageInitialize", initialize));
  CuptiSetConfig config;
  config.profiler = profiler_;
  config.config_bytes = metrics.config.size();
  config.config = metrics.config.data();
  config.data_bytes = data.size();
  config.data = data.data();
  PHASEBIT_TRY(call("cuptiRangeProfilerSetConfig", config));
  return data;
}

Status Cupti::run_passes(const std::function<Status()>& pass) {
  CuptiStop stop;
  stop.profiler = profiler_;
  for (int n = 0; n < most_passes && stop.all_passes == 0; ++n) {
    CuptiOfProfiler start;
    start.profiler = profiler_;
    PHASEBIT_TRY(call("cuptiRangeProfilerStart", start));
    in_pass_ = true;
    const Status ran = pass();
    in_pass_ = false;
    const Status stopped = call("cuptiRangeProfilerStop", stop);
    PHASEBIT_TRY(ran);
    PHASEBIT_TRY(stopped);
  }
  if (stop.all_passes == 0)
    return fail(Step::device, "the counters want more than {} passes", most_passes);
  CuptiDecodeData decode;
  decode.profiler = profiler_;
  PHASEBIT_TRY(call("cuptiRangeProfilerDecodeData", decode));
  if (decode.dropped == 0) return {};
  return fail(Step::device, "CUPTI dropped {} ranges of launches", decode.dropped);
}

Result<std::vector<double>> Cupti::values_of(Metrics& metrics,
                                             const std::vector<std::uint8_t>& data) const {
  CuptiDataInfo info;
  info.data = data.data();
  info.bytes = data.size();
  PHASEBIT_TRY(call("cuptiRangeProfilerGetCounterDataInfo", info));
  if (info.ranges != 1) return fail(Step::device, "CUPTI counted {} launches", info.ranges);
  std::vector<double> values(metrics.pointers.size());
  CuptiEvaluate evaluate;
  evaluate.host = metrics.host;
  evaluate.data = data.data();
  evaluate.bytes = data.size();
  evaluate.names = metrics.pointers.data();
  evaluate.count = metrics.pointers.size();
  evaluate.values = values.data();
  PHASEBIT_TRY(call("cuptiProfilerHostEvaluateToGpuValues", evaluate));
  const double most = values.back(), average = values[values.size() - 2];
  values.resize(metrics.counters.size());
  for (std::size_t n = 0; n < values.size(); ++n)
    if (metrics.of_one_sm[n]) values[n] *= average / most;
  return values;
}

Result<Counted> Cupti::count(CountedOver over, const std::function<Status()>& pass) {
  std::unique_ptr<Metrics>& metrics = over == CountedOver::all_sms ? all_sms_ : busiest_sm_;
  if (metrics == nullptr) {
    PHASEBIT_TRY_ASSIGN(made, make_metrics(over));
    metrics = std::move(made);
  }
  auto data = switch_on(*metrics);
  const Status ran = data ? run_passes(pass) : Status();
  if (profiler_ != nullptr) {
    CuptiOfProfiler disable;
    disable.profiler = std::exchange(profiler_, nullptr);
    const Status off = call("cuptiRangeProfilerDisable", disable);
    if (data && ran) PHASEBIT_TRY(off);
  }
  if (!data) return tl::unexpected<Error>(data.error());
  PHASEBIT_TRY(ran);
  PHASEBIT_TRY_ASSIGN(values, values_of(*metrics, *data));
  Counted counted;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (std::isfinite(values[n])) counted.counters.push_back({metrics->counters[n], values[n]});
  if (!metrics->lacking.empty())
    counted.notes.push_back(
        fmt::format("counters that {} does not have: {}", chip_, metrics->lacking));
  return counted;
}

Status Cupti::launched(const std::function<Status()>& launch, const std::function<Status()>& wait) {
  PHASEBIT_TRY(wait());
  CuptiPushRange push;
  push.profiler = profiler_;
  PHASEBIT_TRY(call("cuptiRangeProfilerPushRange", push));
  const Status done = launch().and_then(wait);
  CuptiOfProfiler pop;
  pop.profiler = profiler_;
  const Status popped = call("cuptiRangeProfilerPopRange", pop);
  return done ? popped : done;
}

}  // namespace phasebit::bench::device
