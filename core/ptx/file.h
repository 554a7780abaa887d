// A PTX file as a value: every statement with its place, and all that stands between them, so that
// what is written is what was read, byte for byte. It may come from anybody: nvcc, LLVM, a
// template, a hand. What a statement means is up to ptxas; what this does not know it keeps and
// marks.
#pragma once

#include "core/base/error.h"
#include "core/ptx/statement.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

// A comment "// [producer acquire] protocols/mbarrier/wait.ptx:12": whose the statements behind it
// are, up to the next heading or the end of the function.
struct PtxHeading {
  std::string role;  // "producer", or ""
  std::string verb;  // "acquire", or ""
  std::string file;  // as written, without the line
  int line = 0;      // the line in `file`; 0 where the heading has none
  int at_line = 0;   // where the heading stands
};

struct PlacedStatement {
  std::string before;  // blanks and comments in front of it
  std::string text;    // as written, with its semicolon
  int line = 0;        // 1-based, of its first character
  int column = 0;      // 1-based
  bool known = true;   // false: no directive or opcode that this knows
  int heading = -1;    // of PtxFile::headings; -1: none
  PtxStatement parsed = {};
};

// A line "//@ ..." above an entry, without the mark and one blank behind it.
struct PtxHeadLine {
  std::string text;
  int line = 0;
};

struct PtxParameter {
  std::string name;  // "pb"
  std::string text;  // ".param .align 8 .b8 pb[96]"
};

// An `.entry` or a `.func`. Indices are those of PtxFile::statements.
struct PtxFunction {
  bool entry = false;
  std::string name;
  std::string linkage;  // ".visible", ".extern", ".weak", or ""
  std::vector<PtxParameter> parameters, returns;
  std::size_t signature = 0;
  std::vector<std::size_t> directives;  // .maxntid, .maxnreg, ... between signature and body
  bool has_body = false;
  std::size_t open = 0, close = 0;  // its braces
  std::vector<PtxHeadLine> head_lines;
};

struct PtxFile {
  std::string name;  // for messages: a path, or what the caller calls the text
  std::vector<PlacedStatement> statements;
  std::string after;  // what stands behind the last statement
  std::vector<PtxHeading> headings;
  std::vector<PtxFunction> functions;  // prototypes too, in their order
  std::vector<std::size_t> globals;    // declarations of variables outside functions
  std::string version, target;         // of .version and .target: "8.0", "sm_90a, debug"

  const PtxFunction* find(std::string_view function) const;  // one with a body before a prototype
  std::vector<const PtxFunction*> entries() const;
  // "FILE:12:5", for messages.
  std::string place(const PlacedStatement& statement) const;
};

// Step::assemble with file, line, column and what to write: a comment or string without its end, a
// statement without its semicolon, a brace without its other. Nothing else is an error here.
Result<PtxFile> read_ptx(std::string_view text, const std::string& name);

std::string write_ptx(const PtxFile& file);

// One statement's text without comments, each run of blanks as one blank.
std::string plain_text(std::string_view statement);

}  // namespace phasebit
