// An opcode's count read from the machine words alone, without a run of nvdisasm: an estimate, by
// what listings of similar code have shown.
#pragma once

#include "analysis/cubin/cubin.h"
#include "analysis/flow/opcode_census.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit::flow {

struct WordCount {
  int loops = 0;  // between the target of a jump back and the jump
  int kernel = 0;
  bool has_endless_loop = false;  // a jump back without a guard, and nothing leaves in between
  int of(CountIn where) const { return where == CountIn::loops ? loops : kernel; }
};

class OpcodeWords {
 public:
  // Learns how the opcodes of the pattern are told from others, from all listings; where a branch
  // has its distance, from those that are `like` the kernels to come: of their architecture.
  static OpcodeWords learn(const std::vector<const cubin::SassKernel*>& listings,
                           const std::vector<const cubin::SassKernel*>& like,
                           const std::string& pattern);

  // Where the distance of a branch was not found all of the kernel counts as a loop.
  WordCount count(const cubin::CubinKernel& kernel) const;
  bool knows_branches() const { return distance_ != nullptr; }

 private:
  struct Modifiers {
    std::uint64_t mask = 0, value = 0;  // of the upper half
  };
  bool matches(const cubin::SassWord& word) const;
  void learn_modifiers(const std::vector<const cubin::SassKernel*>& listings,
                       const std::string& pattern);
  void learn_branches(const std::vector<const cubin::SassKernel*>& listings);
  bool is_endless(const cubin::CubinKernel& kernel, std::size_t from, std::size_t to) const;

  // By operation: bits 0 to 8, without the kind of the operands (register, immediate, constant).
  std::map<unsigned, Modifiers> operations_;
  std::set<unsigned> branches_, exits_;
  // Of a branch, in instructions from the next one; null: not found.
  std::int64_t (*distance_)(const cubin::SassWord& word) = nullptr;
};

}  // namespace phasebit::flow
