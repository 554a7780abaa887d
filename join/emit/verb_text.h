// The verbs of a rendered kernel as statements of its text: which registers each reads and writes,
// and each as one asm statement of C++.
#pragma once

#include "core/launch/launch.h"
#include "core/ptx/file.h"
#include "core/ptx/scope.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::join::emit {

using Names = std::set<std::string>;
// Statements of the kernel in their order, by index.
using Piece = std::vector<std::size_t>;

class VerbText {
 public:
  // A kernel's file (kernel::kernel_file) with one entry.
  static Result<VerbText> read(std::string_view text, const std::string& name);

  // Each place where the role executes the verb. The tail is one, without the verbs in it.
  std::vector<Piece> places(launch::Role role, std::string_view verb) const;
  // What the role does outside of verbs: before the first clock read (its set-up), or after.
  Piece outside(launch::Role role, bool before_clocks) const;
  // Of a piece that does not branch: what the registers `wanted` need, and with `effects` what
  // gives no result.
  Piece slice(const Piece& piece, const Names& wanted, bool effects) const;

  // Registers that are declared outside of the verbs' blocks: those whose value on entry counts,
  // and those written.
  Names reads(const Piece& piece) const;
  Names writes(const Piece& piece) const;
  std::string type_of(const std::string& name) const { return scopes_.type_of(0, name); }

  // One asm statement. `places`: the same verb of each slot in a row, of which a number that grows
  // from slot to slot becomes an expression of `Slot`. `bind` says what a register is in C++; those
  // of `wanted` are given back. Step::render where the places differ in more than such numbers.
  struct Request {
    std::vector<Piece> places;
    Names wanted;
    bool is_volatile = true;
    std::function<std::string(const std::string& name)> bind = {};
  };
  Result<std::string> asm_statement(const Request& request) const;

 private:
  bool is_outer(std::size_t at, std::string_view name) const;
  Names outer(std::size_t at, const std::vector<std::string>& names) const;
  const ptx::PtxStatement& parsed(std::size_t at) const { return file_.statements[at].parsed; }
  const ptx::PtxHeading* heading(std::size_t at) const;
  std::vector<std::string> lines(const Piece& piece) const;

  ptx::PtxFile file_;
  const ptx::PtxFunction* entry_ = nullptr;
  ptx::PtxScopes scopes_;
};

}  // namespace phasebit::join::emit
