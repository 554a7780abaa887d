// Source of nvcc_kernels.ptx and, after it, nvcc_diverged.ptx: nvcc 13.0 -arch=sm_75 -ptx, without
// its first lines and comments.
__constant__ int table[64];
__constant__ float weights[32];
__constant__ double factors[4];
__constant__ int step;
__device__ __noinline__ double mean(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] / factors[i & 3];
  return sqrt(sum) / n;
}
extern "C" __global__ void mixed(int* o, int i, float* f, double* d) {
  o[0] = table[i] + step;
  o[1] = table[threadIdx.x + 3];
  o[2] = table[7] * i + o[3];
  f[0] = f[1] * weights[3] + weights[i & 31];
  d[0] = d[1] * factors[2] + 1.2345678901234;
  const int* p = &table[threadIdx.x];
  o[9] = p[i * 7];
  o[10] = (threadIdx.x & 1 ? (const int*)table : (const int*)o)[i];
  switch (i) {
    case 0: o[1] = 5; break;
    case 1: f[1] = f[7] * 3; break;
    case 2: o[7] = 9; break;
    case 3: d[0] = mean(d, i); break;
    case 4: o[8] = step + 2; break;
    case 5: o[11] ^= table[20] & o[12]; break;
    case 6: f[3] /= f[4]; break;
  }
}
extern "C" __global__ void diverged(int* o, int n) {
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = o[i] * n;
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += local[i & 15] % 5 + 1) {
    if (i & 1)
      sum += __shfl_sync(__activemask(), sum, i & 31);
    else if (i % 3 == 0)
      sum ^= __ballot_sync(0xffffffff, i > 5);
    else
      atomicAdd(o + (i & 7), local[(i * 7) & 15]);
    if (__any_sync(0xff, sum == 77)) break;
    __syncwarp();
  }
  __shared__ int all[256];
  all[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) o[20] = all[0] / (n | 1);
}
