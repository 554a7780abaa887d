// The part of CUPTI's interface that we use, written from its reference: its headers are in no
// package that we ask for. Each call takes a structure that begins with its size, up to the end of
// its last field; CUPTI reads no field beyond that, so newer versions take these too.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda.h>

namespace phasebit::bench::device {

inline constexpr int cupti_insufficient_privileges = 35,
                     cupti_virtual_gpu_insufficient_privileges = 40;
// CUpti_ProfilerRange, CUpti_ProfilerReplayMode
inline constexpr int cupti_user_range = 2, cupti_user_replay = 3;

template <std::size_t bytes>
struct CuptiParams {
  std::size_t size = bytes;
  void* reserved = nullptr;
};
struct CuptiChipName : CuptiParams<32> {
  std::size_t device = 0;
  const char* name = nullptr;
};
struct CuptiAvailability : CuptiParams<40> {
  CUcontext context = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct CuptiHostInitialize : CuptiParams<48> {
  int profiler = 0;  // the range profiler
  const char* chip = nullptr;
  const std::uint8_t* available = nullptr;
  void* host = nullptr;
};
struct CuptiMetricProperties : CuptiParams<60> {
  void* host = nullptr;
  const char* name = nullptr;
  const char *description = nullptr, *hardware_unit = nullptr, *dimension = nullptr;
  int type = 0;
};
struct CuptiAddMetrics : CuptiParams<40> {
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct CuptiConfigSize : CuptiParams<32> {
  void* host = nullptr;
  std::size_t bytes = 0;
};
struct CuptiConfig : CuptiParams<40> {
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct CuptiEvaluate : CuptiParams<72> {
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0, range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};
struct CuptiEnable : CuptiParams<32> {
  CUcontext context = nullptr;
  void* profiler = nullptr;
};
struct CuptiOfProfiler : CuptiParams<24> {  // Disable, Start, PopRange
  void* profiler = nullptr;
};
struct CuptiDataSize : CuptiParams<64> {
  void* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0, ranges = 1;
  std::uint32_t nodes = 1;
  std::size_t bytes = 0;
};
struct CuptiData : CuptiParams<40> {
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct CuptiSetConfig : CuptiParams<90> {
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = cupti_user_range, replay = cupti_user_replay;
  std::size_t ranges_of_a_pass = 1;
  std::uint16_t levels = 1, first_level = 1;
  std::size_t pass = 0;
  std::uint16_t level = 1;
};
struct CuptiStop : CuptiParams<41> {
  void* profiler = nullptr;
  std::size_t pass = 0, level = 0;
  std::uint8_t all_passes = 0;
};
struct CuptiPushRange : CuptiParams<32> {
  void* profiler = nullptr;
  const char* name = "launch";
};
struct CuptiDecodeData : CuptiParams<32> {
  void* profiler = nullptr;
  std::size_t dropped = 0;
};
struct CuptiDataInfo : CuptiParams<40> {
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0, ranges = 0;
};

}  // namespace phasebit::bench::device
