#include "analysis/report/data/figures.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::TableArguments;
using results::PointRow;

namespace {

const std::string figures_ring = "ring/mbarrier/st_shared/none";

struct FiguresRow {
  double value, half_width;
  const char* text;
};

TEST(Figures, HaveTheDigitsThatTheirIntervalSupports) {
  const FiguresRow rows[] = {{12.3456, 0, "12.35 ±0"},  // all rounds alike: hundredths of a cycle
                             {12.3456, 0.004, "12.35 ±0.01"},  // never understated
                             {12.3456, 0.05, "12.35 ±0.05"},  {12.3456, 0.051, "12.35 ±0.06"},
                             {12.3456, 0.1, "12.3 ±0.1"},     {12.3456, 0.5, "12.3 ±0.5"},
                             {12.3456, 0.99, "12.3 ±1.0"},    {12.3456, 1, "12 ±1"},
                             {12.3456, 2.4, "12 ±3"},         {1234.5, 17.2, "1235 ±18"},
                             {-0.001, 0.01, "0.00 ±0.01"},    {-3.21, 0.2, "-3.2 ±0.2"}};
  for (const FiguresRow& row : rows)
    EXPECT_EQ(report::data::shown_with_interval(row.value, row.half_width), row.text)
        << row.value << " " << row.half_width;
}

TEST(Figures, PercentsHaveTwoDigits) {
  EXPECT_EQ(report::data::shown_percent(0.0512), "0.05 %");
  EXPECT_EQ(report::data::shown_percent(12), "12.00 %");
}

// What rows of a variant with a figure, and of one without, say in a text.
results::Results figures_some_data() {
  PointRow four = measured(figures_ring, 40);
  four.sass_class = "0123456789abcdef";
  return results_of({four, failed_point(figures_ring + "/wait=test_wait", Step::gate,
                                        "the SASS is not the intended one: x")});
}

TEST(Figure, IsOfAVariantOrOfAll) {
  const std::pair<TableArguments, const char*> rows[] = {
      {{{"variant", figures_ring}, {"field", "cycles"}}, "40"},
      {{{"variant", figures_ring}, {"field", "interval"}}, "40 ±1"},
      {{{"field", "low"}, {"variant", figures_ring}}, "39"},
      {{{"variant", figures_ring}, {"field", "sass_class"}}, "01234567"},
      {{{"field", "variants"}}, "2"},
      {{{"field", "device"}}, "NVIDIA H200"},
      {{{"variant", figures_ring}, {"field", "cylces"}},
       "usage: no field 'cylces' (did you mean 'cycles'?)"},
      {{{"variant", figures_ring + "/wait=tst_wait"}, {"field", "cycles"}},
       "usage: the results have no variant 'ring/mbarrier/st_shared/none/wait=tst_wait' (did you "
       "mean "
       "'ring/mbarrier/st_shared/none/wait=test_wait'?)"},
      {{{"variant", figures_ring + "/wait=test_wait"}, {"field", "cycles"}},
       "store: ring/mbarrier/st_shared/none/wait=test_wait has no figure: gate: the SASS is not "
       "the "
       "intended one: x"},
      {{{"varaint", ""}}, "usage: a figure has no argument 'varaint' (did you mean 'variant'?)"},
      {{{"variant", figures_ring}}, "usage: a figure without field= (field=cycles)"}};
  for (const auto& [arguments, text] : rows) {
    const auto figure = make_figure(figures_some_data(), arguments);
    EXPECT_EQ(figure ? *figure : figure.error().text(), text);
  }
}

}  // namespace
}  // namespace phasebit::test
