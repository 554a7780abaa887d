// What was refused, said once for all that it befell.
#pragma once

#include "core/base/error.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::images {

struct Refusal {
  std::string image;  // "sm_90a ring/mbarrier/none/none"
  Error error;
};

// For each different error, most frequent first: its text, which has the source line, then how many
// images have it and the first of them, a line each. At most `most` errors; the last line says how
// many more there are and what `rest` does ("--failures FILE writes them all").
std::string refusal_text(const std::vector<Refusal>& refusals, std::size_t most,
                         const std::string& rest);

}  // namespace phasebit::pipeline::images
