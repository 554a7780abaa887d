// The program without its device.
#pragma once

#include "bench/device/device.h"

namespace phasebit::bench::program {

// The exit code. The same program, run with --worker, is its own child.
int bench_main(int argc, char** argv, const device::DeviceFactory& open_device);

}  // namespace phasebit::bench::program
