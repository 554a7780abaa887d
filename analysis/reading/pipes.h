// Which pipeline of an SM each opcode goes to.
#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::reading {

class PipeTable {
 public:
  // analysis/reading/pipes.toml, which is part of the program; read once a process. Step::spec with
  // file, line and key.
  static Result<const PipeTable*> get();
  static Result<PipeTable> read(std::string_view text, const std::string& file);

  // "lsu" of "LDG.E.128" on an SM (90); "other" where nothing is known.
  const std::string& pipe_of(const std::string& opcode, int sm) const;

  // Whether a table of loops names it.
  bool is_key(const std::string& opcode) const;

 private:
  struct Pipe {
    std::string name;
    std::vector<std::string> opcodes;
    std::vector<int> sms;  // empty: all
  };
  std::vector<Pipe> rows_;
  std::vector<std::string> key_;
};

// "tensor 8, lsu 4, alu 2, other 1": how many instructions go where, the most first.
std::string pipe_mix(const PipeTable& pipes, const std::map<std::string, int>& opcodes, int sm);

// "HGMMA x4, SYNCS x2": the key opcodes without their modifiers, the most first.
std::string key_opcodes(const PipeTable& pipes, const std::map<std::string, int>& opcodes);

// By pipeline; by key opcode without its modifiers.
std::map<std::string, int> count_pipes(const PipeTable& pipes,
                                       const std::map<std::string, int>& opcodes, int sm);
std::map<std::string, int> count_key_opcodes(const PipeTable& pipes,
                                             const std::map<std::string, int>& opcodes);

}  // namespace phasebit::reading
