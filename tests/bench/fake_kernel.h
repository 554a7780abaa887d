// What one launch of one variant leaves in memory, without a GPU: what a right kernel would, or
// what a script says instead.
#pragma once

#include "core/base/error.h"
#include "core/launch/launch.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::test {

inline constexpr double fake_megahertz = 1500;

// A kernel's part of fake.json: see fake_device.h.
struct FakeScript {
  double cycles = 40;
  double intercept = 300;
  unsigned noise = 0;
  bool hang = false, die = false, launch_error = false, throttled = false;
  std::vector<double> by_first_warp;
  int faulty_launches = -1;  // the fault happens to so many; -1: to all
  std::string fault, holds;  // what the contents of a stranger's buffers begin as
  int at = 0;
  std::uint32_t timer_step = 0;
  std::vector<double> readings;         // of an item
  std::vector<unsigned> reading_noise;  // launches differ by up to so much
};

FakeScript fake_script(const nlohmann::json& json);

// One launch: `clock` is its start, `cycles` the length of the timed part.
struct FakeLaunch {
  std::uint64_t clock = 0, cycles = 0;
  std::uint32_t readings[2] = {0, 0};
};

// Addresses in `params` are host addresses. The CTA of rank r of a cluster runs on SM 2 r + 1.
void run_fake_kernel(const launch::LaunchShape& shape, const FakeScript& script,
                     const launch::KernelParams& params, const FakeLaunch& launch);

// Whether each buffer is as its fill says, last word too, as a kernel finds them that counts in the
// first and last word of each: Step::launch names the one that is not. Addresses are those of the
// host.
Status check_fake_buffers(const std::vector<launch::Buffer>& buffers,
                          const std::vector<std::uint64_t>& addresses);

// out[i] = a * in[i], of so many elements as the launch has items. Step::launch when the output is
// not as its fill says. Faults: wrong_output, whose last element is wrong, not_written, whose last
// element is as it was, and one_too_many.
Status run_fake_scale(const FakeScript& script, const launch::KernelParams& params,
                      const std::vector<std::uint64_t>& addresses);

// What a guarded kernel leaves in the block at this host address: with the fault "report" a report
// of site 1 by warp 1, with "crumbs" a breadcrumb of site 2 by the same warp. Whether it never
// ends.
bool fake_guard(const FakeScript& script, std::uint64_t block);

}  // namespace phasebit::test
