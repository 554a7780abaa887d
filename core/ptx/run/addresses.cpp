// Whose address a register holds. Where a variable or a buffer lies, the launch of another day may
// say otherwise: what is made of it may lead to memory, and may not decide.
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

using Form = AddressBase::Form;

// Of the driver's allocations.
constexpr std::uint64_t align_of_buffers = 256;
// What masks and swizzles change of an address, at most.
constexpr std::uint64_t most_low = std::uint64_t{1} << 16;
constexpr std::uint64_t bits_of_word = 64;

}  // namespace

void Machine::make_bases() {
  bases_.resize(2);
  for (std::size_t n = 0; n < buffers_.size(); ++n)
    bases_.push_back({static_cast<std::int32_t>(n), -1, Form::address, false, align_of_buffers});
  for (std::size_t n = 0; n < program_.variables.size(); ++n) {
    const SharedVariable& one = program_.variables[n];
    const bool in_space = one.space != Space::global || one.constant;
    bases_.push_back({-1, static_cast<std::int32_t>(n), Form::address, in_space, one.align});
  }
}

Base Machine::base_of_variable(std::int32_t variable) const {
  return static_cast<Base>(2 + buffers_.size() + static_cast<std::size_t>(variable));
}

Base Machine::add_base(AddressBase made) {
  // A kernel that makes more of them has lost itself.
  constexpr std::size_t most = 60'000;
  if (bases_.size() == most) return made_of_address;
  bases_.push_back(made);
  return static_cast<Base>(bases_.size() - 1);
}

Base Machine::derived(Base from, std::uint32_t by, AddressBase as) {
  as.other_form = no_base;
  const auto [found, is_new] = derived_.emplace(std::pair(from, by), no_base);
  if (is_new) found->second = add_base(as);
  return found->second;
}

// cvta and mapa: as a generic address, or as one of its space.
Base Machine::in_form(Base base, bool in_space) {
  if (!is_whole(base) || bases_[base].in_space == in_space) return base;
  if (bases_[base].other_form == no_base) {
    AddressBase other = bases_[base];
    other.in_space = in_space;
    other.other_form = base;
    bases_[base].other_form = add_base(other);
  }
  return bases_[base].other_form;
}

LaneBases Machine::bases_in_form(const Warp& warp, const Operand& operand, Mask lanes,
                                 bool in_space) {
  LaneBases made{};
  each_lane(lanes, [&](int lane) {
    made[static_cast<std::size_t>(lane)] = in_form(warp.base(operand, lane), in_space);
  });
  return made;
}

bool Machine::is_shared(Base base) const {
  const std::int32_t variable = bases_[base].variable;
  return variable >= 0 &&
         program_.variables[static_cast<std::size_t>(variable)].space == Space::shared;
}

// How far an address is from where its buffer or variable begins.
std::int64_t Machine::distance(Base base, std::uint64_t value, bool is_wide) const {
  const AddressBase& own = bases_[base];
  if (own.buffer >= 0)
    return static_cast<std::int64_t>(value -
                                     address_of_buffer(static_cast<std::size_t>(own.buffer)));
  const SharedVariable& one = program_.variables[static_cast<std::size_t>(own.variable)];
  if (one.space == Space::global)
    return static_cast<std::int64_t>(value - address_of_buffer(first_variable + one.offset));
  // Generic ones have a window above their offset.
  const bool is_number = own.in_space && is_wide;
  const auto offset = is_number ? static_cast<std::int64_t>(value)
                                : static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return offset - one.offset;
}

// A number that would lead to another CTA of the cluster: mapa says how one is named.
bool Machine::names_rank(Base base, std::uint64_t number) const {
  const auto by = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
  constexpr std::int32_t rank = 1 << 24;
  return is_whole(base) && is_shared(base) && (by >= rank || by <= -rank);
}

// Of an `and`: the low bits of it, which the alignment says, the address rounded down, or without
// bits that name a CTA of the cluster.
Base Machine::masked(Base base, std::uint64_t mask, std::uint64_t bits, std::uint32_t pc) {
  if (base <= made_of_address || leads_away(base)) return made_of_address;
  const std::uint64_t align = bases_[base].align, low = ~mask & bits;
  if (mask < align) return no_base;
  if (low < align || !is_whole(base)) return is_whole(base) ? base : made_of_address;
  AddressBase rounded = bases_[base];
  rounded.align = low + 1;
  if (low < most_low && std::has_single_bit(low + 1)) return derived(base, pc, rounded);
  const bool is_rank = is_shared(base) && (low & 0xffffffU) == 0;
  return is_rank ? base : made_of_address;
}

// The base of a result: of the address and a number, or what is made of addresses. `open`: it is
// another one where they lie elsewhere.
Base Machine::base_of_result(const Instruction& one, std::uint32_t pc,
                             const std::array<Base, 4>& bases,
                             const std::array<std::uint64_t, 4>& values, bool& open) {
  const Base a = bases[0], b = bases[1];
  const bool is_first = b == no_base;
  const Base only = a == no_base ? b : b == no_base ? a : made_of_address;
  const std::uint64_t number = is_first ? values[1] : values[0];
  const std::uint64_t bits = bits_of_bytes(static_cast<std::uint64_t>(one.type.bytes()));
  const bool is_float = one.type.kind == Type::Kind::float_ || one.from.kind == Type::Kind::float_;
  switch (one.op) {
    case Op::mov: return a;
    case Op::add:
      if (is_whole(a) && leads_away(b)) return a;
      if (is_whole(b) && leads_away(a)) return b;
      return names_rank(only, number) ? made_of_address : only;
    case Op::sub:
      if (is_first) return a;
      if (a == b && is_whole(a) && names_rank(a, values[0] - values[1])) {
        AddressBase away = bases_[a];
        away.form = Form::to_other_cta;
        return derived(a, pc, away);
      }
      if (a == b && is_whole(a)) return no_base;
      open = is_whole(a) && is_whole(b);
      return open ? no_base : made_of_address;
    case Op::mad: return a == no_base && b == no_base ? bases[2] : made_of_address;
    case Op::and_: return masked(only, number, bits, pc);
    case Op::or_:
    case Op::xor_: return is_whole(only) && number < bases_[only].align ? only : made_of_address;
    case Op::shr: {
      if (a <= made_of_address || leads_away(a) || b != no_base || values[1] >= bits_of_word)
        return made_of_address;
      AddressBase shifted = bases_[a];
      shifted.form = Form::shifted;
      shifted.align >>= values[1];
      return derived(a, pc, shifted);
    }
    case Op::cvt:
      if (!is_whole(a) || is_float || one.type.bits < 32) return made_of_address;
      return one.from.bits <= one.type.bits || bases_[a].in_space ? a : made_of_address;
    case Op::min:
    case Op::max: open = a != b && is_whole(a) && is_whole(b); return a == b ? a : made_of_address;
    case Op::mul: return is_first && values[1] == 0 ? no_base : made_of_address;
    default: return made_of_address;
  }
}

// Whether a comparison says the same wherever they lie: of two addresses in one buffer or variable
// whether they are equal, and which is less where neither passes an end of the address space;
// whether one is a number that its alignment excludes; of a generic one whether it is 0, or what
// the system keeps, or what is so far below 0 as a member of what lies at 0 by a number that is
// subtracted.
bool Machine::is_same_anywhere(const Instruction& one, const std::array<Base, 4>& bases,
                               const std::array<std::uint64_t, 4>& values) const {
  constexpr std::int64_t far = std::int64_t{1} << 32, above = std::int64_t{1} << 24;
  constexpr std::uint64_t below_zero = ~std::uint64_t{0} << 32;
  const bool is_wide = one.type.bits == 64, is_equality = one.has(Word::eq) || one.has(Word::ne);
  if (bases[0] == no_base && bases[1] == no_base) return true;
  const auto is_near = [&](std::size_t n) {
    const std::int64_t from_start = distance(bases[n], values[n], is_wide);
    if (!bases_[bases[n]].in_space) return is_wide && from_start > -far && from_start < far;
    const std::int64_t least = is_shared(bases[n]) ? -std::int64_t{reserved_shared_bytes} : 0;
    return from_start >= least && from_start < above;
  };
  if (bases[0] == bases[1])
    return is_whole(bases[0]) && (is_equality || (is_near(0) && is_near(1)));
  const auto is_never = [&](std::size_t n) {
    if (!is_whole(bases[n]) || bases[1 - n] != no_base) return false;
    const std::uint64_t number = values[1 - n];
    if ((number ^ values[n]) % bases_[bases[n]].align != 0) return true;
    const bool is_kept = number < reserved_shared_bytes || number >= below_zero;
    return is_wide && !bases_[bases[n]].in_space && is_near(n) && is_kept;
  };
  return is_equality && (is_never(0) || is_never(1));
}

Machine::FollowedAddresses Machine::follow_addresses(const Warp& warp, const Instruction& one,
                                                     std::uint32_t pc, Mask lanes) {
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
      base = is_pair ? made_of_address : base_of_result(one, pc, bases, values, open);
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
    warp.set_bases(to, followed.lanes, followed.bases);
  }
}

// Whose address a parameter is, or a part of one; that it begins with zeros its alignment says.
Base Machine::base_of_parameter(std::uint64_t offset, std::uint64_t size) const {
  const auto base_of = [&](std::uint64_t address) {
    const std::uint64_t buffer = address >> 36;
    return buffer > 0 && buffer <= buffers_.size() ? base_of_buffer(buffer - 1) : no_base;
  };
  if (size == 8) return base_of(parameter(offset, 8));
  const std::vector<std::uint32_t>& wide = program_.wide_parameters;
  const std::uint64_t whole = offset / 8 * 8;
  const bool is_part = whole + 8 <= launch_.parameters.size() &&
                       std::find(wide.begin(), wide.end(), whole) != wide.end();
  const bool is_known = size == 1 && offset == whole;
  if (!is_part || is_known || base_of(parameter(whole, 8)) == no_base) return no_base;
  return made_of_address;
}

std::uint64_t Machine::parameter(std::uint64_t offset, std::uint64_t size) const {
  std::uint64_t value = 0;
  for (std::uint64_t byte = size; byte-- > 0;)
    value = value << 8 | launch_.parameters[offset + byte];
  return value;
}

// What a thread loads where an address was stored. A generic address of shared or local memory is
// its own CTA's or thread's (PTX ISA, generic addressing).
Base Machine::base_in_thread(const HeldAddress& held, const Warp& warp, int lane) const {
  if (!is_whole(held.base) || bases_[held.base].variable < 0 || bases_[held.base].in_space)
    return held.base;
  const auto variable = static_cast<std::size_t>(bases_[held.base].variable);
  const Space space = program_.variables[variable].space;
  const auto threads = static_cast<std::int32_t>(warps_.size() / ctas_.size()) * lanes_of_warp;
  const bool is_own = space == Space::shared ? held.thread / threads == warp.cta
                      : space == Space::local
                          ? held.thread == static_cast<std::int32_t>(warp.thread(lane))
                          : true;
  return is_own ? held.base : made_of_address;
}

// That is a fact of the launch: the first one after the module is loaded, if the kernel stores to
// it.
void Machine::note_supposed(const Place& place, std::uint64_t size, RunPlace by) {
  Region& variable = *place.region;
  if (!variable.is_supposed || variable.is_written(place.offset, size)) return;
  variable.is_supposed = false;
  report(FindingKind::decision, Grade::note, by,
         fmt::format("{} is supposed to hold what its initialiser says: the host or an earlier "
                     "launch may have stored something else",
                     variable.name));
}

// An address that is made of a variable's, or of a buffer's, leads nowhere else; one in shared
// memory is made of a variable's.
bool Machine::check_base(Base base, const Place& found, std::uint64_t size, RunPlace by) {
  if (base == made_of_address && found.cta < 0) {
    stop(FindingKind::bounds, Grade::unsupported, by,
         "an address that is not a sum of a buffer's or a variable's and a number");
    return false;
  }
  if (!is_whole(base) && found.cta >= 0) {
    stop(FindingKind::bounds, Grade::unsupported, by,
         fmt::format("an address of shared memory that is {}: where variables lie is not known",
                     base == no_base ? "no variable's" : "not a sum of a variable's and a number"));
    return false;
  }
  if (!is_whole(base)) return true;
  if (bases_[base].buffer >= 0) {
    const Region* own = buffers_[static_cast<std::size_t>(bases_[base].buffer)].get();
    if (found.region == own || found.cta >= 0) return true;
    stop(FindingKind::bounds, Grade::error, by,
         fmt::format("it runs past {}, into {}", own->name, found.region->name));
    return false;
  }
  const SharedVariable& own = program_.variables[static_cast<std::size_t>(bases_[base].variable)];
  const bool is_there = own.space == Space::shared  ? found.cta >= 0
                        : own.space == Space::local ? found.cta == -2
                                                    : false;
  if (!is_there || own.dynamic || own.bytes == 0) return true;
  if (found.offset >= own.offset && found.offset + size <= std::uint64_t{own.offset} + own.bytes)
    return true;
  stop(FindingKind::bounds, Grade::unsupported, by,
       fmt::format("it runs past {}, which has {} bytes: what is next to a variable is not known",
                   own.name, own.bytes));
  return false;
}

// Constant memory is read by addresses of its space and by generic ones that cvta made.
bool Machine::check_constant(const Instruction& one, Base base, const Place& found, RunPlace by) {
  const bool is_constant = found.region->is_constant;
  if (!is_constant && one.space != Space::constant) return true;
  const bool in_space = is_whole(base) && bases_[base].in_space;
  const bool reads = one.op == Op::ld && one.space == (in_space ? Space::constant : Space::generic);
  if (is_constant && reads) return true;
  stop(FindingKind::bounds, Grade::error, by,
       is_constant ? fmt::format("{} is constant memory, which ld.const reads", found.region->name)
                   : fmt::format("{} is not constant memory", found.region->name));
  return false;
}

}  // namespace phasebit::ptx::run
