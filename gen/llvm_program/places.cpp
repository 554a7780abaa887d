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

// Behind instruction selection: what stands where.
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

// Behind the sinking, which moves instructions and makes none: each at its own place again.
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

}  // namespace phasebit::llvm_program
