// `sass page`: variants or kernels of files by columns, and every pair of a row side by side, as
// one HTML file.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/reading/loops.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::listing {

// One code of a variant or kernel; several cells of its row may hold it.
struct PageCode {
  reading::CodeSubject side;
  const std::vector<std::string>* statements = nullptr;  // PTX by `.loc` line, from 1; null: none
  // Of a variant: where a reader begins, the first instruction of the timed role's loop. Of a
  // file's kernel it is the hottest of its loops.
  std::optional<std::size_t> opens_at = std::nullopt;
};

// What was measured of a cell's code, as text.
struct PageFigure {
  std::string cycles, half_width;  // "104.00", "0.01"
  std::string unit;                // "cycles per item"
  std::string device, date;        // "NVIDIA H200", "2026-11-22"
  std::string target;              // "sm_90a": that of the cell's column
};

struct PageCell {
  std::string problem;  // why there is no code: "needs sm_90, the target is sm_80"
  int code = -1;        // of Page::codes
  std::optional<PageFigure> figure = std::nullopt;
};

// One matrix.
struct PageView {
  std::string name;                  // "architectures"
  std::vector<std::string> columns;  // each once on the page
  // The column that the others are compared with at first; none: the first with code. A row
  // without code there is compared with its own first that has some.
  std::optional<std::size_t> reference = std::nullopt;
  std::vector<std::vector<PageCell>> cells;  // by variant, then by column
};

struct Page {
  std::string made_with;                 // for people: "ptxas 13.5.37, nvdisasm 13.5.37"
  bool of_files = false;                 // kernels of files instead of variants
  std::vector<std::string> variants;     // or kernels as they are demangled, whole
  std::vector<std::string> short_names;  // of kernels, as rows show them; else empty
  std::vector<std::string> symbols;      // of kernels, as long as `variants`; else empty
  std::vector<PageView> views;
  std::vector<PageCode> codes;
  std::string left_out_why;  // what the page has no room for, and what to do; "" when nothing
  std::vector<std::string> left_out;
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

// The column that a view opens with.
std::size_t first_reference(const PageView& view);

// What the page says of one code besides its instructions.

// Where the instructions of a code are.
class CodePlaces {
 public:
  explicit CodePlaces(const PageCode& code);

  // Verb (of a file: how many loops are around it), line of the source, heat, PTX: what is
  // next to an instruction, a line each.
  std::string of(std::size_t index) const;
  // The instruction that the page opens at; none: the first.
  std::optional<std::size_t> opens_at() const;
  // Of its loops; none of a variant.
  std::optional<std::size_t> hottest() const { return hottest_; }

 private:
  const PageCode& code_;
  std::optional<std::size_t> hottest_;
  std::vector<int> depth_;    // of a file: loops around each instruction
  std::vector<bool> is_hot_;  // of a file: in the hottest loop
};

// [instructions, issue cycles, fences, sleeps, scoreboard waits]
nlohmann::ordered_json page_counts(const flow::CodeCounts& counts);

// The loops of a file's kernel.
nlohmann::ordered_json page_loops(const PageCode& code);

// The loops whose hot paths the cells show, [role, problem, hot, cold]: the timed ones, of a file
// the hottest. Their opcodes are added to `hot`.
nlohmann::ordered_json page_hot_loops(const PageCode& code, const CodePlaces& places,
                                      const flow::Features& features, flow::CodeCounts& hot);

}  // namespace phasebit::listing
