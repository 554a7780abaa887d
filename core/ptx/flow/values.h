// Which registers depend on which within a loop: through any chain of instructions, through the
// branches that decide which of them run, and through the parameters of calls.
#pragma once

#include "core/ptx/flow/flow.h"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::ptx::flow {

// Registers, .param variables, and bytes of local memory. A call writes all that it is lent.
std::vector<PtxName> written_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement);
bool writes(const PtxFile& file, const PtxFlow& flow, std::size_t statement, const PtxName& name);
std::vector<PtxName> read_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement);

// Blocks of the loop that one way out of the jump reaches in the same turn and another does not.
std::set<int> decided_by(const PtxFlow& flow, const PtxLoop& loop, const PtxJump& jump);

struct PtxDependence {
  std::set<PtxName> names;  // written in the loop, dependent on a source
  std::set<int> blocks;     // that run or not by what a dependent branch decides
};

// Names that depend on what the statements for which `is_source` holds write. Those for which
// `stops` holds hand nothing on from what they read.
PtxDependence dependent_on(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                           const std::function<bool(std::size_t statement)>& is_source,
                           const std::function<bool(std::size_t statement)>& stops);

// What the statements of a loop read and write: made once, for each time that the loop is followed.
struct PtxLoopNames {
  // `results`: names that are asked for, besides those that its branches read.
  PtxLoopNames(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
               std::vector<PtxName> results = {});
  std::set<std::size_t> deciding;  // those by which a branch of the loop or a result may change
  std::map<std::size_t, std::vector<PtxName>> reads, writes;
  std::map<PtxName, int> written;  // by how many statements
  std::map<std::size_t, int> block_of;
  // Of what a statement reads, the statement of its block that wrote it last.
  std::map<std::size_t, std::map<PtxName, std::size_t>> writers;
  std::map<std::pair<int, PtxName>, std::size_t> last;  // of a block: what writes the name last
  std::set<PtxName> from_before;  // handed from turn to turn: read before it is sure to be written
  std::map<std::size_t, std::set<int>> decided;  // by a jump: decided_by
};

// What has the same value in each turn of a loop.

class PtxSteady {
 public:
  // Statements for which `steady` holds count as steady when their operands are: a load of what the
  // loop does not change.
  PtxSteady(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
            std::function<bool(std::size_t statement)> steady);

  // All that the statement reads: nothing in the loop writes it, or one statement does, always
  // before this one, from steady operands. What cannot be shown is not steady.
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
