#include "analysis/decide/axes.h"

#include "core/base/file.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <toml++/toml.h>

namespace phasebit {
namespace {

TEST(AxesOfId, AreTheLeadingWordsAndTheNamedValues) {
  const VariantAxes axes =
      axes_of_id("ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8/x=a=b");
  EXPECT_EQ(axes.value("probe"), "ring");
  EXPECT_EQ(axes.value("protocol"), "mbarrier");
  EXPECT_EQ(axes.value("mover"), "st_shared");
  EXPECT_EQ(axes.value("work"), "none");
  EXPECT_EQ(axes.value("wait"), "test_wait");
  EXPECT_EQ(axes.value("num_stages"), "8");
  EXPECT_EQ(axes.value("x"), "a=b");
  EXPECT_EQ(axes.value("arrival"), "warp");  // its default
  EXPECT_EQ(axes.value("no such axis"), "");
  EXPECT_EQ(axes_of_id("anchor/fma").value("protocol"), "fma");
}

TEST(WarpLayout, NamesUnitsPlacementAndSharing) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/p/m/w", "1 x 1 warps"},
      {"ring/p/m/w/producers=4/consumers=2", "4 x 2 warps"},
      {"ring/p/m/w/unit=warpgroup/consumers=2", "1 x 2 warpgroups"},
      {"ring/p/m/w/unit=parity", "1 x 1 half warps"},
      {"ring/p/m/w/roles=unified/producers=8/consumers=8", "8 unified warps"},
      {"ring/p/m/w/producers=2/consumers=2/placement=interleaved", "2 x 2 warps, interleaved"},
      {"ring/p/m/w/producers=2/consumers=2/sharing=turns", "2 x 2 warps, turns"}};
  for (const auto& [id, layout] : rows) EXPECT_EQ(axes_of_id(id).warp_layout(), layout) << id;
}

TEST(WaitedOn, NamesInstructionOperandHintAndBackOff) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/mbarrier/m/w", "try_wait"},
      {"ring/mbarrier/m/w/wait=test_wait", "test_wait"},
      {"ring/mbarrier/m/w/hint_ns=1000", "try_wait, hint 1000 ns"},
      {"ring/mbarrier/m/w/wait=test_wait/backoff_ns=20", "test_wait, back-off 20 ns"},
      {"ring/mbarrier/m/w/operand=state", "try_wait by state"},
      {"ring/cta_barrier/m/w", "barrier"}};
  for (const auto& [id, text] : rows) EXPECT_EQ(axes_of_id(id).waited_on(), text) << id;
}

TEST(ColumnValue, HasNoWaitWhereThereIsNone) {
  EXPECT_EQ(column_value(axes_of_id("ring/mbarrier/m/w"), "arrival"), "warp");
  EXPECT_EQ(column_value(axes_of_id("ring/cta_barrier/m/w"), "arrival"), "-");
}

TEST(ValueBefore, PutsTheDefaultFirstThenNumbersBySize) {
  std::vector<std::string> stages = {"16", "2", "4", "8", "1"};
  std::sort(stages.begin(), stages.end(), [](const std::string& a, const std::string& b) {
    return value_before("num_stages", a, b);
  });
  EXPECT_EQ(stages, (std::vector<std::string>{"4", "1", "2", "8", "16"}));
  EXPECT_TRUE(value_before("wait", "try_wait", "test_wait"));
  EXPECT_TRUE(value_before("protocol", "cta_barrier", "mbarrier"));
}

TEST(DefaultOf, CanDifferBetweenProbes) {
  EXPECT_EQ(default_of("path", "form"), "plain");
  EXPECT_EQ(default_of("path", "verb"), "ready");
  EXPECT_EQ(axes_of_id("form/none/none/none").value("path"), "plain");
  EXPECT_EQ(axes_of_id("verb/mbarrier/none/none").value("path"), "ready");
}

// Every axis that a template declares and that is known here has the default that the template
// gives.
TEST(DefaultOf, AgreesWithTheTemplates) {
  int compared = 0;
  for (const auto& file :
       fs::recursive_directory_iterator(source_root() / "templates")) {
    if (file.path().extension() != ".toml") continue;
    const auto parsed = toml::parse_file(file.path().string());
    const toml::array* axes = parsed["axis"].as_array();
    if (axes == nullptr) continue;
    for (const auto& node : *axes) {
      const toml::table& axis = *node.as_table();
      const std::string name = axis["name"].value_or("");
      const auto number = axis["default"].value<std::int64_t>();
      const std::string value = number ? std::to_string(*number) : axis["default"].value_or("");
      const std::string component = file.path().parent_path().filename();
      EXPECT_EQ(default_of(name, component), value) << file.path() << " " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 15);
}

}  // namespace
}  // namespace phasebit
