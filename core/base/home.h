// Where the program's folders are: in a checkout, or below the prefix that it was installed into.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::base {

struct Home {
  fs::path data;  // templates/, specs/, results/, ptx/: read, never written
  fs::path work;  // where what a user edits goes (ptx/tuned): the checkout, or the current folder
  fs::path toolchains;  // one folder a version, as tools/toolchain makes them
  fs::path cache;       // of assembly and what is derived from it; may be deleted at any time
  bool installed = false;
  fs::path packages =
      {};  // site-packages of the Python environment it was installed into, or empty

  // What to run for a ptxas: "tools/toolchain", or its whole path when it is installed.
  std::string toolchain_command() const;
};

// What decides: a program's surroundings as values. "" for a variable that is not set.
struct Surroundings {
  fs::path program;       // the executable
  fs::path current;       // the current folder
  std::string chosen;     // $PHASEBIT_HOME
  std::string user;       // $HOME
  std::string xdg_cache;  // $XDG_CACHE_HOME
  std::string xdg_data;   // $XDG_DATA_HOME
};
Surroundings surroundings();

// The data is in $PHASEBIT_HOME, else in share/phasebit of the prefix that the program is in, else
// in the nearest folder above the program that has templates/README.md. A folder with the file
// VERSION was installed: of another version than the program it is an error. Step::io, with the
// places that were looked at and what to do.
Result<Home> find_home(const Surroundings& around = surroundings());

// The first of these places that is there, below the program's folder or one above it: a program or
// library that is built or installed next to it.
std::optional<fs::path> find_beside_program(const std::vector<fs::path>& places);

// "0.1.0"
std::string_view program_version();

}  // namespace phasebit::base
