#include "bench/capture/driver.h"

#include <array>

#include <dlfcn.h>

namespace phasebit::bench::capture {

FindSymbol find_symbol() {
  // The versions of x86_64 and aarch64; dlvsym is not hooked.
  static const FindSymbol found = [] {
    void* entry = nullptr;
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
      if (entry == nullptr) entry = ::dlvsym(RTLD_NEXT, "dlsym", version);
    return reinterpret_cast<FindSymbol>(entry);
  }();
  return found;
}

void* entry_of_driver(const char* name) {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : find_symbol()(library, name);
}

namespace {

template <typename Function>
Function entry(const char* name) {
  return reinterpret_cast<Function>(entry_of_driver(name));
}

}  // namespace

// The runtime launches kernels of libraries by a handle of another type.
std::string name_of(CUfunction function) {
  static const auto of_function = entry<decltype(&::cuFuncGetName)>("cuFuncGetName");
  static const auto of_kernel = entry<decltype(&::cuKernelGetName)>("cuKernelGetName");
  const char* name = nullptr;
  if (of_function != nullptr && of_function(&name, function) == CUDA_SUCCESS && name != nullptr)
    return name;
  auto* kernel = reinterpret_cast<CUkernel>(function);
  if (of_kernel != nullptr && of_kernel(&name, kernel) == CUDA_SUCCESS && name != nullptr)
    return name;
  return {};
}

int registers_of(CUfunction function) {
  static const auto of_function = entry<decltype(&::cuFuncGetAttribute)>("cuFuncGetAttribute");
  static const auto of_kernel = entry<decltype(&::cuKernelGetFunction)>("cuKernelGetFunction");
  int count = 0;
  if (of_function == nullptr) return 0;
  if (of_function(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS) return count;
  CUfunction own = nullptr;
  auto* kernel = reinterpret_cast<CUkernel>(function);
  if (of_kernel == nullptr || of_kernel(&own, kernel) != CUDA_SUCCESS ||
      of_function(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, own) != CUDA_SUCCESS)
    return 0;
  return count;
}

std::optional<std::vector<ParameterPlace>> parameters_of(CUfunction function) {
  static const auto of_function = entry<decltype(&::cuFuncGetParamInfo)>("cuFuncGetParamInfo");
  static const auto of_kernel = entry<decltype(&::cuKernelGetParamInfo)>("cuKernelGetParamInfo");
  if (of_function == nullptr) return {};
  std::vector<ParameterPlace> places;
  ParameterPlace place;
  while (of_function(function, places.size(), &place.offset, &place.bytes) == CUDA_SUCCESS)
    places.push_back(place);
  auto* kernel = reinterpret_cast<CUkernel>(function);
  if (places.empty() && of_kernel != nullptr)
    while (of_kernel(kernel, places.size(), &place.offset, &place.bytes) == CUDA_SUCCESS)
      places.push_back(place);
  return places;
}

std::optional<Allocation> allocation_of(std::uint64_t address) {
  static const auto ask = entry<decltype(&::cuPointerGetAttributes)>("cuPointerGetAttributes");
  if (ask == nullptr || address == 0) return {};
  Allocation found;
  std::array<CUpointer_attribute, 2> wanted = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                               CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, 2> into = {&found.begin, &found.bytes};
  if (ask(wanted.size(), wanted.data(), into.data(), address) != CUDA_SUCCESS) return {};
  if (found.bytes == 0 || address < found.begin || address - found.begin >= found.bytes) return {};
  return found;
}

// By the stream itself: a copy by the default stream would wait for streams of other threads, and
// break what they capture.
std::optional<std::string> memory_at(std::uint64_t address, std::size_t bytes, CUstream stream) {
  static const auto asks = entry<decltype(&::cuStreamIsCapturing)>("cuStreamIsCapturing");
  static const auto copies = entry<decltype(&::cuMemcpyDtoHAsync)>("cuMemcpyDtoHAsync_v2");
  static const auto waits = entry<decltype(&::cuStreamSynchronize)>("cuStreamSynchronize");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (asks == nullptr || copies == nullptr || waits == nullptr ||
      asks(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE)
    return {};
  std::string held(bytes, '\0');
  if (copies(held.data(), address, bytes, stream) != CUDA_SUCCESS) return {};
  if (waits(stream) != CUDA_SUCCESS) return {};
  return held;
}

}  // namespace phasebit::bench::capture
