#include "core/record/record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace phasebit::record {
namespace {

constexpr std::array<std::pair<PointKind, std::string_view>, 3> kinds = {
    {{PointKind::point, "point"}, {PointKind::anchor, "anchor"}, {PointKind::modes, "modes"}}};

constexpr std::array<std::pair<Verdict, std::string_view>, 9> verdicts = {{
    {Verdict::measured, "measured"},
    {Verdict::same_code, "same_code"},
    {Verdict::refused, "refused"},
    {Verdict::ungated, "ungated"},
    {Verdict::wrong, "wrong"},
    {Verdict::timed_out, "timed_out"},
    {Verdict::hung, "hung"},
    {Verdict::interrupted, "interrupted"},
    {Verdict::failed, "failed"},
}};

template <typename Table, typename Value>
std::string word_in(const Table& table, Value value) {
  for (const auto& [entry, word] : table)
    if (entry == value) return std::string(word);
  bug("an enumerator without a word");
}

template <typename Table>
auto named_in(const Table& table, std::string_view wanted) {
  std::optional<typename Table::value_type::first_type> found;
  for (const auto& [entry, word] : table)
    if (word == wanted) found = entry;
  return found;
}

}  // namespace

std::string to_string(PointKind kind) {
  return word_in(kinds, kind);
}

std::optional<PointKind> point_kind(std::string_view word) {
  return named_in(kinds, word);
}

std::string to_string(Verdict verdict) {
  return word_in(verdicts, verdict);
}

std::optional<Verdict> verdict_named(std::string_view word) {
  return named_in(verdicts, word);
}

Verdict verdict_of(Step step) {
  if (step == Step::gate) return Verdict::refused;
  if (step == Step::verify) return Verdict::wrong;
  return step == Step::guard ? Verdict::timed_out : Verdict::failed;
}

std::optional<Step> step_named(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(Step::io); ++i)
    if (word == base::to_string(static_cast<Step>(i))) return static_cast<Step>(i);
  return std::nullopt;
}

bool Quality::is_linear(std::string_view reading) const {
  return std::none_of(bends.begin(), bends.end(),
                      [&](const Bend& bend) { return bend.reading == reading; });
}

}  // namespace phasebit::record
