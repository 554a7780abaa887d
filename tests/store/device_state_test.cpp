#include "core/record/device_state.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::DeviceState;

namespace {

TEST(DeviceState, IsAFlagOfTheRow) {
  const DeviceState state{1980, 3201, 645};
  EXPECT_EQ(record::device_state_flag(state), "gpu:1980/3201/645");
  EXPECT_EQ(record::device_state_of("gpu:1980/3201/645"), state);
  EXPECT_EQ(record::device_state_of("gpu:0/3201/0"), (DeviceState{0, 3201, 0}));
}

TEST(DeviceState, OtherFlagsAreNone) {
  for (const char* flag : {"sms:1,2", "gpu:", "gpu:1", "gpu:1/2", "gpu:1/2/", "gpu:1/2/3/4",
                           "gpu:a/2/3", "gpu:1,2,3", "throttled"})
    EXPECT_FALSE(record::device_state_of(flag)) << flag;
}

// A driver that does not say a field takes no part in its median.
TEST(DeviceState, IsTheMedianOfWhatIsKnown) {
  EXPECT_EQ(record::median_state({{1900, 3201, 0}, {1980, 3201, 500}, {1980, 0, 700}}),
            (DeviceState{1980, 3201, 600}));
  EXPECT_FALSE(record::median_state({}).known());
  EXPECT_FALSE(record::median_state({{0, 0, 0}}).known());
}

}  // namespace
}  // namespace phasebit::test
