// The tokens of an expression.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::catalogue {

struct Token {
  enum class Kind { number, word, name, symbol, end };
  Kind kind = Kind::end;
  std::string text;  // of a word without its quotes; and, or, not, in, if, else are symbols
  int column = 1;
};

// Ends with a token of kind end. Step::spec: "column 7: ...".
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace phasebit::catalogue
