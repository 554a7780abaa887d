// Two ways to assemble, and what each makes of many small kernels at once.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/opcode_census.h"
#include "analysis/flow/opcode_words.h"
#include "pipeline/images/tools.h"
#include "pipeline/reduce/reduction.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::pipeline::reduce {

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

}  // namespace phasebit::pipeline::reduce
