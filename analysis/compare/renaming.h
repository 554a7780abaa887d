// Whether two kernels are the same up to the names of their registers
// (docs/decisions/renamed-registers.md).
#pragma once

#include "analysis/compare/registers.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::compare {

// Where an instruction stands in an alignment.
struct AlignedPlace {
  std::uint32_t row = 0;   // the same for two that are aligned, and for no others
  std::uint32_t join = 0;  // the first row from here on that both sides have
};

// A kernel's first `size` instructions with the numbers of their registers left out, and what these
// registers hold.
class MaskedCode {
 public:
  // `one_sm` as in compared_operands.
  MaskedCode(const cubin::SassKernel& kernel, std::size_t size, bool one_sm);

  // Guard and operands; the target of a branch, which is an address, stands in it as well.
  std::string_view text(std::size_t instruction) const;

  // For each instruction a hash of where the value of each register that it reads was written, in
  // the order of the text: by row, and by place in that row. Two aligned instructions with one text
  // and one hash do the same with the same values. Where paths meet, a value is one for each path
  // that brings another.
  std::vector<std::uint64_t> values_read(const std::vector<AlignedPlace>& places) const;

 private:
  struct Block {
    std::size_t begin = 0, end = 0;
    std::vector<std::size_t> predecessors;  // ascending
  };
  using State = std::vector<std::uint32_t>;  // by register: a hash of where its value was written

  void number_registers();
  void find_blocks(const cubin::SassKernel& kernel);
  State enter(std::size_t block, const std::vector<State>& left_by, std::uint32_t join) const;
  void run(std::size_t block, State& state, const std::vector<AlignedPlace>& places,
           std::vector<std::uint64_t>& read) const;

  std::size_t size_ = 0;
  std::vector<int> registers_;  // that it names, ascending; mentions_ has their places here
  std::string texts_;
  std::vector<std::size_t> text_ends_, mention_ends_;
  std::vector<RegisterMention> mentions_;
  std::vector<bool> guarded_;
  std::vector<Block> blocks_;
};

// Of a kernel alone, each instruction in a row of its own: equal for two kernels with the same
// opcodes when each row has one text and reads the same values.
std::string renaming_hash(const cubin::SassKernel& kernel, std::size_t size, bool one_sm);

}  // namespace phasebit::compare
