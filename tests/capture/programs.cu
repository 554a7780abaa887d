// Two kernels, launched by the runtime that is linked statically, or with an argument by the
// driver: by parameters with a struct, and by a tensor map in a cluster. The driver's entries come
// as libraries of templates find them.
#include <cstdio>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>

struct Scale {
  int n;
  float* to;
  float by;
};

extern "C" __global__ void axpy(Scale scale, const float* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < scale.n) scale.to[i] += scale.by * from[i];
}

extern "C" __global__ void tiles(const __grid_constant__ CUtensorMap map, unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = reinterpret_cast<const unsigned*>(&map)[0];
}

static int failed(const char* what, int code) {
  if (code == 0) return 0;
  std::fprintf(stderr, "%s: error %d\n", what, code);
  return 1;
}

int main(int count, char** words) {
  float *from = nullptr, *to = nullptr;
  unsigned* out = nullptr;
  int bad =
      failed("malloc", cudaMalloc(&from, 4096) | cudaMalloc(&to, 8192) | cudaMalloc(&out, 4096));
  Scale scale{1000, to + 256, 2.5F};
  float start[1024];
  for (int n = 0; n < 1024; ++n) start[n] = static_cast<float>(n);
  bad |= failed("memory", cudaMemcpy(from, start, sizeof start, cudaMemcpyHostToDevice) |
                              cudaMemset(to, 0, 8192));
  void* encode = nullptr;
  void* launch = nullptr;
  cudaDriverEntryPointQueryResult status{};
  bad |= failed("entry", cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                                          cudaEnableDefault, &status));
  bad |= failed("entry", cudaGetDriverEntryPointByVersion("cuLaunchKernel", &launch, 12000,
                                                          cudaEnableDefault, &status));
  if (count > 1) {
    cudaFunction_t function = nullptr;
    bad |= failed("function", cudaGetFuncBySymbol(&function, reinterpret_cast<void*>(&axpy)));
    const float* source = from;
    void* parameters[] = {&scale, &source};
    bad |= failed("launch", reinterpret_cast<decltype(&cuLaunchKernel)>(launch)(
                                reinterpret_cast<CUfunction>(function), 8, 1, 1, 128, 1, 1, 0,
                                nullptr, parameters, nullptr));
  } else {
    for (int n = 0; n < 3; ++n) axpy<<<8, 128>>>(scale, from);
  }
  CUtensorMap map;
  const cuuint64_t sizes[] = {32, 16}, strides[] = {128};
  const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  bad |= failed("encode", reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
                              &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, to, sizes, strides, box,
                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 1024;
  config.attrs = &cluster;
  config.numAttrs = 1;
  bad |= failed("tiles", cudaLaunchKernelEx(&config, tiles, map, out));
  return bad | failed("end", cudaDeviceSynchronize());
}
