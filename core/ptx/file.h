// A PTX file as a value: every statement with its place, and all that is between them, so that
// what is written is what was read, byte for byte. It may come from anywhere: nvcc, LLVM, a
// template, a hand. What a statement means is up to ptxas; what this does not know it keeps and
// marks.
#pragma once

#include "core/base/error.h"
#include "core/ptx/functions.h"
#include "core/ptx/headings.h"
#include "core/ptx/statement.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx {

struct PtxFile : PtxOutline {
  std::string name;  // for messages: a path, or what the caller calls the text
  std::vector<PlacedStatement> statements;
  std::string after;  // what comes after the last statement
  std::vector<PtxHeading> headings;

  const PtxFunction* find(std::string_view function) const;  // one with a body before a prototype
  std::vector<const PtxFunction*> entries() const;
  // "FILE:12:5", for messages.
  std::string place(const PlacedStatement& statement) const;
};

// Step::assemble with file, line, column and what to write: a comment or string without its end, a
// statement without its semicolon, a brace without its other. Nothing else is an error here.
Result<PtxFile> read_ptx(std::string_view text, const std::string& name);

// Finds functions, globals, version and target anew, after statements have changed.
Status find_outline(PtxFile& file);

std::string write_ptx(const PtxFile& file);

// Which source line a statement of a compiler's text is from, and through which functions it was
// inlined there: PTX's own `.loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE
// COLUMN`.

struct PtxSource {
  std::string file;
  int line = 0;
  // Innermost first, demangled, without namespaces, templates and parameters: "wait". Without an
  // inlined_at, the function that the statement is in alone.
  std::vector<std::string> functions;
};

// One for each statement; nothing for those that no `.loc` of their function precedes.
std::vector<std::optional<PtxSource>> sources_of(const PtxFile& file);

// "_ZN4ring4waitEjj" and "ring::wait<4>(unsigned, unsigned)" -> "wait".
std::string plain_function_name(const std::string& symbol);

// Where PTX statements begin and end in a text. It knows no more of PTX than that takes.

struct PtxSpan {
  std::size_t begin = 0, end = 0;  // of the text
};

class PtxScanner {
 public:
  PtxScanner(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // After blanks and comments.
  Result<std::size_t> skip_blanks(std::size_t at) const;
  // After the name, the number, the string or the one character at `at`.
  Result<std::size_t> skip_word(std::size_t at) const;
  // After the bracket that closes the one at `at`.
  Result<std::size_t> skip_group(std::size_t at) const;
  // After the next semicolon outside of brackets.
  Result<std::size_t> skip_to_semicolon(std::size_t at) const;
  // After the end of the line.
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
