// A library that is loaded before a program: it notes the program's launches and tensor maps and
// passes every call on. A program finds the driver by linking, by dlsym, or by cuGetProcAddress, so
// all three are hooked.
#include "bench/capture/driver.h"
#include "bench/capture/notes.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include <dlfcn.h>

#undef cuGetProcAddress
#undef cuLaunchKernel
#undef cuLaunchKernelEx
#undef cuLaunchCooperativeKernel

#define PHASEBIT_EXPORT extern "C"

namespace phasebit::bench::capture {
namespace {

// What the program would have called, by the name that it asked for.
struct Hook {
  const char* name;
  void* ours;
  std::atomic<void*> theirs{nullptr};
};
Hook* hook_named(std::string_view name);

template <typename Function>
Function theirs(const char* name) {
  Hook* hook = hook_named(name);
  if (hook->theirs == nullptr) hook->theirs = entry_of_driver(name);
  return reinterpret_cast<Function>(hook->theirs.load());
}

// Nothing that goes wrong in a note is the program's concern.
template <typename Note>
void try_note(const Note& launch) {
  try {
    note(launch);
  } catch (...) {
    std::fputs("phasebit capture: a launch was not noted\n", stderr);
  }
}

using Size = unsigned int;

// The stream that an entry of that name means by none.
CUstream stream_of(std::string_view entry, CUstream stream) {
  return stream == nullptr && entry.ends_with("_ptsz") ? CU_STREAM_PER_THREAD : stream;
}

CUresult launch(const char* name, CUfunction function, std::array<Size, 3> grid,
                std::array<Size, 3> block, Size shared, CUstream stream, void** parameters,
                void** extra) {
  using Function =
      CUresult (*)(CUfunction, Size, Size, Size, Size, Size, Size, Size, CUstream, void**, void**);
  try_note(LaunchNote{
      function, grid, block, {1, 1, 1}, shared, false, stream_of(name, stream), parameters, extra});
  const auto next = theirs<Function>(name);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  return next(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream,
              parameters, extra);
}

CUresult launch_cooperative(const char* name, CUfunction function, std::array<Size, 3> grid,
                            std::array<Size, 3> block, Size shared, CUstream stream,
                            void** parameters) {
  using Function =
      CUresult (*)(CUfunction, Size, Size, Size, Size, Size, Size, Size, CUstream, void**);
  try_note(LaunchNote{function,
                      grid,
                      block,
                      {1, 1, 1},
                      shared,
                      true,
                      stream_of(name, stream),
                      parameters,
                      nullptr});
  const auto next = theirs<Function>(name);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  return next(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream,
              parameters);
}

CUresult launch_ex(const char* name, const CUlaunchConfig* config, CUfunction function,
                   void** parameters, void** extra) {
  LaunchNote made{function,
                  {config->gridDimX, config->gridDimY, config->gridDimZ},
                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                  {1, 1, 1},
                  config->sharedMemBytes,
                  false,
                  stream_of(name, config->hStream),
                  parameters,
                  extra};
  for (Size n = 0; n < config->numAttrs; ++n) {
    const CUlaunchAttribute& one = config->attrs[n];
    if (one.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      made.cluster = {one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z};
    if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) made.cooperative = one.value.cooperative != 0;
  }
  try_note(made);
  using Function = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);
  const auto next = theirs<Function>(name);
  return next == nullptr ? CUDA_ERROR_NOT_FOUND : next(config, function, parameters, extra);
}

// What both kinds of map are told.
MapNote note_of(const CUtensorMap* map, CUtensorMapDataType element, cuuint32_t rank, void* address,
                const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* steps,
                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  MapNote made;
  made.encoded = map;
  made.element = element;
  made.address = reinterpret_cast<std::uint64_t>(address);
  made.sizes = {sizes, sizes + rank};
  made.strides = {strides, strides + rank - 1};
  made.steps = {steps, steps + rank};
  made.interleave = interleave;
  made.swizzle = swizzle;
  made.promotion = promotion;
  made.fill = fill;
  return made;
}

// What cuGetProcAddress found under a name that is hooked: ours in its place.
void put_ours(const char* symbol, int version, cuuint64_t flags, void** found) {
  constexpr int two_versions = 12000;  // from there on cuGetProcAddress means its second version
  std::string name = symbol;
  if (name == "cuGetProcAddress" && version >= two_versions) name += "_v2";
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0 && hook_named(name + "_ptsz"))
    name += "_ptsz";
  Hook* hook = hook_named(name);
  if (hook == nullptr || found == nullptr || *found == nullptr || *found == hook->ours) return;
  hook->theirs = *found;
  *found = hook->ours;
}

}  // namespace
}  // namespace phasebit::bench::capture

using namespace phasebit::bench::capture;

#define PHASEBIT_LAUNCH(name)                                                               \
  PHASEBIT_EXPORT CUresult name(CUfunction f, Size gx, Size gy, Size gz, Size bx, Size by,  \
                                Size bz, Size shared, CUstream stream, void** parameters,   \
                                void** extra) {                                             \
    return launch(#name, f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, extra); \
  }
#define PHASEBIT_COOPERATIVE(name)                                                               \
  PHASEBIT_EXPORT CUresult name(CUfunction f, Size gx, Size gy, Size gz, Size bx, Size by,       \
                                Size bz, Size shared, CUstream stream, void** parameters) {      \
    return launch_cooperative(#name, f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters); \
  }
#define PHASEBIT_LAUNCH_EX(name)                                                               \
  PHASEBIT_EXPORT CUresult name(const CUlaunchConfig* config, CUfunction f, void** parameters, \
                                void** extra) {                                                \
    return launch_ex(#name, config, f, parameters, extra);                                     \
  }
PHASEBIT_LAUNCH(cuLaunchKernel)
PHASEBIT_LAUNCH(cuLaunchKernel_ptsz)
PHASEBIT_COOPERATIVE(cuLaunchCooperativeKernel)
PHASEBIT_COOPERATIVE(cuLaunchCooperativeKernel_ptsz)
PHASEBIT_LAUNCH_EX(cuLaunchKernelEx)
PHASEBIT_LAUNCH_EX(cuLaunchKernelEx_ptsz)

PHASEBIT_EXPORT CUresult cuTensorMapEncodeTiled(
    CUtensorMap* map, CUtensorMapDataType element, cuuint32_t rank, void* address,
    const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
    const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const auto next = theirs<decltype(&cuTensorMapEncodeTiled)>(__func__);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  const CUresult code = next(map, element, rank, address, sizes, strides, box, steps, interleave,
                             swizzle, promotion, fill);
  if (code != CUDA_SUCCESS) return code;
  MapNote made = note_of(map, element, rank, address, sizes, strides, steps, interleave, swizzle,
                         promotion, fill);
  made.box = {box, box + rank};
  try_note(made);
  return code;
}

PHASEBIT_EXPORT CUresult cuTensorMapEncodeIm2col(
    CUtensorMap* map, CUtensorMapDataType element, cuuint32_t rank, void* address,
    const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower, const int* upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  const auto next = theirs<decltype(&cuTensorMapEncodeIm2col)>(__func__);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  const CUresult code = next(map, element, rank, address, sizes, strides, lower, upper, channels,
                             pixels, steps, interleave, swizzle, promotion, fill);
  if (code != CUDA_SUCCESS) return code;
  MapNote made = note_of(map, element, rank, address, sizes, strides, steps, interleave, swizzle,
                         promotion, fill);
  made.lower = {lower, lower + rank - 2};
  made.upper = {upper, upper + rank - 2};
  made.channels = channels;
  made.pixels = pixels;
  try_note(made);
  return code;
}

PHASEBIT_EXPORT CUresult cuGetProcAddress(const char* symbol, void** found, int version,
                                          cuuint64_t flags) {
  const auto next = theirs<decltype(&cuGetProcAddress)>(__func__);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  const CUresult code = next(symbol, found, version, flags);
  if (code == CUDA_SUCCESS) put_ours(symbol, version, flags, found);
  return code;
}

PHASEBIT_EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** found, int version,
                                             cuuint64_t flags,
                                             CUdriverProcAddressQueryResult* status) {
  const auto next = theirs<decltype(&cuGetProcAddress_v2)>(__func__);
  if (next == nullptr) return CUDA_ERROR_NOT_FOUND;
  const CUresult code = next(symbol, found, version, flags, status);
  if (code == CUDA_SUCCESS) put_ours(symbol, version, flags, found);
  return code;
}

namespace phasebit::bench::capture {
namespace {

#define PHASEBIT_HOOK(name) {#name, reinterpret_cast<void*>(&::name)}

Hook* hook_named(std::string_view name) {
  static Hook hooks[] = {PHASEBIT_HOOK(cuLaunchKernel),
                         PHASEBIT_HOOK(cuLaunchKernel_ptsz),
                         PHASEBIT_HOOK(cuLaunchKernelEx),
                         PHASEBIT_HOOK(cuLaunchKernelEx_ptsz),
                         PHASEBIT_HOOK(cuLaunchCooperativeKernel),
                         PHASEBIT_HOOK(cuLaunchCooperativeKernel_ptsz),
                         PHASEBIT_HOOK(cuTensorMapEncodeTiled),
                         PHASEBIT_HOOK(cuTensorMapEncodeIm2col),
                         PHASEBIT_HOOK(cuGetProcAddress),
                         PHASEBIT_HOOK(cuGetProcAddress_v2)};
  for (Hook& hook : hooks)
    if (name == hook.name) return &hook;
  return nullptr;
}

// The hook of a name that has one, once what it stands for is there. Inlined, its call of the next
// dlsym and the one of names without a hook would become one, and no jump.
[[gnu::noinline]] void* ours_for(void* library, const char* name) {
  Hook& hook = *hook_named(name);
  void* found = find_symbol()(library, name);
  if (found == nullptr || found == hook.ours) return found;
  hook.theirs = found;
  return hook.ours;
}

}  // namespace
}  // namespace phasebit::bench::capture

// A name that is not hooked is passed on by a jump (meson.build): RTLD_NEXT means the caller of
// dlsym, which is then the program and not this library.
PHASEBIT_EXPORT void* dlsym(void* library, const char* name) noexcept {
  if (hook_named(name) != nullptr) return ours_for(library, name);
  return find_symbol()(library, name);
}
