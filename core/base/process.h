// Running another program and taking what it says.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <string>
#include <vector>

namespace phasebit::base {

struct ProcessOutput {
  int exit_status = 0;     // valid when signal is 0
  int signal = 0;          // the signal that ended it, 0 when it exited
  bool timed_out = false;  // we killed it (signal is then SIGKILL)
  std::string out, err;
  bool ok() const { return signal == 0 && exit_status == 0; }
  // "exited with 255", "was ended by signal 6 (Aborted)", "was killed after 30 s"
  std::string how_it_ended() const;
};

struct ProcessOptions {
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  std::string working_directory;  // empty: ours
  bool own_streams = false;       // the child has ours, and the output is empty
};
inline constexpr std::chrono::milliseconds no_timeout = std::chrono::hours(24 * 365);

// Runs arguments[0] (searched in PATH when it has no '/') with standard input closed. An Error only
// when the program cannot be started; how it ended is in the value.
Result<ProcessOutput> run_process(const std::vector<std::string>& arguments,
                                  const ProcessOptions& options = {});

// Which program runs.

// content_hash of the executable: another for each build of other code. "" where it cannot be read.
const std::string& program_hash();

}  // namespace phasebit::base
