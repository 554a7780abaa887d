#include "core/results/statistics.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using results::DeviceState;

namespace {

// A driver that does not say a field has no part in its median.
TEST(DeviceState, IsTheMedianOfWhatIsKnown) {
  EXPECT_EQ(results::median_state({{1900, 3201, 0}, {1980, 3201, 500}, {1980, 0, 700}}),
            (DeviceState{1980, 3201, 600}));
  EXPECT_FALSE(results::median_state({}).known());
  EXPECT_FALSE(results::median_state({{0, 0, 0}}).known());
}

}  // namespace
}  // namespace phasebit::test
