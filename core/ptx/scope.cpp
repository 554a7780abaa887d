#include "core/ptx/scope.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace phasebit::ptx {
namespace {

using Part = PtxStatement::Part;

std::string_view name_of_operand(std::string_view operand) {
  // ".param .align 8 .b8" keeps the alignment in its operand: "8 .b8 pb[96]"
  const std::size_t blank = operand.rfind(' ', operand.find_first_of("[=<"));
  if (blank != std::string_view::npos) operand.remove_prefix(blank + 1);
  return operand.substr(0, operand.find_first_of("[= "));
}

void declare(PtxScope& scope, const PtxStatement& statement) {
  const bool registers = statement.name.starts_with(".reg");
  const bool local = statement.name.starts_with(".local");
  const std::string type = registers ? statement.name.substr(statement.name.rfind('.'))
                                     : std::string(local ? ".local" : "");
  for (const std::string& operand : statement.operands) {
    const std::size_t open = registers ? operand.find('<') : std::string::npos;
    if (open == std::string::npos) {
      scope.types[std::string(name_of_operand(operand))] = type;
      continue;
    }
    const std::string count = operand.substr(open + 1, operand.find('>', open) - open - 1);
    PtxScope::Range range{operand.substr(0, open), type,
                          static_cast<int>(literal_integer(count).value_or(0))};
    scope.ranges.push_back(std::move(range));
  }
}

bool declares(const PtxStatement& statement) {
  if (statement.part != Part::directive) return false;
  for (const std::string_view word : {".reg", ".param", ".local", ".shared"})
    if (statement.name.starts_with(word)) return true;
  return false;
}

const std::string* type_in(const PtxScope& scope, std::string_view name) {
  const auto found = scope.types.find(std::string(name));
  if (found != scope.types.end()) return &found->second;
  for (const PtxScope::Range& range : scope.ranges) {
    if (!name.starts_with(range.stem)) continue;
    const std::string_view digits = name.substr(range.stem.size());
    int number = -1;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (end.ptr == digits.data() + digits.size() && number >= 0 && number < range.count)
      return &range.type;
  }
  return nullptr;
}

}  // namespace

int PtxScopes::of(std::size_t statement) const {
  return statement < first || statement - first >= of_lines.size() ? 0
                                                                   : of_lines[statement - first];
}

int PtxScopes::declaring(int scope, std::string_view name) const {
  for (; scope >= 0; scope = scopes[static_cast<std::size_t>(scope)].parent)
    if (type_in(scopes[static_cast<std::size_t>(scope)], name) != nullptr) return scope;
  return -1;
}

std::string PtxScopes::type_of(int scope, std::string_view name) const {
  const int found = declaring(scope, name);
  return found < 0 ? std::string() : *type_in(scopes[static_cast<std::size_t>(found)], name);
}

std::optional<std::size_t> PtxScopes::label(int scope, const std::string& name) const {
  for (; scope >= 0; scope = scopes[static_cast<std::size_t>(scope)].parent) {
    const auto& labels = scopes[static_cast<std::size_t>(scope)].labels;
    if (const auto found = labels.find(name); found != labels.end()) return found->second;
  }
  return std::nullopt;
}

PtxScopes scopes_of(const PtxFile& file, const PtxFunction& function) {
  PtxScopes made;
  made.first = function.open;
  int scope = -1;
  const auto at = [&](int index) -> PtxScope& {
    return made.scopes[static_cast<std::size_t>(index)];
  };
  for (std::size_t i = function.open; i <= function.close; ++i) {
    const PtxStatement& statement = file.statements[i].parsed;
    if (statement.part == Part::brace && statement.name == "{") {
      made.scopes.push_back({scope, i, i, {}, {}, {}});
      scope = static_cast<int>(made.scopes.size()) - 1;
    }
    made.of_lines.push_back(scope);
    if (statement.part == Part::brace && statement.name == "}") {
      at(scope).close = i;
      scope = at(scope).parent;
    } else if (statement.part == Part::label) {
      at(scope).labels.emplace(statement.name, i);
    } else if (declares(statement)) {
      declare(at(scope), statement);
    }
  }
  for (const auto* list : {&function.parameters, &function.returns})
    for (const PtxParameter& parameter : *list) {
      const bool is_register = parameter.text.starts_with(".reg");
      const std::size_t type = parameter.text.rfind('.');
      made.scopes.front().types[parameter.name] =
          is_register ? parameter.text.substr(type, parameter.text.find(' ', type) - type) : "";
    }
  return made;
}

}  // namespace phasebit::ptx
