// One point on the fake device.
#pragma once

#include "bench/point/meter.h"
#include "tests/bench/fake_bundle.h"
#include "tests/bench/fake_device.h"

#include <memory>
#include <vector>

namespace phasebit::test {

struct Bench {
  FakeBundle bundle;
  std::unique_ptr<bench::device::Device> device;
  launch::BundleVariant variant = ring_variant("a");
  bench::point::MeasureRequest request;
  std::vector<bench::point::Phase> phases;

  Result<bench::point::Measurement> measure() {
    bundle.add(variant);
    const fs::path folder = bundle.write();
    device = std::move(open_fake_device({0, false, folder}).value());
    bench::point::Meter meter(*device, folder);
    request.variant = &variant;
    request.seed = 77;
    return meter.measure(request, [&](bench::point::Phase phase) { phases.push_back(phase); });
  }
};

}  // namespace phasebit::test
