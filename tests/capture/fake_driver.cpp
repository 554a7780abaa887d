// A libcuda.so.1 without a GPU: kernels are texts, memory is the host's, and every launch that
// comes through is said on standard output, so that a test sees that nothing was changed or lost.
//
// A CUfunction is the address of a Kernel.
#include "tests/capture/fake_driver.h"

#include <cstdio>
#include <cstring>
#include <map>

#include <dlfcn.h>
#include <unistd.h>

#undef cuGetProcAddress

using phasebit::test::FakeKernel;

namespace {

std::map<CUdeviceptr, size_t>& memory() {
  static std::map<CUdeviceptr, size_t> made;
  return made;
}

void say(const char* call, CUfunction function, unsigned gx, unsigned bx, unsigned shared,
         void** parameters, void** extra) {
  const auto& kernel = *reinterpret_cast<const FakeKernel*>(function);
  std::printf("%s %s grid %u block %u shared %u", call, kernel.name, gx, bx, shared);
  if (parameters != nullptr && kernel.parameters > 0)
    std::printf(" first %u", *static_cast<unsigned*>(parameters[0]));
  if (extra != nullptr) std::printf(" first %u", *static_cast<unsigned*>(extra[1]));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

// A name that the C library has as well, as libraries do that come before it: the next one is the
// C library's, and code that takes RTLD_NEXT for its own caller comes here again, without end.
extern "C" int getpagesize() noexcept {
  return reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "getpagesize"))();
}

#define LAUNCH(name)                                                                               \
  extern "C" CUresult name(CUfunction f, unsigned gx, unsigned, unsigned, unsigned bx, unsigned,   \
                           unsigned, unsigned shared, CUstream, void** parameters, void** extra) { \
    say(#name, f, gx, bx, shared, parameters, extra);                                              \
    return CUDA_SUCCESS;                                                                           \
  }
LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)

extern "C" CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned, unsigned,
                                              unsigned bx, unsigned, unsigned, unsigned shared,
                                              CUstream, void** parameters) {
  say("cuLaunchCooperativeKernel", f, gx, bx, shared, parameters, nullptr);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** parameters,
                                     void** extra) {
  say("cuLaunchKernelEx", f, config->gridDimX, config->blockDimX, config->sharedMemBytes,
      parameters, extra);
  return CUDA_ERROR_INVALID_VALUE;  // what the program must see
}

extern "C" CUresult cuFuncGetName(const char** name, CUfunction f) {
  *name = reinterpret_cast<const FakeKernel*>(f)->name;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t* offset, size_t* bytes) {
  const auto& kernel = *reinterpret_cast<const FakeKernel*>(f);
  if (index >= static_cast<size_t>(kernel.parameters)) return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel.offsets[index];
  *bytes = kernel.bytes[index];
  return CUDA_SUCCESS;
}

extern "C" CUresult cuFuncGetAttribute(int* value, CUfunction_attribute wanted, CUfunction f) {
  if (wanted != CU_FUNC_ATTRIBUTE_NUM_REGS) return CUDA_ERROR_INVALID_VALUE;
  *value = reinterpret_cast<const FakeKernel*>(f)->registers;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(new char[bytes]{});
  memory()[*address] = bytes;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* wanted, void** into,
                                           CUdeviceptr address) {
  auto at = memory().upper_bound(address);
  if (at == memory().begin()) return CUDA_ERROR_INVALID_VALUE;
  --at;
  if (address >= at->first + at->second) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned n = 0; n < count; ++n) {
    if (wanted[n] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
      *static_cast<CUdeviceptr*>(into[n]) = at->first;
    if (wanted[n] == CU_POINTER_ATTRIBUTE_RANGE_SIZE) *static_cast<size_t*>(into[n]) = at->second;
  }
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = stream == phasebit::test::captured_stream ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                      : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuStreamSynchronize(CUstream) {
  return CUDA_SUCCESS;
}

extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank,
                                           void* address, const cuuint64_t* sizes,
                                           const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                           CUtensorMapInterleave, CUtensorMapSwizzle,
                                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  std::memset(map, 0x5a, sizeof *map);
  std::memcpy(map, &address, sizeof address);
  std::printf("cuTensorMapEncodeTiled %u %llu\n", rank, static_cast<unsigned long long>(sizes[0]));
  return CUDA_SUCCESS;
}

extern "C" CUresult cuGetProcAddress_v2(const char* symbol, void** found, int, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult*) {
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const std::map<std::string_view, void*> entries = {
      {"cuLaunchKernel", per_thread ? reinterpret_cast<void*>(&cuLaunchKernel_ptsz)
                                    : reinterpret_cast<void*>(&cuLaunchKernel)},
      {"cuLaunchKernelEx", reinterpret_cast<void*>(&cuLaunchKernelEx)},
      {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(&cuTensorMapEncodeTiled)},
      {"cuGetProcAddress", reinterpret_cast<void*>(&cuGetProcAddress_v2)}};
  const auto at = entries.find(symbol);
  *found = at == entries.end() ? nullptr : at->second;
  return *found == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
