// From rendered kernels to cubins: through the cache, many kernels a call of ptxas, on every core.
#pragma once

#include "core/base/cache.h"
#include "core/isa/targets.h"
#include "core/launch/manifest.h"
#include "gen/ptxas/assembler.h"
#include "gen/ptxas/toolchain.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::ptxas {

// Refusals on top of the target's own limits.
struct ResourceLimits {
  std::optional<int> max_registers;     // per thread
  std::optional<int> max_shared_bytes;  // static and dynamic
  std::optional<int> max_spill_bytes;   // stores and loads
};

struct AssembleOptions {
  std::vector<std::string> flags;  // of ptxas, beyond -v, -arch and -lineinfo
  bool line_info = false;          // `.loc 1 n 0` before executable statement n, and -lineinfo
  ResourceLimits limits;
  unsigned threads = 0;  // 0: as many as there are cores
  // docs/decisions/assembly.md has the measurement.
  size_t kernels_per_module = 64;
  std::chrono::seconds timeout{120};  // of one call of ptxas
  // Called after each call of ptxas, from any thread, one at a time.
  std::function<void(size_t done, size_t all)> progress;
};

// One kernel for one target.
struct AssembleJob {
  const Kernel* kernel = nullptr;
  std::string target;
  int dynamic_shared_bytes = 0;  // of its launch
};

struct Assembled {
  std::string module_hash;
  // Its name in that module, which is that of another kernel where both have one text.
  std::string entry;
  std::string text_hash;  // content_hash of its .text section
  launch::Resources resources;
  std::vector<std::string> warnings;  // "templates/FILE:LINE: text" where ptxas names a line
};

struct Assembly {
  // In the order of the jobs. Step::usage: no such target; assemble: refused by ptxas, by a limit,
  // or because the kernel needs a later target; toolchain, io: the tool failed, another try may
  // not.
  std::vector<Result<Assembled>> kernels;
  // Modules that no cache holds: all of them without a cache, those it could not keep with one.
  std::map<std::string, std::string> modules;
  std::vector<std::string> notes;        // new trouble with the cache
  size_t from_cache = 0, assembled = 0;  // jobs
};

Assembly assemble(const Toolchain& toolchain, const base::Cache* cache,
                  const std::vector<AssembleJob>& jobs, const AssembleOptions& options = {});

// All kernels for one target, without dynamic shared memory.
Assembly assemble(const Toolchain& toolchain, const base::Cache* cache,
                  const std::vector<Kernel>& kernels, const std::string& target,
                  const AssembleOptions& options = {});

// The cubin of that hash, from the assembly or from the cache it was made with.
Result<std::string> module_code(const Assembly& assembly, const base::Cache* cache,
                                const std::string& hash);

// Step::assemble ("needs sm_90") when PTX for `ptx_target` cannot be compiled for `target`. PTX for
// sm_90 goes to sm_90 and all above; for sm_100f to the same decade from there on; for sm_90a only
// to sm_90a.
Status check_ptx_target(const std::string& ptx_target, const std::string& target);

// Whether a ptxas can be asked at all: it knows the target (else Step::usage), the target is not
// older than the text and the text's PTX is not newer than it reads (else Step::assemble: "needs
// PTX 8.0, ptxas 11.8.89 reads up to 7.8").
Status check_takes(const Toolchain& toolchain, const Kernel& kernel, const std::string& target);

// Step::assemble with the figure ("uses 40 registers, the limit is 32") when a limit is passed.
// Limits of the target that are 0 are unknown and not checked.
Status check_resources(const launch::Resources& resources, int dynamic_shared_bytes,
                       const ResourceLimits& limits, const isa::Target& target);

}  // namespace phasebit::ptxas
