// What a listing says besides the instructions, and which of them it shows: the same for variants
// and code files.
#pragma once

#include "analysis/reading/ptx_lines.h"
#include "analysis/reading/waits.h"
#include "core/launch/source_map.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::reading {

// The part of a kernel to show; at most one of these.
struct Excerpt {
  bool hot = false;  // of a variant the hot paths of its timed loops, of a file all loops
  int loop = 0;      // a loop by its number, from 1
  std::string verb;  // of a variant: "producer.acquire", or "acquire" of any role
};

struct ReadingNotes {
  std::vector<bool> shown = {};                     // by instruction; empty: all
  std::vector<std::vector<WaitSource>> waits = {};  // by instruction; empty: not asked for
  std::vector<PtxLine> ptx = {};                    // by instruction; empty: not asked for
};

// The flow graph with the kernel's own functions entered. Step::disassemble when a branch cannot be
// followed.
Result<flow::FlowGraph> graph_of(const cubin::SassKernel& kernel);

// "0x0090 LDG.E (B2), 0x0040 STG.E (B0, its operands; 2 more before it)"
std::string waits_text(const cubin::SassKernel& kernel, const std::vector<WaitSource>& sources);

// [{"scoreboard", "address", "opcode", "operands": whether it is released when operands were read,
// "more"}].
nlohmann::ordered_json waits_json(const cubin::SassKernel& kernel,
                                  const std::vector<WaitSource>& sources);

// "26  2   4  -  ": general, predicate, uniform, uniform predicate registers live at an
// instruction;
// "" where they were not counted.
std::string live_columns(const cubin::SassKernel& kernel, std::size_t index);
// Their heads, as wide.
std::string_view live_heads(const cubin::SassKernel& kernel);
std::string live_text(const cubin::LiveCounts& live);

// Puts lines of a listing together: leaves out what is not shown, with "..." in its place, and adds
// notes.
class ListingLines {
 public:
  ListingLines(const cubin::SassKernel& kernel, const ReadingNotes& notes)
      : kernel_(kernel), notes_(notes) {}

  bool shows(std::size_t index) const { return notes_.shown.empty() || notes_.shown[index]; }
  // Trailing blanks are cut, so that listings can be committed.
  void add(std::size_t index, const std::string& line);
  void add_heading(const std::string& line);
  const std::string& text() const { return text_; }

 private:
  void append(std::string line);
  const cubin::SassKernel& kernel_;
  const ReadingNotes& notes_;
  std::string text_;
  std::size_t next_ = 0;  // instruction
  int ptx_line_ = 0;      // that was shown last
};

}  // namespace phasebit::reading
