#include "analysis/foreign/kernel_names.h"

#include <algorithm>
#include <string_view>

namespace phasebit::foreign {
namespace {

// "ns::copy<float, 3>" of "void ns::copy<float, 3>(float*, float)".
std::string bare_name(const std::string& text) {
  int depth = 0;
  std::size_t begin = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') begin = i + 1;
    if (c == '(' && !text.substr(i).starts_with("(anonymous namespace)")) {
      end = i;
      break;
    }
    if (c == '(') i += std::string_view("(anonymous namespace").size();
  }
  return text.substr(begin, end - begin);
}

// "ns::copy" of "ns::copy<float, 3>".
std::string without_arguments(const std::string& name) {
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>') --depth;
  }
  return plain;
}

}  // namespace

Names names_of(const std::string& symbol) {
  std::string text = cubin::source::demangled(symbol);
  std::string name = bare_name(text);
  return {symbol, std::move(text), std::move(name)};
}

std::vector<std::string> kernel_names(const std::string& symbol) {
  const Names names = names_of(symbol);
  std::vector<std::string> all = {symbol};
  for (const std::string& name : {names.text, names.name, without_arguments(names.name)})
    if (!name.empty() && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

std::string short_kernel_name(const std::string& symbol) {
  constexpr std::size_t most = 72;
  const Names names = names_of(symbol);
  if (names.name.empty())  // not C++, or a name that cannot be read
    return symbol.size() <= most ? symbol : symbol.substr(0, most) + "...";
  if (names.name.size() <= most) return names.name;
  const std::string plain = without_arguments(names.name);
  return plain.size() < names.name.size() ? plain + "<...>" : plain;
}

std::string full_kernel_name(const std::string& symbol) {
  const std::string text = cubin::source::demangled(symbol);
  return text.empty() ? symbol : text;
}

}  // namespace phasebit::foreign
