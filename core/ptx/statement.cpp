#include "core/ptx/statement.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

namespace phasebit::ptx {

using base::trimmed;

namespace {

constexpr std::string_view blanks = " \t";

// Takes the first `size` characters off the front, and the blanks after them.
std::string_view take(std::string_view& text, std::size_t size) {
  const std::string_view word = text.substr(0, size);
  text = trimmed(text.substr(word.size()));
  return word;
}

// An opcode with its modifiers ends where no part of a name follows.
std::string_view take_opcode(std::string_view& text) {
  const auto end = std::find_if(text.begin(), text.end(),
                                [](char c) { return !in_name(c) && c != '.' && c != ':'; });
  return take(text, static_cast<std::size_t>(end - text.begin()));
}

// ".reg" of ".reg.b32 a" and of ".reg .b32 a".
std::string_view take_directive(std::string_view& text) {
  const auto end =
      std::find_if(text.begin() + 1, text.end(), [](char c) { return !in_name(c) && c != ':'; });
  return take(text, static_cast<std::size_t>(end - text.begin()));
}

// "@!done" of "@!done bra" and of "@ !done bra".
std::string take_guard(std::string_view& text) {
  std::string guard(take(text, 1));
  if (text.starts_with('!')) guard += take(text, 1);
  const auto end = std::find_if_not(text.begin(), text.end(), in_name);
  return guard + std::string(take(text, static_cast<std::size_t>(end - text.begin())));
}

// At commas outside brackets.
std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    operands.emplace_back(trimmed(text.substr(begin, i - begin), blanks));
    begin = i + 1;
  }
  if (operands.size() == 1 && operands.front().empty()) operands.clear();
  return operands;
}

// The label's name, or "". Blanks may precede the colon.
std::string_view label_of(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), in_name);
  const auto size = static_cast<std::size_t>(end - line.begin());
  const std::string_view rest = trimmed(line.substr(size), blanks);
  const bool label = size > 0 && rest.starts_with(':') && !rest.starts_with("::");
  return label ? line.substr(0, size) : std::string_view();
}

PtxStatement directive(std::string_view line, bool semicolon) {
  PtxStatement made{PtxStatement::Part::directive, "", "", {}, semicolon};
  while (!line.empty() && line.front() == '.')
    made.name += (made.name.empty() ? "" : " ") + std::string(take_directive(line));
  made.operands = split_operands(line);
  return made;
}

bool has_destination(const PtxStatement& statement) {
  if (statement.operands.empty() || statement.operands.front().starts_with('[')) return false;
  return !is(statement, isa::PtxFact::no_result);
}

}  // namespace

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

PtxStatement take_apart(std::string_view line) {
  line = trimmed(line, blanks);
  if (line == "{" || line == "}") return {PtxStatement::Part::brace, "", std::string(line), {}};
  const bool semicolon = line.ends_with(';');
  if (semicolon) line = trimmed(line.substr(0, line.size() - 1), blanks);
  if (const std::string_view label = label_of(line); !label.empty()) {
    PtxStatement made{PtxStatement::Part::label, "", std::string(label), {}};
    const std::string_view rest = trimmed(line.substr(line.find(':', label.size()) + 1));
    if (!rest.empty()) made.operands.emplace_back(rest);
    return made;
  }
  if (line.starts_with('.')) return directive(line, semicolon);
  PtxStatement made;
  if (line.starts_with('@')) made.guard = take_guard(line);
  made.name = take_opcode(line);
  made.operands = split_operands(line);
  return made;
}

std::vector<PtxStatement> take_all_apart(const std::vector<std::string>& statements) {
  std::vector<PtxStatement> all;
  all.reserve(statements.size());
  for (const std::string& statement : statements) all.push_back(take_apart(plain_text(statement)));
  return all;
}

std::string put_together(const PtxStatement& statement) {
  const std::string operands = fmt::format("{}", fmt::join(statement.operands, ", "));
  const std::string rest = operands.empty() ? "" : " " + operands;
  switch (statement.part) {
    case PtxStatement::Part::none: return ";";
    case PtxStatement::Part::brace: return statement.name;
    case PtxStatement::Part::label: return statement.name + ":" + (rest.empty() ? "" : rest + ";");
    case PtxStatement::Part::directive:
      return statement.name + rest + (statement.semicolon ? ";" : "");
    case PtxStatement::Part::instruction: break;
  }
  const std::string guard = statement.guard.empty() ? "" : statement.guard + " ";
  return guard + statement.name + rest + ";";
}

std::string replace_names(std::string_view text,
                          const std::function<std::string(std::string_view)>& replace) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string || !in_name(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool name =
        std::isdigit(static_cast<unsigned char>(text[i])) == 0 && (i == 0 || text[i - 1] != '.');
    out += name ? replace(word) : std::string(word);
    i = end;
  }
  return out;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  replace_names(text, [&](std::string_view name) {
    names.emplace_back(name);
    return std::string();
  });
  return names;
}

std::vector<std::string> written_names(const PtxStatement& statement) {
  const bool writes =
      statement.part == PtxStatement::Part::instruction && has_destination(statement);
  return writes ? names_in(statement.operands.front()) : std::vector<std::string>();
}

std::vector<std::string> read_names(const PtxStatement& statement) {
  if (statement.part != PtxStatement::Part::instruction) return {};
  std::vector<std::string> names = names_in(statement.guard);
  for (std::size_t i = has_destination(statement) ? 1 : 0; i < statement.operands.size(); ++i)
    for (std::string& name : names_in(statement.operands[i])) names.push_back(std::move(name));
  return names;
}

std::string place_of(const std::string& file, const PlacedStatement& statement) {
  return fmt::format("{}:{}:{}", file, statement.line, statement.column);
}

std::string plain_text(std::string_view statement) {
  std::string out;
  bool blank = false, in_string = false;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    if (!in_string && statement.substr(i, 2) == "//") {
      i = std::min(statement.find('\n', i), statement.size() - 1);
      blank = true;
    } else if (!in_string && statement.substr(i, 2) == "/*") {
      i = std::min(statement.find("*/", i), statement.size() - 2) + 1;
      blank = true;
    } else if (!in_string &&
               std::string_view(" \t\r\n\f\v").find(statement[i]) != std::string_view::npos) {
      blank = true;
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      if (statement[i] == '"') in_string = !in_string;
      out += statement[i];
    }
  }
  return out;
}

PtxCall call_of(const PtxStatement& statement) {
  PtxCall call;
  if (!is(statement, isa::PtxFact::call)) return call;
  for (const std::string& operand : statement.operands) {
    if (!operand.starts_with('(')) {
      if (call.callee.empty()) call.callee = operand;  // after the arguments: a prototype
    } else if (call.callee.empty()) {
      call.results = names_in(operand);
    } else {
      for (std::string& name : names_in(operand)) call.arguments.push_back(std::move(name));
    }
  }
  return call;
}

std::string_view stem_of(const PtxStatement& statement) {
  return std::string_view(statement.name).substr(0, statement.name.find('.'));
}

std::optional<std::uint64_t> literal_integer(std::string text) {
  if (text.ends_with('U')) text.pop_back();
  const bool minus = text.starts_with('-');
  std::size_t first = minus ? 1 : 0;
  if (text.size() == first || std::isdigit(static_cast<unsigned char>(text[first])) == 0)
    return std::nullopt;
  const bool is_binary = text.compare(first, 2, "0b") == 0 || text.compare(first, 2, "0B") == 0;
  if (is_binary) first += 2;
  if (is_binary && text.find_first_not_of("01", first) != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str() + first, &end, is_binary ? 2 : 0);
  if (end == text.c_str() + first || *end != '\0') return std::nullopt;
  return minus ? 0 - value : value;
}

std::vector<int> numbers_of(const PtxStatement& directive) {
  std::vector<int> numbers;
  for (const std::string& operand : directive.operands) {
    numbers.push_back(static_cast<int>(literal_integer(operand).value_or(0)));
  }
  return numbers;
}

}  // namespace phasebit::ptx
