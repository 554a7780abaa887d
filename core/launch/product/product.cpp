#include "core/launch/product/product.h"

#include "core/base/error.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace phasebit::launch::product {

namespace {

constexpr int lanes = 32;

std::size_t index_of(int number) {
  return static_cast<std::size_t>(number);
}

// A bf16 is the upper half of an f32.
int whole_number(std::uint32_t half) {
  return static_cast<int>(std::lround(std::bit_cast<float>(half << 16)));
}

// Of a row of a block: a swizzle gives atoms of 16 bytes other places. One of 128 bytes goes by the
// row's number modulo 8, one of 64 bytes by that of a pair of rows modulo 4.
std::vector<short> elements_of(const std::vector<std::uint32_t>& slot, int depth, int row) {
  constexpr int atom = 8;  // elements
  const int turn = depth == most_depth ? row % 8 : row / 2 % 4;
  std::vector<short> elements;
  elements.reserve(index_of(depth));
  for (int k = 0; k < depth; ++k) {
    const int place = row * depth + ((k / atom) ^ turn) * atom + k % atom;
    const std::uint32_t word = slot[index_of(place / 2)];
    const std::uint32_t half = place % 2 == 0 ? word & 0xffffU : word >> 16;
    elements.push_back(static_cast<short>(whole_number(half)));
  }
  return elements;
}

int dot(const std::vector<short>& a, const std::vector<short>& b) {
  int sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

// Two multiplications: neighbours, and images, share nothing that the signs would show.
std::uint32_t signs_of(std::uint32_t word) {
  word *= 0x9E3779B1U;
  word ^= word >> 15;
  word *= 0x85EBCA77U;
  return (word & 0x80008000U) | 0x3F803F80U;
}

// Of each element of depth: all of A's column times all of B's.
std::uint32_t total_of(const ProductShape& shape, const std::vector<std::uint32_t>& slot) {
  if (slot.size() * 4 != index_of(shape.slot_bytes())) bug("a slot of another size");
  std::uint32_t total = 0;
  for (int block = 0; block < shape.blocks; ++block) {
    const int first = block * (shape.rows + shape.columns);
    std::vector<int> a(index_of(shape.depth), 0), b(a);
    for (int row = 0; row < shape.rows + shape.columns; ++row) {
      const std::vector<short> elements = elements_of(slot, shape.depth, first + row);
      std::vector<int>& sums = row < shape.rows ? a : b;
      for (std::size_t k = 0; k < elements.size(); ++k) sums[k] += elements[k];
    }
    for (std::size_t k = 0; k < a.size(); ++k) total += static_cast<std::uint32_t>(a[k] * b[k]);
  }
  return total;
}

void Products::add(const ProductShape& shape, const std::vector<std::uint32_t>& slot) {
  if (slot.size() * 4 != index_of(shape.slot_bytes())) bug("a slot of another size");
  shape_ = shape;
  std::vector<int>& image = images_.emplace_back(index_of(shape.rows * shape.columns), 0);
  for (int block = 0; block < shape.blocks; ++block) {
    const int first = block * (shape.rows + shape.columns);
    std::vector<std::vector<short>> all;
    for (int row = 0; row < shape.rows + shape.columns; ++row)
      all.push_back(elements_of(slot, shape.depth, first + row));
    for (int row = 0; row < shape.rows; ++row)
      for (int column = 0; column < shape.columns; ++column)
        image[index_of(row * shape.columns + column)] +=
            dot(all[index_of(row)], all[index_of(shape.rows + column)]);
  }
}

std::uint32_t Products::checksum(const std::vector<std::uint32_t>& item_counts, int rank,
                                 std::uint32_t multiplier) const {
  const int lane = rank % lanes, first_row = rank / lanes * warp_rows + lane / 4;
  std::uint32_t checksum = 0;
  for (int n = 0; n < shape_.accumulators(); ++n) {
    const int row = first_row + (n % 4 < 2 ? 0 : 8), column = n / 4 * 8 + lane % 4 * 2 + n % 2;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < images_.size() && i < item_counts.size(); ++i)
      sum += std::int64_t{item_counts[i]} * images_[i][index_of(row * shape_.columns + column)];
    checksum = checksum * multiplier + std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  }
  return checksum;
}

std::string why_unknown(const ProductShape& product, const Slot& slot) {
  if (product.rows == 0) return "";
  if (product.rows % warp_rows != 0 || product.columns % 8 != 0 || product.columns == 0)
    return fmt::format("{} rows and {} columns are not multiples of {} and 8", product.rows,
                       product.columns, warp_rows);
  if (product.depth != most_depth && product.depth != most_depth / 2)
    return fmt::format("rows of {} elements: {} or {}", product.depth, most_depth / 2, most_depth);
  if (product.slot_bytes() != 4 * slot.words)
    return fmt::format("matrices of {} and {} rows, {} times, take {} words, a slot has {}",
                       product.rows, product.columns, product.blocks, product.slot_bytes() / 4,
                       slot.words);
  if (slot.threads != 2 * product.rows)
    return fmt::format("{} threads multiply {} rows, {} are read", slot.threads, slot.threads / 2,
                       product.rows);
  if (slot.images <= 0) return "its slots have images, whose number is `period`";
  return "";
}

}  // namespace phasebit::launch::product
