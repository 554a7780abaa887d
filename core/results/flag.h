// What the quality of a figure says, one thing at a time: what tables show in a column "flags".
#pragma once

#include "core/results/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::results {

struct Flag {
  // In the order in which one row's are shown; docs/measuring.md says what each means.
  enum class Kind {
    items_only,
    gate,
    outputs_not_verified,
    interval_too_wide,
    modes,
    not_linear,
    not_linear_in_some,  // of several repetitions, which were left out
    not_padded,
    clock_unresolved,
    throttled,
    first_use,
    no_counters,
    two_sizes,  // of a difference of two sizes: a third says whether they are a line
  };
  Kind kind = Kind::items_only;
  std::string of{};               // the reading, "" for the cycles; of `gate` which one
  std::vector<double> slopes{};   // of not_linear
  int bent = 0, repetitions = 0;  // of not_linear_in_some
  bool operator==(const Flag&) const = default;
};

std::vector<Flag> flags_of(const Quality& quality);

// "interval_too_wide", of whatever figure.
std::string_view word_of(Flag::Kind kind);
// "interval_too_wide:polls", "not_linear in 1 of 7"
std::string word_of(const Flag& flag);
std::vector<std::string> words_of(const std::vector<Flag>& flags);

}  // namespace phasebit::results
