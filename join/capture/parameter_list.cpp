#include "join/capture/parameter_list.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

namespace phasebit::join::capture {
namespace {

// More bytes than a kernel takes: a launch with so many is refused.
constexpr int beyond_all = 1 << 20;

int limited(const char* text) {
  return static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{beyond_all}));
}

// ".param .align 8 .b8 s[24]" or ".param .u64 .ptr .global x".
Place place_of(const ptx::PtxParameter& parameter) {
  Place place;
  place.name = parameter.name;
  place.text = parameter.text;
  place.alignment = 0;
  std::istringstream words(parameter.text);
  for (std::string word; words >> word;) {
    if (word == ".align" && place.bytes == 0) {
      words >> place.alignment;
      continue;
    }
    const size_t digits = word.find_first_of("0123456789");
    if (place.bytes != 0 || digits != 2 || word[0] != '.') continue;
    place.bytes = limited(word.c_str() + digits) / 8;
    place.is_float = word[1] == 'f';
  }
  place.alignment = std::clamp(std::max(place.alignment, place.bytes), 1, beyond_all);
  const size_t open = parameter.text.find('[');
  place.is_array = open != std::string::npos;
  if (place.is_array) {
    const int elements = std::max(1, limited(parameter.text.c_str() + open + 1));
    place.bytes =
        static_cast<int>(std::min<std::int64_t>(std::int64_t{place.bytes} * elements, beyond_all));
  }
  return place;
}

}  // namespace

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  Number number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, hex ? 16 : 10);
  if (error != std::errc{} || end != last || text.empty()) return {};
  return number;
}
template std::optional<int> whole_number<int>(std::string_view text);
template std::optional<std::int64_t> whole_number<std::int64_t>(std::string_view text);
template std::optional<std::uint64_t> whole_number<std::uint64_t>(std::string_view text);

ParameterList parameters_of(const ptx::PtxFunction& entry) {
  ParameterList list;
  for (const ptx::PtxParameter& one : entry.parameters) {
    Place place = place_of(one);
    list.bytes = std::min(list.bytes, beyond_all);
    place.offset = (list.bytes + place.alignment - 1) / place.alignment * place.alignment;
    list.bytes = place.offset + place.bytes;
    list.places.push_back(std::move(place));
  }
  return list;
}

Result<Place> ParameterList::find(std::string_view words) const {
  const size_t plus = words.find('+');
  const std::string name(words.substr(0, plus));
  auto found = std::find_if(places.begin(), places.end(),
                            [&](const Place& one) { return one.name == name; });
  if (const auto number = whole_number<std::uint64_t>(name);
      found == places.end() && number && *number < places.size())
    found = places.begin() + static_cast<std::ptrdiff_t>(*number);
  if (found == places.end()) {
    std::vector<std::string> names;
    for (const Place& one : places) names.push_back(one.name);
    return with_hint(fail(Step::usage, "no parameter '{}'", name),
                     base::nearest_word_hint(name, names));
  }
  Place place = *found;
  if (plus == std::string_view::npos) return place;
  const auto more = whole_number<int>(words.substr(plus + 1));
  if (!more || *more < 0 || *more >= place.bytes)
    return with_hint(
        fail(Step::usage, "'{}' is not a byte of parameter {} ({})", words, name, place.text),
        fmt::format("{}+0 to {}+{}", name, name, place.bytes - 1));
  place.offset += *more;
  place.bytes -= *more;
  place.is_array = true;
  return place;
}

}  // namespace phasebit::join::capture
