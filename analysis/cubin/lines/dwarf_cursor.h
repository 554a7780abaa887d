// Reads DWARF's numbers and strings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace phasebit {

// A reader that never passes its end: after that it delivers zeros and says so.
class DwarfCursor {
 public:
  DwarfCursor(std::string_view bytes, std::size_t position) : bytes_(bytes), position_(position) {}
  std::size_t position() const { return position_; }
  bool overrun() const { return overrun_; }
  bool at_end() const { return position_ >= bytes_.size(); }
  // The same place in what ends at `end`.
  DwarfCursor until(std::size_t end) const { return {bytes_.substr(0, end), position_}; }

  void skip(std::uint64_t count) {
    if (count > bytes_.size() - position_) overrun_ = true;
    position_ += std::min<std::uint64_t>(count, bytes_.size() - position_);
  }
  template <typename T>
  T fixed() {
    T value{};
    if (bytes_.size() - position_ >= sizeof value)
      std::memcpy(&value, bytes_.data() + position_, sizeof value);
    skip(sizeof value);
    return value;
  }
  // An offset into a section: 4 bytes, or 8 in the 64-bit format.
  std::uint64_t offset(bool is_64_bit) {
    return is_64_bit ? fixed<std::uint64_t>() : fixed<std::uint32_t>();
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift = std::min(shift + 7, 70)) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift = std::min(shift + 7, 70)) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }
  // Up to the next zero byte, which is consumed; one that is missing is an overrun.
  std::string_view string() {
    const std::string_view rest = bytes_.substr(position_);
    const std::string_view text = rest.substr(0, rest.find('\0'));
    skip(text.size() + 1);
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t position_;
  bool overrun_ = false;
};

}  // namespace phasebit
