// All that the templates make can be padded: the curated sweep, and one variant of each probe,
// protocol and mover of the core sweep.
#include "analysis/cubin/change/padding.h"
#include "core/launch/bundle.h"
#include "gen/space/compilers.h"
#include "join/bundle/pack.h"
#include "join/images/gate_images.h"
#include "tests/app/spaces.h"
#include "tests/home.h"
#include "tests/padded/padded.h"

#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::change::pad_cubin;
using join::images::Prepared;
using launch::Build;
using launch::Image;
using launch::read_module;

namespace {

const std::vector<const char*> targets = {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"};

join::images::Tools tools_without_cache() {
  join::images::ToolOptions options;
  options.home = test::home();
  options.no_cache = true;
  auto tools = join::images::open_tools(options);
  if (!tools) bug(tools.error().text());
  return std::move(*tools);
}

std::vector<Prepared> prepared_variants() {
  auto all = join::images::prepare(test::space_of("curated"), Build::timed, 0);
  if (!all) bug(all.error().text());
  join::select::Space core = test::space_of("core");
  std::set<std::string> seen;
  std::vector<launch::VariantKey> kept;
  for (const launch::VariantKey& key : core.expansion.variants)
    if (seen.insert(key.value("probe") + key.value("protocol") + key.value("mover")).second)
      kept.push_back(key);
  core.expansion.variants = std::move(kept);
  auto others = join::images::prepare(core, Build::timed, 0);
  if (!others) bug(others.error().text());
  for (Prepared& one : *others)
    if (std::none_of(all->begin(), all->end(),
                     [&](const Prepared& known) { return known.key.id == one.key.id; }))
      all->push_back(std::move(one));
  return std::move(*all);
}

TEST(Placement, OfAllThatTheTemplatesMake) {
  join::images::Tools tools = tools_without_cache();
  const std::vector<Prepared> prepared = prepared_variants();
  std::vector<join::images::CodeColumn> columns;
  for (const char* target : targets) columns.push_back({target, {}});
  const std::vector<join::images::ImageSet> sets =
      join::images::make_images(tools, prepared, columns);
  for (std::size_t column = 0; column < sets.size(); ++column) {
    std::set<std::string> modules;
    std::size_t images = 0;
    for (const Result<Image>& image : sets[column].images)
      if (image) modules.insert(image->module), ++images;
    // Protocols that need sm_90 are refused for older targets.
    EXPECT_GT(images, 10U) << targets[column];
    for (const std::string& hash : modules) {
      const std::string code = ptxas::module_code(*sets[column].assembly, nullptr, hash).value();
      for (const int padding : {16, 208, 1024}) {
        SCOPED_TRACE(fmt::format("{} by {}", targets[column], padding));
        const auto padded = pad_cubin(code, padding);
        ASSERT_TRUE(padded) << padded.error().text();
        test::expect_padded(code, *padded, static_cast<std::size_t>(padding));
        // With lines on one target: nvdisasm takes seconds.
        if (padding == 208)
          test::expect_same_listing(tools.toolchain.nvdisasm.string(), code, *padded, 208,
                                    columns[column].target == "sm_90a" ? "-g" : "");
      }
    }
  }
}

// The gate looks at the padded code, and its window holds none of the padding.
TEST(Placement, AVariantWithPaddingIsGatedAndKeepsItsClass) {
  join::images::Tools tools = tools_without_cache();
  auto disassembler = join::images::open_disassembler(tools);
  ASSERT_TRUE(disassembler) << disassembler.error().text();
  std::vector<Prepared> prepared = prepared_variants();
  prepared.resize(12);
  const std::size_t count = prepared.size();
  const space::Catalogue catalogue = test::space_of("curated").catalogue;
  for (std::size_t i = 0; i < count; ++i) {
    Prepared padded = prepared[i];
    padded.key = space::with_choice(catalogue, padded.key, {{"padding", "208"}});
    padded.choice = space::assembler_of(catalogue, padded.key);
    EXPECT_TRUE(padded.key.id.ends_with("/padding=208"));
    prepared.push_back(std::move(padded));
  }
  const std::vector<join::images::CodeColumn> column = {{"sm_90a", {}}};
  std::vector<join::images::ImageSet> sets = join::images::make_images(tools, prepared, column);
  ASSERT_TRUE(join::images::gate_images(tools, *disassembler, prepared, column, sets));
  std::size_t gated = 0;
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(prepared[i].key.id);
    const Result<Image>&plain = sets[0].images[i], &padded = sets[0].images[count + i];
    ASSERT_EQ(plain.has_value(), padded.has_value());
    if (!plain) continue;  // needs a later target
    ++gated;
    EXPECT_EQ(padded->sass_class, plain->sass_class);
    EXPECT_NE(padded->text_hash, plain->text_hash);
    EXPECT_EQ(padded->padding_bytes, 208);
    EXPECT_EQ(padded->base_module, plain->module);
    EXPECT_EQ(padded->gate.verdict, launch::GateVerdict::passed) << padded->gate.reason;
    ASSERT_EQ(padded->census.size(), plain->census.size());
    for (std::size_t n = 0; n < plain->census.size(); ++n) {
      EXPECT_EQ(padded->census[n].hot, plain->census[n].hot);
      EXPECT_EQ(padded->census[n].cold, plain->census[n].cold);
      EXPECT_EQ(padded->census[n].beside, plain->census[n].beside);
    }
  }
  EXPECT_GT(gated, 5U);
}

// What the bench loads of a bundle, with padding of the variant's own and of the repetition's.
TEST(Placement, ABundleHoldsEachModuleOnce) {
  join::bundle::PackRequest request;
  request.space = test::at_home<join::select::SpaceRequest>();
  request.space.spec = (test::home().data / "specs/curated.toml").string();
  request.space.sweep = "curated";
  request.space.filter = "handoff/";
  request.space.overrides = {"padding=0:64:32"};
  request.tools.home = test::home();
  request.tools.no_cache = true;
  request.anchors = false;
  const auto packing = join::bundle::pack(request);
  ASSERT_TRUE(packing) << packing.error().text();
  auto folder = base::TempDir::create();
  ASSERT_TRUE(folder && join::bundle::write_packing(folder->path(), *packing));
  const auto manifest = launch::read_manifest(folder->path());
  ASSERT_TRUE(manifest) << manifest.error().text();
  std::set<int> paddings;
  std::set<std::string> bases, guards;
  for (const launch::BundleVariant& variant : manifest->variants) {
    SCOPED_TRACE(variant.key.id);
    const Image& timed = *variant.image(Build::timed);
    paddings.insert(timed.padding_bytes);
    EXPECT_TRUE(launch::can_be_padded(folder->path(), timed));
    const std::string& base = timed.padding_bytes == 0 ? timed.module : timed.base_module;
    const std::string code = packing->modules.at(base);
    bases.insert(base);
    const auto loaded = read_module(folder->path(), timed);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(*loaded == pad_cubin(code, timed.padding_bytes).value());
    const int repetition = timed.padding_bytes == 0 ? 208 : timed.padding_bytes;
    EXPECT_TRUE(read_module(folder->path(), timed, 208).value() ==
                pad_cubin(code, repetition).value());
    if (const Image* guarded = variant.image(Build::guarded)) {
      guards.insert(guarded->module);
      EXPECT_EQ(guarded->padding_bytes, 0);
      EXPECT_FALSE(launch::can_be_padded(folder->path(), *guarded));
      EXPECT_TRUE(read_module(folder->path(), *guarded));
    }
  }
  EXPECT_EQ(paddings, (std::set<int>{0, 32, 64}));
  EXPECT_EQ(packing->modules.size(), bases.size() + guards.size());
  EXPECT_EQ(packing->moves.size(), bases.size());
}

}  // namespace
}  // namespace phasebit::test
