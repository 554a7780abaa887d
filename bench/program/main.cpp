#include "bench/device/cuda_device.h"
#include "bench/program/bench_main.h"
#include "core/base/standard_output.h"

int main(int argc, char** argv) {
  return phasebit::base::with_standard_output("phasebit-bench", [&] {
    return phasebit::bench::program::bench_main(argc, argv,
                                                phasebit::bench::device::open_cuda_device);
  });
}
