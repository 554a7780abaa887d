#include "gen/llvm_program/templates.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace phasebit::llvm_program {
namespace {

// The function that all its uses stand in; null where they are several, or no instructions.
llvm::Function* only_user(const llvm::GlobalVariable& variable) {
  llvm::Function* user = nullptr;
  for (const llvm::User* one : variable.users()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(one);
    if (instruction == nullptr) return nullptr;
    llvm::Function* function = const_cast<llvm::Function*>(instruction->getFunction());
    if (user != nullptr && user != function) return nullptr;
    user = function;
  }
  return user;
}

void make_register(llvm::GlobalVariable& variable, llvm::Function& function) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* local = builder.CreateAlloca(variable.getValueType());
  builder.CreateStore(variable.getInitializer(), local);
  local->takeName(&variable);
  variable.replaceAllUsesWith(local);
}

constexpr unsigned verb_column = 2;

const llvm::DILocation* verb_of(const llvm::DILocation* place) {
  for (const llvm::DILocation* one = place; one != nullptr; one = one->getInlinedAt())
    if (one->getColumn() == verb_column) return one;
  return place;
}

}  // namespace

void name_verbs(llvm::Module& module) {
  if (module.getNamedMetadata("phasebit.lines") == nullptr) return;
  for (llvm::Function& function : module)
    for (llvm::Instruction& one : llvm::instructions(function)) {
      const llvm::DILocation* place = one.getDebugLoc().get();
      if (place == nullptr) continue;
      const llvm::DILocation* verb = verb_of(place);
      one.setDebugLoc(llvm::DILocation::get(module.getContext(), verb->getLine(), verb->getColumn(),
                                            function.getSubprogram()));
    }
}

void make_registers(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalVariable*> all;
  for (llvm::GlobalVariable& one : module.globals())
    if (one.isThreadLocal() && one.hasLocalLinkage() && one.hasInitializer()) all.push_back(&one);
  for (llvm::GlobalVariable* one : all) {
    if (llvm::Function* user = only_user(*one)) make_register(*one, *user);
    if (one->use_empty()) one->eraseFromParent();
  }
}

}  // namespace phasebit::llvm_program
