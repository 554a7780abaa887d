// Which template line a rendered line came from.
#pragma once

#include <string>
#include <vector>

namespace phasebit::launch {

struct SourceLine {
  std::string file;  // relative to the templates folder: "protocols/mbarrier/wait.ptx"
  int line = 0;      // 1-based in that file
  std::string verb;  // the file's stem: acquire, commit, wait, release, fill, drain, checksum,
                     // work, clock_start, clock_end, ...; "" for what belongs to the probe itself
  std::string role;  // producer, consumer, both, or "" outside the roles
  bool of_templates = true;  // false: `file` is a path of its own (a fork, a snippet)

  // "templates/FILE:LINE", for messages.
  std::string place() const {
    return (of_templates ? "templates/" : "") + file + ":" + std::to_string(line);
  }
};

// Element n-1 belongs to statement line n of the kernel's text, which is also its `.loc` line.
using SourceMap = std::vector<SourceLine>;

}  // namespace phasebit::launch
