// Small kernels for the ways in which code is packed: a call across files, a jump table, kernels of
// long names that share their beginning.
namespace {

template <typename... T>
struct types {};

template <typename T>
struct a_name_that_a_library_of_templates_would_give_to_one_of_its_policies_of_dispatch {};

template <typename T>
using longer = types<
    a_name_that_a_library_of_templates_would_give_to_one_of_its_policies_of_dispatch<T>,
    types<a_name_that_a_library_of_templates_would_give_to_one_of_its_policies_of_dispatch<T*>,
          a_name_that_a_library_of_templates_would_give_to_one_of_its_policies_of_dispatch<T**>,
          a_name_that_a_library_of_templates_would_give_to_one_of_its_policies_of_dispatch<T***>>>;

}  // namespace

template <typename Policy, int n>
__global__ void long_name(float* data) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] *= n;
}
template __global__ void long_name<longer<int>, 32>(float*);
template __global__ void long_name<longer<int>, 64>(float*);
template __global__ void long_name<longer<int>, 96>(float*);

#ifdef SEPARATE
__device__ float shape(float x);
#else
__device__ __noinline__ float shape(float x) {
  return x * x + 1;
}
#endif

extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + shape(b[i]);
}

extern "C" __global__ void choose(int* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    switch (data[i]) {
      case 0: data[i] = __popc(i); break;
      case 1: data[i] = __brev(i); break;
      case 2: data[i] = __clz(i) * 7; break;
      case 3: atomicAdd(data + n, i); break;
      case 4: data[i] = __ffs(i) - n; break;
      case 5: data[i + 1] = i; break;
      case 6: __syncwarp(); break;
      case 7: data[i] = __float_as_int(sqrtf(i)); break;
      default: data[i] = -1;
    }
  }
}
