// phasebit-bench with the fake device: what the tests of the program run.
#include "bench/device/fake_device.h"
#include "bench/program/bench_main.h"

int main(int argc, char** argv) {
  return phasebit::bench_main(argc, argv, phasebit::open_fake_device);
}
