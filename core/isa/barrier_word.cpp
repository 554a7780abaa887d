#include "core/isa/barrier_word.h"

#include <fmt/format.h>

namespace phasebit::isa {
namespace {

std::uint32_t bits(std::uint64_t word, int low, int width) {
  return static_cast<std::uint32_t>((word >> low) & ((1ULL << width) - 1));
}

// Arrivals are stored as their negative, modulo 2^20, so that the last one carries into the parity.
std::uint32_t negative(std::uint64_t word, int low) {
  constexpr std::uint32_t size = 1U << 20;
  return (size - bits(word, low, 20)) % size;
}

}  // namespace

std::optional<BarrierWord> decode_barrier_word(std::uint64_t word, int sm) {
  if (sm != 90) return std::nullopt;
  constexpr int tx_width = 21;
  BarrierWord decoded;
  decoded.layout = static_cast<int>(bits(word, 0, 1));
  decoded.expected_arrivals = negative(word, 1);
  // A byte that is announced counts down.
  const auto tx = static_cast<std::int32_t>(bits(word, 21, tx_width));
  decoded.pending_bytes = -(tx >= 1 << (tx_width - 1) ? tx - (1 << tx_width) : tx);
  decoded.pending_arrivals = negative(word, 43);
  decoded.parity = static_cast<int>(bits(word, 63, 1));
  return decoded;
}

std::string describe_barrier_word(std::uint64_t word, int sm) {
  const auto decoded = decode_barrier_word(word, sm);
  if (!decoded) return fmt::format("word {:#018x}", word);
  return fmt::format("word {:#018x}: parity {}, {} of {} arrivals and {} bytes pending", word,
                     decoded->parity, decoded->pending_arrivals, decoded->expected_arrivals,
                     decoded->pending_bytes);
}

}  // namespace phasebit::isa
