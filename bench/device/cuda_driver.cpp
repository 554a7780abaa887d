#include "bench/device/cuda_driver.h"

#include <dlfcn.h>

namespace phasebit::bench::device {
namespace {

// cuda.h renames an entry by a macro (cuMemAlloc to cuMemAlloc_v2); the library has the new name.
#define PHASEBIT_TEXT_OF(name) #name
#define PHASEBIT_SYMBOL(name) PHASEBIT_TEXT_OF(name)

constexpr const char* library_name = "libcuda.so.1";

}  // namespace

Result<CudaDriver> CudaDriver::load() {
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return with_hint(fail(Step::device, "there is no CUDA driver here: {}", ::dlerror()),
                     "measure on a machine with an NVIDIA GPU; listing works without one");
  CudaDriver driver;
#define PHASEBIT_FIND(name)                                                                       \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(library, PHASEBIT_SYMBOL(name))); \
  if (driver.name == nullptr)                                                                     \
    return with_hint(fail(Step::device, "{} lacks {}", library_name, PHASEBIT_SYMBOL(name)),      \
                     "install a driver of CUDA 12.0 or newer");
  PHASEBIT_CUDA_ENTRIES(PHASEBIT_FIND)
#undef PHASEBIT_FIND
#define PHASEBIT_FIND_OR_NULL(name) \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(library, PHASEBIT_SYMBOL(name)));
  PHASEBIT_CUDA_CLUSTER_ENTRIES(PHASEBIT_FIND_OR_NULL)
  PHASEBIT_CUDA_TENSOR_ENTRIES(PHASEBIT_FIND_OR_NULL)
#undef PHASEBIT_FIND_OR_NULL
  if (const CUresult code = driver.cuInit(0); code != CUDA_SUCCESS)
    return with_hint(fail(Step::device, "the CUDA driver finds no usable GPU: {}",
                          driver.describe("cuInit", code)),
                     "see what nvidia-smi says; listing works without a GPU");
  return driver;
}

std::string CudaDriver::describe(const char* call, CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  return fmt::format("{}: {} ({})", call, name, text);
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int n = 0; n < 16; ++n) {
    if (n == 4 || n == 6 || n == 8 || n == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[n]));
  }
  return text;
}

}  // namespace phasebit::bench::device
