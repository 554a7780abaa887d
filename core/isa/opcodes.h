// What is known of opcodes: sass_opcodes.toml and ptx_opcodes.toml, which are part of the program
// and say what each of their columns and facts means.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::isa {

// Words of the column `does`, as bits.
template <class Fact>
class OpcodeFacts {
 public:
  explicit OpcodeFacts(std::uint64_t bits = 0) : bits_(bits) {}
  // Whether it has one of them.
  template <class... More>
  bool has(Fact fact, More... more) const {
    return ((bit(fact) | ... | bit(more)) & bits_) != 0;
  }
  static std::uint64_t bit(Fact fact) { return std::uint64_t{1} << static_cast<unsigned>(fact); }

 private:
  std::uint64_t bits_;
};

// In the order of the words in opcodes.cpp.
// clang-format off
enum class SassFact {
  arrives, atomic, branch, call, conditional, constant, copy, diverged, ends, fence, indirect,
  joins, load, local, matrix, meets, memory, nop, paired, polled, relative, scoreboard, sized,
  sleep, splits, store, tries, works, yield
};

enum class PtxFact {
  active, aligned, anywhere, async, atomic, branch, by_index, call, carries, cluster_arrive,
  cluster_wait, compares, effect, exits, init, load, loads, local, masks, moves, news,
  no_result, numbered_barrier, parameter, phase, polled, pure, reduction, registers, returns,
  shifts, speaks, state, store, takes, tells, traps, unseen, votes, weak, writes
};
// clang-format on

// Which operands an instruction writes: the column `results`.
enum class SassResults { first, none, compare, sync, carry, vote };

// Why and where a rule of the gate must count an opcode.
struct Synchronisation {
  std::string name, what;             // in a word, and in words
  std::vector<std::string> families;  // of SASS; empty: all
  std::vector<std::string> verbs;     // empty: in any
  int per_block = 0;                  // so many in a basic block need no rule
};

// Columns that neither table's readers ask for are empty there.
struct OpcodeRow {
  struct Pipe {
    std::string name;
    std::vector<int> sms;  // empty: all
  };
  std::vector<std::string> names;
  std::string is, like;
  std::vector<Pipe> pipes;
  std::optional<SassResults> results;
  bool key = false, varies = false;
  std::uint64_t does = 0, does_not = 0;
  std::vector<Synchronisation> sync;
};

// Of an opcode, all rows that fit it together.
struct SassOpcode {
  OpcodeFacts<SassFact> facts;
  std::string is, like;  // "" where no row says
  SassResults results = SassResults::first;
  bool key = false, varies = false;
  std::vector<OpcodeRow::Pipe> pipes;
  std::vector<Synchronisation> sync;

  // "lsu"; "other" where nothing is known.
  const std::string& pipe(int sm) const;
  // Why a rule must count it in code of a SASS family for a verb; null where none must.
  const Synchronisation* synchronisation(const std::string& family, const std::string& verb) const;
};

struct PtxOpcode {
  OpcodeFacts<PtxFact> facts;
  bool known = false;  // an opcode of PTX
};

class OpcodeTable {
 public:
  // Step::spec with file, line and key.
  static Result<OpcodeTable> read_sass(std::string_view text, const std::string& file);
  static Result<OpcodeTable> read_ptx(std::string_view text, const std::string& file);
  // Those of the program.
  static const OpcodeTable& sass();
  static const OpcodeTable& ptx();

  const std::vector<OpcodeRow>& rows() const { return rows_; }
  // Numbers of the rows that fit an opcode with its modifiers, the most special first.
  std::vector<std::size_t> fitting(std::string_view opcode) const;

 private:
  explicit OpcodeTable(std::vector<OpcodeRow> rows);

  std::vector<OpcodeRow> rows_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // without a star
  std::vector<std::pair<std::string, std::size_t>> stars_;   // the longest first
};

// "SYNCS.ARRIVE.TRANS64.A1T0", "mbarrier.test_wait.shared.b64": an opcode with its modifiers. What
// is given back stays. Any thread may ask, millions of times: a thread remembers what it asked for.
const SassOpcode& sass_opcode(std::string_view opcode);
const PtxOpcode& ptx_opcode(std::string_view opcode);

}  // namespace phasebit::isa
