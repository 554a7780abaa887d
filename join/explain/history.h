// What every ptxas made of one text, and what that costs where it was measured.
#pragma once

#include "analysis/compare/cause.h"
#include "analysis/report/data/comparison.h"
#include "core/base/table.h"
#include "join/explain/explain.h"
#include "join/reduce/reduce.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::join::explain {

struct HistoryRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string variant;
  std::vector<std::string> toolchains;  // versions of ptxas; empty: every one installed
  std::string target;                   // "": that of the results, else sm_90a
  std::vector<std::string> results;     // empty: the published histories
  std::string device;
  std::string bisect;  // "class", "cycles" or a pattern of opcodes; "" for the whole history
  // Where instructions of an opcode are counted: "hot" (a turn of the timed loops), "loops" (loops
  // of the whole kernel, as `sass reduce` does) or "all"; "" for loops.
  std::string count;
  std::string out;  // with bisect: the file of the smallest PTX that shows it; "" for none
};

// One version: its code against that of the version before.
struct HistoryEntry {
  std::string ptxas, choice, id;               // the version; as the axis has it
  const reading::CodeSubject* side = nullptr;  // null: no code
  std::string problem;                         // why
  flow::Features features;
  std::optional<compare::Change> change;         // from the last version that has code
  std::vector<std::string> changes;              // in words
  flow::CodeCounts hot;                          // of all timed loops
  report::data::Figure figure;                   // "not measured" without one
  std::optional<report::data::Comparison> step;  // from the last version that was measured
};

struct VersionHistory {
  std::string text, target;  // the id without its ptxas
  CodeSides sides;           // entries point into it
  std::vector<HistoryEntry> entries;
  // With `bisect`: the two versions between which it changed most, and with `out` the smallest PTX
  // that shows it.
  std::pair<const HistoryEntry*, const HistoryEntry*> change = {};
  // Of an opcode: what was counted in both, and where: "1 -> 4 in loops"; else "".
  std::string counted = {};
  std::optional<reduce::Reduction> smallest = {};
};

Result<VersionHistory> version_history(const HistoryRequest& request);

base::Table history_table(const std::vector<HistoryEntry>& entries);

}  // namespace phasebit::join::explain
