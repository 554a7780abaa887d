// A fork and what has become of its parent since.
#pragma once

#include "gen/tuned.h"

#include <string>
#include <vector>

namespace phasebit {

enum class Drift { none, comments, code };

// How far the parent's text of today is from the recorded one. Step::spec when the recorded text is
// not the one that fork.toml names.
Result<Drift> drift_of(const Fork& fork, const ParentTexts& now);

struct MergeOutcome {
  std::vector<fs::path> conflicts;  // files with conflict marks; when there is one, only these are
                                    // written and the fork stays as it is
  bool clean() const { return conflicts.empty(); }
};

// Merges three ways with `git merge-file`: the recorded parent, the fork, the parent of today. A
// clean merge is written, and the parent of today recorded. Step::toolchain without git;
// Step::render when the merged text is no kernel.
Result<MergeOutcome> merge_fork(const Fork& fork, const ParentTexts& now);

}  // namespace phasebit
