#include "analysis/flow/calls.h"

#include "core/rule/opcodes.h"
#include "core/rule/synchronisation.h"

#include <algorithm>
#include <map>
#include <string>

namespace phasebit::flow {

using cubin::FunctionCode;
using cubin::Instruction;
using cubin::SassKernel;
using rule::SynchronisationTable;

namespace {

// Names of ptxas's own functions, behind whatever stands in front: "$k$", "$__internal_3_$".
bool is_of_ptxas(std::string_view name) {
  return name.substr(name.rfind('$') + 1).starts_with("__cuda_sm");
}

// Whatever the SASS family and verb.
bool synchronises(const SynchronisationTable& table, const std::string& opcode) {
  const auto& known = table.opcodes();
  return std::any_of(known.begin(), known.end(), [&](const rule::SynchronisationOpcode& one) {
    return one.verbs.empty() && one.per_block == 0 && rule::opcode_matches(one.pattern, opcode);
  });
}

// Looks into functions, each once; a call leads on.
class Looker {
 public:
  Looker(const SassKernel& kernel, const SynchronisationTable& table)
      : kernel_(kernel), table_(table) {}

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
      if (calls_function(one) ? !is_plain(one) : synchronises(table_, one.opcode)) return false;
    }
    return function->begin < function->end;
  }

  const SassKernel& kernel_;
  const SynchronisationTable& table_;
  std::map<std::string, bool> plain_;
};

}  // namespace

bool calls_function(const Instruction& instruction) {
  return opcode_stem(instruction) == "CALL" && !jumps_by_call(instruction);
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
  const auto table = SynchronisationTable::get();
  if (!table) return plain;
  Looker looker(kernel, **table);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = calls_function(kernel.instructions[i]) && looker.is_plain(kernel.instructions[i]);
  return plain;
}

}  // namespace phasebit::flow
