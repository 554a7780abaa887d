#include "bench/device/cuda_device.h"
#include "bench/program/bench_main.h"

int main(int argc, char** argv) {
  return phasebit::bench::program::bench_main(argc, argv,
                                              phasebit::bench::device::open_cuda_device);
}
