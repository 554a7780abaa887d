// Every curated variant's file read back: to what was rendered, and to what the gate asks.
#include "gen/kernel/kernel_file.h"

#include "gen/kernel/head_plan.h"
#include "gen/kernel/requirements.h"
#include "gen/space/variants.h"
#include "join/images/prepare.h"
#include "tests/app/spaces.h"
#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using join::images::render_one;
using kernel::HeadingLines;
using kernel::kernel_file;
using kernel::read_kernel;
using launch::Build;
using launch::VariantKey;
using ptx::head::write_head;

namespace {

// As files have it: without axes at their defaults.
std::string written_head(const join::select::Space& space, const ptx::head::Head& head) {
  return write_head(head, space::default_axes(space.catalogue, head.key));
}

TEST(KernelFile, EveryCuratedVariantReadsBackToWhatWasRendered) {
  const join::select::Space space = test::space_of("curated");
  ASSERT_FALSE(space.expansion.variants.empty());
  for (const VariantKey& variant : space.expansion.variants) {
    SCOPED_TRACE(variant.id);
    const auto rendered = render_one(space.templates, space.catalogue, variant, Build::timed);
    ASSERT_TRUE(rendered) << rendered.error().text();
    for (const HeadingLines lines : {HeadingLines::shown, HeadingLines::left_out}) {
      const auto read = read_kernel(kernel_file(space.catalogue, *rendered, lines), "text.ptx");
      ASSERT_TRUE(read) << read.error().text();
      const ptxas::Kernel &before = rendered->kernel, &after = read->kernel;
      EXPECT_EQ(after.entry, before.entry);
      EXPECT_EQ(after.build, before.build);
      EXPECT_EQ(after.ptx_version, before.ptx_version);
      EXPECT_EQ(after.ptx_target, before.ptx_target);
      EXPECT_EQ(after.statements, before.statements);
      EXPECT_EQ(after.hash, before.hash);
      ASSERT_EQ(after.source.size(), before.source.size());
      for (size_t i = 0; i < before.source.size(); ++i) {
        SCOPED_TRACE(before.statements[i]);
        EXPECT_EQ(after.source[i].verb, before.source[i].verb);
        EXPECT_EQ(after.source[i].role, before.source[i].role);
      }
      EXPECT_EQ(write_head(read->head), written_head(space, rendered->head));
      ptx::head::Head head = read->head;
      const Status completed = kernel::complete_head(space.catalogue, head);
      ASSERT_TRUE(completed) << completed.error().text();
      EXPECT_EQ(written_head(space, head), written_head(space, rendered->head));
      EXPECT_EQ(launch::launch_signature(read->head.launch),
                launch::launch_signature(rendered->head.launch));
      EXPECT_EQ(head.key.axes, variant.axes);
      EXPECT_EQ(head.key.hash, variant.hash);
    }
  }
}

// What is checked against a text, its key and itself is true of all that is rendered.
class ShippedSweep : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ShippedSweep, HasHeadsThatAgreeWithTheirTexts) {
  auto request = test::at_home<join::select::SpaceRequest>();
  request.spec = (test::home().data / "specs" / (std::string(GetParam().first) + ".toml")).string();
  request.sweep = GetParam().second;
  request.limit = 60;
  const auto space = join::select::open_space(request);
  ASSERT_TRUE(space) << space.error().text();
  ASSERT_FALSE(space->expansion.variants.empty());
  for (const VariantKey& variant : space->expansion.variants) {
    const auto rendered = render_one(space->templates, space->catalogue, variant, Build::timed);
    ASSERT_TRUE(rendered) << rendered.error().text();
    const auto read = read_kernel(kernel_file(space->catalogue, *rendered), "text.ptx");
    ASSERT_TRUE(read) << variant.id << ": " << read.error().text();
    const auto key = kernel::check_head_key(space->catalogue, read->head);
    ASSERT_TRUE(key) << variant.id << ": " << key.error().text();
    const Status plan = kernel::check_head_plan(space->catalogue, read->head, *key);
    EXPECT_TRUE(plan) << variant.id << ": " << plan.error().text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    KernelFile, ShippedSweep,
    testing::Values(std::pair("core", "core"), std::pair("cluster", "cluster"),
                    std::pair("forms", "forms"), std::pair("probes", "verbs"),
                    std::pair("probes", "response"), std::pair("probes", "interference"),
                    std::pair("probes", "fanin"), std::pair("probes", "entangle"),
                    std::pair("protocols", "protocols"), std::pair("protocols", "newer"),
                    std::pair("barrier_word", "barrier_word"), std::pair("products", "products"),
                    std::pair("products", "mma_sync")),
    [](const auto& sweep) { return std::string(sweep.param.second); });

// It has functions of the guard's: a file that goes to ptxas as it is, with the same head.
TEST(KernelFile, AGuardedBuildReadsBackWithItsHead) {
  const join::select::Space space = test::space_of("curated");
  const VariantKey& variant = space.expansion.variants.front();
  const auto rendered = render_one(space.templates, space.catalogue, variant, Build::guarded);
  ASSERT_TRUE(rendered) << rendered.error().text();
  const auto read = read_kernel(kernel_file(space.catalogue, *rendered), "text.ptx");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->kernel.as_is);
  EXPECT_EQ(read->kernel.build, Build::guarded);
  EXPECT_EQ(read->kernel.entry, rendered->kernel.entry);
  EXPECT_EQ(write_head(read->head), written_head(space, rendered->head));
}

}  // namespace
}  // namespace phasebit::test
