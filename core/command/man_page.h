// A program's manual page, from its command line.
#pragma once

#include "core/command/described.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::command {

struct ManPageFacts {
  std::string version;                                           // "0.1.0"
  std::string about;                                             // one line, behind the name
  std::vector<std::pair<std::string, std::string>> environment;  // variable and what it does
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::pair<std::string, std::string>> exit_codes;
};

// roff for man(1), section 1.
std::string man_page(const DescribedCommand& program, const ManPageFacts& facts);

}  // namespace phasebit::command
