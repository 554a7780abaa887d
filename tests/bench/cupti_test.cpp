// CUPTI's calls in their order, of a library that needs no GPU (fake_cupti.cpp).
#include "bench/device/cupti.h"

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::device::Counted;
using bench::device::CountedOver;
using bench::device::Cupti;

namespace {

// A kernel that counts its launches, and the waits for the stream.
struct Kernel {
  std::unique_ptr<Cupti> cupti;
  int launches = 0, waits = 0;

  Status launch() {
    EXPECT_TRUE(cupti->in_pass());
    return cupti->launched(
        [&]() -> Status {
          ++launches;
          return {};
        },
        [&]() -> Status {
          ++waits;
          return {};
        });
  }
  Result<Counted> count(CountedOver over) {
    return cupti->count(over, [&] { return launch(); });
  }
};

std::map<std::string, double> by_name(const Counted& counted) {
  std::map<std::string, double> values;
  for (const results::Counter& one : counted.counters) values[one.name] = one.value;
  return values;
}

class CuptiTest : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("FAKE_CUPTI"); }
  Result<std::unique_ptr<Cupti>> open() { return Cupti::open(FAKE_CUPTI, nullptr, 3); }
};

TEST_F(CuptiTest, EachPassIsOneLaunchBetweenTwoWaits) {
  Kernel kernel{open().value()};
  const auto counted = kernel.count(CountedOver::all_sms);
  ASSERT_TRUE(counted) << counted.error().text();
  EXPECT_EQ(kernel.launches, 3);
  EXPECT_EQ(kernel.waits, 6);
  auto values = by_name(*counted);
  EXPECT_EQ(values["warps_active_percent"], 7);
  EXPECT_EQ(values["dram_read_bytes"], 3);
  EXPECT_EQ(values["dram_write_bytes"], 3);
  EXPECT_EQ(values.size(), 25U);  // of 27: the chip lacks gmma, membar is 0 / 0
  EXPECT_FALSE(values.contains("stall_membar_cycles"));
  EXPECT_EQ(counted->notes, (std::vector<std::string>{
                                "counters that FAKE100 does not have: stall_gmma_cycles "
                                "(smsp__average_warps_issue_stalled_gmma_per_issue_active)"}));
  EXPECT_FALSE(kernel.cupti->in_pass());
}

// 7 % of 2 cycles on average are 0.14 % of the 100 that the busiest SM was active for.
TEST_F(CuptiTest, SharesOfTheBusiestSmAreOfItsOwnActiveCycles) {
  Kernel kernel{open().value()};
  auto values = by_name(kernel.count(CountedOver::busiest_sm).value());
  for (const char* name : {"issue_slots_percent", "warps_active_percent", "tensor_pipe_percent"})
    EXPECT_DOUBLE_EQ(values[name], 0.14) << name;
  EXPECT_EQ(values["dram_percent"], 7);
  EXPECT_EQ(values["stall_wait_cycles"], 7);
}

// Whatever fails, the profiler is off afterwards: the next point is counted.
TEST_F(CuptiTest, AnErrorNamesItsCallAndThePermission) {
  Kernel kernel{open().value()};
  for (const char* call :
       {"ProfilerHostInitialize", "RangeProfilerEnable", "RangeProfilerSetConfig",
        "RangeProfilerStart", "RangeProfilerPushRange", "RangeProfilerStop",
        "RangeProfilerDecodeData", "ProfilerHostEvaluateToGpuValues"}) {
    ::setenv("FAKE_CUPTI", call, 1);
    const auto counted = kernel.count(CountedOver::all_sms);
    ASSERT_FALSE(counted) << call;
    EXPECT_EQ(counted.error().text(),
              fmt::format("device: cupti{}: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (run it as root, "
                          "or load the driver with NVreg_RestrictProfilingToAdminUsers=0: "
                          "developer.nvidia.com/ERR_NVGPUCTRPERM)",
                          call));
    ::unsetenv("FAKE_CUPTI");
    EXPECT_TRUE(kernel.count(CountedOver::all_sms)) << call;
  }
}

TEST_F(CuptiTest, AnErrorOfThePassEndsIt) {
  Kernel kernel{open().value()};
  int passes = 0;
  const auto counted = kernel.cupti->count(CountedOver::all_sms, [&]() -> Status {
    ++passes;
    return fail(Step::verify, "wrong");
  });
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().text(), "verify: wrong");
  EXPECT_EQ(passes, 1);
  EXPECT_TRUE(kernel.count(CountedOver::all_sms));
}

TEST_F(CuptiTest, ALibraryThatIsNotThereIsNamed) {
  const auto opened = Cupti::open("/nonexistent/libcupti.so", nullptr, 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().text(),
            "device: there is no CUPTI here: /nonexistent/libcupti.so: cannot open shared object "
            "file: No such file or directory (it comes with the CUDA toolkit and as "
            "nvidia-cuda-cupti: see --cupti)");
  ::setenv("FAKE_CUPTI", "ProfilerGetCounterAvailability", 1);
  EXPECT_FALSE(open());
}

}  // namespace
}  // namespace phasebit::test
