#include "core/launch/buffer.h"

#include "core/base/error.h"
#include "core/launch/product/product.h"
#include "core/launch/workload/bf16.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

namespace phasebit::launch {
namespace {

using Kind = BufferFill::Kind;

constexpr std::string_view random_mark = "random:";
constexpr std::string_view blocks_mark = "blocks:";
constexpr std::string_view signs_mark = "signs:";
constexpr std::string_view normal_mark = "normal:";
constexpr std::string_view uniform_mark = "uniform:";
constexpr std::string_view special_mark = "special:";
constexpr std::string_view rare_mark = "rare:";
constexpr std::string_view indices_mark = "indices:";
constexpr std::string_view halves_mark = "bf16:";

std::optional<std::uint32_t> number_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, hex ? 16 : 10);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

// Box and Muller, so that every library draws the same.
float normal_of(std::uint32_t radius, std::uint32_t angle) {
  constexpr double all = 4294967296.0;  // 2^32
  const double u = (radius + 0.5) / all, turn = 2 * std::numbers::pi * (angle / all);
  return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(turn));
}

// What arithmetic must not trip over. A prime distance, so that each comes to every place of a
// vector.
constexpr std::size_t special_distance = 7, rare_distance = 8191;
float special_of(std::size_t n) {
  using Limits = std::numeric_limits<float>;
  constexpr float values[] = {Limits::quiet_NaN(),
                              Limits::infinity(),
                              -Limits::infinity(),
                              0.0F,
                              -0.0F,
                              Limits::denorm_min(),
                              -0x1.fffffcp-127F,
                              Limits::min(),
                              Limits::max(),
                              Limits::lowest()};
  return values[n % std::size(values)];
}

std::vector<float> floats_of(const BufferFill& fill, std::size_t count) {
  std::mt19937 draw(fill.word);
  const std::size_t distance = fill.kind == Kind::special ? special_distance
                               : fill.kind == Kind::rare  ? rare_distance
                                                          : float_words;
  std::vector<float> made;
  made.reserve(count);
  for (std::size_t n = 0; n < std::min(count, float_words); ++n) {
    const auto first = static_cast<std::uint32_t>(draw());
    float value = 0;
    if (fill.kind == Kind::uniform)
      value = static_cast<float>(first >> 8U) * 0x1p-23F - 1;
    else
      value = normal_of(first, static_cast<std::uint32_t>(draw()));
    if (distance < float_words && n % distance == 3) value = special_of(n / distance);
    made.push_back(value);
  }
  return made;
}

// In pairs the numbers come again after twice as many.
std::vector<std::uint32_t> float_words_of(const BufferFill& fill, std::size_t words) {
  const std::vector<float> values = floats_of(fill, fill.halves ? 2 * words : words);
  std::vector<std::uint32_t> made;
  made.reserve(words);
  const auto half = [&](std::size_t n) {
    return static_cast<std::uint32_t>(workload::bf16_of(values[n % values.size()]));
  };
  for (std::size_t n = 0; n < words; ++n)
    made.push_back(fill.halves ? half(2 * n) | half(2 * n + 1) << 16U
                               : std::bit_cast<std::uint32_t>(values[n % values.size()]));
  return made;
}

// The remainder of a draw, so that every library draws the same.
std::vector<std::uint32_t> indices_of(const BufferFill& fill, std::size_t words) {
  std::mt19937 draw(fill.word);
  const auto below = [&](std::size_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
  std::vector<std::uint32_t> made(words), order;
  std::vector<double> sums;  // of the chances of 0 to k
  if (fill.mix == IndexMix::distinct) {
    order.resize(fill.bound);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[below(n)]);
  }
  for (std::uint32_t k = 0; fill.mix == IndexMix::zipf && k < fill.bound; ++k)
    sums.push_back((sums.empty() ? 0 : sums.back()) + 1.0 / (k + 1.0));
  const std::uint32_t all = below(fill.bound);
  for (std::size_t n = 0; n < words; ++n) switch (fill.mix) {
      case IndexMix::same: made[n] = all; break;
      case IndexMix::distinct: made[n] = order[n % order.size()]; break;
      case IndexMix::even: made[n] = below(fill.bound); break;
      case IndexMix::zipf:
        made[n] = static_cast<std::uint32_t>(
            std::upper_bound(sums.begin(), sums.end() - 1,
                             static_cast<double>(draw()) * 0x1p-32 * sums.back()) -
            sums.begin());
        break;
    }
  return made;
}

// "MIX:BOUND:SEED"
std::optional<BufferFill> indices_of_text(std::string_view text) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || second == text.npos) return {};
  const auto mix = base::value_of_word<IndexMix>(text.substr(0, first));
  const auto bound = number_of(text.substr(first + 1, second - first - 1));
  const auto seed = number_of(text.substr(second + 1));
  if (!mix || !bound || *bound == 0 || *bound > most_indices || !seed) return {};
  return BufferFill{Kind::indices, *seed, *mix, *bound};
}

}  // namespace

const std::vector<std::string>& words_of(IndexMix /*mix*/) {
  static const std::vector<std::string> words = {"same", "distinct", "even", "zipf"};
  return words;
}

std::optional<BufferFill> BufferFill::of_text(std::string_view text) {
  if (text == "none") return BufferFill{Kind::none, 0};
  if (text == "zero") return BufferFill{Kind::word, 0};
  if (text == "index") return BufferFill{Kind::index, 0};
  if (text.starts_with(indices_mark)) return indices_of_text(text.substr(indices_mark.size()));
  if (text.starts_with(halves_mark)) {
    auto fill = of_text(text.substr(halves_mark.size()));
    if (!fill || !fill->is_float() || fill->halves) return {};
    fill->halves = true;
    return fill;
  }
  Kind kind = Kind::word;
  for (const auto& [mark, marked] : {std::pair{random_mark, Kind::random},
                                     {blocks_mark, Kind::blocks},
                                     {signs_mark, Kind::signs},
                                     {normal_mark, Kind::normal},
                                     {uniform_mark, Kind::uniform},
                                     {special_mark, Kind::special},
                                     {rare_mark, Kind::rare}}) {
    if (!text.starts_with(mark)) continue;
    kind = marked;
    text.remove_prefix(mark.size());
    break;
  }
  const auto number = number_of(text);
  if (!number) return {};
  return BufferFill{kind, *number};
}

std::string to_string(const BufferFill& fill) {
  if (fill.halves) {
    BufferFill whole = fill;
    whole.halves = false;
    return std::string(halves_mark) + to_string(whole);
  }
  switch (fill.kind) {
    case Kind::none: return "none";
    case Kind::word: return fill.word == 0 ? "zero" : fmt::format("{}", fill.word);
    case Kind::index: return "index";
    case Kind::random: return fmt::format("{}{}", random_mark, fill.word);
    case Kind::blocks: return fmt::format("{}{}", blocks_mark, fill.word);
    case Kind::signs: return fmt::format("{}{}", signs_mark, fill.word);
    case Kind::normal: return fmt::format("{}{}", normal_mark, fill.word);
    case Kind::uniform: return fmt::format("{}{}", uniform_mark, fill.word);
    case Kind::special: return fmt::format("{}{}", special_mark, fill.word);
    case Kind::rare: return fmt::format("{}{}", rare_mark, fill.word);
    case Kind::indices:
      return fmt::format("{}{}:{}:{}", indices_mark, base::word_of(fill.mix), fill.bound,
                         fill.word);
  }
  bug("unknown fill");
}

std::vector<float> numbers_of(const Buffer& buffer) {
  const BufferFill& fill = buffer.fill;
  std::vector<float> values = floats_of(fill, fill.halves ? 2 * buffer.words() : buffer.words());
  if (fill.halves)
    for (float& one : values) one = workload::value_of_bf16(workload::bf16_of(one));
  return values;
}

std::vector<std::uint32_t> content_of(const Buffer& buffer) {
  std::vector<std::uint32_t> words;
  const Kind kind = buffer.fill.kind;
  if (kind == Kind::none || kind == Kind::word) return words;
  if (buffer.fill.is_float()) return float_words_of(buffer.fill, buffer.words());
  if (kind == Kind::indices) return indices_of(buffer.fill, buffer.words());
  words.resize(buffer.words());
  if (kind == Kind::index) {
    std::iota(words.begin(), words.end(), 0U);
    return words;
  }
  if (kind == Kind::signs) {
    for (std::size_t n = 0; n < words.size(); ++n)
      words[n] = product::signs_of(buffer.fill.word + static_cast<std::uint32_t>(n % sign_words));
    return words;
  }
  std::mt19937 draw(buffer.fill.word);
  const std::size_t drawn =
      kind == Kind::blocks ? std::min(words.size(), block_words) : words.size();
  for (std::size_t n = 0; n < drawn; ++n) words[n] = static_cast<std::uint32_t>(draw());
  for (std::size_t n = drawn; n < words.size(); ++n)
    words[n] = words[n - block_words] + payload_item_step;
  return words;
}

}  // namespace phasebit::launch
