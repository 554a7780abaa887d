// Which opcodes synchronise, by SASS family: core/rule/synchronisation.toml.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::rule {

struct SynchronisationOpcode {
  std::string what;                   // in words
  std::string pattern;                // shell pattern over the whole opcode
  std::vector<std::string> families;  // empty: all
  std::vector<std::string> verbs;     // empty: in any
  int per_block = 0;                  // so many in a basic block need no rule
};

class SynchronisationTable {
 public:
  // Read once a process. Step::spec with file, line and key.
  static Result<const SynchronisationTable*> get();
  static Result<SynchronisationTable> read(std::string_view text, const std::string& file);

  // The entry that makes the opcode one, or null. An opcode that several entries fit is the
  // first's.
  const SynchronisationOpcode* find(const std::string& opcode, const std::string& family,
                                    const std::string& verb) const;
  const std::vector<SynchronisationOpcode>& opcodes() const { return opcodes_; }

 private:
  std::vector<SynchronisationOpcode> opcodes_;
};

}  // namespace phasebit::rule
