#include "core/store/json/flag_words.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/ranges.h>

namespace phasebit::store::json {

using record::PointRow;
using record::Quality;
using record::Verdict;

namespace {

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Numbers with that between them, to the end of the text; none when it is something else.
template <typename Number>
std::vector<Number> numbers_of(std::string_view text, char between) {
  std::vector<Number> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    Number number{};
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    if (next == end) return numbers;
    if (*next != between) return {};
    at = next + 1;
  }
}

bool set_bend(std::string_view text, Quality& quality) {
  const std::size_t colon = text.find(':');
  record::Bend bend;
  if (colon != std::string_view::npos) bend.reading = text.substr(0, colon);
  bend.slopes =
      numbers_of<double>(colon == std::string_view::npos ? text : text.substr(colon + 1), ',');
  if (bend.slopes.empty()) return false;
  quality.bends.push_back(std::move(bend));
  return true;
}

bool set_quality(std::string_view word, Quality& quality) {
  if (word == "items_only") return quality.items_only = true;
  if (word == "outputs_not_verified") return !(quality.outputs_verified = false);
  if (word == "modes") return quality.modes = true;
  if (word == "not_padded") return !(quality.padded = false);
  if (word == "clock_unresolved") return !(quality.clock_ok = false);
  if (word == "throttled") return quality.throttled = true;
  if (word == "first_use") return quality.first_use = true;
  if (take(word, "gate_")) {
    quality.gate = word;
    return true;
  }
  if (take(word, "not_linear:")) return set_bend(word, quality);
  if (!take(word, "interval_too_wide") || (!word.empty() && !take(word, ":"))) return false;
  quality.too_wide.emplace_back(word);
  return true;
}

// The numbers of a condition or of the GPU's state; nothing for another word.
std::optional<bool> set_numbers(std::string_view word, PointRow& row) {
  const auto set = [&](char between, const auto&... fields) {
    const std::vector<int> numbers = numbers_of<int>(word, between);
    std::size_t n = 0;
    if (numbers.size() != sizeof...(fields)) return false;
    ((*fields = static_cast<std::remove_reference_t<decltype(*fields)>>(numbers[n++])), ...);
    return true;
  };
  record::Conditions& conditions = row.conditions;
  if (take(word, "start_offset:")) return set(',', &conditions.start_offset);
  if (take(word, "padding:")) return set(',', &conditions.padding);
  if (take(word, "gap:")) return set('@', &conditions.gap_warps, &conditions.gap_after);
  if (take(word, "gpu:"))
    return set('/', &row.state.sm_megahertz, &row.state.memory_megahertz, &row.state.watts);
  if (!take(word, "sms:")) return std::nullopt;
  row.sms = numbers_of<int>(word, ',');
  return !row.sms.empty();
}

// Version 4 has the step and a text alone.
Verdict verdict_of(const record::PointError& error) {
  const std::string_view text = error.message;
  if (error.step == Step::gate && text.starts_with("not gated: ")) return Verdict::ungated;
  if (text.starts_with("hung ") && text.find(", and was killed after ") != std::string_view::npos)
    return Verdict::hung;
  return record::verdict_of(error.step);
}

}  // namespace

std::vector<std::string> flag_words_of(const PointRow& row) {
  std::vector<std::string> words = record::words_of(row.conditions);
  Quality quality = row.quality;
  quality.first_use = false;
  for (std::string& word : record::words_of(quality)) words.push_back(std::move(word));
  if (!row.sms.empty()) words.push_back(fmt::format("sms:{}", fmt::join(row.sms, ",")));
  if (row.state.known())
    words.push_back(fmt::format("gpu:{}/{}/{}", row.state.sm_megahertz, row.state.memory_megahertz,
                                row.state.watts));
  if (row.quality.first_use) words.emplace_back("first_use");
  if (!row.same_as.empty()) words.push_back("same_class:" + row.same_as.text());
  return words;
}

bool set_by_flag_words(const std::vector<std::string>& words, PointRow& row) {
  row.verdict = row.error ? verdict_of(*row.error) : Verdict::measured;
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
    if (take(word, "same_class:")) {
      row.verdict = Verdict::same_code;
      row.same_as = word;
      return !word.empty();
    }
    if (const auto set = set_numbers(word, row)) return *set;
    return set_quality(word, row.quality);
  });
}

}  // namespace phasebit::store::json
