// Memory that the bench makes for a kernel: one type for heads and for `--param`.
#pragma once

#include "core/base/fields.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::launch {

// Which numbers below a bound: one for all; each of them once, in a drawn order, then all again;
// any with the same chance; number k with a chance of 1 / (k + 1), as of words in a text (Zipf).
enum class IndexMix { same, distinct, even, zipf };
const std::vector<std::string>& words_of(IndexMix mix);
inline constexpr std::uint32_t most_indices = std::uint32_t{1} << 20;

// What a buffer holds when a launch begins, in words of 32 bits. `random` is std::mt19937 of the
// seed, a word a draw, so that a reader of the buffer can make the same. `blocks` is large data
// that kernels only read, so it is written once: each block of block_words is such draws from the
// seed, plus the block's number times payload_item_step. `signs` is large data as well: ones with a
// sign (core/launch/product/product.h) of the words seed, seed + 1, ..., again from the first
// after each sign_words of them. The last four are f32, of which the first float_words come again
// and again: `normal` of mean 0 and deviation 1, `uniform` from -1 to 1, and `special`: normal ones
// with NaN, infinities, zeros of both signs, subnormal and largest numbers among them, every
// seventh; `rare` has such a number in every 8191st place. Of bf16 (`halves`) each word has two of
// these numbers, rounded, the lower one first. `indices` are numbers below `bound`.
struct BufferFill {
  enum class Kind {
    none,
    word,
    index,
    random,
    blocks,
    signs,
    indices,
    normal,
    uniform,
    special,
    rare
  };
  bool is_float() const { return kind >= Kind::normal; }
  bool is_large() const { return kind == Kind::blocks || kind == Kind::signs || is_float(); }
  Kind kind = Kind::word;
  std::uint32_t word = 0;  // of all words, or the seed
  IndexMix mix = IndexMix::same;
  std::uint32_t bound = 0;  // of indices
  bool halves = false;      // floating-point numbers are bf16
  bool operator==(const BufferFill&) const = default;
  // "none" leaves what the last launch left; "zero", "index" (word n is n), "random:SEED",
  // "blocks:SEED", "signs:SEED", "normal:SEED", "uniform:SEED", "special:SEED", "rare:SEED",
  // "indices:MIX:BOUND:SEED", "bf16:" and one of the last four, or a number, that word throughout.
  // Nothing for another text.
  static std::optional<BufferFill> of_text(std::string_view text);
  static constexpr const char* forms =
      "zero, none, index, random:SEED, blocks:SEED, signs:SEED, normal:SEED, uniform:SEED, "
      "special:SEED, rare:SEED, bf16:normal:SEED (or another of these four), "
      "indices:MIX:BOUND:SEED or a number";
};

// By how much the payload of one item differs from that of the one before (launch.h), and one block
// of data from the one before.
inline constexpr std::uint32_t payload_item_step = 0x9E3779B1U;  // odd: swaps are seen
inline constexpr std::size_t block_words = std::size_t{1} << 20;
// 257 tiles of 64 KiB: a prime above the SMs of any GPU, so that no CTA that steps over so many
// tiles as there are CTAs meets the same content again and again.
inline constexpr std::size_t sign_words = std::size_t{257} << 14;
// A prime: no two tiles of a size hold the same before the data have come round so often.
inline constexpr std::size_t float_words = 1'048'573;
std::string to_string(const BufferFill& fill);

struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  BufferFill fill;
  std::size_t words() const { return static_cast<std::size_t>(bytes + 3) / 4; }
  bool operator==(const Buffer&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const Buffer* /*type*/) {
  visit("name", &Buffer::name, {.must = ""});
  visit("bytes", &Buffer::bytes, {.must = "write `bytes = 4096`"});
  visit("fill", &Buffer::fill);
}

// The words of a buffer; none of one that a fill by one word makes, or that is left as it is.
std::vector<std::uint32_t> content_of(const Buffer& buffer);
// The numbers of a buffer of floating-point numbers, of which so many come again and again.
std::vector<float> numbers_of(const Buffer& buffer);

}  // namespace phasebit::launch
