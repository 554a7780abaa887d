#include "gen/catalogue/expression_token.h"

#include <algorithm>
#include <array>

namespace phasebit::catalogue {
namespace {

constexpr std::array<std::string_view, 6> keywords = {"and", "or", "not", "in", "if", "else"};
// Longer ones first.
constexpr std::array<std::string_view, 17> symbols = {
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "{", "}", ",", ""};

// Own tests of ASCII, so that no locale changes what a spec means.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t span_of(std::string_view text, bool (*belongs)(char)) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

// The token at the beginning of `rest`, and in `length` how much of it that is.
Result<Token> next_token(std::string_view rest, int column, size_t& length) {
  const char first = rest.front();
  if (is_digit(first)) {
    length = span_of(rest, is_digit);
    return Token{Token::Kind::number, std::string(rest.substr(0, length)), column};
  }
  if (is_letter(first)) {
    length = span_of(rest, [](char c) { return is_letter(c) || is_digit(c); });
    const std::string name(rest.substr(0, length));
    const bool keyword = std::find(keywords.begin(), keywords.end(), name) != keywords.end();
    return Token{keyword ? Token::Kind::symbol : Token::Kind::name, name, column};
  }
  if (first == '\'' || first == '"') {
    const size_t end = rest.find(first, 1);
    if (end == std::string_view::npos)
      return fail(Step::spec, "column {}: a word without its closing quote", column);
    length = end + 1;
    return Token{Token::Kind::word, std::string(rest.substr(1, end - 1)), column};
  }
  const auto symbol = *std::find_if(symbols.begin(), symbols.end(), [&](std::string_view known) {
    return rest.substr(0, known.size()) == known;
  });
  length = symbol.size();
  if (symbol.empty()) return fail(Step::spec, "column {}: '{}' has no meaning", column, first);
  return Token{Token::Kind::symbol, std::string(symbol), column};
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  size_t at = 0;
  const auto column = [&] { return static_cast<int>(at) + 1; };
  while (true) {
    at += span_of(text.substr(at), is_space);
    if (at == text.size()) break;
    size_t length = 0;
    PHASEBIT_TRY_ASSIGN(token, next_token(text.substr(at), column(), length));
    tokens.push_back(token);
    at += length;
  }
  tokens.push_back({Token::Kind::end, {}, column()});
  return tokens;
}

}  // namespace phasebit::catalogue
