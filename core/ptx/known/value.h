// What is known of a value before a kernel runs: a number, a place in shared memory, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace phasebit::ptx::known {

struct PtxValue {
  enum class Kind { unknown, number, address };
  Kind kind = Kind::unknown;
  int symbol = -1;         // of an address: whose, by a number that the caller gives
  std::uint64_t bits = 0;  // the number, or bytes from the symbol, modulo the register's width

  bool is_number() const { return kind == Kind::number; }
  bool operator==(const PtxValue&) const = default;
};

PtxValue known_number(std::uint64_t bits);
PtxValue known_address(int symbol, std::uint64_t offset);

// Of what two ways may leave in a register.
PtxValue joined(const PtxValue& a, const PtxValue& b);

// An instruction that makes one value of its operands, as its opcode says. Those that read memory,
// other threads or floating point make nothing that is known.
class PtxOperation {
 public:
  // Nothing: the opcode is none of those.
  static std::optional<PtxOperation> of(std::string_view opcode);

  // `operands` are those after the destination.
  PtxValue of_operands(std::span<const PtxValue> operands) const;

  struct Type {
    int bits = 0;
    bool is_signed = false;
  };
  Type to, from;           // of cvt they differ
  std::string_view mode;   // "lo", "hi", "wide"; of setp the comparison
  std::string_view joins;  // of setp: "and", "or", "xor" with a third operand

 private:
  using Compute = PtxValue (*)(const PtxOperation&, std::span<const PtxValue>);
  struct OperationRow;
  static const OperationRow rows[];
  Compute compute_ = nullptr;
  std::size_t operands_ = 0;
};

}  // namespace phasebit::ptx::known
