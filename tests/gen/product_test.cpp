// Works that multiply the matrices of a slot: what the plan makes of [product], the text of a late
// release, and what is refused.
#include "gen/kernel/render.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/gen/plans.h"

#include <algorithm>

namespace phasebit::test {

namespace {

// Two warpgroups, a tile of 128 x 256 x 64.
const std::string product_ring = "ring/mbarrier_bulk/bulk/wgmma/granularity=warpgroup/consumers=2/";
const std::string tile = "payload_bytes=49152/tile_n=256";

launch::VariantKey product_variant(const std::string& id) {
  auto key = space::parse_variant(shipped(), id);
  EXPECT_TRUE(key) << key.error().text();
  return key.value_or(launch::VariantKey{});
}

std::vector<std::string> statements_of(const std::string& id) {
  kernel::Renderer renderer(shipped(), base::source_root() / "templates");
  const launch::VariantKey key = product_variant(id);
  auto made = renderer.render(key, plan_of(key), launch::Build::timed, "8.6", "sm_90a");
  EXPECT_TRUE(made) << made.error().text();
  return made ? made->kernel.statements : std::vector<std::string>{};
}

long count(const std::vector<std::string>& statements, const std::string& start) {
  return std::count_if(statements.begin(), statements.end(),
                       [&](const std::string& statement) { return statement.starts_with(start); });
}

// 128 rows of A and 256 of B, 128 bytes each, are 48 KiB; the pattern of the swizzle is 1024 bytes;
// sums of 64 ones an item are exact for 2^18 items.
TEST(ProductPlan, IsOfTheTile) {
  const kernel::Plan plan = plan_of(product_variant(product_ring + tile));
  EXPECT_EQ(plan.launch.payload.product, (launch::product::ProductShape{128, 256, 1}));
  EXPECT_EQ(plan.slot_bytes, 49152);
  EXPECT_EQ(plan.payload_offset % 1024, 0);
  EXPECT_EQ(plan.launch.max_items, 1 << 18);
  EXPECT_TRUE(plan.launch.fixed_warps);
  EXPECT_EQ(plan.consumer.moves, 0);
  EXPECT_EQ(plan.launch.payload.period, launch::copied_payload_period);
}

TEST(ProductPlan, RefusesASlotOfAnotherSize) {
  launch::VariantKey key = product_variant(product_ring + tile);
  for (auto& [axis, value] : key.axes)
    if (axis == "payload_bytes") value = "32768";
  const auto plan = kernel::make_plan(shipped(), key);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(),
            fmt::format("spec: {}: [product] matrices of 128 and 256 rows, 1 times, take 12288 "
                        "words, a slot has 8192 (payload_bytes=49152)",
                        key.id));
}

TEST(ProductPlan, TwoItemsAPhaseAreTwiceTheDepth) {
  const kernel::Plan plan = plan_of(product_variant(
      product_ring + "num_stages=2/items_a_phase=2/payload_bytes=32768/tile_n=128"));
  EXPECT_EQ(plan.launch.payload.product, (launch::product::ProductShape{128, 128, 2}));
  EXPECT_EQ(plan.slot_bytes, 65536);
  EXPECT_EQ(plan.launch.max_items, 1 << 17);
}

// Slots that are filled once: item i has image i modulo num_stages, with a protocol and without.
TEST(ProductPlan, PrefilledSlotsAreTheirOwnImages) {
  for (const char* protocol : {"none", "mbarrier"}) {
    const kernel::Plan plan = plan_of(product_variant(
        fmt::format("ring/{}/prefilled/wgmma/granularity=warpgroup/consumers=2/num_stages=3/{}",
                    protocol, tile)));
    EXPECT_EQ(plan.launch.payload.period, 3);
    EXPECT_EQ(plan.phases_checked, std::string(protocol) == "none" ? 0 : 6);
  }
}

// A grid multiplies data of its own: no images, and the sum of all accumulators.
TEST(ProductPlan, OfAStreamIsOfItsData) {
  const std::string stream =
      "stream/mbarrier_bulk/bulk/wgmma/granularity=producer_warp/consumers=2/payload_bytes=32768";
  const kernel::Plan plan = plan_of(product_variant(stream));
  EXPECT_EQ(plan.launch.payload.product, (launch::product::ProductShape{128, 128, 1}));
  EXPECT_EQ(plan.launch.payload.words_per_slot, 0);
  EXPECT_EQ(launch::to_string(plan.launch.buffers.at(0).fill), "signs:1");
  const auto text = statements_of(stream);
  EXPECT_EQ(count(text, "wgmma.mma_async"), 4);
  EXPECT_EQ(count(text, "cvt.rni.s32.f32"), 64);
}

// 8 GiB are 174,762 tiles of 48 KiB and a rest, 16 MiB are 341. A box has 192 rows, a tile two.
TEST(ProductPlan, OfATensorStreamIsOfTheTilesOfItsMap) {
  const std::string stream =
      "stream/mbarrier_bulk/bulk_tensor/wgmma/granularity=producer_warp/consumers=2/tile_n=256/"
      "payload_bytes=49152/copies_a_stage=2/swizzle=128B/element=bf16";
  const launch::LaunchShape launch = plan_of(product_variant(stream)).launch;
  EXPECT_EQ(launch.data.bytes, 174762LL * 49152);
  ASSERT_EQ(launch.tensor_maps.size(), 1U);
  EXPECT_EQ(launch.tensor_maps[0].buffer, "data");
  EXPECT_EQ(launch.tensor_maps[0].sizes, (std::vector<std::int64_t>{64, 384 * 174762LL}));
  EXPECT_EQ(launch.payload.tile.map, launch.tensor_maps[0].name);
  EXPECT_EQ(plan_of(product_variant(stream + "/resident=l2")).launch.data.bytes, 341 * 49152);
  const auto text = statements_of(stream + "/resident=l2");
  EXPECT_EQ(count(text, "rem.u32 p_tile, p_tile, 341;"), 1);
  EXPECT_EQ(count(text, "rem.u32 p_stride, p_stride, 341;"), 1);
  EXPECT_EQ(count(text, "@p_copies cp.async.bulk.tensor.2d"), 2);
  EXPECT_EQ(count(text, "mad.lo.u32 place, p_image, 384, 192;"), 1);
  EXPECT_EQ(count(text, "ld.param.u64 p_source_base"), 0);
}

TEST(ProductText, FourStepsOfWgmmaAnItem) {
  const auto text = statements_of(product_ring + tile);
  EXPECT_EQ(count(text, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "), 4);
  EXPECT_EQ(count(text, "wgmma.fence"), 1);
  EXPECT_EQ(count(text, "wgmma.wait_group.sync.aligned 0;"), 1);
  EXPECT_EQ(count(text, "ld.shared"), 1);  // the ticket: no words of the slot
}

// The slot of the item before: after its group, and the last one after the loop.
TEST(ProductText, AGroupInFlightReleasesTheSlotBefore) {
  const auto text = statements_of(product_ring + tile + "/in_flight=1/arrival=warp");
  EXPECT_EQ(count(text, "wgmma.wait_group.sync.aligned 1;"), 1);
  EXPECT_EQ(count(text, "wgmma.wait_group.sync.aligned 0;"), 1);
  long behind = 0;
  for (const std::string& statement : text)
    if (statement.find("mbarrier.arrive") != std::string::npos &&
        statement.find("[c_behind+32]") != std::string::npos)
      ++behind;
  EXPECT_EQ(behind, 2);
}

// 128 columns are eight pairs of eight: 4 steps of 1 + 8 loads and 16 products.
TEST(ProductText, MmaSyncLoadsAndMultiplies) {
  const auto text =
      statements_of("ring/mbarrier_bulk/bulk/mma_sync/consumers=4/payload_bytes=24576");
  EXPECT_EQ(count(text, "ldmatrix"), 36);
  EXPECT_EQ(count(text, "mma.sync"), 64);
}

TEST(ProductFacts, RefuseWhatIsMissingOrUnknown) {
  const std::string works = "[works]\nproducer = \"1 == 0\"\nconsumer = \"1 == 1\"\namount = 0\n";
  const std::pair<std::string, std::string> rows[] = {
      {"[product]\nrows = 64\n",
       ":5: [product]: lacks 'columns' (write columns = 128, or an expression)"},
      {"[product]\ncolumns = 64\n",
       ":5: [product]: lacks 'rows' (write rows = 64, or an expression)"},
      {"[product]\nrows = 64\ncolumns = 8\nblcoks = 2\n",
       ":8: blcoks: no such key (did you mean 'blocks'?)"}};
  for (const auto& [text, message] : rows) {
    Folder folder;
    folder.copy_fixture();
    folder.write("work/own/work.toml", works + text);
    const auto catalogue = space::Catalogue::load(folder.path());
    ASSERT_FALSE(catalogue) << text;
    EXPECT_EQ(folder.text(catalogue.error()), "spec: work/own/work.toml" + message);
  }
}

struct RefusedRow {
  std::string id, reason;
};

TEST(ProductRules, RefuseWhatIsNoTile) {
  const RefusedRow rows[] = {
      {product_ring + "payload_bytes=32768/tile_n=256",
       "payload_bytes = 2 * tile_k * (64 * consumers + tile_n)"},
      {product_ring + tile + "/in_flight=1/num_stages=1",
       "a slot that is kept for the group under way"},
      {product_ring + tile + "/read=first", "matrices are read as a whole"},
      {"ring/mbarrier/st_shared/wgmma/granularity=warpgroup/payload_bytes=24576",
       "the slot holds matrices that the async proxy sees"},
      {"ring/mbarrier_bulk/bulk/wgmma/payload_bytes=24576", "a warpgroup multiplies"},
      {"ring/none/st_shared/none", "protocol none"}};
  for (const RefusedRow& row : rows) {
    const auto key = space::parse_variant(shipped(), row.id);
    ASSERT_FALSE(key) << row.id;
    EXPECT_NE(key.error().text().find(row.reason), std::string::npos) << key.error().text();
  }
}

}  // namespace
}  // namespace phasebit::test
