#include "core/results/variant_row.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

TEST(Origin, IsWhatTheKeyNames) {
  const struct {
    launch::KeyAxes axes;
    const char* origin;
  } rows[] = {
      {{{"probe", "ring"}, {"num_stages", "8"}}, "template"},
      {{{"probe", "form"}, {"form", "add.u32"}}, "form"},
      {{{"probe", "ring"}, {"tuned", "release_first"}}, "tuned"},
      {{{"probe", "ring"}, {"snippet.wait", "mine@01234567"}}, "snippet"},
      {{{"probe", "ring"}, {"file", "mine@01234567"}}, "file"},
      {{{"probe", "external"}, {"file", "mine@01234567"}}, "file"},
      // A file too, of which more is known.
      {{{"probe", "ring"}, {"nvcc", "13.5.37"}, {"file", "theirs@01234567"}}, "nvcc"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(results::to_string(results::origin_of(row.axes)), row.origin);
}

}  // namespace
}  // namespace phasebit::test
