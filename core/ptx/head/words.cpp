#include "core/ptx/head/words.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace phasebit::ptx::head {
namespace {

// What a reading's unit begins with: what it counts.
constexpr const char* reading_units[] = {"cycles", "ns",        "polls",   "items",
                                         "bytes",  "high half", "low half"};
// What an item of a probe is, behind "per"; several of them with their number: "16 operations".
constexpr const char* item_words[] = {"item",  "operation", "block",
                                      "phase", "barrier",   "round trip"};

constexpr std::string_view per = "per ";

// Behind "per": "item", "16 operations". Nothing is wrong with these.
std::optional<UnitFault> fault_of_item(std::string item) {
  const std::size_t digits = std::min(item.find_first_not_of("0123456789"), item.size());
  if (digits > 0 && item.substr(digits).starts_with(' ') && item.ends_with('s'))
    item = item.substr(digits + 1, item.size() - digits - 2);
  const std::vector<std::string> known(std::begin(item_words), std::end(item_words));
  if (std::find(known.begin(), known.end(), item) != known.end()) return std::nullopt;
  return UnitFault{fmt::format("no probe has a '{}' for an item", item),
                   base::nearest_word_hint(item, known)};
}

// Which of them they are: "from commit to wake-up", "that failed", "of the barrier's word".
bool says_which(std::string_view words) {
  if (words.starts_with("from ")) return words.find(" to ") != std::string_view::npos;
  return words.starts_with("that ") || words.starts_with("of ");
}

}  // namespace

std::optional<UnitFault> fault_of_figure(const std::string& unit, bool on_several_sms) {
  const std::string begin = on_several_sms ? "ns per " : "cycles per ";
  if (unit.starts_with(begin)) return fault_of_item(unit.substr(begin.size()));
  return UnitFault{on_several_sms ? "the figure of several SMs is of %globaltimer"
                                  : "the figure is of the timed role's clocks",
                   fmt::format("write `unit = \"{}item\"`", begin)};
}

std::optional<UnitFault> fault_of_reading(const std::string& unit) {
  const auto* const count = std::find_if(
      std::begin(reading_units), std::end(reading_units),
      [&](const std::string& one) { return unit == one || unit.starts_with(one + " "); });
  if (count == std::end(reading_units)) {
    const std::vector<std::string> known(std::begin(reading_units), std::end(reading_units));
    return UnitFault{"it does not begin with what it counts",
                     base::nearest_word_hint(unit.substr(0, unit.find(' ')), known)};
  }
  std::string rest = unit.substr(std::string_view(*count).size());
  if (rest.empty()) return std::nullopt;
  rest.erase(0, 1);
  if (rest.starts_with(per)) return fault_of_item(rest.substr(per.size()));
  const std::size_t last = rest.rfind(", per ");
  if (says_which(rest))
    return last == std::string::npos ? std::nullopt
                                     : fault_of_item(rest.substr(last + 2 + per.size()));
  return UnitFault{
      fmt::format("'{}' says neither which {} are counted nor by what", rest, *count),
      fmt::format("write `{} per item`, `{} that ..., per item` or `{} from ... to ...`", *count,
                  *count, *count)};
}

}  // namespace phasebit::ptx::head
