// What LLVM made and its twin of the templates.
#pragma once

#include "analysis/report/data/report_data.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::tables::origins {

// How LLVM was asked, as the axes have it.
struct LlvmChoice {
  std::string opt_level;       // "2"
  bool short_pointers = true;  // 32-bit addresses in shared memory
  auto operator<=>(const LlvmChoice&) const = default;
};
inline const LlvmChoice usual_choice = {"2", true};

// The same variant by the templates.
record::VariantRow without_llvm(record::VariantRow row);

struct LlvmPair {
  std::string id;                          // of the template's
  const data::Aggregate* ours = nullptr;   // of the templates
  const data::Aggregate* llvms = nullptr;  // may have no figure
  LlvmChoice choice;
  double ratio() const { return llvms->cycles / ours->cycles; }
};

// Those whose twin has a figure, in the order of the ids; `where`: axes of the template's variant.
// What has further axes behind LLVM's (padding, another ptxas, a file) is none.
std::vector<LlvmPair> llvm_pairs(const data::Aggregation& figures,
                                 const data::TableArguments& where);

}  // namespace phasebit::report::tables::origins
