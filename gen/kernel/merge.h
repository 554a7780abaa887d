// A fork and what has become of its parent since.
#pragma once

#include "gen/kernel/tuned.h"

#include <string>

namespace phasebit::kernel {

enum class Drift { none, comments, code };

// How far the parent's current file is from the recorded one; a head that differs counts as code.
// Step::spec when the base is not the text that the fork's head records.
Result<Drift> drift_of(const Fork& fork, const std::string& now);

// Merges three ways with `git merge-file`: the base, the fork, the current parent. A clean merge
// is written, and the current parent recorded. Else the text with the conflict marks is written
// next to the fork, which stays as it is. Whether it was clean. Step::toolchain without git; an
// error of the reader when the merged text is not a kernel.
Result<bool> merge_fork(const Fork& fork, const std::string& now);

}  // namespace phasebit::kernel
