// The payload of a slot, word for word that of our rings (core/launch/launch.h, PayloadShape).
#ifndef PEER_HEADER_PAYLOAD
#define PEER_HEADER_PAYLOAD

#include "bench/peers/frame.cuh"

namespace phasebit::PEER_SPACE {

inline constexpr unsigned slot_words = PEER_PAYLOAD_BYTES / 4;
// Threads that share a slot.
inline constexpr unsigned writers = (turns ? 1 : producers) * lanes;
inline constexpr unsigned readers = (turns ? 1 : consumers) * lanes;
static_assert(slot_words % readers == 0, "a word for each thread, or several");
inline constexpr unsigned words_a_reader = slot_words / readers;
// A consumer loads four words at once where it has as many.
inline constexpr unsigned vector_words = words_a_reader % 4 == 0 ? 4 : 1;

// The slots are the dynamic shared memory, as in our rings.
using Slots = std::uint32_t (*)[slot_words];
PEER_INLINE Slots slots_of_cta() {
  extern __shared__ __align__(128) std::uint32_t dynamic[];
  return reinterpret_cast<Slots>(dynamic);
}

// Words that a producer computes and stores: word w of item i is seed + i * step + w. Lanes store
// next to one another, four words at once where a thread has as many, so that no bank is hit twice.
struct Stored {
  static constexpr unsigned words = slot_words / writers;  // of a thread
  static_assert(words > 0, "a part of every slot is each thread's");
  static constexpr unsigned together = words % 4 == 0 ? 4 : 1;
  unsigned first;
  std::uint32_t value;
  PEER_INLINE explicit Stored(const Frame& frame)
      : first(frame.tid * together), value(frame.seed + first) {}
};

PEER_INLINE void fill(Stored& stored, std::uint32_t* slot) {
#pragma unroll
  for (unsigned word = 0; word < Stored::words; word += Stored::together) {
    std::uint32_t* own = slot + stored.first + word * writers;
    const std::uint32_t value = stored.value + word * writers;
    if constexpr (Stored::together == 4)
      *reinterpret_cast<uint4*>(own) = uint4{value, value + 1, value + 2, value + 3};
    else
      *own = value;
  }
  stored.value += launch::payload_item_step;
}

// `reader` is the thread's number among those that read a slot.
PEER_INLINE void drain(const std::uint32_t* slot, unsigned reader, std::uint32_t& checksum) {
#pragma unroll
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

// The image of the next item that a producer copies.
struct Source {
  const std::uint32_t* images;
  unsigned image;
  PEER_INLINE const std::uint32_t* words() const { return images + image * slot_words; }
  PEER_INLINE void advance() {
    image += producer_turns;
    if (image >= num_images) image -= num_images;
  }
};

}  // namespace phasebit::PEER_SPACE

#endif
