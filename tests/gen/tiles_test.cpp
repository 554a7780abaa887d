// Movers whose slots are tiles of a tensor map: what the plan makes of [tensor_map], and what it
// refuses.
#include "gen/kernel/kernel_file.h"
#include "gen/kernel/render.h"
#include "gen/kernel/variant_head.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/gen/plans.h"

#include <algorithm>

namespace phasebit::test {

using launch::tensor::TensorMap;

namespace {

const std::string tensor_ring = "ring/mbarrier_bulk/bulk_tensor/none/";

launch::VariantKey tiles_variant(const std::string& axes) {
  auto key = space::parse_variant(shipped(), tensor_ring + axes);
  EXPECT_TRUE(key) << key.error().text();
  return key.value_or(launch::VariantKey{});
}

struct MapRow {
  const char* axes;
  std::vector<std::int64_t> sizes, strides;
  std::vector<int> box;
};

// By hand: 4096 bytes are 32 rows of 128 bytes, 37 images of them are in the outermost dimension.
TEST(Tiles, AreImagesBehindEachOther) {
  const MapRow rows[] = {
      {"payload_bytes=1024/dimensions=1", {256 * 37}, {}, {256}},
      {"payload_bytes=4096", {32, 32 * 37}, {128}, {32, 32}},
      {"payload_bytes=4096/copies_a_stage=2", {32, 32 * 37}, {128}, {32, 16}},
      {"payload_bytes=4096/dimensions=3", {32, 2, 16 * 37}, {128, 256}, {32, 2, 16}},
      {"payload_bytes=4096/dimensions=5/row_bytes=64/element=f16",
       {32, 2, 2, 2, 8 * 37},
       {64, 128, 256, 512},
       {32, 2, 2, 2, 8}},
      {"payload_bytes=4096/dimensions=3/edge=partial", {28, 1, 16 * 37}, {128, 256}, {32, 2, 16}},
  };
  for (const MapRow& row : rows) {
    const kernel::Plan plan = plan_of(tiles_variant(row.axes));
    ASSERT_EQ(plan.launch.tensor_maps.size(), 1U) << row.axes;
    const TensorMap& map = plan.launch.tensor_maps.front();
    EXPECT_EQ(map.buffer, "payload_in");
    EXPECT_EQ(map.sizes, row.sizes) << row.axes;
    EXPECT_EQ(map.strides, row.strides) << row.axes;
    EXPECT_EQ(map.box, row.box) << row.axes;
    EXPECT_EQ(plan.launch.payload.period, 37);
  }
}

// The pattern of a swizzle begins with the slot: 1024 bytes for rows of 128.
TEST(Tiles, SlotsBeginWithThePatternOfTheSwizzle) {
  const kernel::Plan plain = plan_of(tiles_variant("payload_bytes=1024"));
  const kernel::Plan swizzled = plan_of(tiles_variant("payload_bytes=1024/swizzle=128B"));
  EXPECT_EQ(plain.payload_offset % 128, 0);
  EXPECT_EQ(swizzled.payload_offset, 1024);
  EXPECT_EQ(swizzled.launch.dynamic_shared_bytes, 1024 + 4 * 1024);
}

// Four CTAs copy a quarter of a slot each to all: 64 rows of 128 bytes are 16 a CTA. Two consumer
// warps of each CTA release to every one.
TEST(Tiles, OfAClusterAreSlicesOfItsCtas) {
  const auto key =
      space::parse_variant(shipped(),
                           "cluster_ring/mbarrier_cluster_bulk/multicast/none/consumers=2/"
                           "payload_bytes=8192/cluster_size=4");
  ASSERT_TRUE(key) << key.error().text();
  const kernel::Plan plan = plan_of(*key);
  const TensorMap& map = plan.launch.tensor_maps.front();
  EXPECT_EQ(map.box, (std::vector<int>{32, 16}));
  EXPECT_EQ(map.sizes, (std::vector<std::int64_t>{32, 64 * 37}));
  EXPECT_EQ(plan.launch.payload.tile.copies, 4);
  EXPECT_EQ(plan.launch.cluster_size, 4);
  EXPECT_EQ(plan.facts.full_arrivals, 1);
  EXPECT_EQ(plan.facts.empty_arrivals, 2 * 4);
}

TEST(Tiles, AreCopiedByTheInstructionsOfTheirMap) {
  const launch::VariantKey key = tiles_variant("payload_bytes=4096/dimensions=3/copies_a_stage=2");
  const kernel::Plan plan = plan_of(key);
  kernel::Renderer renderer(shipped(), base::source_root() / "templates");
  const auto rendered = renderer.render(key, plan, launch::Build::timed, "8.6", "sm_90");
  ASSERT_TRUE(rendered) << rendered.error().text();
  const auto& lines = rendered->kernel.statements;
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.starts_with(
                                "@p_copies cp.async.bulk.tensor.3d.shared::cta.global.tile."
                                "mbarrier::complete_tx::bytes [p_payload+");
                          }),
            2);
  const bool taken = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.ends_with("pb[96], .param .align 64 .b8 tile_map[128])");
  });
  EXPECT_TRUE(taken);
}

struct PixelRow {
  const char* axes;
  std::vector<std::int64_t> sizes;
  std::vector<int> offsets;
  int channels, pixels;
};

// By hand: 4096 bytes are 32 pixels of 128 bytes: a row of 32; 4 wide and 8 high; 4, 2 and 4. All
// of an image, whose 37 are the last dimension.
TEST(Tiles, OfIm2colAreAllPixelsOfAnImage) {
  const PixelRow rows[] = {
      {"mode=im2col/dimensions=3", {32, 32, 37}, {1}, 32, 32},
      {"mode=im2col/dimensions=3/copies_a_stage=2", {32, 16, 2 * 37}, {1}, 32, 16},
      {"mode=im2col/dimensions=4/tap=0", {32, 4, 8, 37}, {0, 0}, 32, 32},
      {"mode=im2col/dimensions=5/tap=2/element=f16", {64, 4, 2, 4, 37}, {2, 2, 2}, 64, 32},
  };
  for (const PixelRow& row : rows) {
    const kernel::Plan plan = plan_of(tiles_variant(std::string("payload_bytes=4096/") + row.axes));
    const TensorMap& map = plan.launch.tensor_maps.front();
    EXPECT_EQ(map.sizes, row.sizes) << row.axes;
    ASSERT_TRUE(map.im2col) << row.axes;
    EXPECT_EQ(map.im2col->channels, row.channels) << row.axes;
    EXPECT_EQ(map.im2col->pixels, row.pixels) << row.axes;
    EXPECT_EQ(map.im2col->lower, std::vector<int>(row.offsets.size(), -1)) << row.axes;
    EXPECT_EQ(plan.launch.payload.tile.offsets, row.offsets) << row.axes;
  }
}

// The filter's middle meets the image as it is; its first offset meets a pixel before the first.
TEST(Tiles, OfIm2colBeginOutsideOfTheImageAtTheFirstOffset) {
  const auto words = [](const char* tap) {
    const kernel::Plan plan = plan_of(
        tiles_variant(std::string("payload_bytes=4096/mode=im2col/dimensions=3/tap=") + tap));
    return launch::words_of_slot(plan.launch).value();
  };
  EXPECT_EQ(words("1")[32], (launch::tensor::TileWord{false, 32}));
  EXPECT_EQ(words("0")[31], (launch::tensor::TileWord{true, 0}));
  EXPECT_EQ(words("0")[32], (launch::tensor::TileWord{false, 0}));
  EXPECT_EQ(words("2")[0], (launch::tensor::TileWord{false, 32}));
  EXPECT_EQ(words("2")[31 * 32], (launch::tensor::TileWord{true, 0}));
}

// Two items of 1024 bytes in a slot, a tile each.
TEST(Tiles, OfSeveralItemsStandBehindEachOther) {
  const kernel::Plan plan = plan_of(tiles_variant("payload_bytes=1024/items_a_phase=2"));
  EXPECT_EQ(plan.slot_bytes, 2048);
  EXPECT_EQ(plan.launch.payload.tile.copies, 2);
  EXPECT_EQ(plan.launch.tensor_maps.front().sizes, (std::vector<std::int64_t>{32, 8 * 2 * 37}));
  EXPECT_EQ(plan.launch.unit, "cycles per 2 items");
  EXPECT_EQ(plan_of(tiles_variant("payload_bytes=4096/read=first")).launch.payload.thread_words, 4);
}

// Another tensor of the same sizes, in a buffer as large as all images.
TEST(Tiles, AreStoredByAMapLikeTheirs) {
  const auto key = space::parse_variant(
      shipped(), "write_back/mbarrier_bulk/tensor_store/none/payload_bytes=1024/reduction=xor_b32");
  ASSERT_TRUE(key) << key.error().text();
  const launch::LaunchShape launch = plan_of(*key).launch;
  ASSERT_EQ(launch.tensor_maps.size(), 2U);
  TensorMap map = launch.tensor_maps[0];
  map.name = "store_map";
  map.buffer = "stored";
  EXPECT_EQ(launch.tensor_maps[1], map);
  EXPECT_EQ(launch.stored, (launch::stores::StoreShape{"stored", "store_map",
                                                       launch::stores::StoreOperation::xor_b32,
                                                       launch::stores::StoreRewrite::plus_one}));
  ASSERT_EQ(launch.buffers.size(), 1U);
  EXPECT_EQ(launch.buffers[0].bytes, 37U * 1024U);
}

struct BadFact {
  const char *from, *to, *message;
};

class TileFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(base::source_root() / "templates", folder_.path(), fs::copy_options::recursive);
  }
  Folder folder_;
};

TEST_F(TileFactsTest, AreRefusedWhereTheyStand) {
  const std::string file = "movers/bulk_tensor/mover.toml", sound = folder_.read(file);
  const BadFact rows[] = {
      {"swizzle = \"{swizzle}\"", "swizzle = \"128\"", "swizzle: no '128' (did you mean '128B'?)"},
      {"element = \"{element}\"", "element = \"{elemnt}\"", "'elemnt'"},
      {"rank = \"dimensions\"", "",
       "[tensor_map]: lacks 'rank' (write rank = 2, or an expression)"},
      {"rank = \"dimensions\"", "ranks = 2", "ranks: no such key"},
  };
  for (const BadFact& row : rows) {
    std::string text = sound;
    ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
    text.replace(text.find(row.from), std::string(row.from).size(), row.to);
    folder_.write(file, text);
    const auto catalogue = space::Catalogue::load(folder_.path());
    ASSERT_FALSE(catalogue) << row.to;
    EXPECT_NE(folder_.text(catalogue.error()).find(row.message), std::string::npos)
        << folder_.text(catalogue.error());
  }
}

// Points that no rule prunes: the plan says which value is above which limit.
TEST_F(TileFactsTest, ABoxThatIsTooLargeIsAnErrorOfTheVariant) {
  const std::string file = "movers/bulk_tensor/mover.toml";
  std::string text = folder_.read(file);
  const std::string box =
      "\"(payload_bytes / copies_a_stage / row_bytes if dimensions == 3 else 4) if mode == "
      "'im2col' "
      "else 2 if dimensions > 2 else payload_bytes / copies_a_stage / row_bytes\"";
  ASSERT_NE(text.find(box), std::string::npos);
  text.replace(text.find(box), box.size(), "\"512\"");
  folder_.write(file, text);
  const auto catalogue = space::Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const auto key = space::parse_variant(*catalogue, tensor_ring + "payload_bytes=4096");
  ASSERT_TRUE(key);
  EXPECT_EQ(kernel::make_plan(*catalogue, *key).error().text(),
            "spec: " + tensor_ring +
                "payload_bytes=4096: tensor map: box: 512 elements in dimension 1 (1 to 256)");
}

}  // namespace
}  // namespace phasebit::test
