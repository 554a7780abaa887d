// What an executed operation is called where executions are counted.
#pragma once

#include "core/ptx/file.h"
#include "core/ptx/head/head.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/warp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::protocol {

// Whether it takes part in a protocol: barriers, fences, ordered and atomic accesses, copies,
// sleeps, registers, what lanes do together.
bool synchronises(const ptx::run::Instruction& one);
// Arithmetic that a kernel is there for: floating point and tensor operations.
bool is_work(const ptx::run::Instruction& one);
// "ld.shared", "st.global" of a plain access; "" of others.
std::string access_of(const ptx::run::Instruction& one);
std::uint64_t bytes_of(const ptx::run::Instruction& one);
// How many times the banks of shared memory work for one access of a warp: lanes that read one word
// share it, and of 8 or 16 bytes half the lanes or a quarter come at a time.
std::uint64_t wavefronts_of(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                            ptx::run::Mask lanes);

class CountWords {
 public:
  // All must outlive it.
  CountWords(const ptx::PtxFile& file, const ptx::run::RunProgram& program,
             const std::vector<ptx::head::HeadBarrier>& barriers);

  // "mbarrier.try_wait full[2], parity 1, acquire.cta": of what synchronises, with the operands
  // that the lane has now.
  std::string operation(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                        int lane) const;
  // "full": which barriers a try or a load asks; "" where the head names none there.
  std::string asked(const ptx::run::Warp& warp, const ptx::run::Instruction& one, int lane) const;
  // The opcode; of a parameter with where it is: "ld.param.u32 +4".
  std::string statement(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                        int lane) const;
  // A sum over the addresses that its name leaves out; nothing where it has none.
  std::optional<std::uint64_t> places(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                                      int lane) const;

 private:
  const std::string& opcode(const ptx::run::Instruction& one) const {
    return file_.statements[one.statement].parsed.name;
  }
  // In shared memory from where the dynamic one begins, so that static variables move nothing.
  std::uint64_t address(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                        std::size_t operand, int lane) const;
  std::string barrier(std::uint64_t address) const;

  const ptx::PtxFile& file_;
  const std::vector<ptx::head::HeadBarrier>& barriers_;
  std::uint32_t shared_begin_ = ptx::run::reserved_shared_bytes;
};

}  // namespace phasebit::protocol
