// A libcupti without a GPU: a chip without stalls of gmma, whose counters need three passes. The
// values: 7 of a share, 2 of 100 active cycles on average and at most, pushed ranges as bytes read,
// popped ones as bytes written, 0 / 0 of stalls of membar. The environment's FAKE_CUPTI is the call
// that fails, with the error that a user without the permission gets.
#include "bench/device/cupti_calls.h"

#include <cstdlib>
#include <limits>
#include <string_view>

using namespace phasebit::bench::device;

namespace {

constexpr std::size_t image_bytes = 8;
int host_object = 0, profiler_object = 0;
bool is_on = false, in_pass = false, in_range = false, has_data = false;
int passes = 0, pushed = 0, popped = 0;

int answer(std::string_view call, bool in_order = true) {
  constexpr int invalid_operation = 7;
  const char* fails = std::getenv("FAKE_CUPTI");
  if (fails != nullptr && call == fails) return cupti_insufficient_privileges;
  return in_order ? 0 : invalid_operation;
}

double value_of(std::string_view metric) {
  if (metric == "sm__cycles_active.avg") return 2;
  if (metric == "sm__cycles_active.max") return 100;
  if (metric == "dram__bytes_read.sum") return pushed;
  if (metric == "dram__bytes_write.sum") return popped;
  if (metric.find("membar") != std::string_view::npos)
    return std::numeric_limits<double>::quiet_NaN();
  return 7;
}

}  // namespace

#define CALL(name, Type) extern "C" int cupti##name([[maybe_unused]] Type* in)

CALL(ProfilerInitialize, CuptiParams<16>) {
  return answer("ProfilerInitialize");
}
CALL(DeviceGetChipName, CuptiChipName) {
  in->name = "FAKE100";
  return answer("DeviceGetChipName", in->device == 3);
}
CALL(ProfilerGetCounterAvailability, CuptiAvailability) {
  in->bytes = image_bytes;
  return answer("ProfilerGetCounterAvailability", !is_on);
}
CALL(ProfilerHostInitialize, CuptiHostInitialize) {
  in->host = &host_object;
  return answer("ProfilerHostInitialize", in->chip == std::string_view("FAKE100"));
}
CALL(ProfilerHostGetMetricProperties, CuptiMetricProperties) {
  const std::string_view name = in->name;
  const bool lacks = name.find("gmma") != std::string_view::npos || name.find('.') != name.npos;
  return answer("ProfilerHostGetMetricProperties", !lacks);
}
CALL(ProfilerHostConfigAddMetrics, CuptiAddMetrics) {
  return answer("ProfilerHostConfigAddMetrics", in->host == &host_object && in->count == 28);
}
CALL(ProfilerHostGetConfigImageSize, CuptiConfigSize) {
  in->bytes = image_bytes;
  return answer("ProfilerHostGetConfigImageSize");
}
CALL(ProfilerHostGetConfigImage, CuptiConfig) {
  return answer("ProfilerHostGetConfigImage", in->bytes == image_bytes && in->image != nullptr);
}
CALL(RangeProfilerEnable, CuptiEnable) {
  in->profiler = &profiler_object;
  const int code = answer("RangeProfilerEnable", !is_on);
  is_on = code == 0;
  passes = pushed = popped = 0;
  return code;
}
CALL(RangeProfilerGetCounterDataSize, CuptiDataSize) {
  in->bytes = image_bytes;
  return answer("RangeProfilerGetCounterDataSize", is_on && in->ranges == 1 && in->nodes == 1);
}
CALL(RangeProfilerCounterDataImageInitialize, CuptiData) {
  return answer("RangeProfilerCounterDataImageInitialize", is_on && in->image != nullptr);
}
CALL(RangeProfilerSetConfig, CuptiSetConfig) {
  return answer("RangeProfilerSetConfig", is_on && in->range == cupti_user_range &&
                                              in->replay == cupti_user_replay && in->level == 1);
}
CALL(RangeProfilerStart, CuptiOfProfiler) {
  const int code =
      answer("RangeProfilerStart", is_on && !in_pass && in->profiler == &profiler_object);
  in_pass = in_pass || code == 0;
  return code;
}
CALL(RangeProfilerPushRange, CuptiPushRange) {
  const int code = answer("RangeProfilerPushRange", in_pass && !in_range);
  in_range = in_range || code == 0;
  ++pushed;
  return code;
}
CALL(RangeProfilerPopRange, CuptiOfProfiler) {
  const bool in_order = in_range;
  in_range = false;
  ++popped;
  return answer("RangeProfilerPopRange", in_order);
}
CALL(RangeProfilerStop, CuptiStop) {
  const bool in_order = in_pass && !in_range;
  in_pass = false;
  in->all_passes = ++passes == 3 ? 1 : 0;
  return answer("RangeProfilerStop", in_order);
}
CALL(RangeProfilerDecodeData, CuptiDecodeData) {
  has_data = true;
  return answer("RangeProfilerDecodeData", is_on && !in_pass && passes == 3);
}
CALL(RangeProfilerDisable, CuptiOfProfiler) {
  const bool in_order = is_on;
  is_on = in_pass = in_range = false;
  return answer("RangeProfilerDisable", in_order);
}
CALL(RangeProfilerGetCounterDataInfo, CuptiDataInfo) {
  in->ranges = 1;
  return answer("RangeProfilerGetCounterDataInfo", has_data);
}
CALL(ProfilerHostEvaluateToGpuValues, CuptiEvaluate) {
  for (std::size_t n = 0; n < in->count; ++n) in->values[n] = value_of(in->names[n]);
  return answer("ProfilerHostEvaluateToGpuValues", in->host == &host_object);
}
extern "C" int cuptiGetResultString(int code, const char** text) {
  *text =
      code == cupti_insufficient_privileges ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR";
  return 0;
}
