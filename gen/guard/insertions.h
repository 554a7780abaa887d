// Statements put before and after others, and others taken out.
#pragma once

#include "core/ptx/file.h"
#include "core/ptx/flow/flow.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit::guard {

class Insertions {
 public:
  void before(std::size_t statement, std::vector<std::string> lines) {
    add(before_[statement], std::move(lines));
  }
  void after(std::size_t statement, std::vector<std::string> lines) {
    add(after_[statement], std::move(lines));
  }
  void remove(std::size_t statement) { removed_.insert(statement); }

  // The file with them. `origins` gets, for each statement of it, the one of `file` that it is or
  // is next to.
  ptx::PtxFile applied(const ptx::PtxFile& file, std::vector<int>& origins) const;

 private:
  static void add(std::vector<std::string>& to, std::vector<std::string> lines) {
    for (std::string& line : lines) to.push_back(std::move(line));
  }

  std::map<std::size_t, std::vector<std::string>> before_, after_;
  std::set<std::size_t> removed_;
};

// PTX that brings a register, a number or an address into a 64-bit register of the guard's.

// `to` gets the value of the operand; nothing where the guard cannot have it (128 bits, a name).
// `guard` ("@p", or "") precedes each statement.
std::vector<std::string> capture_value(const ptx::PtxScopes& scopes, int scope,
                                       const std::string& operand, const std::string& to,
                                       const std::string& guard);

// The same for "[%rd1+8]" or "[flags+4]".
std::vector<std::string> capture_address(const ptx::PtxScopes& scopes, int scope,
                                         const std::string& operand, const std::string& to,
                                         const std::string& guard);

// What a guarded wait does where it ends.

struct WaitEnd {
  std::vector<std::string> before, after;  // the statement that leaves the loop
};

// Leaving is progress of the grid, and the next wait begins anew: `since` is the register that
// holds since when this one lasts. Only where the loop is left: of brx.idx by the indices that lead
// out of it.
WaitEnd end_of_wait(const ptx::PtxFile& file, const ptx::flow::PtxLoop& loop,
                    const ptx::flow::PtxJump& exit, const std::string& since);

}  // namespace phasebit::guard
