#include "analysis/report/data/without_loop.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::form_costs;

namespace {

constexpr const char* arrive = "form/none/none/none/form=mbarrier.arrive#001/path=pending";

TEST(FormCosts, AHalfIsNoFigure) {
  const auto costs = form_costs(data_of({measured(arrive, 100)}).aggregation.points);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_NE(costs[0].isolated.reason.text, "");
  const auto known =
      report::data::measured_forms(data_of({measured(arrive, 100)}).aggregation.points);
  EXPECT_NE(known.at("mbarrier.arrive#001"), "");
}

}  // namespace
}  // namespace phasebit::test
