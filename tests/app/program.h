// The program as a user calls it, in the project's own folder.
#pragma once

#include "core/base/process.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

// `phasebit COMMAND... ARGUMENTS...`, with NAME=VALUE settings of the environment in front.
inline base::ProcessOutput run_phasebit(const std::vector<std::string>& command,
                                        const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& environment = {}) {
  std::vector<std::string> words = environment;
  if (!words.empty()) words.insert(words.begin(), "env");
  words.emplace_back(std::getenv("PHASEBIT_PROGRAM"));
  words.insert(words.end(), command.begin(), command.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto output = base::run_process(words);
  EXPECT_TRUE(output) << output.error().text();
  return output.value_or(base::ProcessOutput{});
}

}  // namespace phasebit::test
