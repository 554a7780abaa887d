// The smallest PTX that shows a difference between two ways to assemble it.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "gen/ptxas/assembler.h"
#include "join/images/prepare.h"
#include "join/images/tools.h"

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::reduce {

// What is asked of a reduction, and what it came to.

struct ReduceRequest {
  std::string opcode;  // a shell pattern, as in gates: "MEMBAR*"; "": chosen
  flow::CountIn where =
      flow::CountIn::loops;          // of what is counted; a chosen opcode may differ elsewhere
  std::chrono::seconds seconds{60};  // of reducing; what was reached is the result
  std::string file = "reduced.ptx";  // as the commands in the text call it
};

// How a side assembles.
struct ReduceSide {
  std::string target;
  ptxas::AssemblerChoice choice;
};

struct ReducedSide {
  std::string name;               // "ptxas 12.4.131 for sm_90"
  std::string banner;             // of `ptxas --version`: release and build
  std::string arguments;          // of ptxas: "-arch=sm_90 -O1"
  flow::OpcodeTally first, last;  // before and after
};

struct Reduction {
  std::string opcode;  // the pattern
  flow::CountIn where = flow::CountIn::loops;
  std::array<ReducedSide, 2> sides;
  // A module by itself: what it shows and how to see it as comments, then the PTX.
  std::string text;
  // Of the kernel, in lines without comments; bytes of the module without comments.
  std::size_t first_statements = 0, last_statements = 0, first_bytes = 0, last_bytes = 0;
  bool finished = false;  // nothing more can be left out; false: the time was over
  std::size_t candidates = 0;
  double seconds = 0;
};

// Makes the text smaller while one side has more of the opcode than the other, the same one as at
// first. The last text is assembled once more from the file as it is and read by nvdisasm: its
// counts are those of the sides. Step::usage when the sides are the same, do not differ, or have no
// such opcode; Step::toolchain when a ptxas is not installed; Step::assemble when a side refuses
// the text.
Result<Reduction> reduce_difference(images::Tools& tools, const images::Prepared& prepared,
                                    const std::array<ReduceSide, 2>& sides,
                                    const ReduceRequest& request);

// Two ways to assemble, and what each makes of many small kernels at once.

class ReduceSides {
 public:
  // Step::usage when both are the same.
  static Result<ReduceSides> open(images::Tools& tools, const std::array<ReduceSide, 2>& sides);

  // "ptxas 12.4.131 -O1 for sm_90"
  std::string name(std::size_t side) const;
  // "-arch=sm_90 -O1"
  std::string arguments(std::size_t side) const;
  // "Cuda compilation tools, release 12.4, V12.4.131, Build cuda_12.4.r12.4/compiler.34097967_0"
  Result<std::string> banner(std::size_t side) const;

  // With `.loc` lines.
  Result<cubin::SassKernel> code_of(std::size_t side, const ptxas::Kernel& kernel) const;
  // The text of a module with one kernel, by plain ptxas.
  Result<cubin::SassKernel> code_of_text(std::size_t side, const std::string& text) const;

  // For each kernel what both words say; nothing where one side refuses it. One or two runs of
  // ptxas a side.
  using Estimates = std::optional<std::array<flow::WordCount, 2>>;
  std::vector<Estimates> estimate(const std::vector<ptxas::Kernel>& kernels,
                                  const std::array<flow::OpcodeWords, 2>& words) const;

  // For each kernel both censuses; nothing where one side refuses it. One or two runs of ptxas and
  // of nvdisasm a side; codes that were seen before are not disassembled again.
  using Both = std::optional<std::array<flow::OpcodeCensus, 2>>;
  std::vector<Both> census(const std::vector<ptxas::Kernel>& kernels);

 private:
  struct Side {
    const ptxas::Toolchain* toolchain = nullptr;
    std::string target;
    std::vector<std::string> flags;
    std::map<std::string, std::optional<flow::OpcodeCensus>> known;  // by hash of the code
  };
  struct Assembled;
  ReduceSides(std::array<Side, 2> sides, disassembly::Disassembler disassembler, unsigned threads)
      : sides_(std::move(sides)), disassembler_(std::move(disassembler)), threads_(threads) {}
  Assembled assemble_all(const Side& side, const std::vector<ptxas::Kernel>& kernels) const;
  void assemble_both(const std::vector<ptxas::Kernel>& kernels,
                     std::array<Assembled, 2>& made) const;
  void disassemble(Side& side, const Assembled& made, const std::vector<bool>& wanted) const;

  std::array<Side, 2> sides_;
  disassembly::Disassembler disassembler_;
  unsigned threads_;  // of a side
};

// A reduction of what a command line names.

struct VariantReduceRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string first, second;            // variants of one text; second empty: the first
  std::vector<std::string> targets;     // one, or one for each side; none: sm_90a, of PTX its own
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one a side
  std::string opcode;                   // a pattern; "" for the one that differs most
  bool in_loop = true;                  // false: in the whole kernel
  int seconds = 60;
  std::string out;  // how the commands in the text call the file; "" for reduced.ptx
};
Result<Reduction> reduce_variants(const VariantReduceRequest& request);

// The file that a bug report takes.

// A module with this kernel alone, indented; the shared memory is declared where it is used.
std::string reduced_module(const ptxas::Kernel& kernel);

// Comment lines: what the text shows, by which ptxas, the commands that show it.
std::string reduction_header(const Reduction& reduction, const std::string& variant,
                             const std::string& file);

}  // namespace phasebit::join::reduce
