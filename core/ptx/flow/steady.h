// What has the same value in each turn of a loop.
#pragma once

#include "core/ptx/flow/values.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace phasebit::ptx::flow {

class PtxSteady {
 public:
  // Statements for which `steady` holds count as steady when their operands are: a load of what the
  // loop does not change.
  PtxSteady(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            std::function<bool(std::size_t statement)> steady);

  // All that the statement reads: nothing in the loop writes it, or one statement does, always in
  // front of this one, from steady operands. What cannot be shown is not steady.
  bool operands(std::size_t statement) const;
  bool name(const PtxName& name, std::size_t reader) const;  // one that it reads

 private:
  bool result(std::size_t statement) const;
  bool always_before(std::size_t first, std::size_t second) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  std::function<bool(std::size_t)> steady_;
  std::map<PtxName, std::vector<std::size_t>> writes_;
  bool writes_anywhere_ = false;  // what the loop stores may be local memory at any place
  mutable std::map<std::size_t, bool> results_;
};

}  // namespace phasebit::ptx::flow
