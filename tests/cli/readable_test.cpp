// Curated listings read back to what was rendered.
#include "gen/readable.h"

#include "cli/prepare.h"
#include "tests/cli/spaces.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

TEST(Readable, EveryCuratedVariantReadsBackToItsStatementsAndWhereTheyBelong) {
  const Space space = test::space_of("curated");
  ASSERT_FALSE(space.expansion.variants.empty());
  for (const VariantKey& variant : space.expansion.variants) {
    for (const Build build : {Build::timed, Build::guarded}) {
      SCOPED_TRACE(variant.id + ", " + to_string(build));
      const auto rendered = render_one(space.templates, space.catalogue, variant, build);
      ASSERT_TRUE(rendered) << rendered.error().text();
      const std::string text = readable_module(variant, *rendered);
      const auto read = read_readable(text, "text.ptx", build);
      ASSERT_TRUE(read) << read.error().text();
      const Kernel &before = rendered->kernel, &after = read->kernel;
      EXPECT_EQ(after.entry, before.entry);
      EXPECT_EQ(after.build, before.build);
      EXPECT_EQ(after.ptx_version, before.ptx_version);
      EXPECT_EQ(after.ptx_target, before.ptx_target);
      EXPECT_EQ(after.statements, before.statements);
      EXPECT_EQ(after.hash, before.hash);
      ASSERT_EQ(after.source.size(), before.source.size());
      for (size_t i = 0; i < before.source.size(); ++i) {
        SCOPED_TRACE(before.statements[i]);
        EXPECT_EQ(after.source[i].file, before.source[i].file);
        EXPECT_EQ(after.source[i].verb, before.source[i].verb);
        EXPECT_EQ(after.source[i].role, before.source[i].role);
      }
      ASSERT_EQ(read->listing.size(), rendered->listing.size());
      for (size_t i = 0; i < read->listing.size(); ++i)
        EXPECT_EQ(read->listing[i].text, rendered->listing[i].text);
    }
  }
}

}  // namespace
}  // namespace phasebit
