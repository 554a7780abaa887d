#include "core/launch/buffer.h"

#include "core/base/error.h"
#include "core/launch/product/product.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <random>

namespace phasebit::launch {
namespace {

using Kind = BufferFill::Kind;

constexpr std::string_view random_mark = "random:";
constexpr std::string_view blocks_mark = "blocks:";
constexpr std::string_view signs_mark = "signs:";

std::optional<std::uint32_t> number_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, hex ? 16 : 10);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

}  // namespace

std::optional<BufferFill> BufferFill::of_text(std::string_view text) {
  if (text == "none") return BufferFill{Kind::none, 0};
  if (text == "zero") return BufferFill{Kind::word, 0};
  if (text == "index") return BufferFill{Kind::index, 0};
  Kind kind = Kind::word;
  for (const auto& [mark, marked] : {std::pair{random_mark, Kind::random},
                                     {blocks_mark, Kind::blocks},
                                     {signs_mark, Kind::signs}}) {
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
  }
  bug("unknown fill");
}

std::vector<std::uint32_t> content_of(const Buffer& buffer) {
  std::vector<std::uint32_t> words;
  const Kind kind = buffer.fill.kind;
  if (kind == Kind::none || kind == Kind::word) return words;
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
