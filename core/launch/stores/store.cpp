#include "core/launch/stores/store.h"

#include "core/base/error.h"

#include <algorithm>
#include <bit>

namespace phasebit::launch::stores {
namespace {

// Sums below it are exact.
constexpr double exact_float = 1U << 24;

float as_float(std::uint32_t word) {
  return std::bit_cast<float>(word);
}

std::uint32_t floats_added(std::uint32_t old, std::uint32_t word, std::uint32_t times) {
  float sum = as_float(old);
  const float one = as_float(word);
  const double all = static_cast<double>(sum) + static_cast<double>(one) * times;
  if (all < exact_float) return std::bit_cast<std::uint32_t>(static_cast<float>(all));
  for (std::uint32_t n = 0; n < times; ++n) sum += one;
  return std::bit_cast<std::uint32_t>(sum);
}

// After the first time the value goes round in 0 .. bound, so many steps of 1 further.
std::uint32_t gone_round(std::uint32_t first, std::uint32_t bound, std::int64_t steps) {
  const std::int64_t length = std::int64_t{bound} + 1;
  const std::int64_t at = (std::int64_t{first} + steps) % length;
  return static_cast<std::uint32_t>(at < 0 ? at + length : at);
}

std::uint32_t least_signed(std::uint32_t a, std::uint32_t b) {
  return std::bit_cast<std::int32_t>(a) < std::bit_cast<std::int32_t>(b) ? a : b;
}

}  // namespace

const std::vector<std::string>& words_of(StoreOperation /*operation*/) {
  static const std::vector<std::string> words = {
      "store",   "add_u32", "add_u64", "add_f32", "min_u32", "min_s32", "max_u32",
      "max_s32", "inc_u32", "dec_u32", "and_b32", "or_b32",  "xor_b32"};
  return words;
}

const std::vector<std::string>& words_of(StoreRewrite /*rewrite*/) {
  static const std::vector<std::string> words = {"off", "plus_one", "byte_as_f32"};
  return words;
}

std::uint32_t stored_word(StoreOperation operation, std::uint32_t old, std::uint32_t word,
                          std::uint32_t times) {
  if (times == 0) return old;
  const std::int64_t again = std::int64_t{times} - 1;
  switch (operation) {
    case StoreOperation::store: return word;
    case StoreOperation::add_u32: return old + word * times;
    case StoreOperation::add_u64: bug("add_u64 of one word");
    case StoreOperation::add_f32: return floats_added(old, word, times);
    case StoreOperation::min_u32: return std::min(old, word);
    case StoreOperation::min_s32: return least_signed(old, word);
    case StoreOperation::max_u32: return std::max(old, word);
    case StoreOperation::max_s32: return least_signed(old, word) == old ? word : old;
    case StoreOperation::inc_u32: return gone_round(old >= word ? 0 : old + 1, word, again);
    case StoreOperation::dec_u32:
      return gone_round(old == 0 || old > word ? word : old - 1, word, -again);
    case StoreOperation::and_b32: return old & word;
    case StoreOperation::or_b32: return old | word;
    case StoreOperation::xor_b32: return times % 2 == 1 ? old ^ word : old;
  }
  bug("unknown store operation");
}

std::uint32_t rewritten(StoreRewrite rewrite, std::uint32_t word) {
  switch (rewrite) {
    case StoreRewrite::off: return word;
    case StoreRewrite::plus_one: return word + 1;
    case StoreRewrite::byte_as_f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(word & 0xff));
  }
  bug("unknown rewrite");
}

}  // namespace phasebit::launch::stores
