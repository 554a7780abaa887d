// Listings with one mistake each, what `check` says of them, and whether a GPU agrees.
#pragma once

#include "core/base/file.h"
#include "core/ptx/head/head.h"
#include "tests/protocol/mistakes.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::test {

// A warp that waits forever, as the guarded build must say it.
struct CheckedWait {
  int cta = -1;       // of a cluster; -1: of any CTA
  int warp = 0;       // in the CTA
  std::string place;  // "consumer wait"
  std::string waits;  // "waits on full_barrier[0] parity 1"
  friend auto operator<=>(const CheckedWait&, const CheckedWait&) = default;
};

struct CheckedMutant {
  std::string id;                  // "checked/17"
  std::string mistake;             // Mistake::what
  std::uint32_t items = 0;         // with which it hangs; 0: it is proved
  std::vector<CheckedWait> waits;  // of those that hang
  bool hangs() const { return items > 0; }
};

// What is wrong with its text, by `check` and with the numbers of items that a guarded build is run
// with. `is_known` is false where it is neither a deadlock alone, the same in other schedules, nor
// proved with the listing's own events.
struct MistakeVerdict {
  bool is_known = false;
  CheckedMutant mutant;
};
MistakeVerdict verdict_of(const Mistake& mistake);

// checked.toml of a bundle.
Result<std::vector<CheckedMutant>> read_checked(const fs::path& file);
std::string text_of(const std::vector<CheckedMutant>& mutants);

// "" when the error of the mutant's row ("guard: ...", or "" for none) is what `check` says, else
// what differs.
std::string why_not_as_checked(const CheckedMutant& mutant, const std::string& error);

// As CSV, a row a mutant.
std::string checked_columns();
std::string checked_row(const CheckedMutant& mutant, const std::string& error,
                        const std::string& why_not);

}  // namespace phasebit::test
