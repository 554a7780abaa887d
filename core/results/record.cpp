#include "core/results/record.h"

#include "core/base/fields.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::results {

const std::vector<std::string>& words_of(PointKind /*kind*/) {
  static const std::vector<std::string> words = {"point", "anchor", "modes"};
  return words;
}

const std::vector<std::string>& words_of(Verdict /*verdict*/) {
  static const std::vector<std::string> words = {"measured", "same_code",   "refused",
                                                 "ungated",  "wrong",       "timed_out",
                                                 "hung",     "interrupted", "failed"};
  return words;
}

bool is_counter_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string to_string(PointKind kind) {
  return base::word_of(kind);
}

std::optional<PointKind> point_kind(std::string_view word) {
  return base::value_of_word<PointKind>(word);
}

std::string to_string(Verdict verdict) {
  return base::word_of(verdict);
}

std::optional<Verdict> verdict_named(std::string_view word) {
  return base::value_of_word<Verdict>(word);
}

Verdict verdict_of(Step step) {
  if (step == Step::gate) return Verdict::refused;
  if (step == Step::verify) return Verdict::wrong;
  return step == Step::guard ? Verdict::timed_out : Verdict::failed;
}

bool replaces(const PointRow& later, const PointRow& earlier) {
  if (later.verdict == Verdict::wrong) return true;
  return earlier.verdict != Verdict::wrong && (!later.error || earlier.error);
}

std::optional<Step> step_named(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(Step::io); ++i)
    if (word == base::to_string(static_cast<Step>(i))) return static_cast<Step>(i);
  return std::nullopt;
}

int Conditions::numbered(int launched) const {
  const int number = std::max(0, launched - first_warp);
  return number < gap_after + gap_warps ? std::min(number, gap_after) : number - gap_warps;
}

std::vector<std::string> words_of(const Conditions& conditions) {
  std::vector<std::string> words;
  if (conditions.start_offset != 0)
    words.push_back(fmt::format("start_offset:{}", conditions.start_offset));
  if (conditions.padding != 0) words.push_back(fmt::format("padding:{}", conditions.padding));
  if (conditions.gap_warps != 0)
    words.push_back(fmt::format("gap:{}@{}", conditions.gap_warps, conditions.gap_after));
  return words;
}

}  // namespace phasebit::results
