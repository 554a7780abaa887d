// The records that the host reads: whether what a kernel stores there is what its clock verbs read.
#pragma once

#include "analysis/protocol/chains.h"
#include "core/ptx/file.h"
#include "core/ptx/run/launch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::protocol {

class Records {
 public:
  // What is wrong with an instruction that a thread executes.
  using Complain = std::function<void(const ptx::run::Instruction&, std::string what)>;

  // The buffer "samples" of the launch, if it has one.
  Records(const ptx::PtxFile& file, const ptx::run::RunLaunch& launch, Complain complain);

  // In the order of the run, before each takes place.
  void executed(const ptx::run::Warp& warp, const ptx::run::Instruction& one, ptx::run::Mask lanes,
                const Chains& chains);
  // How long the chains are by which the items of the records were counted, all together.
  std::uint64_t steps_of_items() const { return steps_of_items_; }

 private:
  // The fields of SampleRecord, in its order.
  using Clocks = std::array<std::optional<std::uint64_t>, 4>;
  struct Read {  // whose value is there when the warp goes on
    ptx::run::Operand to;
    ptx::run::Mask lanes = 0;
    std::size_t field = 0;
  };

  void take_reads(const ptx::run::Warp& warp);
  void read(const ptx::run::Warp& warp, const ptx::run::Instruction& one, ptx::run::Mask lanes);
  // Where in the buffer that address is.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  void store(const ptx::run::Warp& warp, const ptx::run::Instruction& one, int lane,
             std::uint64_t offset, const Chains& chains);
  void store_word(const ptx::run::Warp& warp, const ptx::run::Instruction& one, int lane,
                  std::uint64_t offset, std::uint64_t value);

  const ptx::PtxFile& file_;
  Complain complain_;
  std::uint64_t begin_ = 0, end_ = 0;       // addresses
  std::map<int, std::vector<Read>> reads_;  // by warp
  std::map<int, Clocks> clocks_;            // by thread
  std::vector<bool> stored_;                // bytes
  std::uint64_t steps_of_items_ = 0;
};

}  // namespace phasebit::protocol
