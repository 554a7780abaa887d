#include "core/ptx/lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include <cxxabi.h>

namespace phasebit::ptx {
namespace {

using SourcePlace = std::array<int, 3>;  // file, line, column

struct Location {
  SourcePlace at{};
  std::string function;                   // "" where it was not inlined
  std::optional<SourcePlace> inlined_at;  // where it was called
};

SourcePlace position_of(std::string_view text) {
  SourcePlace position{};
  std::istringstream words{std::string(text)};
  for (int& number : position) words >> number;
  return position;
}

// The strings of `.section .debug_str { $L__info_string0: .b8 95, 90, 0 ... }`, by label.
std::map<std::string, std::string> debug_strings(const PtxFile& file) {
  std::map<std::string, std::string> strings;
  for (const PlacedStatement& placed : file.statements) {
    if (placed.parsed.name.find(".section") != 0 ||
        placed.text.find(".debug_str") == std::string::npos)
      continue;
    std::istringstream words(plain_text(placed.text));
    std::string word, label;
    while (words >> word) {
      if (word.ends_with(':')) label = word.substr(0, word.size() - 1);
      if (label.empty() || word.starts_with('.')) continue;
      for (std::size_t at = 0; at < word.size();
           at = word.find(',', at) == std::string::npos ? word.size() : word.find(',', at) + 1) {
        int byte = 0;
        std::from_chars(word.data() + at, word.data() + word.size(), byte);
        if (byte > 0) strings[label] += static_cast<char>(byte);
      }
    }
  }
  return strings;
}

Location location_of(const PtxStatement& statement,
                     const std::map<std::string, std::string>& names) {
  Location made;
  if (statement.operands.empty()) return made;
  made.at = position_of(statement.operands.front());
  for (const std::string& operand : statement.operands) {
    constexpr std::string_view function = "function_name ", inlined = "inlined_at ";
    if (operand.starts_with(inlined)) made.inlined_at = position_of(operand.substr(inlined.size()));
    if (!operand.starts_with(function)) continue;
    const std::string label = operand.substr(function.size());
    const auto found = names.find(label.substr(0, label.find_first_of(" +")));
    if (found != names.end()) made.function = found->second;
  }
  return made;
}

class Chains {
 public:
  explicit Chains(const PtxFile& file) : names_(debug_strings(file)) {
    for (const PlacedStatement& placed : file.statements) {
      const PtxStatement& statement = placed.parsed;
      if (statement.name != ".file" || statement.operands.empty()) continue;
      const std::string& operand = statement.operands.front();
      const std::size_t open = operand.find('"'), close = operand.rfind('"');
      if (open == std::string::npos || close == open) continue;
      files_[std::atoi(operand.c_str())] = operand.substr(open + 1, close - open - 1);
    }
  }

  PtxSource take(const PtxStatement& loc, const std::string& function) {
    const Location location = location_of(loc, names_);
    seen_[location.at] = location;
    PtxSource source{files_[location.at[0]], location.at[1], {}};
    const Location* here = &location;
    for (int depth = 0; depth < 64 && here->inlined_at; ++depth) {
      source.functions.push_back(plain_function_name(here->function));
      const auto next = seen_.find(*here->inlined_at);
      if (next == seen_.end()) break;
      here = &next->second;
    }
    source.functions.push_back(plain_function_name(function));
    return source;
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<int, std::string> files_;
  std::map<SourcePlace, Location> seen_;
};

}  // namespace

std::string plain_function_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? demangled.get() : symbol;
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (std::size_t at = name.find(nameless); at != std::string::npos; at = name.find(nameless))
    name.erase(at, nameless.size());
  // Without templates and parameters, from the last blank or "::" on.
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>') --depth;
  }
  const std::size_t start = plain.find_last_of(" :");
  return start == std::string::npos ? plain : plain.substr(start + 1);
}

std::vector<std::optional<PtxSource>> sources_of(const PtxFile& file) {
  std::vector<std::optional<PtxSource>> sources(file.statements.size());
  Chains chains(file);
  for (const PtxFunction& function : file.functions) {
    if (!function.has_body) continue;
    std::optional<PtxSource> now;
    for (std::size_t i = function.open; i <= function.close; ++i) {
      const PtxStatement& statement = file.statements[i].parsed;
      if (statement.name == ".loc") now = chains.take(statement, function.name);
      sources[i] = now;
    }
  }
  return sources;
}

}  // namespace phasebit::ptx
