// Which ptxas and nvdisasm are used, and what that ptxas knows.
#pragma once

#include "core/base/home.h"
#include "core/isa/version.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptxas {

// The reference ptxas, "13.5.37": golden listings, classes and published figures are made with it.
// From pyproject.toml, as meson.build reads it.
inline constexpr const char* pinned_toolchain = PHASEBIT_PINNED_TOOLCHAIN;

struct Toolchain {
  fs::path ptxas;
  isa::Version version;
  isa::Version ptx;               // the newest `.version` it reads; without parts when unknown
  fs::path nvdisasm;              // empty when there is none: see require_nvdisasm
  isa::Version nvdisasm_version;  // without parts when there is none
  std::vector<std::string>
      targets;          // "sm_75", ... "sm_121f": ascending, as `ptxas --help` lists them
  std::string install;  // what to do for the pinned one: "run tools/toolchain 13.5.37"
};

struct ToolchainRequest {
  base::Home home;
  std::optional<fs::path> ptxas, nvdisasm;  // --ptxas, --nvdisasm
};

// Where the tools are looked for: the path asked for, else the folder $PHASEBIT_TOOLCHAIN, else
// the pinned version of the program's own. nvdisasm is looked for next to ptxas,
// then in the pinned toolchain (wheels before 13.2 lack it, and a newer one reads older cubins).
// Step::toolchain when ptxas is missing, cannot be started or does not answer.
Result<Toolchain> find_toolchain(const ToolchainRequest& request);

// The folder with the programs inside a toolchain: of the wheels from 13.0 on, of those before, of
// an installed toolkit, or the folder itself. Empty when none holds a ptxas.
fs::path toolchain_programs(const fs::path& folder);

// One of the program's own toolchains, which tools/toolchain installs.
struct InstalledToolchain {
  isa::Version version;  // of the folder's name
  fs::path folder;
  // Its version, "" for the pinned one: what a command works with unless it is asked.
  std::string choice() const;
};

// cuobjdump next to another program; empty when there is none.
fs::path cuobjdump_next_to(const fs::path& program);
// That of $PHASEBIT_TOOLCHAIN, else of the pinned toolchain. Empty when there is none: few files
// ask for it. A home without folders is none.
fs::path find_cuobjdump(const base::Home& home);

// All that hold a ptxas, oldest first.
std::vector<InstalledToolchain> installed_toolchains(const base::Home& home);
// "12.4.131", or the newest patch of "12.4". Step::usage for what is not a version;
// Step::toolchain, with those installed and the command that installs it, when it is not there.
Result<InstalledToolchain> find_installed(const base::Home& home, const std::string& version);
// The versions that words name, each once: such a one, or "all" for every one installed.
Result<std::vector<InstalledToolchain>> installed_named(const base::Home& home,
                                                        const std::vector<std::string>& words);

// Step::toolchain, with the command that installs it, when there is no nvdisasm.
Status require_nvdisasm(const Toolchain& toolchain);

// Step::usage with the nearest architecture when this ptxas does not know the name.
Status check_target(const Toolchain& toolchain, const std::string& target);

// The architectures among the allowed values of `ptxas --help`. (--list-arch exists only since 13.1
// and leaves out those with a or f.)
std::vector<std::string> targets_in_help(std::string_view help);

// The newest PTX that the ptxas of a CUDA release reads (the PTX ISA's release notes); nothing for
// releases that the table does not have.
std::optional<isa::Version> newest_ptx(const isa::Version& cuda);
// The oldest CUDA release that reads this PTX: "13.3" for 9.3. Nothing beyond the table.
std::optional<isa::Version> oldest_cuda(const isa::Version& ptx);

}  // namespace phasebit::ptxas
