// What ptxas says, as values. Its words are the same from 11.8 to 13.5 but for the order of
// figures.
#pragma once

#include "core/launch/manifest.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptxas {

struct PtxasMessage {
  enum class Severity { info, warning, error, fatal };
  Severity severity = Severity::info;
  int line = 0;      // of the module, 1-based; 0 when it names none
  std::string text;  // without "ptxas FILE, line N; error   : "
};

struct PtxasReport {
  std::map<std::string, launch::Resources> entries;  // of every entry that was compiled, with -v
  // Everything else but the fixed phrases of -v ("Compiling entry function", "Compile time",
  // ...).
  std::vector<PtxasMessage> messages;
};

PtxasReport parse_ptxas_output(std::string_view output);

}  // namespace phasebit::ptxas
