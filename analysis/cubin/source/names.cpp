#include "analysis/cubin/source/names.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#ifdef PHASEBIT_LLVM_DEMANGLER
#include <llvm/Demangle/Demangle.h>
#endif

namespace phasebit::cubin::source {
namespace {

// Operators whose names hold what looks like a bracket, the longer ones first.
constexpr std::string_view operators[] = {
    "operator()", "operator<=>", "operator<<=", "operator>>=", "operator->*", "operator<<",
    "operator>>", "operator<=",  "operator>=",  "operator->",  "operator<",   "operator>"};

bool opens(char c) {
  return c == '<' || c == '(' || c == '{' || c == '[';
}

char partner_of(char open) {
  return open == '<' ? '>' : open == '(' ? ')' : open == '{' ? '}' : ']';
}

// How deep in brackets each character is; brackets themselves are one deeper than what is
// around them. Nothing when one has no partner.
std::optional<std::vector<int>> depths(const std::string& name) {
  std::vector<int> all(name.size(), 0);
  std::string open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = std::string_view(name).substr(i);
    std::size_t skip = rest.starts_with("->") ? 2 : 0;
    for (const std::string_view word : operators)
      if (skip == 0 && rest.starts_with(word)) skip = word.size();
    if (skip > 0) {
      for (std::size_t n = 0; n < skip; ++n) all[i + n] = static_cast<int>(open.size());
      i += skip - 1;
      continue;
    }
    const char c = name[i];
    if (opens(c)) open += partner_of(c);
    all[i] = static_cast<int>(open.size());
    if (c != '>' && c != ')' && c != '}' && c != ']') continue;
    if (open.empty() || open.back() != c) return std::nullopt;
    open.pop_back();
  }
  if (!open.empty()) return std::nullopt;
  return all;
}

// Brackets deeper than `most` are empty but for dots.
std::string cut(const std::string& name, const std::vector<int>& depth, int most) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth[i] <= most) {
      text += name[i];
      continue;
    }
    const std::size_t begin = i;
    while (
        i + 1 < name.size() && depth[i + 1] > most &&
        !(depth[i + 1] == most + 1 && name[i] == partner_of(name[begin]) && depth[i] == most + 1))
      ++i;
    const bool keep =
        i - begin < 4 || name.compare(begin, i - begin + 1, "(anonymous namespace)") == 0;
    text +=
        keep ? name.substr(begin, i - begin + 1) : std::string(1, name[begin]) + "..." + name[i];
  }
  return text;
}

}  // namespace

// Each knows names that the other refuses: g++'s those of older compilers, LLVM's lambdas and packs
// of CUTLASS.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return "";
  using Text = std::unique_ptr<char, void (*)(void*)>;
  int status = 0;
  Text text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
#ifdef PHASEBIT_LLVM_DEMANGLER
  if (text == nullptr) text = Text(llvm::itaniumDemangle(symbol), std::free);
#endif
  return text == nullptr ? "" : std::string(text.get());
}

std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  const auto depth = depths(name);
  if (!depth) return name;
  int most = 0;
  for (const int one : *depth) most = std::max(most, one);
  std::string text = name;
  while (text.size() > width && --most >= 0) text = cut(name, *depth, most);
  return text;
}

}  // namespace phasebit::cubin::source
