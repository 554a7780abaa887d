#include "pipeline/coverage/reached.h"

#include "core/base/text.h"

#include <cctype>

namespace phasebit::pipeline::coverage {
namespace {

std::string_view without_predicate(std::string_view text) {
  if (!text.starts_with('@')) return text;
  const size_t blank = text.find(' ');
  return blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
}

// A number in a statement, and what stands for one in the table.
bool is_literal(std::string_view operand) {
  if (operand.empty()) return false;
  const char first = operand.front();
  return first == '#' || first == '-' || std::isdigit(static_cast<unsigned char>(first)) != 0;
}

// Commas inside of brackets and braces are no ends of operands.
std::string literals_of(std::string_view operands) {
  std::string marks;
  int depth = 0;
  size_t begin = 0;
  for (size_t n = 0; n <= operands.size(); ++n) {
    const char c = n < operands.size() ? operands[n] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && n < operands.size())) continue;
    const std::string_view operand = base::trimmed(operands.substr(begin, n - begin));
    if (operand.starts_with('%'))
      marks += operand;  // a special register is its own
    else
      marks += is_literal(operand) ? '#' : '.';
    begin = n + 1;
  }
  return marks;
}

}  // namespace

std::string shape_of_statement(std::string_view statement) {
  std::string_view text = without_predicate(statement);
  const size_t end = text.find(';');
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, blank)) + " " + literals_of(text.substr(blank + 1));
}

std::map<std::string, std::string> reached_forms(const isa::FormTable& table,
                                                 const std::vector<images::Prepared>& rings) {
  std::map<std::string, std::string> by_shape, reached;
  for (const images::Prepared& ring : rings)
    for (const std::string& statement : ring.kernel.statements)
      by_shape.emplace(shape_of_statement(statement), ring.key.id);
  for (const isa::Form& form : table.forms())
    if (const auto found = by_shape.find(shape_of_statement(form.text)); found != by_shape.end())
      reached.emplace(form.id, found->second);
  return reached;
}

}  // namespace phasebit::pipeline::coverage
