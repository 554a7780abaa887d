// The payload of a slot, word for word that of our rings (core/launch/launch.h, PayloadShape).
#pragma once

#include "bench/peers/frame.cuh"

namespace phasebit::peers {

// A slot holds the payloads of all items of a phase, one behind the other.
inline constexpr unsigned slot_words = PEER_PAYLOAD_BYTES / 4 * PEER_ITEMS_A_PHASE;
inline constexpr unsigned readers = PEER_CONSUMERS * lanes;
static_assert(slot_words % lanes == 0 && slot_words % readers == 0,
              "a word for each thread, or several");
inline constexpr unsigned words_a_lane = slot_words / lanes;  // of a warp that writes alone
inline constexpr unsigned words_a_reader = slot_words / readers;
// A consumer loads four words at once where it has as many.
inline constexpr unsigned vector_words = words_a_reader % 4 == 0 ? 4 : 1;

// The slots are the dynamic shared memory, as in our rings.
using Slots = std::uint32_t (*)[slot_words];
PEER_INLINE Slots slots_of_cta() {
  extern __shared__ __align__(128) std::uint32_t dynamic[];
  return reinterpret_cast<Slots>(dynamic);
}

// Word w of item i is seed + i * step + w. A producer keeps the first of its lane.
PEER_INLINE std::uint32_t first_value(const Frame& frame) {
  return frame.seed + frame.lane * words_a_lane;
}

PEER_INLINE void fill(std::uint32_t* slot, const Frame& frame, std::uint32_t& value) {
  if constexpr (words_a_lane % 4 == 0) {
    for (unsigned word = 0; word < words_a_lane; word += 4)
      *reinterpret_cast<uint4*>(slot + frame.lane * words_a_lane + word) =
          uint4{value + word, value + word + 1, value + word + 2, value + word + 3};
  } else {
    for (unsigned word = 0; word < words_a_lane; ++word)
      slot[frame.lane * words_a_lane + word] = value + word;
  }
  value += launch::payload_item_step;
}

// `reader` is the thread's number among those that read a slot.
PEER_INLINE void drain(const std::uint32_t* slot, unsigned reader, std::uint32_t& checksum) {
  for (unsigned move = 0; move < words_a_reader / vector_words; ++move) {
    const std::uint32_t* words = slot + vector_words * (move * readers + reader);
    if constexpr (vector_words == 4) {
      const uint4 word = *reinterpret_cast<const uint4*>(words);
      checksum = checksum * launch::payload_checksum_multiplier + word.x;
      checksum = checksum * launch::payload_checksum_multiplier + word.y;
      checksum = checksum * launch::payload_checksum_multiplier + word.z;
      checksum = checksum * launch::payload_checksum_multiplier + word.w;
    } else {
      checksum = checksum * launch::payload_checksum_multiplier + *words;
    }
  }
}

// Where the payload is copied: images of a slot in global memory, item i that of i modulo their
// number. All threads of the CTA write them; a CTA barrier must follow.
inline constexpr unsigned num_images = launch::copied_payload_period;

PEER_INLINE std::uint32_t* write_images(const KernelParams& params, const Frame& frame,
                                        unsigned threads) {
  auto* images = reinterpret_cast<std::uint32_t*>(params.payload_in);
#pragma unroll 1
  for (unsigned at = frame.tid; at < num_images * slot_words; at += threads)
    images[at] = frame.seed + at / slot_words * launch::payload_item_step + at % slot_words;
  return images;
}

// The image of the next item.
struct Source {
  const std::uint32_t* images;
  unsigned image = 0;
  PEER_INLINE const std::uint32_t* words() const { return images + image * slot_words; }
  PEER_INLINE void advance() { image = image + 1 == num_images ? 0 : image + 1; }
};

}  // namespace phasebit::peers
