// A kernel's text made ready for running: one row of numbers for each register, instructions whose
// operands are such rows, and the loops that only wait. What is not modelled is an error here, with
// its line: nothing is left out in silence.
#pragma once

#include "core/base/error.h"
#include "core/ptx/file.h"
#include "core/ptx/run/launch.h"
#include "core/ptx/scope.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx::run {

inline constexpr std::uint32_t all_lanes = 0xffffffffU;

// What an instruction does; opcode_table.cpp says which opcodes those are.
// clang-format off
enum class Op : std::uint8_t {
  // of numbers
  mov, cvt, cvta, policy, add, sub, mul, mad, mul24, div, rem, abs, neg, min, max, fma,
  and_, or_, xor_, not_, shl, shr, bfe, bfi, clz, bfind, popc, brev, prmt, lop3, selp, setp,
  // of values that are not followed
  opaque,
  // where to go
  bra, brx, exit, trap, call,
  // special registers that change, delays
  clock, nanosleep, setmaxnreg, nothing,
  // of a warp
  warp_sync, shfl, vote, match, redux, elect, active_mask,
  // memory
  ld, st, atom, red, discard, ld_matrix, st_matrix, mapa, fence, fence_init, fence_proxy,
  // barriers
  bar_sync, bar_arrive, bar_warp_sync, cluster_arrive, cluster_wait,
  mbarrier_init, mbarrier_inval, mbarrier_arrive, mbarrier_expect, mbarrier_complete,
  mbarrier_wait, mbarrier_pending,
  // asynchronous
  cp_async, cp_async_commit, cp_async_wait, cp_async_arrive,
  bulk_copy, tensor_copy, map_replace, map_publish,
  bulk_commit, bulk_wait, st_async,
  wgmma, wgmma_fence, wgmma_commit, wgmma_wait,
  tcgen05_alloc, tcgen05_dealloc, tcgen05_relinquish, tcgen05_mma, tcgen05_commit,
  try_cancel, query_cancel
};
// clang-format on

// Modifiers that change what an instruction does. Bits of Instruction::words.
// clang-format off
enum class Word : std::uint8_t {
  lo, hi, wide, eq, ne, lt, le, gt, ge, and_, or_, xor_, rn, rz, rzi, all, any, ballot, uni,
  idx, up, down, bfly, parity, expect_tx, drop, no_complete, noinc, multicast, read, aligned, inc,
  dec, min, max, add, exch, cas, to, trans, x1, x2, x4, group, is_canceled, get_first, exclusive,
  reduction, shiftamt, nc
};
// clang-format on

// What tensormap.replace changes; Instruction::target.
enum class MapField : std::uint8_t {
  address,
  rank,
  box,
  size,
  stride,
  step,
  element,
  interleave,
  swizzle,
  fill
};

struct Type {
  enum class Kind : std::uint8_t { none, bits, unsigned_, signed_, float_, predicate };
  Kind kind = Kind::none;
  std::uint8_t bits = 0;
  int bytes() const { return bits / 8; }
  bool operator==(const Type&) const = default;
};

// A value of memory in its register, which may be wider.
inline std::uint64_t extended(Type type, std::uint64_t value) {
  if (type.kind != Type::Kind::signed_ || type.bits >= 64) return value;
  const std::uint64_t sign = std::uint64_t{1} << (type.bits - 1U);
  return ((value & (2 * sign - 1)) ^ sign) - sign;
}

enum class Space : std::uint8_t { generic, shared, cluster, global, param, local, constant };
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

// A register, a constant and a special register are all a row: 32 values, one a lane. Predicates
// have rows of their own, a mask each; the first is the constant that is false.
inline constexpr std::uint32_t false_predicate = 0;
struct Operand {
  enum class Kind : std::uint8_t { none, row, predicate };  // none: the sink "_"
  Kind kind = Kind::none;
  bool negated = false;
  std::uint32_t row = 0;
  std::int64_t offset = 0;  // of an address
};

struct Instruction {
  Op op = Op::nothing;
  Type type, from;  // of cvt they differ
  Space space = Space::generic, source = Space::generic;
  Order order = Order::weak;
  bool names_order = false;  // its text says so
  Scope scope = Scope::none;
  std::uint8_t vector = 1;
  std::uint8_t results = 0;  // so many of the operands, from the first on, are written
  std::uint64_t words = 0;
  Operand guard;  // of kind none: always
  std::vector<Operand> operands;
  std::uint32_t target = 0;     // of a branch; of brx, which of RunProgram::tables
  std::int32_t retry = -1;      // the loop of RunProgram::retries that it is in
  std::int32_t skips = -1;      // of a branch: the loop that it jumps over, and nothing else
  std::uint32_t statement = 0;  // of the file
  bool is_token = false;        // a try whose answer may skip a wait
  bool has(Word word) const { return (words >> static_cast<unsigned>(word) & 1) != 0; }
};

// A row or a predicate as one number.
inline std::uint64_t row_name(const Operand& operand) {
  return std::uint64_t{operand.row} << 1 | (operand.kind == Operand::Kind::predicate ? 1 : 0);
}

// A loop without an effect but delay, which is left by what one poll gives back alone, while
// `keeps` hold.
struct RetryLoop {
  std::uint32_t poll = 0;  // the instruction
  std::uint32_t exit = 0;  // where it goes on
  // Predicates that no turn changes, without which the loop is left in another place: where a lane
  // has one that does not hold, it is no such loop.
  std::vector<Operand> keeps;
  // Of a load: the setp of what it loaded against what no turn changes, and the answer without
  // which the loop is not left; -1: there is no such one.
  std::int32_t comparison = -1;
  std::size_t wanted = 2;  // its operand that the load is compared with
  bool leaves_when = false;
  // Rows that hold other values after each turn: how many there were is unknown.
  std::vector<std::uint32_t> rows, predicates;
};

// Rows whose value the launch says, by name: "%tid.x", "%ctaid.y".
struct SpecialRow {
  std::string name;
  std::uint32_t row = 0;
};

struct ConstantRow {
  std::uint64_t value = 0;
  std::uint32_t row = 0;
  std::int32_t variable = -1;  // of RunProgram::variables, whose address it is
};

// What the system keeps of a CTA's shared memory: no variable of a kernel is at address 0.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

// A variable in shared memory; `dynamic` ones have their size from the launch. Of a thread's local
// memory: its offset there. Of global memory: which one it is.
struct SharedVariable {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
  bool dynamic = false;
  Space space = Space::shared;
  bool constant = false;  // of those in global memory
  std::uint32_t align = 1;
  int scope = -1;  // of the function (PtxScopes) that declares it; -1: of the file
  // What its initialiser says, from the first word on, and which of it (by byte) are addresses of
  // other variables.
  bool is_initialised = false;
  std::vector<std::uint32_t> initial = {};
  std::vector<std::pair<std::uint32_t, std::int32_t>> addresses = {};
};

struct RunProgram {
  std::vector<Instruction> code;
  std::vector<RetryLoop> retries;
  std::uint32_t rows = 0, predicates = 0;
  std::vector<SpecialRow> specials;
  std::vector<ConstantRow> constants;
  std::vector<SharedVariable> variables;
  std::vector<std::vector<std::uint32_t>> tables;  // of brx: where each index goes
  std::uint32_t local_bytes = 0;
  std::uint32_t static_shared_bytes = reserved_shared_bytes;  // with what is reserved
  std::array<int, 3> block{0, 0, 0}, cluster{0, 0, 0};  // of .reqntid, .reqnctapercluster; 0: none
  bool elects = false;
  int registers = 0;         // of .maxnreg; 0: nothing says with how many a thread begins
  int most_threads = 0;      // of .maxntid or .reqntid
  int least_ctas_of_sm = 0;  // of .minnctapersm
  std::string target;        // "sm_90a"
  bool is_explicit_cluster = false;
  std::vector<std::uint32_t> wide_parameters;  // where those of one value of 64 bits begin
};

// Where each of an entry's parameters begins, and after the last where all end.
std::vector<std::uint32_t> parameter_places(const PtxFunction& entry);

// Adds the variables of the file and of the function. Step::assemble for a size that is not a
// number.
Status lay_out_variables(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes,
                         RunProgram& program);

// Step::assemble with place and instruction for what is not modelled.
Result<RunProgram> decode(const PtxFile& file, const PtxFunction& function);

// "ring.ptx:120:5"
std::string place_of(const PtxFile& file, const Instruction& instruction);
// "mbarrier.try_wait.parity.shared.b64 done, [p_barrier+32], p_parity"
std::string text_of(const PtxFile& file, const Instruction& instruction);

// An opcode as the table has it: its operation, types and modifiers, without operands. Nothing for
// an opcode or a modifier that is not modelled; `unknown` is then that word.
struct Decoded {
  Op op = Op::nothing;
  Type type, from;
  Space space = Space::generic, source = Space::generic;
  Order order = Order::weak;
  bool names_order = false;
  Scope scope = Scope::none;
  std::uint8_t vector = 1;
  std::uint64_t words = 0;
  int results = 0;
  bool has_policy = false;  // its last operand is one
};
bool decode_opcode(std::string_view opcode, Decoded& decoded, std::string& unknown);

// What setp of two numbers gives back.
bool compared(const Instruction& one, std::uint64_t a, std::uint64_t b);

// Whether all lanes of the warp must run it together, those that have left too.
inline bool is_of_whole_warp(const Instruction& one) {
  return one.has(Word::aligned) &&
         (one.op == Op::opaque || one.op == Op::nothing || one.op == Op::ld_matrix ||
          one.op == Op::st_matrix || (one.op >= Op::wgmma && one.op <= Op::tcgen05_relinquish));
}

// Finds the loops that only wait, and the branches that skip one.
void find_retries(const PtxFile& file, const PtxFunction& function, RunProgram& program);

}  // namespace phasebit::ptx::run
