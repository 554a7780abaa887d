#include "analysis/flow/spins.h"

#include "analysis/flow/flow.h"
#include "analysis/flow/loops.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::SassKernel;
using isa::SassFact;

namespace {

// Register files, the longer names first: of "UP0" "P0" is not a part.
constexpr std::array<std::string_view, 4> files = {"UR", "UP", "R", "P"};

// "R12" of "R12.reuse", "UP0" of "!UP0"; "" of what is none, or is always zero or true.
std::string register_of(std::string_view word) {
  for (const std::string_view file : files) {
    if (!word.starts_with(file)) continue;
    std::size_t end = file.size();
    while (end < word.size() && std::isdigit(static_cast<unsigned char>(word[end])) != 0) ++end;
    return end == file.size() ? "" : std::string(word.substr(0, end));
  }
  return "";
}

// All of a text, in order.
std::vector<std::string> registers_in(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isalnum(static_cast<unsigned char>(text[i])) == 0) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '.'))
      ++end;
    if (std::string name = register_of(text.substr(i, end - i)); !name.empty())
      found.push_back(std::move(name));
    i = end;
  }
  return found;
}

// Words that a written operand has, by the widest modifier. A load of 256 bits writes two of four,
// ldmatrix one to four.
int width_of(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode.find(".256") != std::string::npos) return 4;
  if (opcode.starts_with("LDSM"))
    return opcode.ends_with(".4") ? 4 : opcode.ends_with(".2") ? 2 : 1;
  if (opcode.find(".128") != std::string::npos) return 4;
  return opcode.find("64") != std::string::npos || opcode.find("WIDE") != std::string::npos ? 2 : 1;
}

// All predicates at once, of R2P and P2R: the mask says which.
bool is_predicate_file(std::string_view operand) {
  return operand == "PR" || operand == "UPR";
}

bool is_predicate(std::string_view operand) {
  operand = operand.substr(0, operand.find(','));
  return !is_predicate_file(operand) && (operand.starts_with("P") || operand.starts_with("UP"));
}

struct Effect {
  std::vector<std::string> writes, reads;
};

void add_predicates(std::string_view operand, std::string_view operands,
                    std::vector<std::string>& names) {
  for (const int i : masked_predicates(operands))
    names.push_back((operand == "UPR" ? "UP" : "P") + std::to_string(i));
}

// The first operand is written, and the second after a predicate, where sources follow:
// "P0,PT,R1,R2,PT" writes P0, "PT,R4,[R2]" writes R4, "P0,P1" of a vote reads P1. Of a load every
// register before the address is written. After a register come the carries that an addition
// writes: "RZ,P0,P1,R2,R3,R4".
Effect effect_of(const Instruction& instruction) {
  Effect effect;
  effect.reads = registers_in(instruction.predicate);
  const std::string& all = instruction.code_operands();
  const auto& facts = isa::sass_opcode(instruction.opcode).facts;
  bool writes = !facts.has(SassFact::conditional);
  const bool into_register = all.starts_with("R") || all.starts_with("UR");
  for (std::size_t begin = 0, index = 0; begin < all.size(); ++index) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    const std::string_view operand = std::string_view(all).substr(begin, end - begin);
    const std::string name = register_of(operand);
    if (is_predicate_file(operand))
      add_predicates(operand, all, writes ? effect.writes : effect.reads);
    const bool predicate = is_predicate(operand);
    if (writes && !name.empty()) {
      effect.writes.push_back(name);
      const std::size_t digits = name.find_first_of("0123456789");
      for (int i = 1; !predicate && i < width_of(instruction); ++i)
        effect.writes.push_back(name.substr(0, digits) +
                                std::to_string(std::stoi(name.substr(digits)) + i));
    } else {
      const std::vector<std::string> more = registers_in(operand);
      effect.reads.insert(effect.reads.end(), more.begin(), more.end());
    }
    begin = end + 1;
    const bool sources_follow = all.find(',', begin) != std::string::npos;
    const bool carry =
        into_register && sources_follow && is_predicate(std::string_view(all).substr(begin));
    const bool second =
        index == 0 && (facts.has(SassFact::polled) || (predicate && sources_follow));
    writes = writes && (second || carry);
  }
  return effect;
}

using Registers = std::set<std::string>;

// One loop: what of it depends on a load.
class SpinLoop {
 public:
  // `effects` are those of the kernel's instructions.
  SpinLoop(const SassKernel& kernel, const FlowGraph& graph, const std::vector<Effect>& effects,
           const Loop& loop)
      : kernel_(kernel), graph_(graph), effects_(effects), loop_(loop) {}

  // Goes around with the registers that hold something of what the load reads, until no block
  // begins with more of them.
  bool is_left_by(std::size_t load) const {
    std::vector<Registers> begins(graph_.blocks.size());
    std::vector<int> work = {graph_.block_of[load]};
    while (!work.empty()) {
      const int block = work.back();
      work.pop_back();
      Registers here = begins[index_of(block)];
      if (pass(block, load, here)) return true;
      for (const int next : graph_.blocks[index_of(block)].successors) {
        if (!loop_.contains[index_of(next)]) continue;
        const std::size_t before = begins[index_of(next)].size();
        begins[index_of(next)].insert(here.begin(), here.end());
        if (begins[index_of(next)].size() > before) work.push_back(next);
      }
    }
    return false;
  }

 private:
  // Through one block; true where its branch leaves the loop, or the kernel, by one of them.
  bool pass(int block, std::size_t load, Registers& held) const {
    const BasicBlock& one = graph_.blocks[index_of(block)];
    for (std::size_t i = index_of(one.begin); i < index_of(one.end); ++i) {
      const Instruction& instruction = kernel_.instructions[i];
      const Effect& effect = effects_[i];
      const bool reads = std::any_of(effect.reads.begin(), effect.reads.end(),
                                     [&](const std::string& name) { return held.contains(name); });
      if (reads && i + 1 == index_of(one.end) && (leaves(one) || leaves_kernel(instruction)))
        return true;
      const bool own = is(instruction, SassFact::polled, SassFact::atomic);
      if (i == load || (reads && !own))
        held.insert(effect.writes.begin(), effect.writes.end());
      else if (instruction.predicate.empty())
        for (const std::string& name : effect.writes) held.erase(name);
    }
    return false;
  }
  bool leaves(const BasicBlock& block) const {
    return std::any_of(block.successors.begin(), block.successors.end(),
                       [&](int next) { return !loop_.contains[index_of(next)]; });
  }

  const SassKernel& kernel_;
  const FlowGraph& graph_;
  const std::vector<Effect>& effects_;
  const Loop& loop_;
};

}  // namespace

std::vector<bool> find_spins(const SassKernel& kernel) {
  std::vector<bool> spins(kernel.instructions.size(), false);
  const auto graph = build_flow_graph(kernel);
  if (!graph) return spins;
  const LoopNest nest = find_loops(*graph);
  if (nest.loops.empty()) return spins;
  std::vector<Effect> effects;
  effects.reserve(spins.size());
  for (const Instruction& instruction : kernel.instructions)
    effects.push_back(effect_of(instruction));
  for (const Loop& loop : nest.loops) {
    const SpinLoop one(kernel, *graph, effects, loop);
    for (std::size_t i = 0; i < spins.size(); ++i)
      if (loop.contains[index_of(graph->block_of[i])] && !spins[i] &&
          is(kernel.instructions[i], SassFact::polled))
        spins[i] = one.is_left_by(i);
  }
  return spins;
}

}  // namespace phasebit::flow
