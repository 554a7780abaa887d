// Whose address a register holds. Where a variable or a buffer lies, the launch of another day may
// say otherwise: what is made of it may lead to memory, and may not decide.
#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

// Of the driver's allocations.
constexpr std::uint64_t align_of_buffers = 256;
// What masks and swizzles change of an address, at most.
constexpr std::uint64_t most_low = std::uint64_t{1} << 16;

bool is_whole(Base base) {
  return base > made_of_address;
}

}  // namespace

// A low mask of it is a number that the alignment says.
std::uint64_t Machine::alignment_of(Base base) const {
  if (base < first_based_variable) return align_of_buffers;
  return program_.variables[base - first_based_variable].align;
}

// The base of a result: of the address and a number, or what is made of addresses. `open`: it is
// another one where they lie elsewhere.
Base Machine::base_of_result(const Instruction& one, const std::array<Base, 4>& bases,
                             const std::array<std::uint64_t, 4>& values, bool& open) const {
  const Base a = bases[0], b = bases[1];
  const bool is_first = b == no_base;
  const Base only = a == no_base ? b : b == no_base ? a : made_of_address;
  const std::uint64_t number = is_first ? values[1] : values[0];
  const std::uint64_t bits = bits_of_bytes(static_cast<std::uint64_t>(one.type.bytes()));
  switch (one.op) {
    case Op::mov: return a;
    case Op::add: return only;
    case Op::sub:
      if (is_first) return a;
      if (a == b && is_whole(a)) return no_base;
      open = is_whole(a) && is_whole(b);
      return open ? no_base : made_of_address;
    case Op::mad: return a == no_base && b == no_base ? bases[2] : made_of_address;
    case Op::and_:
      if (is_whole(only) && number < alignment_of(only)) return no_base;
      return (~number & bits) < most_low ? only : made_of_address;
    case Op::or_:
    case Op::xor_: return number < most_low ? only : made_of_address;
    case Op::cvt: return a;
    case Op::min:
    case Op::max: open = a != b && is_whole(a) && is_whole(b); return a == b ? a : made_of_address;
    case Op::mul: return is_first && values[1] == 0 ? no_base : made_of_address;
    default: return made_of_address;
  }
}

// Whether a comparison says the same wherever they lie.
bool Machine::is_same_anywhere(const Instruction& one, const std::array<Base, 4>& bases,
                               const std::array<std::uint64_t, 4>& values) {
  if (bases[0] == bases[1]) return bases[0] == no_base || is_whole(bases[0]);
  // No address is 0, nor where the system keeps what is its own, nor so far below 0 as a member of
  // what lies at 0 by a number that is subtracted; half of one may be.
  constexpr std::uint64_t below_zero = ~std::uint64_t{0} << 32;
  const auto is_zero_test = [&](std::size_t n) {
    const std::uint64_t number = values[1 - n];
    const bool is_wide = one.type.bits == 64;
    return is_whole(bases[n]) && (is_wide || bases[n] >= first_based_variable) &&
           bases[1 - n] == no_base &&
           (number < reserved_shared_bytes || (is_wide && number >= below_zero));
  };
  return (one.has(Word::eq) || one.has(Word::ne)) && (is_zero_test(0) || is_zero_test(1));
}

Machine::FollowedAddresses Machine::follow_addresses(const Warp& warp, const Instruction& one,
                                                     Mask lanes) const {
  FollowedAddresses made;
  Mask based = 0;
  for (std::size_t n = one.results; n < one.operands.size(); ++n)
    if (one.operands[n].kind == Operand::Kind::row) based |= warp.based[one.operands[n].row];
  each_lane(based & lanes, [&](int lane) {
    std::array<Base, 4> bases{};
    std::array<std::uint64_t, 4> values{};
    const std::size_t count = std::min<std::size_t>(4, one.operands.size() - one.results);
    for (std::size_t n = 0; n < count; ++n) {
      const Operand& operand = one.operands[one.results + n];
      if (operand.kind != Operand::Kind::row) continue;
      bases[n] = warp.base(operand, lane);
      values[n] = warp.value(operand, lane);
    }
    bool open = false;
    Base base = no_base;
    const bool is_pair = one.op == Op::mov && (one.results > 1 || count > 1);
    if (one.op == Op::setp)
      open = !is_same_anywhere(one, bases, values);
    else if (one.op == Op::selp)
      base = (warp.mask_of(one.operands[3]) >> lane & 1) != 0 ? bases[0] : bases[1];
    else
      base = is_pair ? made_of_address : base_of_result(one, bases, values, open);
    if (open) made.open |= 1U << lane;
    if (base != no_base) made.lanes |= 1U << lane;
    made.bases[static_cast<std::size_t>(lane)] = base;
  });
  return made;
}

void Machine::set_addresses(Warp& warp, const Instruction& one, std::uint32_t pc,
                            const FollowedAddresses& followed) {
  for (std::size_t n = 0; n < one.results; ++n) {
    const Operand& to = one.operands[n];
    if (to.kind == Operand::Kind::none) continue;
    if (followed.open != 0)
      warp.set_unsure(to, followed.open, {followed.open, reason(Reason::Kind::address, pc)});
    each_lane(followed.lanes, [&](int lane) {
      warp.set_base(to, lane, followed.bases[static_cast<std::size_t>(lane)]);
    });
  }
}

// An address that is made of a variable's, or of a buffer's, leads nowhere else.
bool Machine::check_base(Base base, const Place& found, std::uint64_t size, RunPlace by) {
  if (!is_whole(base)) return true;
  if (base < first_based_variable) {
    const Region* own = buffers_[base - first_based_buffer].get();
    if (found.region == own || found.cta >= 0) return true;
    stop(FindingKind::bounds, Grade::error, by,
         fmt::format("it runs past {}, into {}", own->name, found.region->name));
    return false;
  }
  const SharedVariable& own = program_.variables[base - first_based_variable];
  if (own.space != Space::shared || own.dynamic || found.cta < 0 || own.bytes == 0) return true;
  if (found.offset >= own.offset && found.offset + size <= std::uint64_t{own.offset} + own.bytes)
    return true;
  stop(FindingKind::bounds, Grade::unsupported, by,
       fmt::format("it runs past {}, which has {} bytes: what is next to a variable is not known",
                   own.name, own.bytes));
  return false;
}

}  // namespace phasebit::ptx::run
