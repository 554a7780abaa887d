#include "gen/llvm_program/places.h"

#include <memory>

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>

namespace phasebit::llvm_program {
namespace {

using Places = llvm::DenseMap<const llvm::MachineInstr*, llvm::DebugLoc>;

// Behind instruction selection: what stands where.
class TakePlaces : public llvm::MachineFunctionPass {
 public:
  explicit TakePlaces(std::shared_ptr<Places> places)
      : MachineFunctionPass(id_), places_(std::move(places)) {}
  llvm::StringRef getPassName() const override { return "phasebit: take places"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    places_->clear();
    for (const llvm::MachineBasicBlock& block : function)
      for (const llvm::MachineInstr& one : block) places_->try_emplace(&one, one.getDebugLoc());
    return false;
  }

 private:
  static inline char id_ = 0;
  std::shared_ptr<Places> places_;
};

// Behind the sinking, which moves instructions and makes none: each at its own place again.
class GivePlaces : public llvm::MachineFunctionPass {
 public:
  explicit GivePlaces(std::shared_ptr<Places> places)
      : MachineFunctionPass(id_), places_(std::move(places)) {}
  llvm::StringRef getPassName() const override { return "phasebit: give places"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    for (llvm::MachineBasicBlock& block : function)
      for (llvm::MachineInstr& one : block)
        if (const auto place = places_->find(&one); place != places_->end())
          one.setDebugLoc(place->second);
    return false;
  }

 private:
  static inline char id_ = 0;
  std::shared_ptr<Places> places_;
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

}  // namespace phasebit::llvm_program
