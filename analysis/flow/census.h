// Which opcodes each verb became.
#pragma once

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/instruction.h"
#include "analysis/flow/window.h"
#include "core/base/error.h"
#include "core/isa/rule.h"
#include "core/isa/version.h"
#include "core/launch/facts.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::flow {

// A wait whose first try is not peeled has its only site in the retry loop. Where a statement has
// sites that match a pattern its verb requires, none of them is hot, and fewer sites of the verb
// are hot than it requires, the basic blocks of the shallowest become hot; but where the ptxas
// moves lines and a hot site of no verb is there for it (a peeled try with the line of something
// else), that one becomes the statement's. So does one outside the loop, in a verb that the loop is
// not the only place of.
void promote_single_sites(std::vector<RoleWindow>& windows, cubin::SassKernel& kernel,
                          const launch::SourceMap& source, const isa::GateSpec& spec,
                          bool moves_lines);

// Whether a ptxas gives the peeled first try of a wait another line than its retry has: 12.8 to
// 13.4 do, and each one where a wait is a poll in software, before Hopper
// (docs/decisions/assemblers.md).
bool moves_lines(const isa::Version& ptxas, const std::string& sass_family);

// Counts per iteration of the timed loop, by verb and role of the window, ordered by first
// appearance. The verb "" stands for what belongs to the probe: loop control, addresses.
launch::Census take_census(const std::vector<RoleWindow>& windows, const cubin::SassKernel& kernel,
                           const launch::SourceMap& source);

// How often an opcode is in a kernel, and in its loops.

enum class CountIn { loops, kernel };
// "in loops", "in the kernel"
std::string_view to_string(CountIn where);

struct OpcodeTally {
  int loops = 0;   // in loops of the flow graph, entered in one place or in several
  int kernel = 0;  // without the NOPs after the last branch
  int of(CountIn where) const { return where == CountIn::loops ? loops : kernel; }
};

struct OpcodeCensus {
  std::map<std::string, OpcodeTally> opcodes;
  // Some path leads from the entry to a loop that nothing leaves.
  bool has_endless_loop = false;
  // All opcodes of a shell pattern together, as the gate counts them.
  OpcodeTally count(const std::string& pattern) const;
};

// Step::disassemble when a branch cannot be followed.
Result<OpcodeCensus> take_opcode_census(const cubin::SassKernel& kernel);

// An opcode's count read from the machine words alone, without a run of nvdisasm: an estimate, by
// what listings of similar code have shown.

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
