// Where an mbarrier's 64-bit word holds its phase, arrivals and bytes: derived from words that were
// read on a GPU after known operations (probe `word`).
#pragma once

#include "analysis/report/data/axes.h"
#include "core/results/record.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::report::data {

// What the PTX ISA says of a barrier after its operations ("Parallel Synchronization and
// Communication Instructions: mbarrier", contents of the object).
struct BarrierState {
  std::int64_t phase = 0;     // phases completed
  std::int64_t pending = 0;   // arrivals still expected in this phase
  std::int64_t expected = 0;  // arrivals expected in each phase to come
  std::int64_t tx_count = 0;  // bytes announced and not yet complete
};

// The state after `times` operations on a barrier that was initialised with `expected`: none,
// arrive, arrive_count (two arrivals), expect_tx and complete_tx (21 bytes), arrive_expect_tx (21),
// arrive_drop. Nothing for another word.
std::optional<BarrierState> state_after(const std::string& operation, std::int64_t expected,
                                        std::uint32_t times);

struct WordReading {
  std::string layout;  // v0, v1
  BarrierState state;
  std::uint64_t word = 0;
};

// Bits [low, low + width) of the word are (sign * quantity + offset) modulo 2^width in every
// reading, and no wider field is.
struct WordField {
  std::string quantity;  // phase, pending, expected, tx_count
  int low = 0, width = 0;
  int sign = 1;
  std::uint64_t offset = 0;
  std::size_t values = 0;  // different values of the quantity that were seen
};

// The field of each quantity that takes at least two values. A quantity without a field is left
// out.
std::vector<WordField> derive_fields(const std::vector<WordReading>& readings);

inline constexpr const char* word_probe = "barrier_word";

// All words in the rows of probe `word`: its readings are the low and the high half.
std::vector<WordReading> word_readings(const results::Rows& points, const VariantKeys& keys);

// A field of a layout's word, in words: where it is and how it is stored.
struct WordFieldRow {
  std::string layout, quantity;  // "v0", "pending arrivals"
  std::string bits;              // "62:43"
  int width = 0;
  std::string stored_as;  // "N", "3 - N", modulo 2^width
  std::size_t different_values = 0, words_read = 0;
};
std::vector<WordFieldRow> word_field_rows(const results::Rows& points, const VariantKeys& keys);

}  // namespace phasebit::report::data
