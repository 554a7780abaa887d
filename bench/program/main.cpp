#include "bench/device/cuda_device.h"
#include "bench/program/bench_main.h"

int main(int argc, char** argv) {
  return phasebit::bench_main(argc, argv, phasebit::open_cuda_device);
}
