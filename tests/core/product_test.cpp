// The matrices that a slot holds, their products, and where a thread has them.
#include "core/launch/product/product.h"

#include "core/launch/launch.h"
#include "core/launch/tensor/tile.h"
#include "core/launch/verify.h"

#include <bit>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::product::Products;
using launch::product::ProductShape;

namespace {

std::uint32_t product_bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// A slot whose element k of row r of a block is `element(block, r, k)`, laid out as the copy engine
// lays a swizzle of a row's bytes.
template <typename Element>
std::vector<std::uint32_t> slot_of(const ProductShape& shape, Element element) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(shape.slot_bytes() / 4), 0);
  const int rows = shape.rows + shape.columns;
  for (int block = 0; block < shape.blocks; ++block)
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < shape.depth; ++k) {
        const auto half = product_bits(static_cast<float>(element(block, row, k))) >> 16;
        const auto swizzle = shape.depth == 64 ? launch::tensor::TensorSwizzle::by_128
                                               : launch::tensor::TensorSwizzle::by_64;
        const std::int64_t place =
            launch::tensor::swizzled(swizzle, (block * rows + row) * shape.row_bytes() + 2 * k);
        words[static_cast<std::size_t>(place / 4)] |= half << (place % 4 == 0 ? 0 : 16);
      }
  return words;
}

// A is the unit matrix, so row r and column c of the product is element r of B's row c: 8 r + c,
// which a bf16 holds up to 256.
int unit_and_numbers(const ProductShape& shape, int row, int k) {
  if (row < shape.rows) return row == k ? 1 : 0;
  return k < 32 ? 8 * k + (row - shape.rows) : 0;
}

std::uint32_t folded(const std::vector<float>& words, std::uint32_t multiplier) {
  std::uint32_t checksum = 0;
  for (const float word : words) checksum = checksum * multiplier + product_bits(word);
  return checksum;
}

// PTX ISA, Register Fragments for wgmma.mma_async.m64nNk16, D: lane l of a warp has, of each eight
// columns, 2 (l % 4) and the next of rows l / 4 and l / 4 + 8. Here that is 2 l, 2 l + 1, and 64
// more.
TEST(Product, ALaneHasItsPartOfTheFragment) {
  const ProductShape shape{32, 8, 1};
  Products products;
  products.add(shape, slot_of(shape, [&](int /*block*/, int row, int k) {
                 return unit_and_numbers(shape, row, k);
               }));
  for (int lane = 0; lane < 32; ++lane) {
    const auto l = static_cast<float>(lane);
    EXPECT_EQ(products.checksum({1}, lane, 3),
              folded({2 * l, 2 * l + 1, 2 * l + 64, 2 * l + 65}, 3))
        << lane;
    // The next warp has 16 rows more, 8 * 16 in each word; three items are three times as much.
    EXPECT_EQ(
        products.checksum({3}, 32 + lane, 3),
        folded({3 * (2 * l + 128), 3 * (2 * l + 129), 3 * (2 * l + 192), 3 * (2 * l + 193)}, 3))
        << lane;
  }
}

// Rows of 64 bytes, swizzled by 64: the same product.
TEST(Product, OfHalfTheDepthIsReadFromItsOwnSwizzle) {
  const ProductShape shape{32, 8, 1, 32};
  Products products;
  products.add(shape, slot_of(shape, [&](int /*block*/, int row, int k) {
                 return unit_and_numbers(shape, row, k);
               }));
  EXPECT_EQ(products.checksum({1}, 3, 3), folded({6, 7, 70, 71}, 3));
  EXPECT_EQ(products.checksum({1}, 35, 3), folded({134, 135, 198, 199}, 3));
}

// Groups of eight columns one after the other: of column c the numbers are c more.
TEST(Product, ColumnsFollowInGroupsOfEight) {
  const ProductShape shape{16, 16, 1};
  Products products;
  products.add(shape, slot_of(shape, [&](int /*block*/, int row, int k) {
                 return unit_and_numbers(shape, row, k);
               }));
  EXPECT_EQ(products.checksum({1}, 5, 7), folded({10, 11, 74, 75, 18, 19, 82, 83}, 7));
}

TEST(Product, BlocksAndImagesAddUp) {
  const ProductShape shape{16, 8, 2};
  Products products;
  const auto image_times = [&](int times) {
    return slot_of(shape, [&, times](int block, int row, int k) {
      const int number = unit_and_numbers(shape, row, k);
      return row < shape.rows || block == 0 ? number : times * number;
    });
  };
  products.add(shape, image_times(1));   // 2 x
  products.add(shape, image_times(-2));  // -1 x
  EXPECT_EQ(products.checksum({3, 4}, 1, 5), folded({4, 6, 132, 134}, 5));
  // Two items of the first and four of the other are nothing: zeros without a sign.
  EXPECT_EQ(products.checksum({2, 4}, 1, 5), 0U);
  EXPECT_EQ(products.checksum({}, 1, 5), 0U);
}

// 16 + 8 rows of 128 bytes are 768 words; a warp has 16 rows.
TEST(Product, OfAShapeThatIsNoneIsSaid) {
  const struct {
    ProductShape shape;
    launch::product::Slot slot;
    const char* why;
  } rows[] = {{{16, 8, 1}, {768, 32, 37}, ""},
              {{}, {768, 32, 0}, ""},
              {{12, 12, 1}, {768, 32, 37}, "12 rows and 12 columns are not multiples of 16 and 8"},
              {{16, 8, 1, 32}, {384, 32, 37}, ""},
              {{16, 8, 1, 48}, {576, 32, 37}, "rows of 48 elements: 32 or 64"},
              {{16, 8, 2},
               {768, 32, 37},
               "matrices of 16 and 8 rows, 2 times, take 1536 words, a slot has 768"},
              {{16, 8, 1}, {768, 64, 37}, "64 threads multiply 32 rows, 16 are read"},
              {{16, 8, 1}, {768, 32, 0}, "its slots have images, whose number is `period`"}};
  for (const auto& row : rows)
    EXPECT_EQ(launch::product::why_unknown(row.shape, row.slot), row.why);
}

// By the arithmetic of templates/common/as_signs.ptx, in Python.
TEST(Product, WordsBecomeSigns) {
  const struct {
    std::uint32_t word, signs;
  } rows[] = {{0, 0x3f803f80},
              {1, 0x3f803f80},
              {2, 0xbf80bf80},
              {0xffffffff, 0xbf80bf80},
              {0x12345678, 0x3f80bf80}};
  for (const auto& row : rows)
    EXPECT_EQ(launch::product::signs_of(row.word), row.signs) << row.word;
}

TEST(Product, ItemsOfAUnitByTheirImages) {
  launch::LaunchShape shape;
  shape.payload.period = 3;
  launch::RoleSlice slice;
  EXPECT_EQ(launch::items_by_image(shape, slice, 7), (std::vector<std::uint32_t>{3, 2, 2}));
  shape.consumer_turns = 2;
  EXPECT_EQ(launch::items_by_image(shape, slice, 7), (std::vector<std::uint32_t>{2, 1, 1}));
  slice.unit = 1;  // items 1, 3, 5
  EXPECT_EQ(launch::items_by_image(shape, slice, 7), (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(launch::items_by_image(shape, slice, 1), (std::vector<std::uint32_t>{0, 0, 0}));
}

// Word w of image i is the signs of seed + i steps + w, wherever a tensor copy puts it.
TEST(Product, ImagesAreSignsOfThePayload) {
  launch::LaunchShape shape;
  shape.payload.product = {16, 8, 1};
  shape.payload.words_per_slot = shape.payload.product.slot_bytes() / 4;
  shape.payload.period = 2;
  const Products made = products_of(shape, 9, {});
  Products wanted;
  for (std::uint32_t first : {9U, 9U + launch::payload_item_step}) {
    std::vector<std::uint32_t> slot;
    for (std::uint32_t word = 0; word < 768; ++word)
      slot.push_back(launch::product::signs_of(first + word));
    wanted.add(shape.payload.product, slot);
  }
  EXPECT_EQ(made.checksum({5, 2}, 3, 11), wanted.checksum({5, 2}, 3, 11));
  EXPECT_NE(made.checksum({5, 2}, 3, 11), wanted.checksum({2, 5}, 3, 11));
}

// What verify_launch expects of them.

constexpr ProductShape tile = {16, 8, 1};

// Element k of a row of item's slot, where a swizzle of 128 bytes puts it: 1 or -1.
float sign_of(std::uint32_t seed, std::uint32_t item, std::uint32_t row, std::uint32_t k) {
  const std::uint32_t byte = (128 * row + 2 * k) ^ ((row % 8) << 4);
  const std::uint32_t first = seed + item % 2 * launch::payload_item_step;
  const std::uint32_t word = launch::product::signs_of(first + byte / 4);
  return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1.0F : -1.0F;
}

// Item after item, in f32, as the tensor core adds them up.
float accumulated(std::uint32_t seed, std::uint32_t items, std::uint32_t row,
                  std::uint32_t column) {
  float sum = 0;
  for (std::uint32_t item = 0; item < items; ++item)
    for (std::uint32_t k = 0; k < 64; ++k)
      sum += sign_of(seed, item, row, k) * sign_of(seed, item, 16 + column, k);
  return sum;
}

TEST(Product, ChecksumsAreThoseOfItemsOneByOne) {
  launch::LaunchShape shape;
  shape.threads = 64;
  shape.slices = {{0, 0, 1, launch::Role::producer}, {1, 0, 1, launch::Role::consumer}};
  shape.payload.words_per_slot = tile.slot_bytes() / 4;
  shape.payload.consumer_threads = 32;
  shape.payload.period = 2;
  shape.payload.product = tile;
  launch::ExpectedChecksums expected(shape, 77);
  for (const std::uint32_t items : {0U, 1U, 5U})
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint32_t wanted = 0;
      for (const std::uint32_t row : {lane / 4, lane / 4 + 8})
        for (const std::uint32_t column : {lane % 4 * 2, lane % 4 * 2 + 1})
          wanted = wanted * launch::payload_checksum_multiplier +
                   std::bit_cast<std::uint32_t>(accumulated(77, items, row, column));
      EXPECT_EQ(expected.after(items).at(32 + lane), wanted) << items << " items, lane " << lane;
    }
}

// Tiles of a grid's data, wherever a launch begins: 257 * 64 KiB are 514 tiles of 32 KiB, and then
// they come again.
TEST(Product, SumsOfAGridAreThoseOfItsTiles) {
  launch::LaunchShape shape;
  shape.sms = 2;
  shape.payload.product = {128, 128, 1};
  shape.data = {600 * 32768, 32768, 1};
  shape.buffers = {{"data", 600 * 32768, {launch::BufferFill::Kind::signs, 5}}};
  const std::vector<std::uint32_t> words = launch::content_of(shape.buffers[0]);
  const auto total = [&](std::uint32_t tile) {
    const auto sign = [&](std::uint32_t row, std::uint32_t k) {
      const std::uint32_t byte = (128 * row + 2 * k) ^ ((row % 8) << 4);
      const std::uint32_t word = words[tile % 600 * 8192 + byte / 4];
      return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1 : -1;
    };
    // The sum of a product is that of the products of both matrices' sums, element by element.
    int sum = 0;
    for (std::uint32_t k = 0; k < 64; ++k) {
      int a = 0, b = 0;
      for (std::uint32_t row = 0; row < 128; ++row) {
        a += sign(row, k);
        b += sign(128 + row, k);
      }
      sum += a * b;
    }
    return static_cast<std::uint32_t>(sum);
  };
  launch::ExpectedChecksums expected(shape, 0);
  EXPECT_EQ(expected.sum_after(0, 3), 0U);
  EXPECT_EQ(expected.sum_after(1, 512), total(512) + total(513));
  EXPECT_EQ(expected.sum_after(1, 513), total(513) + total(514));
  EXPECT_EQ(total(514), total(0));
  EXPECT_EQ(expected.sum_after(2, 598), total(598) + total(599) + total(0) + total(1));
}

// A tensor copy swizzles what lies row by row in the data, and the product takes that back. Tiles
// of 48 KiB begin at 148 places of what repeats.
TEST(Product, SumsOfATensorCopyAreThoseOfPlainRows) {
  constexpr std::uint32_t tiles = 1100, tile_words = 49152 / 4;
  launch::LaunchShape shape;
  shape.sms = 3;
  shape.payload.product = {128, 256, 1};
  shape.payload.tile = {"tiles", {0, 0}, 2};
  shape.data = {std::int64_t{4} * tiles * tile_words, 4 * tile_words, 1};
  shape.buffers = {{"data", 4 * tiles * tile_words, {launch::BufferFill::Kind::signs, 5}}};
  launch::tensor::TensorMap map;
  map.name = "tiles";
  map.buffer = "data";
  map.element = launch::tensor::TensorElement::bf16;
  map.sizes = {64, 384 * tiles};
  map.strides = {128};
  map.box = {64, 192};
  map.swizzle = launch::tensor::TensorSwizzle::by_128;
  shape.tensor_maps = {map};
  const std::vector<std::uint32_t> words = launch::content_of(shape.buffers[0]);
  const auto total = [&](std::uint32_t tile) {
    int sum = 0;
    for (std::uint32_t k = 0; k < 64; ++k) {
      int a = 0, b = 0;
      for (std::uint32_t row = 0; row < 384; ++row) {
        const std::uint32_t word = words[tile % tiles * tile_words + row * 32 + k / 2];
        (row < 128 ? a : b) += (word >> (k % 2 == 0 ? 15 : 31) & 1U) == 0 ? 1 : -1;
      }
      sum += a * b;
    }
    return static_cast<std::uint32_t>(sum);
  };
  launch::ExpectedChecksums expected(shape, 0);
  EXPECT_EQ(total(1028), total(0));
  EXPECT_NE(total(148), total(0));
  for (const std::uint32_t first : {0U, 48U, 1026U, 1098U})
    EXPECT_EQ(expected.sum_after(1, first), total(first) + total(first + 1) + total(first + 2))
        << first;
}

TEST(Product, TotalIsTheSumOfAllElements) {
  std::vector<std::uint32_t> slot;
  for (std::uint32_t word = 0; word < 2 * static_cast<std::uint32_t>(tile.slot_bytes()) / 4; ++word)
    slot.push_back(launch::product::signs_of(77 + word));
  float sum = 0;
  for (std::uint32_t block = 0; block < 2; ++block)
    for (std::uint32_t row = 0; row < 16; ++row)
      for (std::uint32_t column = 0; column < 8; ++column)
        for (std::uint32_t k = 0; k < 64; ++k) {
          const std::uint32_t first = 77 + block * 24 * 32;
          const auto sign = [&](std::uint32_t at) {
            const std::uint32_t byte = (128 * at + 2 * k) ^ ((at % 8) << 4);
            const std::uint32_t word = launch::product::signs_of(first + byte / 4);
            return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1.0F : -1.0F;
          };
          sum += sign(row) * sign(16 + column);
        }
  EXPECT_EQ(static_cast<std::int32_t>(launch::product::total_of({16, 8, 2}, slot)),
            static_cast<std::int32_t>(sum));
}

}  // namespace
}  // namespace phasebit::test
