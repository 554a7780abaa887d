// A program that launches kernels, in the way that its argument names: as one that is linked with
// the driver, as Triton (dlsym), as the static runtime (cuGetProcAddress of cuGetProcAddress).
#include "tests/capture/fake_driver.h"

#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#undef cuGetProcAddress

using phasebit::test::FakeKernel;

namespace {

FakeKernel axpy{"axpy", 3, {0, 8, 16}, {4, 8, 8}, 40};
FakeKernel tiles{"tiles", 2, {0, 64}, {24, 128}, 168};

using Launch = decltype(&cuLaunchKernel);

CUdeviceptr buffer(size_t bytes) {
  CUdeviceptr address = 0;
  cuMemAlloc_v2(&address, bytes);
  return address;
}

void launch_axpy(Launch launch, unsigned n, CUdeviceptr x, CUdeviceptr y) {
  void* parameters[] = {&n, &x, &y};
  launch(reinterpret_cast<CUfunction>(&axpy), 4, 2, 1, 64, 1, 1, 1024, nullptr, parameters,
         nullptr);
}

// A struct with an address at 8, and a map.
int launch_tiles(decltype(&cuTensorMapEncodeTiled) encode, decltype(&cuLaunchKernelEx) launch) {
  const CUdeviceptr memory = buffer(1 << 20);
  CUtensorMap map;
  const cuuint64_t sizes[] = {256, 64}, strides[] = {512};
  const cuuint32_t box[] = {64, 32}, steps[] = {1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, reinterpret_cast<void*>(memory + 4096), sizes,
         strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  struct {
    int rows = 7, columns = 0;
    CUdeviceptr out;
    float scale = 0.5F;
  } values{7, 0, memory + 256, 0.5F};
  void* parameters[] = {&values, &map};
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = 2;
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 128;
  config.sharedMemBytes = 65536;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return launch(&config, reinterpret_cast<CUfunction>(&tiles), parameters, nullptr);
}

template <typename Function>
Function by_driver(decltype(&cuGetProcAddress_v2) find, const char* name, cuuint64_t flags = 0) {
  void* found = nullptr;
  find(name, &found, 13000, flags, nullptr);
  return reinterpret_cast<Function>(found);
}

int as_runtime() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto first =
      reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(driver, "cuGetProcAddress_v2"));
  const auto find = by_driver<decltype(&cuGetProcAddress_v2)>(first, "cuGetProcAddress");
  const CUdeviceptr x = buffer(4096);
  launch_axpy(by_driver<Launch>(find, "cuLaunchKernel"), 5, x, x + 1024);
  launch_axpy(
      by_driver<Launch>(find, "cuLaunchKernel", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), 5,
      x, x + 1024);
  // The program gets the driver's answer.
  return launch_tiles(by_driver<decltype(&cuTensorMapEncodeTiled)>(find, "cuTensorMapEncodeTiled"),
                      by_driver<decltype(&cuLaunchKernelEx)>(find, "cuLaunchKernelEx")) ==
                 CUDA_ERROR_INVALID_VALUE
             ? 0
             : 1;
}

// A block of bytes in the place of addresses.
void launch_block(Launch launch) {
  struct {
    unsigned n = 9, unused = 0;
    CUdeviceptr x, y;
  } block{9, 0, buffer(64), 0};
  block.y = block.x;
  size_t bytes = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  launch(reinterpret_cast<CUfunction>(&axpy), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra);
}

int linked() {
  const CUdeviceptr x = buffer(4096), y = buffer(8192);
  for (int n = 0; n < 3; ++n) launch_axpy(&cuLaunchKernel, 5, x, y);
  launch_axpy(&cuLaunchKernel, 6, x, y);
  unsigned n = 1;
  CUdeviceptr none = 0;
  void* parameters[] = {&n, const_cast<CUdeviceptr*>(&x), &none};
  cuLaunchCooperativeKernel(reinterpret_cast<CUfunction>(&axpy), 2, 1, 1, 32, 1, 1, 0, nullptr,
                            parameters);
  launch_block(&cuLaunchKernel);
  return 3;
}

// The memory is the host's: a table at 64 of one buffer, which each launch changes, and words in
// another; then both by a stream that is captured.
void launch_with_contents(Launch launch) {
  const CUdeviceptr x = buffer(4096), y = buffer(256);
  auto* table = reinterpret_cast<unsigned char*>(x + 64);
  for (int n = 0; n < 8; ++n) table[n] = static_cast<unsigned char>(16 + n);
  std::memset(reinterpret_cast<void*>(y), 0x5c, 256);
  launch_axpy(launch, 5, x + 64, y);
  table[0] = 99;
  launch_axpy(launch, 5, x + 64, y);
  unsigned n = 6;
  CUdeviceptr other = x;
  void* parameters[] = {&n, &other, &other};
  launch(reinterpret_cast<CUfunction>(&axpy), 1, 1, 1, 64, 1, 1, 0, phasebit::test::captured_stream,
         parameters, nullptr);
}

}  // namespace

int main(int count, char** words) {
  const std::string way = count > 1 ? words[1] : "";
  if (way == "linked") return linked();
  if (way == "runtime") return as_runtime();
  if (way == "next") return getpagesize() > 0 ? 0 : 1;  // the fake driver's
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto launch = reinterpret_cast<Launch>(dlsym(driver, "cuLaunchKernel"));
  if (way == "dlsym") launch_axpy(launch, 5, buffer(4096), buffer(4096));
  if (way == "killed") {
    launch_axpy(launch, 5, buffer(4096), buffer(4096));
    raise(SIGKILL);
  }
  if (way == "hang") {
    launch_axpy(launch, 5, buffer(4096), buffer(4096));
    while (true) pause();
  }
  if (way == "forked") {
    launch_axpy(launch, 5, buffer(4096), buffer(4096));
    if (const pid_t child = fork(); child == 0) {
      launch_axpy(launch, 6, buffer(4096), buffer(4096));
      std::exit(0);
    } else {
      waitpid(child, nullptr, 0);
    }
  }
  if (way == "echo") {
    char line[64] = {};
    if (std::fgets(line, sizeof line, stdin) != nullptr) std::printf("read %s", line);
    launch_axpy(launch, 5, buffer(4096), buffer(4096));
  }
  if (way == "contents") launch_with_contents(launch);
  if (way == "again") {
    const CUdeviceptr x = buffer(64);
    for (unsigned n = 0; n < 9; ++n) launch_axpy(launch, n % 3, x, x);
  }
  if (way == "many")
    for (unsigned n = 0; n < 100; ++n) launch_axpy(launch, n, buffer(64), buffer(64));
  return 0;
}
