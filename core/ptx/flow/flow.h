// The flow graph of one PTX function: basic blocks and the ways between them.
#pragma once

#include "core/ptx/flow/local.h"
#include "core/ptx/scope.h"

#include <string>
#include <vector>

namespace phasebit::ptx::flow {

struct PtxBasicBlock {
  std::vector<std::size_t> statements;  // labels and instructions, in order
  std::vector<int> successors, predecessors;
};

// A branch, or a statement that may end the thread or the function ("@p exit").
struct PtxJump {
  std::size_t statement = 0;
  int block = 0;
  std::string predicate;     // its guard's register; "" without a guard
  std::vector<int> targets;  // blocks; without `falls_to`
  std::vector<int> table;    // of brx.idx: the block for each index; -1 where it is not known
  int falls_to = -1;         // the block that follows when it is not taken; -1: it always is
  bool leaves = false;       // ret, exit, trap
  bool by_index = false;     // brx.idx
};

struct PtxFlow {
  PtxScopes scopes;
  std::vector<PtxBasicBlock> blocks;  // the first is the entry
  std::vector<PtxJump> jumps;
  PtxLocals locals, lent;                   // PtxLocalUses
  std::vector<std::size_t> not_understood;  // statements whose targets or opcode are not known

  int block_of(std::size_t statement) const;  // -1: none
  // What a statement means by a name.
  PtxName name_at(std::size_t statement, const std::string& name) const;
};

const std::vector<std::size_t>& statements_of(const PtxFlow& flow, int block);

// Of a function with a body.
PtxFlow flow_of(const PtxFile& file, const PtxFunction& function);

// The natural loops of a flow graph: header and body, one for each header.

struct PtxLoop {
  int header = 0;
  std::vector<int> blocks;  // in order, with the header
  bool holds(int block) const;
};

// Block by block.
std::vector<std::size_t> statements_of(const PtxFlow& flow, const PtxLoop& loop);

// Inner loops before those around them. A way back to a block that does not dominate it (a loop
// with two entries) makes no natural loop.
std::vector<PtxLoop> loops_of(const PtxFlow& flow);

// What goes round by some of the ways back of a loop and not by all of them, the largest first: a
// loop that begins where the one around it does.
std::vector<PtxLoop> loops_within(const PtxFlow& flow, const PtxLoop& loop);

// The first statements of blocks that begin such a loop: none that each turn passes.
std::vector<std::size_t> second_entries_of(const PtxFlow& flow);

}  // namespace phasebit::ptx::flow
