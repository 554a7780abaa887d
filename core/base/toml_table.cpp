#include "core/base/toml_table.h"

#include <algorithm>
#include <iterator>

namespace phasebit::base {
namespace {

// Why a text is not TOML, from what the parser says and where: "file:line:column: what", with the
// line and what to write.
tl::unexpected<Error> not_toml(std::string_view text, const std::string& file, int line, int column,
                               std::string_view parser_says) {
  struct Cause {
    const char* said;  // by the parser
    const char* what;
    const char* hint;
  };
  static const Cause causes[] = {
      {"redefine", "duplicate key", "a key or a table is written once"},
      {"end-of-file", "the file ends in the middle of it", "close the text, the list or the table"},
      {"expected value", "a value is missing", "a text in quotes, a number, true, false or [...]"},
      {"expected '='", "a key without `=`", "write KEY = VALUE, a text in quotes"},
      {"expected ','", "a comma is missing", "separate values by commas"},
  };
  std::string_view rest = text;
  for (int n = 1; n < line; ++n) rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
  std::string_view found = rest.substr(0, rest.find('\n'));
  found.remove_prefix(std::min(found.find_first_not_of(" \t"), found.size()));
  const Cause* cause = std::find_if(std::begin(causes), std::end(causes), [&](const Cause& one) {
    return parser_says.find(one.said) != std::string_view::npos;
  });
  const bool known = cause != std::end(causes);
  return with_hint(
      fail(Step::spec, "{}:{}:{}: `{}`: {}", file, line, column, found,
           known ? cause->what : "this is not TOML"),
      known ? cause->hint : "write KEY = VALUE, a text in quotes, [table] or [[list]]");
}

tl::unexpected<Error> not_toml_at(std::string_view text, const std::string& file, std::size_t at) {
  const std::string_view above = text.substr(0, at);
  const std::size_t line = above.rfind('\n') + 1;  // 0 of the first
  return not_toml(text, file, static_cast<int>(1 + std::count(above.begin(), above.end(), '\n')),
                  static_cast<int>(1 + at - line), {});
}

bool comes_to_an_assertion(std::string_view text) {
  try {
    (void)toml::parse(text);
  } catch (const toml::parse_error&) {
    return false;
  } catch (const TomlAssertion&) {
    return true;
  }
  return false;
}

// The parser stops where it fails, so every beginning of the text that is longer fails too.
std::size_t place_of_assertion(std::string_view text) {
  std::size_t without = 0, with = text.size();
  while (with - without > 1) {
    const std::size_t middle = without + (with - without) / 2;
    (comes_to_an_assertion(text.substr(0, middle)) ? with : without) = middle;
  }
  return without;
}

}  // namespace

Result<toml::table> parse_toml_table(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return not_toml(text, file, static_cast<int>(at.line), static_cast<int>(at.column),
                    error.description());
  } catch (const TomlAssertion&) {
    return not_toml_at(text, file, place_of_assertion(text));
  }
}

}  // namespace phasebit::base
