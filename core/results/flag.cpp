#include "core/results/flag.h"

#include <fmt/ranges.h>

namespace phasebit::results {

using Kind = Flag::Kind;

std::vector<Flag> flags_of(const Quality& quality) {
  std::vector<Flag> flags;
  const auto add_if = [&](bool is_so, Kind kind) {
    if (is_so) flags.push_back({.kind = kind});
  };
  add_if(quality.items_only, Kind::items_only);
  if (!quality.gate.empty()) flags.push_back({.kind = Kind::gate, .of = quality.gate.text()});
  add_if(!quality.outputs_verified, Kind::outputs_not_verified);
  for (const std::string& reading : quality.too_wide)
    flags.push_back({.kind = Kind::interval_too_wide, .of = reading});
  add_if(quality.modes, Kind::modes);
  for (const Bend& bend : quality.bends)
    flags.push_back({.kind = Kind::not_linear, .of = bend.reading, .slopes = bend.slopes});
  add_if(!quality.padded, Kind::not_padded);
  add_if(!quality.clock_ok, Kind::clock_unresolved);
  add_if(quality.throttled, Kind::throttled);
  add_if(quality.first_use, Kind::first_use);
  add_if(!quality.no_counters.empty(), Kind::no_counters);
  return flags;
}

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::items_only: return "items_only";
    case Kind::gate: return "gate";
    case Kind::outputs_not_verified: return "outputs_not_verified";
    case Kind::interval_too_wide: return "interval_too_wide";
    case Kind::modes: return "modes";
    case Kind::not_linear:
    case Kind::not_linear_in_some: return "not_linear";
    case Kind::not_padded: return "not_padded";
    case Kind::clock_unresolved: return "clock_unresolved";
    case Kind::throttled: return "throttled";
    case Kind::first_use: return "first_use";
    case Kind::no_counters: return "no_counters";
    case Kind::two_sizes: return "two sizes";
  }
  bug("no such Flag::Kind");
}

std::string word_of(const Flag& flag) {
  const std::string_view word = word_of(flag.kind);
  if (flag.kind == Kind::gate) return fmt::format("{}_{}", word, flag.of);
  if (flag.kind == Kind::not_linear) return word_of(Bend{flag.of, flag.slopes});
  if (flag.kind == Kind::not_linear_in_some)
    return fmt::format("{} in {} of {}", word, flag.bent, flag.repetitions);
  return fmt::format("{}{}{}", word, flag.of.empty() ? "" : ":", flag.of);
}

std::string word_of(const Bend& bend) {
  return fmt::format("{}:{}{}{:.2f}", word_of(Kind::not_linear), bend.reading,
                     bend.reading.empty() ? "" : ":", fmt::join(bend.slopes, ","));
}

std::vector<std::string> words_of(const std::vector<Flag>& flags) {
  std::vector<std::string> words;
  for (const Flag& flag : flags) words.push_back(word_of(flag));
  return words;
}

std::vector<std::string> words_of(const Quality& quality) {
  return words_of(flags_of(quality));
}

}  // namespace phasebit::results
