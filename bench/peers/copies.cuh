// Copies of PEER_COPY_BYTES that each thread issues: the lanes of a warp side by side, as often as
// the slot needs them. A thread copies what it reads where each lane has as many words.
#ifndef PEER_HEADER_COPIES
#define PEER_HEADER_COPIES

#include "bench/peers/payload.cuh"

namespace phasebit::PEER_SPACE {

inline constexpr unsigned copied_words = PEER_COPY_BYTES / 4;
inline constexpr unsigned copies_a_slot = slot_words / copied_words;
static_assert(slot_words % copied_words == 0, "whole copies");
static_assert(copies_a_slot % writers == 0 || copies_a_slot < writers, "all lanes, or the first");

// `copy(to, from)` of each part of the slot that is the thread's, `writer` of `writers`.
template <class Copy>
PEER_INLINE void copy_parts(std::uint32_t* slot, Source& source, unsigned writer, Copy copy) {
  const std::uint32_t* words = source.words();
#pragma unroll
  for (unsigned first = 0; first < copies_a_slot; first += writers)
    if (copies_a_slot >= writers || writer < copies_a_slot) {
      const unsigned word = (first + writer) * copied_words;
      copy(slot + word, words + word);
    }
  source.advance();
}

}  // namespace phasebit::PEER_SPACE

#endif
