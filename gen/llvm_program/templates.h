// What the templates say in IR, in the words that LLVM has for it.
#pragma once

#include <llvm/IR/Module.h>

namespace phasebit::llvm_program {

// Each internal thread_local variable that one function uses becomes a local one of it, which LLVM
// then keeps in registers. NVPTX has no thread_local storage: what is left of it, the backend
// refuses.
void make_registers(llvm::Module& module);

// In a module of phasebit's templates each instruction gets, of the places that it was inlined
// from, the innermost that belongs to a verb (gen/ir/module_text.h).
void name_verbs(llvm::Module& module);

}  // namespace phasebit::llvm_program
