// Runs nvdisasm.
#pragma once

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/instruction.h"
#include "analysis/disassembly/cache.h"
#include "analysis/disassembly/nvdisasm_json.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::disassembly {

class Disassembler {
 public:
  using Listing = Result<DisassembledFunction>;

  // Asks the program for its version. Step::toolchain when it cannot be run or is not nvdisasm.
  // `cache` is the folder of what listings are kept in, "" for none.
  static Result<Disassembler> open(const fs::path& nvdisasm, const fs::path& cache = {});

  // How long one run may take; 10 minutes unless told otherwise.
  void limit(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  // Called after each run over raw code: so many of so many. Of listings that several threads ask
  // for, from several.
  using Progress = std::function<void(std::size_t done, std::size_t all)>;
  void report_to(Progress progress) { progress_ = std::move(progress); }

  const std::string& version() const { return version_; }  // "13.5.37"
  const fs::path& path() const { return path_; }

  // A run over a whole cubin as it is, names and all; to compare the listings below with
  // it. Step::disassemble when nvdisasm refuses the cubin or prints nothing usable.
  Result<Disassembly> run(std::string_view cubin) const;

  // The listings of kernels of one SM, in their order: of equal code one, those that the cache has
  // from it, the others by a run of nvdisasm for each thread over raw code laid end to end; names
  // come from the kernels. A run takes 250 ms to start, so give it all there is. May be called from
  // several threads. Step::disassemble in the place of a code that nvdisasm cannot read.
  std::vector<Listing> listings(int sm, const std::vector<const cubin::CubinKernel*>& kernels,
                                unsigned threads = 1) const;
  Listing listing(int sm, const cubin::CubinKernel& kernel) const;

 private:
  Disassembler(fs::path path, std::string version)
      : path_(std::move(path)), version_(std::move(version)) {}
  using Codes = std::vector<std::string_view>;  // .text, each once
  using Listings = std::map<std::string_view, Listing>;
  Result<std::string> print(const std::vector<std::string>& options, std::string_view bytes) const;
  Result<Disassembly> checked(const std::string& json) const;
  std::vector<Listing> read_raw(int sm, const Codes& codes) const;
  void read_all(int sm, const Codes& codes, unsigned threads, Listings& found) const;

  fs::path path_;
  std::string version_;
  std::optional<ListingCache> cache_;
  std::chrono::milliseconds timeout_ = std::chrono::minutes(10);
  Progress progress_;
};

// Listings of raw code: codes of one SM laid end to end, which nvdisasm reads in one run.

// The listing of each code, of so many bytes, in their order; addresses count from the start of
// each. Step::disassemble when the instructions are not as many.
Result<std::vector<DisassembledFunction>> split_raw(Disassembly raw,
                                                    const std::vector<std::size_t>& sizes);

// Puts names where raw code has numbers: the kernel's and its functions' in calls and returns, the
// symbol's where a relocation fills an operand in ("32@lo(counter+0x8)", "c[0x3][table+0x4]").
void name_operands(DisassembledFunction& function, const cubin::CubinKernel& kernel);

// The kernels of a cubin as instructions: words and lines from the ELF file, text from nvdisasm.

// Joins one kernel with its disassembly. Step::disassemble when their lengths differ, or what the
// disassembly failed of.
Result<cubin::SassKernel> join_kernel(const cubin::CubinKernel& kernel,
                                      const DisassembledFunction& function);
Result<cubin::SassKernel> join_kernel(const cubin::CubinKernel& kernel,
                                      const Disassembler::Listing& listing);

}  // namespace phasebit::disassembly
