// What ptxas made of one kernel, in the form in which it can be kept: it names statements, not
// template lines, because those move without a change of the kernel.
#pragma once

#include "core/image/manifest.h"

#include <string>
#include <vector>

namespace phasebit::ptxas {

struct StatementMessage {
  int statement = 0;  // 1-based; 0: of the kernel as a whole
  std::string text;
};

struct Outcome {
  bool refused = false;
  std::string module;     // content hash of the cubin; empty when refused
  std::string entry;      // its name there: that of the first kernel that had this text
  std::string text_hash;  // content hash of the section .text.<entry>
  image::Resources resources;
  std::vector<StatementMessage> messages;  // errors when refused, else warnings
};

}  // namespace phasebit::ptxas
