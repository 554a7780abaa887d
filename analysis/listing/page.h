// `sass page`: variants by columns, and every pair of a row side by side, as one HTML file.
#pragma once

#include "analysis/compare/diff.h"
#include "core/base/error.h"

#include <string>
#include <vector>

namespace phasebit {

// One code of a variant; several cells of its row may hold it.
struct PageCode {
  DiffSide side;
  const std::vector<std::string>* statements = nullptr;  // PTX by `.loc` line, from 1; null: none
};

struct PageCell {
  std::string problem;  // why there is no code: "needs sm_90, the target is sm_80"
  int code = -1;        // of Page::codes
};

// One matrix.
struct PageView {
  std::string name;                  // "architectures"
  std::vector<std::string> columns;  // each once on the page
  std::size_t reference = 0;         // the column that the others are compared with at first
  std::vector<std::vector<PageCell>> cells;  // by variant, then by column
};

struct Page {
  std::string made_with;  // for people: "ptxas 13.5.37, nvdisasm 13.5.37"
  std::vector<std::string> variants;
  std::vector<PageView> views;
  std::vector<PageCode> codes;
};

// The data that page/*.js reads: every distinct text, control field, place and row once, listings
// as numbers of rows, and for each ordered pair of codes of one row of one view its diff_kernels as
// runs of marks ("=sox<>", see diff_report.h). Step::disassemble when a code is empty.
Result<std::string> page_data(const Page& page, unsigned threads);

// The file: <data root>/analysis/listing/page/ with the data in it. It loads nothing. Step::io or
// spec when a file of that folder is missing or wrong.
Result<std::string> page_as_html(const Page& page, unsigned threads);

// "120=2s<": each mark with how often it follows itself, where that is more than once.
std::string run_lengths(const std::string& marks);

}  // namespace phasebit
