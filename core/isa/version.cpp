#include "core/isa/version.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace phasebit::isa {

std::string Version::text() const {
  return fmt::format("{}", fmt::join(parts, "."));
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  const size_t n = std::max(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < n; ++i) {
    const int x = i < a.parts.size() ? a.parts[i] : 0;
    const int y = i < b.parts.size() ? b.parts[i] : 0;
    if (x != y) return x <=> y;
  }
  return std::strong_ordering::equal;
}

bool operator==(const Version& a, const Version& b) {
  return (a <=> b) == 0;
}

Result<Version> parse_version(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at <= end) {
    int part = 0;
    const auto [next, error] = std::from_chars(at, end, part);
    const bool well_ended = next == end || *next == '.';
    if (error != std::errc{} || part < 0 || !well_ended)
      return fail(Step::spec, "'{}' is not a version", text);
    version.parts.push_back(part);
    if (next == end) return version;
    at = next + 1;
  }
  return fail(Step::spec, "'{}' is not a version", text);
}

bool older_version(const std::string& a, const std::string& b) {
  const auto left = parse_version(a), right = parse_version(b);
  return left && right ? *left < *right : a < b;
}

Result<bool> version_in_range(const Version& version, std::string_view range) {
  std::istringstream words{std::string(range)};
  bool all = true;  // a mistake anywhere in the range is one, whatever the version
  for (std::string word; words >> word;) {
    const size_t digits = word.find_first_of("0123456789");
    const std::string relation = word.substr(0, digits);
    if (digits == std::string::npos) return fail(Step::spec, "'{}' is not a version range", range);
    PHASEBIT_TRY_ASSIGN(bound, parse_version(std::string_view(word).substr(digits)));
    bool holds = false;
    if (relation == ">=")
      holds = version >= bound;
    else if (relation == "<=")
      holds = version <= bound;
    else if (relation == "<")
      holds = version < bound;
    else if (relation == ">")
      holds = version > bound;
    else if (relation == "=" || relation == "==")
      holds = version == bound;
    else
      return fail(Step::spec, "'{}' is not a version range", range);
    all = all && holds;
  }
  return all;
}

std::string version_in_banner(std::string_view text) {
  constexpr std::string_view digits = "0123456789.";
  for (std::size_t at = text.find('V'); at != std::string_view::npos; at = text.find('V', at + 1)) {
    const std::size_t end = std::min(text.find_first_not_of(digits, at + 1), text.size());
    const std::string_view version = text.substr(at + 1, end - at - 1);
    if (version.find('.') != std::string_view::npos) return std::string(version);
  }
  return {};
}

}  // namespace phasebit::isa
