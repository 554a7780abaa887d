#include "core/image/whole.h"

#include <cstring>

namespace phasebit::image {

const std::vector<std::string>& words_of(WholeParameter::Kind /*kind*/) {
  static const std::vector<std::string> words = {"value", "buffer", "items"};
  return words;
}

std::vector<std::byte> parameter_block(const WholeLaunch& whole, std::uint32_t items,
                                       const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> block(static_cast<std::size_t>(whole.parameter_bytes));
  std::size_t buffer = 0;
  for (const WholeParameter& one : whole.parameters) {
    std::uint64_t bits = one.value;
    switch (one.kind) {
      case WholeParameter::Kind::value: break;
      case WholeParameter::Kind::items: bits = items; break;
      case WholeParameter::Kind::buffer: bits = addresses[buffer++]; break;
    }
    // Little-endian, as the GPU is.
    std::memcpy(&block[static_cast<std::size_t>(one.offset)], &bits,
                static_cast<std::size_t>(one.bytes));
  }
  return block;
}

}  // namespace phasebit::image
