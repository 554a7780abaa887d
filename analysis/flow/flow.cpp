#include "analysis/flow/flow.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace phasebit::flow {

using cubin::FunctionCode;
using cubin::Instruction;
using cubin::instruction_bytes;
using cubin::SassKernel;
using isa::SassFact;

namespace {

// The operands of a branch are "0x350", or a predicate or register and then the target:
// "!P2,0x740".
struct BranchOperands {
  std::string_view condition, target;
};

BranchOperands branch_operands(const Instruction& instruction) {
  const std::string_view all = instruction.operands;
  const std::size_t comma = all.rfind(',');
  if (comma == std::string_view::npos) return {{}, all};
  return {all.substr(0, comma), all.substr(comma + 1)};
}

std::optional<std::uint32_t> hex_address(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + 2, end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

bool always_true(std::string_view predicate) {
  return predicate.empty() || predicate == "PT" || predicate == "UPT" || predicate == "@PT" ||
         predicate == "@UPT";
}

// WARPSYNC.COLLECTIVE and WARPSYNC.EXCLUSIVE name a register and the place where the warp meets;
// plain WARPSYNC has a lane mask as its only operand.
bool has_target(const Instruction& instruction) {
  const auto& facts = isa::sass_opcode(instruction.opcode).facts;
  return facts.has(SassFact::branch) || jumps_by_call(instruction) ||
         (facts.has(SassFact::meets) && !branch_operands(instruction).condition.empty());
}

bool ends_block(const Instruction& instruction) {
  return has_target(instruction) ||
         is(instruction, SassFact::ends, SassFact::joins, SassFact::indirect);
}

Result<int> target_index(const SassKernel& kernel, const Instruction& instruction) {
  const auto address = hex_address(branch_operands(instruction).target);
  if (!address || *address % instruction_bytes != 0 ||
      *address / instruction_bytes >= kernel.instructions.size())
    return fail(Step::disassemble, "{}: cannot follow {} {} at {:#x}", kernel.entry,
                instruction.opcode, instruction.operands, instruction.address);
  return static_cast<int>(*address / instruction_bytes);
}

// Targets of the BSSY instructions of a barrier register.
std::vector<int> reconvergence_targets(const SassKernel& kernel, std::string_view barrier) {
  std::vector<int> targets;
  for (const Instruction& instruction : kernel.instructions) {
    if (!is(instruction, SassFact::splits)) continue;
    if (branch_operands(instruction).condition != barrier) continue;
    if (const auto target = target_index(kernel, instruction)) targets.push_back(*target);
  }
  return targets;
}

// Where an indirect branch may go: what the cubin's table says. That a table is not there, or names
// no place in the kernel, is an error: all else would be a guess.
Result<std::vector<int>> indirect_targets(const SassKernel& kernel,
                                          const Instruction& instruction) {
  std::vector<int> targets;
  for (const cubin::IndirectBranch& branch : kernel.indirect) {
    if (branch.address != instruction.address) continue;
    for (const std::uint32_t target : branch.targets) {
      if (target % instruction_bytes != 0 ||
          target / instruction_bytes >= kernel.instructions.size())
        return fail(Step::disassemble,
                    "{}: the table of {} {} at {:#x} names {:#x}, no place in the kernel",
                    kernel.entry, instruction.opcode, instruction.operands, instruction.address,
                    target);
      targets.push_back(static_cast<int>(target / instruction_bytes));
    }
  }
  if (targets.empty())
    return fail(Step::disassemble, "{}: cannot follow {} {} at {:#x}", kernel.entry,
                instruction.opcode, instruction.operands, instruction.address);
  return targets;
}

// Instructions that may follow the instruction at `index`, at the end of its block.
Result<std::vector<int>> next_instructions(const SassKernel& kernel, int index) {
  const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(index)];
  std::vector<int> next;
  const bool last = static_cast<std::size_t>(index) + 1 == kernel.instructions.size();
  if (is(instruction, SassFact::indirect)) {
    PHASEBIT_TRY_ASSIGN(targets, indirect_targets(kernel, instruction));
    next = std::move(targets);
  }
  if (has_target(instruction)) {
    PHASEBIT_TRY_ASSIGN(target, target_index(kernel, instruction));
    next.push_back(target);
  }
  if (is(instruction, SassFact::joins)) {
    // ptxas has always been seen to put BSYNC before the target of its BSSY.
    const std::vector<int> targets = reconvergence_targets(kernel, instruction.operands);
    const bool in_front = std::count(targets.begin(), targets.end(), index + 1) > 0;
    if (!in_front) next = targets;
    if (!in_front && !targets.empty() && always_true(instruction.predicate)) return next;
  }
  if (!last && falls_through(instruction)) next.push_back(index + 1);
  return next;
}

std::vector<int> find_leaders(const SassKernel& kernel, const std::vector<int>& cuts) {
  std::set<int> leaders = {0};
  for (const int cut : cuts) leaders.insert({cut, cut + 1});
  for (int i = 0; i < static_cast<int>(kernel.instructions.size()); ++i) {
    const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(i)];
    const bool jumps = has_target(instruction) || is(instruction, SassFact::splits);
    if (ends_block(instruction)) leaders.insert(i + 1);
    if (is(instruction, SassFact::indirect))
      if (const auto targets = indirect_targets(kernel, instruction))
        leaders.insert(targets->begin(), targets->end());
    if (!jumps) continue;
    if (const auto target = target_index(kernel, instruction)) leaders.insert(*target);
  }
  leaders.erase(static_cast<int>(kernel.instructions.size()));
  return {leaders.begin(), leaders.end()};
}

}  // namespace

std::string_view opcode_stem(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  return opcode.substr(0, opcode.find('.'));
}

std::vector<int> masked_predicates(std::string_view operands) {
  constexpr unsigned every = 0x7f;
  const std::size_t at = operands.find("PR,");
  const bool uniform = at != std::string_view::npos && at > 0 && operands[at - 1] == 'U';
  const std::size_t begin = uniform ? at - 1 : at;
  if (at == std::string_view::npos || (begin > 0 && operands[begin - 1] != ',')) return {};
  unsigned mask = every;
  const std::string_view last = operands.substr(operands.rfind(',') + 1);
  if (last.starts_with("0x")) std::from_chars(last.data() + 2, last.data() + last.size(), mask, 16);
  std::vector<int> predicates;
  for (int i = 0; i < 7; ++i)
    if ((mask >> static_cast<unsigned>(i) & 1U) != 0) predicates.push_back(i);
  return predicates;
}

bool leaves_kernel(const Instruction& instruction) {
  return is(instruction, SassFact::ends);
}

bool jumps_by_call(const Instruction& instruction) {
  return is(instruction, SassFact::call) &&
         hex_address(branch_operands(instruction).target).has_value();
}

bool falls_through(const Instruction& instruction) {
  if (is(instruction, SassFact::ends, SassFact::indirect))
    return !always_true(instruction.predicate);
  if (!is(instruction, SassFact::branch)) return true;
  return !always_true(instruction.predicate) ||
         !always_true(branch_operands(instruction).condition);
}

Result<FlowGraph> build_flow_graph(const SassKernel& kernel, const std::vector<int>& cuts) {
  FlowGraph graph;
  graph.block_of.resize(kernel.instructions.size());
  const std::vector<int> leaders = find_leaders(kernel, cuts);
  for (std::size_t b = 0; b < leaders.size(); ++b) {
    const int end =
        b + 1 < leaders.size() ? leaders[b + 1] : static_cast<int>(kernel.instructions.size());
    graph.blocks.push_back({leaders[b], end, {}, {}});
    std::fill(graph.block_of.begin() + leaders[b], graph.block_of.begin() + end,
              static_cast<int>(b));
  }
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    PHASEBIT_TRY_ASSIGN(next, next_instructions(kernel, graph.blocks[b].end - 1));
    for (const int index : next) {
      const int successor = graph.block_of[static_cast<std::size_t>(index)];
      std::vector<int>& successors = graph.blocks[b].successors;
      if (std::count(successors.begin(), successors.end(), successor) > 0) continue;
      successors.push_back(successor);
      graph.blocks[static_cast<std::size_t>(successor)].predecessors.push_back(static_cast<int>(b));
    }
  }
  return graph;
}

namespace {

// Names of ptxas's own functions, after whatever comes first: "$k$", "$__internal_3_$".
bool is_of_ptxas(std::string_view name) {
  return name.substr(name.rfind('$') + 1).starts_with("__cuda_sm");
}

// Whatever the SASS family and verb.
bool synchronises(const std::string& opcode) {
  const auto& known = isa::sass_opcode(opcode).sync;
  return std::any_of(known.begin(), known.end(), [](const isa::Synchronisation& one) {
    return one.verbs.empty() && one.per_block == 0;
  });
}

// Looks into functions, each once; a call leads on.
class Looker {
 public:
  explicit Looker(const SassKernel& kernel) : kernel_(kernel) {}

  bool is_plain(const Instruction& call) {
    const std::string name(callee_of(call));
    if (!is_of_ptxas(name)) return false;
    const auto [known, fresh] = plain_.emplace(name, true);  // of one that calls itself
    if (fresh) known->second = look_into(name);
    return plain_.at(name);
  }

 private:
  bool look_into(const std::string& name) {
    const FunctionCode* function = find_function(kernel_, name);
    if (function == nullptr) return false;
    for (std::size_t i = function->begin; i < function->end; ++i) {
      const Instruction& one = kernel_.instructions[i];
      if (jumps_by_call(one)) continue;
      if (calls_function(one) ? !is_plain(one) : synchronises(one.opcode)) return false;
    }
    return function->begin < function->end;
  }

  const SassKernel& kernel_;
  std::map<std::string, bool> plain_;
};

}  // namespace

bool calls_function(const Instruction& instruction) {
  return is(instruction, SassFact::call) && !jumps_by_call(instruction);
}

std::string_view callee_of(const Instruction& call) {
  return call.operands;
}

const FunctionCode* find_function(const SassKernel& kernel, std::string_view name) {
  const auto found = std::find_if(kernel.functions.begin(), kernel.functions.end(),
                                  [&](const FunctionCode& one) { return one.name == name; });
  return found == kernel.functions.end() ? nullptr : &*found;
}

std::vector<bool> find_plain_calls(const SassKernel& kernel) {
  std::vector<bool> plain(kernel.instructions.size(), false);
  Looker looker(kernel);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = calls_function(kernel.instructions[i]) && looker.is_plain(kernel.instructions[i]);
  return plain;
}

}  // namespace phasebit::flow
