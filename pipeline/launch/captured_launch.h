// Which of the launches in a launch file `--launch FILE[#N]` means.
#pragma once

#include "core/image/launch_file.h"
#include "core/ptx/file.h"
#include "gen/guard/guard.h"

#include <map>
#include <string>

namespace phasebit::pipeline::launch {

// The one of this kernel; Step::usage lists them where it has several and no number says which.
Result<image::CapturedLaunch> captured_launch(const std::string& words, const std::string& kernel);

// What the guard takes of them, by entry. Several launches of a kernel may be meant where their
// threads and registers are the same. Step::usage where the file has none of the text's kernels.
Result<std::map<std::string, guard::GuardLaunch>> guard_launches(const ptx::PtxFile& file,
                                                                 const std::string& words);

}  // namespace phasebit::pipeline::launch
