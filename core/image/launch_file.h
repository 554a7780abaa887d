// launch.toml: launches of kernels as a program made them (`phasebit capture`), by the list of
// fields of a launch (whole.h).
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/toml.h"
#include "core/image/whole.h"

#include <string>
#include <vector>

namespace phasebit::image {

struct CapturedLaunch {
  std::string kernel;  // its entry's name
  int times = 1;       // launches that are alike
  int registers = 0;   // of a thread when it begins; 0 where the driver did not say
  WholeLaunch launch;
};

// Step::spec with file, line and key for what is no launch.
Result<std::vector<CapturedLaunch>> read_launch_file(const fs::path& path);
// The same of its TOML.
Result<std::vector<CapturedLaunch>> read_launches(const base::TomlValue& toml,
                                                  const std::string& file);

// `made_by`: a line for whoever reads the file.
std::string launch_file_text(const std::vector<CapturedLaunch>& launches,
                             const std::string& made_by);

}  // namespace phasebit::image
