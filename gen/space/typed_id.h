// The id of a variant as a person types it, taken apart. Nothing else takes one apart: a key is
// typed.
#pragma once

#include "gen/ptxas/assembler.h"

#include <string>

namespace phasebit::space {

struct TypedId {
  std::string variant;    // of the catalogue: "ring/mbarrier/none/none/num_stages=8", or a hash
  std::string fork;       // its name; "" for none
  bool snippets = false;  // names some
  std::string text;       // without the choice of ptxas
  ptxas::AssemblerAxes named;     // what it says of that choice, at most one value an axis
  ptxas::AssemblerChoice choice;  // the defaults where it names none
};

// A version of ptxas may be short (12.4 is the newest 12.4 installed); the pinned one becomes "".
// Step::usage for a value that is none; Step::toolchain, with the command that installs it, for a
// version that is not installed.
Result<TypedId> read_typed_id(const base::Home& home, const std::string& id);

}  // namespace phasebit::space
