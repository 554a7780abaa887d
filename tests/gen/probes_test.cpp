// Variants of specs/probes.toml have a plan and a text, and what is timed is there.
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/kernel/requirements.h"
#include "gen/space/variants.h"
#include "tests/home.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::VariantKey;
using space::Catalogue;

namespace {

const fs::path root = base::source_root();

std::vector<VariantKey> variants_of(const Catalogue& catalogue, const std::string& sweep) {
  const auto spec = space::load_spec(test::home(), root / "specs" / "probes.toml", catalogue);
  if (!spec) bug(spec.error().text());
  auto expansion = space::expand(catalogue, *spec, sweep);
  if (!expansion) bug(expansion.error().text());
  std::vector<VariantKey> some;  // a prime step meets every value of every axis
  for (size_t i = 0; i < expansion->variants.size(); i += 7) some.push_back(expansion->variants[i]);
  return some;
}

class ProbeSweep : public testing::TestWithParam<const char*> {
 protected:
  ProbeSweep() : catalogue_(Catalogue::load(root / "templates").value()) {}
  Catalogue catalogue_;
};

TEST_P(ProbeSweep, HasEveryTimedVerbInTheTimedRole) {
  kernel::Renderer renderer(catalogue_, root / "templates");
  const auto variants = variants_of(catalogue_, GetParam());
  ASSERT_FALSE(variants.empty());
  for (const VariantKey& key : variants) {
    const auto plan = kernel::make_plan(catalogue_, key);
    ASSERT_TRUE(plan) << plan.error().text();
    const auto rendered = renderer.render(key, *plan, launch::Build::timed, "9.3", "sm_90");
    ASSERT_TRUE(rendered) << key.id << ": " << rendered.error().text();
    std::set<std::string> verbs;
    int starts = 0;
    for (const launch::SourceLine& line : rendered->kernel.source) {
      verbs.insert(line.verb);
      starts += line.verb == "clock_start" ? 1 : 0;
    }
    EXPECT_GT(starts, 0) << key.id;
    for (const std::string& verb : plan->timed_verbs)
      EXPECT_TRUE(verbs.contains(verb)) << key.id << " has no " << verb;
    EXPECT_FALSE(plan->launch.slices.empty()) << key.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Probes, ProbeSweep,
                         testing::Values("verbs", "response", "interference", "fanin", "entangle"));

}  // namespace
}  // namespace phasebit::test
