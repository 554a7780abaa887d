// Runs nvdisasm.
#pragma once

#include "analysis/sass/disassembly_cache.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

class Disassembler {
 public:
  // Asks the program for its version. Step::toolchain when it cannot be run or is no nvdisasm.
  // `cache` is the folder of a DisassemblyCache, "" for none.
  static Result<Disassembler> open(const fs::path& nvdisasm, const fs::path& cache = {});

  // How long one run may take; 10 minutes unless told otherwise.
  void limit(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  const std::string& version() const { return version_; }  // "13.5.37"
  const fs::path& path() const { return path_; }

  // One run of nvdisasm, which takes 250 ms to start and 1 ms a kernel: give it whole modules. With
  // `functions` (symbol indices of .text sections) only those are disassembled. May be called from
  // several threads. Step::disassemble when nvdisasm refuses the cubin or prints nothing usable.
  Result<Disassembly> run(std::string_view cubin,
                          const std::vector<std::size_t>& functions = {}) const;

  // The listings of some kernels of a cubin (`bytes`), by name: those that the cache has from it,
  // the others by one run. Step::disassemble when nvdisasm prints nothing for one of them.
  Result<std::map<std::string, DisassembledFunction>> functions(
      std::string_view bytes, const Cubin& cubin,
      const std::vector<const CubinKernel*>& wanted) const;

 private:
  Disassembler(fs::path path, std::string version)
      : path_(std::move(path)), version_(std::move(version)) {}
  fs::path path_;
  std::string version_;
  std::optional<DisassemblyCache> cache_;
  std::chrono::milliseconds timeout_ = std::chrono::minutes(10);
};

}  // namespace phasebit
