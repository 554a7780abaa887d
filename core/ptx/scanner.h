// Where PTX statements begin and end in a text. It knows no more of PTX than that takes.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace phasebit::ptx {

struct PtxSpan {
  std::size_t begin = 0, end = 0;  // of the text
};

class PtxScanner {
 public:
  PtxScanner(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // Behind blanks and comments.
  Result<std::size_t> skip_blanks(std::size_t at) const;
  // Behind the name, the number, the string or the one character at `at`.
  Result<std::size_t> skip_word(std::size_t at) const;
  // Behind the bracket that closes the one at `at`.
  Result<std::size_t> skip_group(std::size_t at) const;
  // Behind the next semicolon outside of brackets.
  Result<std::size_t> skip_to_semicolon(std::size_t at) const;
  // Behind the end of the line.
  std::size_t skip_line(std::size_t at) const;

  // The statement that begins at `begin`; `known` says whether its kind is.
  Result<PtxSpan> statement(std::size_t begin, bool& known) const;

  // Step::assemble at a place of the text.
  tl::unexpected<Error> complain(std::size_t at, std::string_view what,
                                 std::string_view write) const;
  std::string_view text() const { return text_; }

 private:
  Result<PtxSpan> directive(std::size_t begin, bool& known) const;
  Result<std::size_t> signature(std::size_t at) const;
  Result<std::size_t> operand_list(std::size_t at) const;
  Result<std::size_t> section(std::size_t at) const;
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  std::string name_;
};

}  // namespace phasebit::ptx
