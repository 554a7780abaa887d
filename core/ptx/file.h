// A PTX file as a value: every statement with its place, and all that stands between them, so that
// what is written is what was read, byte for byte. It may come from anybody: nvcc, LLVM, a
// template, a hand. What a statement means is up to ptxas; what this does not know it keeps and
// marks.
#pragma once

#include "core/base/error.h"
#include "core/ptx/functions.h"
#include "core/ptx/headings.h"
#include "core/ptx/statement.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx {

struct PtxFile : PtxOutline {
  std::string name;  // for messages: a path, or what the caller calls the text
  std::vector<PlacedStatement> statements;
  std::string after;  // what stands behind the last statement
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

}  // namespace phasebit::ptx
