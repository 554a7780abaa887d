// The units of figures and readings.
#include "core/ptx/head/head.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptx::head::fault_of_figure;
using ptx::head::fault_of_reading;

namespace {

std::string text(const std::optional<ptx::head::UnitFault>& fault) {
  return fault ? fault->what + " (" + fault->hint + ")" : "";
}

TEST(Units, OfFigures) {
  for (const char* unit : {"cycles per item", "cycles per round trip", "cycles per 16 operations",
                           "cycles per block", "cycles per phase", "cycles per barrier"})
    EXPECT_EQ(text(fault_of_figure(unit)), "") << unit;
  EXPECT_EQ(text(fault_of_figure("cycles per itme")),
            "no probe has a 'itme' for an item (did you mean 'item'?)");
  EXPECT_EQ(text(fault_of_figure("cycles per banana")),
            "no probe has a 'banana' for an item (one of: item, operation, block, phase, barrier, "
            "round trip, launch)");
  EXPECT_EQ(text(fault_of_figure("ns per item")),
            "the figure is of the timed role's clocks (write `unit = \"cycles per item\"`)");
  EXPECT_EQ(text(fault_of_figure("ns per item", true)), "");
  EXPECT_EQ(text(fault_of_figure("cycles per 4 items")), "");
  EXPECT_EQ(text(fault_of_figure("cycles per item", true)),
            "the figure of several SMs is of %globaltimer (write `unit = \"ns per item\"`)");
  for (const char* unit : {"cycles per 16", "cycles per 16 ", "cycles per ", "cycles per items",
                           "cycles per item of mine", "cycles per 16 bananas"})
    EXPECT_NE(text(fault_of_figure(unit)), "") << unit;
}

TEST(Units, OfReadings) {
  for (const char* unit :
       {"polls", "polls per item", "polls that failed, per item", "cycles from commit to wake-up",
        "low half of the barrier's word", "high half", "ns per round trip", "bytes per 8 items"})
    EXPECT_EQ(text(fault_of_reading(unit)), "") << unit;
  EXPECT_EQ(text(fault_of_reading("poll per item")),
            "it does not begin with what it counts (did you mean 'polls'?)");
  EXPECT_EQ(text(fault_of_reading("polls a turn")),
            "'a turn' says neither which polls are counted nor by what (write `polls per item`, "
            "`polls that ..., per item` or `polls from ... to ...`)");
  for (const char* unit : {"cycles per banana", "polls that failed, per banana", "cycles banana",
                           "cycles from here", "banana"})
    EXPECT_NE(text(fault_of_reading(unit)), "") << unit;
}

}  // namespace
}  // namespace phasebit::test
