#include "gen/llvm_program/compiler.h"

#include <memory>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

namespace phasebit::llvm_program {

namespace {

constexpr const char* triple_name = "nvptx64-nvidia-cuda";

// LLVM's own words, with the place of the mistake: "mine.ll:3:12: use of undefined value '%x'".
std::string describe(const llvm::SMDiagnostic& mistake, const std::string& name) {
  if (mistake.getLineNo() <= 0) return name + ": " + mistake.getMessage().str();
  return name + ":" + std::to_string(mistake.getLineNo()) + ":" +
         std::to_string(mistake.getColumnNo() + 1) + ": " + mistake.getMessage().str();
}

// Bitcode is read by the LLVM that wrote it and by later ones.
std::string describe(const llvm::SMDiagnostic& mistake, llvm::MemoryBufferRef given) {
  std::string said = describe(mistake, given.getBufferIdentifier().str());
  const auto* const begin = reinterpret_cast<const unsigned char*>(given.getBufferStart());
  if (!llvm::isBitcode(begin, begin + given.getBufferSize())) return said;
  llvm::Expected<std::string> producer = llvm::getBitcodeProducerString(given);
  if (producer && (producer->empty() || *producer == "LLVM" LLVM_VERSION_STRING)) return said;
  const std::string by = producer ? *producer : "another LLVM";
  if (!producer) llvm::consumeError(producer.takeError());
  return said + " (bitcode of " + by + "; this is LLVM " + LLVM_VERSION_STRING + ")";
}

// A declared intrinsic that this LLVM has not would come out as a call of nothing.
std::string unknown_intrinsic(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.getName().starts_with("llvm.") &&
        function.getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
      return "LLVM " + std::string(llvm_version()) + " has no intrinsic '" +
             function.getName().str() + "'";
  return {};
}

std::string without_kernel(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel && !function.isDeclaration())
      return {};
  return "no kernel in it (a kernel is `define ptx_kernel void @name(...)`)";
}

llvm::CodeGenOptLevel level_of(int opt) {
  return static_cast<llvm::CodeGenOptLevel>(opt);
}

std::unique_ptr<llvm::TargetMachine> machine_for(const Request& request, std::string& error) {
  const llvm::Triple triple(triple_name);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  auto& options = llvm::cl::getRegisteredOptions();
  *static_cast<llvm::cl::opt<bool>*>(options["nvptx-short-ptr"]) = request.short_pointers;
  const std::string features = "+ptx" + std::to_string(request.ptx);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, request.cpu, features, {}, std::nullopt, std::nullopt, level_of(request.opt)));
  const auto& known = *machine->getMCSubtargetInfo();
  const std::string who = "LLVM " + std::string(llvm_version());
  if (!known.isCPUStringValid(request.cpu)) error = who + " has no target '" + request.cpu + "'";
  bool has_ptx = false;
  for (const auto& feature : known.getAllProcessorFeatures())
    has_ptx = has_ptx || llvm::StringRef(feature.Key) == features.substr(1);
  if (!has_ptx)
    error = who + " has no PTX " + std::to_string(request.ptx / 10) + "." +
            std::to_string(request.ptx % 10);
  if (!error.empty()) return nullptr;
  return machine;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int opt) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager first;
  first.addPass(llvm::AlwaysInlinerPass(false));
  first.addPass(llvm::GlobalDCEPass());
  first.run(module, modules);
  make_registers(module);
  name_verbs(module);
  modules.clear();
  functions.clear();
  llvm::ModulePassManager rest;
  if (opt == 0)
    rest.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::PromotePass()));
  else
    rest = builder.buildPerModuleDefaultPipeline(opt == 1   ? llvm::OptimizationLevel::O1
                                                 : opt == 2 ? llvm::OptimizationLevel::O2
                                                            : llvm::OptimizationLevel::O3);
  rest.run(module, modules);
}

std::vector<std::string> inline_asm_of(const llvm::Module& module) {
  std::vector<std::string> all;
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& one : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&one); call && call->isInlineAsm())
        all.push_back(function.getName().str() + ": " +
                      llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().str());
  return all;
}

Answer failed(std::string message) {
  Answer answer;
  answer.error = std::move(message);
  return answer;
}

Answer lower(llvm::Module& module, llvm::TargetMachine& machine) {
  Answer answer;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return failed("LLVM's NVPTX backend writes no PTX");
  passes.run(module);
  answer.ptx = text.str().str();
  return answer;
}

}  // namespace

void begin() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  // An instruction that LLVM moves to the place of another keeps the place of one of both, instead
  // of none: the gate counts it at its verb.
  *static_cast<llvm::cl::opt<bool>*>(
      llvm::cl::getRegisteredOptions()["pick-merged-source-locations"]) = true;
  keep_places_of_moved_code();
}

std::string_view llvm_version() {
  return LLVM_VERSION_STRING;
}

Answer compile(const Request& request) {
  llvm::LLVMContext context;
  // What the backend says is an error of this request, not of the process.
  std::string said;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* into) {
        if (info->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream out(*static_cast<std::string*>(into));
        llvm::DiagnosticPrinterRawOStream printer(out);
        info->print(printer);
      },
      &said);
  llvm::SMDiagnostic mistake;
  const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(request.ir, request.name);
  std::string error;
  const auto machine = machine_for(request, error);
  if (!machine) return failed(error);
  std::string layout = machine->createDataLayout().getStringRepresentation();
  const std::unique_ptr<llvm::Module> module = llvm::parseIR(
      buffer->getMemBufferRef(), mistake, context,
      llvm::ParserCallbacks([&](llvm::StringRef, llvm::StringRef) { return layout; }));
  if (!module) return failed(describe(mistake, buffer->getMemBufferRef()));
  error = unknown_intrinsic(*module);
  if (error.empty()) error = without_kernel(*module);
  if (!error.empty()) return failed(request.name + ": " + error);
  module->setTargetTriple(llvm::Triple(triple_name));
  llvm::raw_string_ostream broken(error);
  if (llvm::verifyModule(*module, &broken)) return failed(request.name + ": " + error);
  const std::vector<std::string> assembly = inline_asm_of(*module);
  optimise(*module, *machine, request.opt);
  Answer answer = lower(*module, *machine);
  answer.inline_asm = assembly;
  if (!said.empty()) answer.error = request.name + ": " + said;
  return answer;
}

namespace {

using Places = llvm::DenseMap<const llvm::MachineInstr*, llvm::DebugLoc>;

// Changes nothing but places.
class PlacesPass : public llvm::MachineFunctionPass {
 public:
  PlacesPass(char& id, std::shared_ptr<Places> places)
      : MachineFunctionPass(id), places_(std::move(places)) {}
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 protected:
  Places& places() { return *places_; }

 private:
  std::shared_ptr<Places> places_;
};

// After instruction selection: what is where.
class TakePlaces : public PlacesPass {
 public:
  explicit TakePlaces(std::shared_ptr<Places> places) : PlacesPass(id_, std::move(places)) {}
  llvm::StringRef getPassName() const override { return "phasebit: take places"; }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    places().clear();
    for (const llvm::MachineBasicBlock& block : function)
      for (const llvm::MachineInstr& one : block) places().try_emplace(&one, one.getDebugLoc());
    return false;
  }

 private:
  static inline char id_ = 0;
};

// After the sinking, which moves instructions and makes none: each at its own place again.
class GivePlaces : public PlacesPass {
 public:
  explicit GivePlaces(std::shared_ptr<Places> places) : PlacesPass(id_, std::move(places)) {}
  llvm::StringRef getPassName() const override { return "phasebit: give places"; }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    for (llvm::MachineBasicBlock& block : function)
      for (llvm::MachineInstr& one : block)
        if (const auto place = places().find(&one); place != places().end())
          one.setDebugLoc(place->second);
    return false;
  }

 private:
  static inline char id_ = 0;
};

}  // namespace

void keep_places_of_moved_code() {
  static const llvm::RegisterTargetPassConfigCallback added(
      [](llvm::TargetMachine&, llvm::PassManagerBase&, llvm::TargetPassConfig* passes) {
        const auto places = std::make_shared<Places>();
        passes->insertPass(&llvm::MachineCSELegacyID, new TakePlaces(places));
        passes->insertPass(&llvm::MachineSinkingLegacyID, new GivePlaces(places));
      });
}

namespace {

// The function that all its uses are in; null where they are several, or no instructions.
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
