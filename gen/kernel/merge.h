// A fork and what has become of its parent since.
#pragma once

#include "gen/kernel/tuned.h"

#include <string>

namespace phasebit::kernel {

enum class Drift { none, comments, code };

// How far the parent's file of today is from the recorded one; a head that differs counts as code.
// Step::spec when the base is not the text that the fork's head records.
Result<Drift> drift_of(const Fork& fork, const std::string& now);

// Merges three ways with `git merge-file`: the base, the fork, the parent of today. A clean merge
// is written, and the parent of today recorded. Else the text with the conflict marks is written
// beside the fork, which stays as it is. Whether it was clean. Step::toolchain without git; an
// error of the reader when the merged text is no kernel.
Result<bool> merge_fork(const Fork& fork, const std::string& now);

}  // namespace phasebit::kernel
