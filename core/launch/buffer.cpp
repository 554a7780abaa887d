#include "core/launch/buffer.h"

#include "core/base/error.h"
#include "core/launch/product/product.h"

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
constexpr std::size_t special_distance = 7;
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

std::vector<std::uint32_t> floats_of(const BufferFill& fill, std::size_t words) {
  std::mt19937 draw(fill.word);
  std::vector<std::uint32_t> made;
  made.reserve(words);
  for (std::size_t n = 0; n < std::min(words, float_words); ++n) {
    const auto first = static_cast<std::uint32_t>(draw());
    float value = 0;
    if (fill.kind == Kind::uniform)
      value = static_cast<float>(first >> 8U) * 0x1p-23F - 1;
    else
      value = normal_of(first, static_cast<std::uint32_t>(draw()));
    if (fill.kind == Kind::special && n % special_distance == 3)
      value = special_of(n / special_distance);
    made.push_back(std::bit_cast<std::uint32_t>(value));
  }
  for (std::size_t n = made.size(); n < words; ++n) made.push_back(made[n - float_words]);
  return made;
}

}  // namespace

std::optional<BufferFill> BufferFill::of_text(std::string_view text) {
  if (text == "none") return BufferFill{Kind::none, 0};
  if (text == "zero") return BufferFill{Kind::word, 0};
  if (text == "index") return BufferFill{Kind::index, 0};
  Kind kind = Kind::word;
  for (const auto& [mark, marked] : {std::pair{random_mark, Kind::random},
                                     {blocks_mark, Kind::blocks},
                                     {signs_mark, Kind::signs},
                                     {normal_mark, Kind::normal},
                                     {uniform_mark, Kind::uniform},
                                     {special_mark, Kind::special}}) {
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
  }
  bug("unknown fill");
}

std::vector<std::uint32_t> content_of(const Buffer& buffer) {
  std::vector<std::uint32_t> words;
  const Kind kind = buffer.fill.kind;
  if (kind == Kind::none || kind == Kind::word) return words;
  if (buffer.fill.is_float()) return floats_of(buffer.fill, buffer.words());
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
