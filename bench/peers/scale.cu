// The workload `scale` as it is written with other libraries, timed as phasebit-bench times a
// workload: the output is filled, then a launch between two events, the median of at least 30. A
// program of its own, since CUB chooses its launch on the host (tools/scale_peers,
// docs/workloads.md).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cub/device/device_transform.cuh>
#include <cuda/pipeline>

namespace {

constexpr float factor = 0.70703125F;
constexpr unsigned threads = 128;
constexpr unsigned vector = 4;
constexpr int warm_ups = 3, least_launches = 30, most_launches = 300;
constexpr double enough_ms = 20;

void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "scale: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

__device__ float4 scaled(float4 v) {
  return {factor * v.x, factor * v.y, factor * v.z, factor * v.w};
}

__device__ void scale_rest(const float* in, float* out, std::uint64_t first, std::uint64_t n) {
  for (std::uint64_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    out[i] = factor * in[i];
}

// A thread for each four elements, or fewer threads that come round.
__global__ void plain(const float* in, float* out, std::uint64_t n) {
  const auto* from = reinterpret_cast<const float4*>(in);
  auto* to = reinterpret_cast<float4*>(out);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n / vector;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    to[i] = scaled(from[i]);
  scale_rest(in, out, n / vector * vector, n);
}

// All threads fill and scale, as in the documentation of cuda::pipeline: copies are asked for until
// the pipeline is full, then a tile is waited for, scaled and released.
template <unsigned Stages, unsigned Tile, cuda::thread_scope Scope>
__global__ void pipelined(const float* in, float* out, std::uint64_t n) {
  constexpr unsigned of_thread = Tile / (vector * threads);
  __shared__ alignas(16) float4 slots[Stages][Tile / vector];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = [&] {
    if constexpr (Scope == cuda::thread_scope_block)
      return cuda::make_pipeline(block, &state);
    else
      return cuda::make_pipeline();
  }();
  const std::uint64_t tiles = n / Tile;
  std::uint64_t next = blockIdx.x;
  for (std::uint64_t tile = blockIdx.x, k = 0; tile < tiles; tile += gridDim.x, ++k) {
    for (; next < tiles && next < tile + std::uint64_t{Stages} * gridDim.x; next += gridDim.x) {
      const auto slot = static_cast<unsigned>(next / gridDim.x % Stages);
      const auto* from = reinterpret_cast<const float4*>(in + next * Tile);
      pipe.producer_acquire();
      for (unsigned j = 0; j < of_thread; ++j)
        cuda::memcpy_async(&slots[slot][j * threads + threadIdx.x],
                           from + j * threads + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    // Of thread scope a wait is for the oldest copies of the thread, which reads no others.
    if constexpr (Scope == cuda::thread_scope_block) {
      pipe.consumer_wait();
    } else {
      const std::uint64_t left = (next - tile) / gridDim.x;
      if (left >= Stages)
        cuda::pipeline_consumer_wait_prior<Stages - 1>(pipe);
      else
        cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    auto* to = reinterpret_cast<float4*>(out + tile * Tile);
    for (unsigned j = 0; j < of_thread; ++j)
      to[j * threads + threadIdx.x] = scaled(slots[k % Stages][j * threads + threadIdx.x]);
    pipe.consumer_release();
  }
  scale_rest(in, out, tiles * Tile, n);
}

struct Multiply {
  __device__ float operator()(float value) const { return factor * value; }
};

struct Peer {
  std::string name;
  unsigned stages, tile_bytes, ctas_per_sm;
  std::function<void(const float*, float*, std::uint64_t)> launch;
};

unsigned multiprocessors() {
  int count = 0;
  must(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "attribute");
  return static_cast<unsigned>(count);
}

template <unsigned Stages, unsigned TileBytes, cuda::thread_scope Scope>
void add_pipelined(std::vector<Peer>& peers) {
  constexpr unsigned tile = TileBytes / sizeof(float);
  for (const unsigned ctas : {2U, 4U, 8U}) {
    if (ctas * Stages * TileBytes > 200 * 1024) continue;
    const unsigned grid = multiprocessors() * ctas;
    peers.push_back(
        {Scope == cuda::thread_scope_block ? "cuda_pipeline block" : "cuda_pipeline thread", Stages,
         TileBytes, ctas, [grid](const float* in, float* out, std::uint64_t n) {
           pipelined<Stages, tile, Scope><<<grid, threads>>>(in, out, n);
         }});
  }
}

template <unsigned TileBytes>
void add_tiles(std::vector<Peer>& peers) {
  add_pipelined<2, TileBytes, cuda::thread_scope_block>(peers);
  add_pipelined<2, TileBytes, cuda::thread_scope_thread>(peers);
  if constexpr (4 * TileBytes <= 48 * 1024) {  // the most of static shared memory
    add_pipelined<4, TileBytes, cuda::thread_scope_block>(peers);
    add_pipelined<4, TileBytes, cuda::thread_scope_thread>(peers);
  }
}

std::vector<Peer> all_peers() {
  std::vector<Peer> peers;
  peers.push_back({"memcpy", 0, 0, 0, [](const float* in, float* out, std::uint64_t n) {
                     must(cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice),
                          "copy");
                   }});
  peers.push_back(
      {"cub DeviceTransform", 0, 0, 0, [](const float* in, float* out, std::uint64_t n) {
         must(cub::DeviceTransform::Transform(in, out, n, Multiply()), "cub");
       }});
  peers.push_back(
      {"plain loads: a vector a thread", 0, 0, 0, [](const float* in, float* out, std::uint64_t n) {
         const std::uint64_t blocks = (n / vector + 255) / 256;
         plain<<<static_cast<unsigned>(std::max<std::uint64_t>(1, blocks)), 256>>>(in, out, n);
       }});
  for (const unsigned ctas : {4U, 8U, 16U})
    peers.push_back({"plain loads: grid stride", 0, 0, ctas,
                     [ctas](const float* in, float* out, std::uint64_t n) {
                       plain<<<multiprocessors() * ctas, threads>>>(in, out, n);
                     }});
  add_tiles<4096>(peers);
  add_tiles<8192>(peers);
  add_tiles<16384>(peers);
  return peers;
}

// The whole output, against the product that f32 rounds to.
bool is_right(const Peer& peer, const std::vector<float>& in, const float* out) {
  std::vector<float> found(in.size());
  must(cudaMemcpy(found.data(), out, found.size() * sizeof(float), cudaMemcpyDeviceToHost), "read");
  const bool copies = peer.name == "memcpy";
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float wanted = copies ? in[i] : factor * in[i];
    if (std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(wanted)) continue;
    std::fprintf(stderr, "scale: %s: element %zu is %g, not %g\n", peer.name.c_str(), i, found[i],
                 wanted);
    return false;
  }
  return true;
}

class Timer {
 public:
  Timer() {
    must(cudaEventCreate(&start_), "event");
    must(cudaEventCreate(&end_), "event");
  }
  double median_ns(const Peer& peer, const float* in, float* out, std::uint64_t n) {
    std::vector<double> ns;
    double all_ms = 0;
    for (int launch = 0; launch < warm_ups + most_launches; ++launch) {
      must(cudaMemsetAsync(out, 0xA5, n * sizeof(float)), "fill");
      must(cudaEventRecord(start_), "record");
      peer.launch(in, out, n);
      must(cudaEventRecord(end_), "record");
      must(cudaGetLastError(), peer.name.c_str());
      must(cudaEventSynchronize(end_), peer.name.c_str());
      float ms = 0;
      must(cudaEventElapsedTime(&ms, start_, end_), "elapsed");
      if (launch < warm_ups) continue;
      ns.push_back(1e6 * ms);
      all_ms += ms;
      if (ns.size() >= least_launches && all_ms > enough_ms) break;
    }
    std::nth_element(ns.begin(), ns.begin() + ns.size() / 2, ns.end());
    return ns[ns.size() / 2];
  }

 private:
  cudaEvent_t start_{}, end_{};
};

void measure(const char* gpu, std::uint64_t n, int repetitions) {
  std::vector<float> values(n);
  std::mt19937 draw(1);
  std::normal_distribution<float> normal;
  constexpr std::size_t period = 1048573;  // as the workload's inputs
  for (std::size_t i = 0; i < n; ++i) values[i] = i < period ? normal(draw) : values[i - period];
  float *in = nullptr, *out = nullptr;
  must(cudaMalloc(&in, n * sizeof(float)), "memory");
  must(cudaMalloc(&out, n * sizeof(float)), "memory");
  must(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice), "write");
  Timer timer;
  const std::vector<Peer> peers = all_peers();
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (const Peer& peer : peers) {
      const double ns = timer.median_ns(peer, in, out, n);
      if (repetition == 0 && !is_right(peer, values, out)) std::exit(1);
      std::printf("%s,%s,%u,%u,%u,%llu,%d,%.0f\n", gpu, peer.name.c_str(), peer.stages,
                  peer.tile_bytes, peer.ctas_per_sm, static_cast<unsigned long long>(n), repetition,
                  ns);
    }
  must(cudaFree(in), "memory");
  must(cudaFree(out), "memory");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: scale REPETITIONS ELEMENTS...\n");
    return 2;
  }
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0), "device");
  int driver = 0;
  must(cudaDriverGetVersion(&driver), "driver");
  std::printf("# %s, driver of CUDA %d.%d, nvcc %d.%d.%d, CCCL %d.%d.%d\n", device.name,
              driver / 1000, driver / 10 % 100, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__, CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION, CCCL_PATCH_VERSION);
  std::printf("gpu,peer,stages,tile,ctas,elements,repetition,ns\n");
  for (int n = 2; n < argc; ++n)
    measure(device.name, std::strtoull(argv[n], nullptr, 10), std::atoi(argv[1]));
  return 0;
}
