// Which source line a statement of a compiler's text is from, and through which functions it was
// inlined there: PTX's own `.loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE
// COLUMN`.
#pragma once

#include "core/ptx/file.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::ptx {

struct PtxSource {
  std::string file;
  int line = 0;
  // Innermost first, demangled, without namespaces, templates and parameters: "wait". Without an
  // inlined_at, the function that the statement stands in alone.
  std::vector<std::string> functions;
};

// One for each statement; nothing for those that no `.loc` of their function stands above.
std::vector<std::optional<PtxSource>> sources_of(const PtxFile& file);

// "_ZN4ring4waitEjj" and "ring::wait<4>(unsigned, unsigned)" -> "wait".
std::string plain_function_name(const std::string& symbol);

}  // namespace phasebit::ptx
