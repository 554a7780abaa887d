#include "core/ptx/scanner.h"

#include "core/ptx/statement.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace phasebit::ptx {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Directives that end without a semicolon, behind their operands.
constexpr auto open_ended = std::to_array<std::string_view>(
    {".version", ".target", ".address_size", ".file", ".loc", ".maxntid", ".reqntid", ".maxnreg",
     ".minnctapersm", ".maxnctapersm", ".noreturn", ".explicitcluster", ".reqnctapercluster",
     ".maxclusterrank", ".blocksareclusters", ".abi_preserve", ".abi_preserve_control"});

constexpr auto linkages =
    std::to_array<std::string_view>({".visible", ".extern", ".weak", ".common"});

// Directives that end with a semicolon.
constexpr auto with_semicolon = std::to_array<std::string_view>(
    {".reg", ".sreg", ".shared", ".global", ".const", ".local", ".param", ".tex", ".pragma",
     ".alias", ".align", ".callprototype", ".calltargets", ".branchtargets", ".managed"});

}  // namespace

tl::unexpected<Error> PtxScanner::complain(std::size_t at, std::string_view what,
                                           std::string_view write) const {
  at = std::min(at, text_.size());
  const std::string_view above = text_.substr(0, at);
  const auto line = 1 + std::count(above.begin(), above.end(), '\n');
  const std::size_t start = above.rfind('\n');
  const std::size_t column = at - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return with_hint(fail(Step::assemble, "{}:{}:{}: {}", name_, line, column, what),
                   std::string(write));
}

Result<std::size_t> PtxScanner::skip_blanks(std::size_t at) const {
  while (at < text_.size()) {
    if (is_blank(text_[at])) {
      ++at;
    } else if (text_.substr(at, 2) == "//") {
      at = skip_line(at);
    } else if (text_.substr(at, 2) == "/*") {
      const std::size_t end = text_.find("*/", at + 2);
      if (end == std::string_view::npos)
        return complain(at, "a comment without its end", "write */ behind it");
      at = end + 2;
    } else {
      break;
    }
  }
  return at;
}

std::size_t PtxScanner::skip_line(std::size_t at) const {
  return std::min(text_.find('\n', at), text_.size() - 1) + 1;
}

Result<std::size_t> PtxScanner::skip_word(std::size_t at) const {
  if (peek(at) == '"') {
    const std::size_t end = text_.find_first_of("\"\n", at + 1);
    if (end == std::string_view::npos || text_[end] == '\n')
      return complain(at, "a string without its end", "write \" behind it, on the same line");
    return end + 1;
  }
  if (!in_name(peek(at))) return std::min(at + 1, text_.size());
  while (in_name(peek(at))) ++at;
  return at;
}

Result<std::size_t> PtxScanner::skip_group(std::size_t at) const {
  const std::size_t begin = at;
  std::string open;
  do {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (next >= text_.size())
      return complain(begin, fmt::format("a '{}' without its other", text_[begin]),
                      "close it where it ends");
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      const char other = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.back() != other)
        return complain(begin, fmt::format("a '{}' without its other", open.back()),
                        "close it where it ends");
      open.pop_back();
    }
    PHASEBIT_TRY_ASSIGN(end, skip_word(next));
    at = end;
  } while (!open.empty());
  return at;
}

Result<std::size_t> PtxScanner::skip_to_semicolon(std::size_t at) const {
  const std::size_t begin = at;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (c == ';') return next + 1;
    if (next >= text_.size() || c == '}' || c == ')' || c == ']')
      return complain(begin, "a statement without its end", "write ; behind it");
    const bool group = c == '(' || c == '[' || c == '{';
    PHASEBIT_TRY_ASSIGN(end, group ? skip_group(next) : skip_word(next));
    at = end;
  }
}

Result<PtxSpan> PtxScanner::statement(std::size_t begin, bool& known) const {
  known = true;
  const char c = peek(begin);
  if (c == '{' || c == '}' || c == ';') return PtxSpan{begin, begin + 1};
  if (text_.substr(begin, 2) == "@@") return PtxSpan{begin, skip_line(begin)};
  if (c == '.') return directive(begin, known);
  if (in_name(c)) {
    PHASEBIT_TRY_ASSIGN(word, skip_word(begin));
    PHASEBIT_TRY_ASSIGN(behind, skip_blanks(word));
    if (peek(behind) == ':' && peek(behind + 1) != ':') return PtxSpan{begin, behind + 1};
  } else if (c != '@') {
    known = false;
  }
  PHASEBIT_TRY_ASSIGN(end, skip_to_semicolon(begin));
  return PtxSpan{begin, end};
}

// The operands of an open-ended directive: words with commas between them, or numbers and strings
// side by side (".loc 1 20 3, function_name $L0, inlined_at 1 8 2").
Result<std::size_t> PtxScanner::operand_list(std::size_t at) const {
  bool expected = true;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '+';
    if (c != ',' && !number && !(expected && in_name(c))) return at;
    PHASEBIT_TRY_ASSIGN(end, skip_word(next));
    const std::string_view word = text_.substr(next, end - next);
    at = end;
    if (number && peek(at) == '.') {  // ".version 8.0"
      PHASEBIT_TRY_ASSIGN(fraction, skip_word(at + 1));
      at = fraction;
    }
    expected = c == ',' || word == "function_name" || word == "inlined_at";
  }
}

// Behind ".func (.reg .b32 sum) name (.param .b32 a)".
Result<std::size_t> PtxScanner::signature(std::size_t at) const {
  bool named = false;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (c == '(') {
      PHASEBIT_TRY_ASSIGN(end, skip_group(next));
      at = end;
      if (named) return at;
    } else if (in_name(c) && !named) {
      PHASEBIT_TRY_ASSIGN(end, skip_word(next));
      at = end;
      named = true;
    } else if (!named && text_.substr(next).starts_with(".attribute")) {
      PHASEBIT_TRY_ASSIGN(end, skip_word(next + 1));
      at = end;
    } else if (named) {
      return at;
    } else {
      return complain(next, "a function without a name", "write its name here");
    }
  }
}

Result<std::size_t> PtxScanner::section(std::size_t at) const {
  while (at < text_.size() && text_[at] != '{') ++at;
  if (at >= text_.size()) return complain(at, "a .section without its braces", "write { ... }");
  return skip_group(at);
}

Result<PtxSpan> PtxScanner::directive(std::size_t begin, bool& known) const {
  std::size_t at = begin;
  std::string_view word;
  do {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    if (peek(next) != '.') break;
    PHASEBIT_TRY_ASSIGN(end, skip_word(next + 1));
    word = text_.substr(next, end - next);
    at = end;
  } while (is_one_of(word, linkages));
  if (word == ".entry" || word == ".func") {
    PHASEBIT_TRY_ASSIGN(end, signature(at));
    return PtxSpan{begin, end};
  }
  if (word == ".section") {
    PHASEBIT_TRY_ASSIGN(end, section(at));
    return PtxSpan{begin, end};
  }
  if (is_one_of(word, open_ended)) {
    PHASEBIT_TRY_ASSIGN(end, operand_list(at));
    return PtxSpan{begin, end};
  }
  known = is_one_of(word, with_semicolon);
  // What is not known ends with its line, or with a semicolon on it.
  const std::size_t line = text_.find('\n', begin);
  if (!known && text_.substr(begin, line - begin).find_first_of(";{(") == std::string_view::npos)
    return PtxSpan{begin, std::min(line, text_.size())};
  PHASEBIT_TRY_ASSIGN(end, skip_to_semicolon(begin));
  return PtxSpan{begin, end};
}

}  // namespace phasebit::ptx
