// phasebit-bench with the fake device: what the tests of the program run.
#include "bench/program/bench_main.h"
#include "tests/bench/fake_device.h"

int main(int argc, char** argv) {
  return phasebit::bench::program::bench_main(argc, argv, phasebit::test::open_fake_device);
}
