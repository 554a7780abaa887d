#include "core/ptx/run/warp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace phasebit::ptx::run {
namespace {

using Kind = Type::Kind;
using Number = std::uint64_t;

Number cut(Type type, Number value) {
  return type.bits >= 64 ? value : value & ((Number{1} << type.bits) - 1);
}

// As a number of its type, widened to 64 bits.
Number widened(Type type, Number value) {
  value = cut(type, value);
  if (type.kind != Kind::signed_ || type.bits >= 64) return value;
  const Number sign = Number{1} << (type.bits - 1);
  return (value ^ sign) - sign;
}

std::int64_t as_signed(Number value) {
  return static_cast<std::int64_t>(value);
}

double float_of(Type type, Number bits) {
  if (type.bits == 64) return std::bit_cast<double>(bits);
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Number bits_of(Type type, double value) {
  if (type.bits == 64) return std::bit_cast<Number>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

Number add_floats(const Instruction& one, Number a, Number b) {
  if (one.type.bits == 64) return bits_of(one.type, float_of(one.type, a) + float_of(one.type, b));
  const float sum =
      static_cast<float>(float_of(one.type, a)) + static_cast<float>(float_of(one.type, b));
  return std::bit_cast<std::uint32_t>(sum);
}

Number multiplied(const Instruction& one, Number a, Number b) {
  a = widened(one.type, a);
  b = widened(one.type, b);
  if (!one.has(Word::hi)) return a * b;
  if (one.type.bits < 64) return a * b >> one.type.bits;
  const Number low = 0xffffffffU;
  const Number cross = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  Number high =
      (a >> 32) * (b >> 32) + (cross >> 32) + (((a & low) * (b >> 32) + (cross & low)) >> 32);
  if (one.type.kind == Kind::signed_) {
    if (as_signed(a) < 0) high -= b;
    if (as_signed(b) < 0) high -= a;
  }
  return high;
}

bool is_less(Type type, Number a, Number b) {
  if (type.kind == Kind::float_) return float_of(type, a) < float_of(type, b);
  a = widened(type, a);
  b = widened(type, b);
  return type.kind == Kind::signed_ ? as_signed(a) < as_signed(b) : a < b;
}

}  // namespace

bool compared(const Instruction& one, Number a, Number b) {
  const bool less = is_less(one.type, a, b), more = is_less(one.type, b, a);
  const bool is_number = one.type.kind != Kind::float_ ||
                         (!std::isnan(float_of(one.type, a)) && !std::isnan(float_of(one.type, b)));
  const bool equal = is_number && !less && !more;
  if (one.has(Word::eq)) return equal;
  if (one.has(Word::ne)) return is_number && !equal;
  if (one.has(Word::lt) || one.has(Word::lo)) return less;
  if (one.has(Word::le)) return less || equal;
  if (one.has(Word::gt) || one.has(Word::hi)) return more;
  return more || equal;
}

namespace {

Number shifted_right(Type type, Number a, Number by) {
  by &= 0xffffffffU;
  if (type.kind == Kind::signed_) {
    const Number most = type.bits - 1U;
    return static_cast<Number>(as_signed(widened(type, a)) >> std::min(by, most));
  }
  return by >= type.bits ? 0 : cut(type, a) >> by;
}

Number extracted(Type type, Number a, Number position, Number length) {
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const Number top = std::min<Number>(position + length - 1, type.bits - 1U);
  const bool sign = type.kind == Kind::signed_ && (cut(type, a) >> top & 1) != 0;
  if (position >= type.bits) return sign ? ~Number{0} : 0;
  // Past the top, too, there are signs.
  const Number kept = top - position + 1;
  const Number mask = kept >= 64 ? ~Number{0} : (Number{1} << kept) - 1;
  const Number value = cut(type, a) >> position & mask;
  return sign ? value | ~mask : value;
}

Number inserted(Type type, Number a, Number b, Number position, Number length) {
  position &= 0xff;
  length &= 0xff;
  if (position >= type.bits || length == 0) return b;
  const Number mask = (length >= 64 ? ~Number{0} : (Number{1} << length) - 1) << position;
  return (b & ~mask) | ((a << position) & mask);
}

Number permuted(Number a, Number b, Number selector) {
  const Number bytes = (a & 0xffffffffU) | b << 32;
  Number made = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const Number one = selector >> (4 * n) & 0xf;
    Number byte = bytes >> (8 * (one & 7)) & 0xff;
    if ((one & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    made |= byte << (8 * n);
  }
  return made;
}

Number of_three(Number a, Number b, Number c, Number table) {
  Number made = 0;
  for (unsigned n = 0; n < 8; ++n) {
    if ((table >> n & 1) == 0) continue;
    made |= ((n & 4) != 0 ? a : ~a) & ((n & 2) != 0 ? b : ~b) & ((n & 1) != 0 ? c : ~c);
  }
  return made;
}

Number reversed(Type type, Number a) {
  Number made = 0;
  for (unsigned n = 0; n < type.bits; ++n) made |= (a >> n & 1) << (type.bits - 1U - n);
  return made;
}

// Rounded once.
template <typename Integer>
Number float_from(Type type, Integer value) {
  if (type.bits == 64) return std::bit_cast<Number>(static_cast<double>(value));
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// Towards zero, and at most the ends of the type. Of what is no number: PTX ISA, cvt.
Number whole_of(Type type, Type from, double value) {
  const bool is_signed = type.kind == Kind::signed_;
  const Number top = Number{1} << (type.bits - 1U);
  if (std::isnan(value)) return from.bits < 64 && type.bits < 64 ? 0 : top;
  const double end = std::ldexp(1.0, type.bits - (is_signed ? 1 : 0));
  const double whole = std::trunc(value);
  if (whole >= end) return is_signed ? top - 1 : ~Number{0};
  if (!is_signed) return whole <= 0 ? 0 : static_cast<Number>(whole);
  return whole < -end ? 0 - top : static_cast<Number>(static_cast<std::int64_t>(whole));
}

Number converted(const Instruction& one, Number a) {
  const bool to_float = one.type.kind == Kind::float_;
  if (one.from.kind != Kind::float_) {
    const Number value = widened(one.from, a);
    // A narrow result fills its register.
    if (!to_float) return widened(one.type, value);
    return one.from.kind == Kind::signed_ ? float_from(one.type, as_signed(value))
                                          : float_from(one.type, value);
  }
  const double value = float_of(one.from, a);
  if (to_float) return bits_of(one.type, one.has(Word::rzi) ? std::trunc(value) : value);
  return whole_of(one.type, one.from, value);
}

// -0 is less than 0, and a number less than what is none.
Number least_of(const Instruction& one, Number a, Number b, bool greatest) {
  if (one.type.kind == Kind::float_) {
    const double x = float_of(one.type, a), y = float_of(one.type, b);
    if (std::isnan(x)) return b;
    if (std::isnan(y)) return a;
    if (x == y) return std::signbit(x) != greatest ? a : b;
  }
  return is_less(one.type, b, a) != greatest ? b : a;
}

// The low 24 bits.
Number of_24_bits(Type type, Number a) {
  const Number sign = Number{1} << 23;
  a &= 2 * sign - 1;
  return type.kind == Kind::signed_ ? (a ^ sign) - sign : a;
}

Number divided(const Instruction& one, Number a, Number b) {
  if (one.type.kind == Kind::float_)
    return bits_of(one.type, float_of(one.type, a) / float_of(one.type, b));
  a = widened(one.type, a);
  b = widened(one.type, b);
  if (b == 0) return one.op == Op::div ? ~Number{0} : a;
  if (one.type.kind != Kind::signed_) return one.op == Op::div ? a / b : a % b;
  if (b == ~Number{0}) return one.op == Op::div ? 0 - a : 0;
  return static_cast<Number>(one.op == Op::div ? as_signed(a) / as_signed(b)
                                               : as_signed(a) % as_signed(b));
}

Number of_one(const Instruction& one, Number a) {
  const bool is_float = one.type.kind == Kind::float_;
  const Number sign = Number{1} << (one.type.bits - 1U);
  switch (one.op) {
    case Op::cvt: return converted(one, a);
    case Op::abs:
      if (is_float) return a & ~sign;
      return as_signed(widened(one.type, a)) < 0 ? 0 - widened(one.type, a) : a;
    case Op::neg: return is_float ? a ^ sign : 0 - a;
    case Op::not_: return ~a;
    case Op::bfind: {
      const Number bits = one.type.kind == Kind::signed_ && as_signed(widened(one.type, a)) < 0
                              ? cut(one.type, ~a)
                              : cut(one.type, a);
      if (bits == 0) return 0xffffffffU;
      const auto top = static_cast<Number>(63 - std::countl_zero(bits));
      return one.has(Word::shiftamt) ? one.type.bits - 1U - top : top;
    }
    case Op::clz:
      return static_cast<Number>(std::countl_zero(cut(one.type, a)) - (64 - one.type.bits));
    case Op::popc: return static_cast<Number>(std::popcount(cut(one.type, a)));
    case Op::brev: return reversed(one.type, a);
    default: return a;
  }
}

Number of_two(const Instruction& one, Number a, Number b) {
  const bool is_float = one.type.kind == Kind::float_;
  switch (one.op) {
    case Op::add: return is_float ? add_floats(one, a, b) : a + b;
    case Op::sub:
      return is_float ? add_floats(one, a, b ^ Number{1} << (one.type.bits - 1U)) : a - b;
    case Op::mul:
      if (is_float) return bits_of(one.type, float_of(one.type, a) * float_of(one.type, b));
      return multiplied(one, a, b);
    case Op::mul24: return of_24_bits(one.type, a) * of_24_bits(one.type, b);
    case Op::div:
    case Op::rem: return divided(one, a, b);
    case Op::min: return least_of(one, a, b, false);
    case Op::max: return least_of(one, a, b, true);
    case Op::and_: return a & b;
    case Op::or_: return a | b;
    case Op::xor_: return a ^ b;
    case Op::shl: return (b & 0xffffffffU) >= one.type.bits ? 0 : a << (b & 63);
    case Op::shr: return shifted_right(one.type, a, b);
    default: return a;
  }
}

Number of_three_operands(const Instruction& one, Number a, Number b, Number c) {
  switch (one.op) {
    case Op::mad: return multiplied(one, a, b) + c;
    case Op::fma:
      if (one.type.bits == 64)
        return std::bit_cast<Number>(
            std::fma(float_of(one.type, a), float_of(one.type, b), float_of(one.type, c)));
      return std::bit_cast<std::uint32_t>(std::fma(static_cast<float>(float_of(one.type, a)),
                                                   static_cast<float>(float_of(one.type, b)),
                                                   static_cast<float>(float_of(one.type, c))));
    case Op::bfe: return extracted(one.type, a, b, c);
    case Op::prmt: return permuted(a, b, c);
    default: return a;
  }
}

// Of mul.wide and popc the result has another width than the operands.
Type type_of_result(const Instruction& one) {
  Type type = one.type;
  if (one.has(Word::wide)) type.bits = static_cast<std::uint8_t>(2 * type.bits);
  if (one.op == Op::popc || one.op == Op::clz) type.bits = 32;
  return type;
}

// A value that hides what it is made with: 0 in a product or an `and`.
Mask zeros_of(const Warp& warp, const Operand& operand, Type type, Mask lanes) {
  Mask zeros = 0;
  each_lane(lanes & ~warp.unsure(operand).lanes, [&](int lane) {
    if (cut(type, warp.value(operand, lane)) == 0) zeros |= 1U << lane;
  });
  return zeros;
}

void add_unsure(Unsure& made, Unsure more) {
  if (more.lanes != 0 && made.lanes == 0) made.why = more.why;
  made.lanes |= more.lanes;
}

Unsure unsure_operands(const Warp& warp, const Instruction& one, std::size_t first) {
  Unsure made;
  for (std::size_t n = first; n < one.operands.size(); ++n)
    if (one.operands[n].kind != Operand::Kind::none) add_unsure(made, warp.unsure(one.operands[n]));
  return made;
}

// Which lanes are unsure of the result of an `and`, a product, a choice.
Unsure unsure_result(const Warp& warp, const Instruction& one, Mask lanes) {
  Unsure made = unsure_operands(warp, one, one.results);
  if (made.lanes == 0) return made;
  const auto in = [&](std::size_t n) -> const Operand& { return one.operands[one.results + n]; };
  const bool is_product = one.op == Op::mul || one.op == Op::mad;
  if (one.op == Op::and_ || (is_product && one.type.kind != Kind::float_)) {
    const Mask hidden =
        zeros_of(warp, in(0), one.type, lanes) | zeros_of(warp, in(1), one.type, lanes);
    made.lanes &= ~hidden;
    if (one.op == Op::mad) add_unsure(made, warp.unsure(in(2)));
  } else if (one.op == Op::selp && (warp.unsure(in(2)).lanes & lanes) == 0) {
    const Mask first = warp.mask_of(in(2));
    made = {warp.unsure(in(0)).lanes & first, warp.unsure(in(0)).why};
    add_unsure(made, {warp.unsure(in(1)).lanes & ~first, warp.unsure(in(1)).why});
  }
  return made;
}

Unsure unsure_join(const Warp& warp, const Instruction& one, const Operand& a, const Operand& b) {
  Unsure made = warp.unsure(a);
  add_unsure(made, warp.unsure(b));
  if (made.lanes == 0) return made;
  const Mask sure_a = ~warp.unsure(a).lanes, sure_b = ~warp.unsure(b).lanes;
  if (one.op == Op::and_ || one.has(Word::and_))
    made.lanes &= ~((sure_a & ~warp.mask_of(a)) | (sure_b & ~warp.mask_of(b)));
  if (one.op == Op::or_ || one.has(Word::or_))
    made.lanes &= ~((sure_a & warp.mask_of(a)) | (sure_b & warp.mask_of(b)));
  return made;
}

void compute_predicates(Warp& warp, const Instruction& one, Mask lanes) {
  const Operand& to = one.operands[0];
  const Operand& a = one.operands[1];
  Unsure unsure = warp.unsure(a);
  Mask made = a.kind == Operand::Kind::predicate ? warp.mask_of(a) : 0;
  // A special register that is a predicate.
  each_lane(a.kind == Operand::Kind::row ? lanes : 0, [&](int lane) {
    if (warp.value(a, lane) != 0) made |= 1U << lane;
  });
  if (one.operands.size() > 2) {
    const Mask b = warp.mask_of(one.operands[2]);
    unsure = unsure_join(warp, one, a, one.operands[2]);
    if (one.op == Op::and_) made &= b;
    if (one.op == Op::or_) made |= b;
    if (one.op == Op::xor_) made ^= b;
  } else if (one.op == Op::not_) {
    made = ~made;
  }
  warp.set_mask(to, lanes, made);
  warp.set_unsure(to, lanes, unsure);
}

// "setp.lt.and.u32 p|q, a, b, c"
void set_predicates(Warp& warp, const Instruction& one, Mask lanes) {
  const Operand& a = one.operands[one.results];
  const Operand& b = one.operands[one.results + 1U];
  Mask holds = 0;
  each_lane(lanes, [&](int lane) {
    if (compared(one, warp.value(a, lane), warp.value(b, lane))) holds |= 1U << lane;
  });
  Unsure unsure;
  // A value is equal to itself, whatever it is; what is no number is not.
  if (a.row != b.row || a.offset != b.offset || one.type.kind == Kind::float_) {
    unsure = warp.unsure(a);
    add_unsure(unsure, warp.unsure(b));
  }
  const bool joins = one.operands.size() > one.results + 2U;
  for (std::uint8_t n = 0; n < one.results; ++n) {
    Mask made = n == 0 ? holds : ~holds;
    Unsure of_it = unsure;
    if (joins) {
      const Operand& c = one.operands[one.results + 2U];
      const Mask third = warp.mask_of(c), sure = ~unsure.lanes, sure_third = ~warp.unsure(c).lanes;
      add_unsure(of_it, warp.unsure(c));
      if (one.has(Word::and_)) of_it.lanes &= ~((sure & ~made) | (sure_third & ~third));
      if (one.has(Word::or_)) of_it.lanes &= ~((sure & made) | (sure_third & third));
      made = one.has(Word::and_) ? made & third : one.has(Word::or_) ? made | third : made ^ third;
    }
    warp.set_mask(one.operands[n], lanes, made);
    warp.set_unsure(one.operands[n], lanes, of_it);
  }
}

// "mov.b64 {low, high}, pair" and back; one value where nothing is taken apart.
void move(Warp& warp, const Instruction& one, Mask lanes) {
  const std::size_t from = one.operands.size() - one.results;
  const Unsure unsure = unsure_operands(warp, one, one.results);
  if (one.type.bits == 128) {
    // A register of 128 bits has two rows.
    const bool packs = from == 2;
    for (std::uint32_t n = 0; n < 2; ++n) {
      Operand to = one.operands[packs ? 0 : n], source = one.operands[packs ? 1 + n : one.results];
      to.row += packs ? n : 0;
      source.row += packs ? 0 : n;
      each_lane(lanes, [&](int lane) { warp.set_lane(to, lane, warp.value(source, lane)); });
      warp.set_unsure(to, lanes, unsure);
    }
    return;
  }
  const unsigned parts = static_cast<unsigned>(std::max<std::size_t>(one.results, from));
  const unsigned bits = one.type.bits / parts;
  const Number mask = bits >= 64 ? ~Number{0} : (Number{1} << bits) - 1;
  each_lane(lanes, [&](int lane) {
    Number whole = 0;
    for (std::size_t n = 0; n < from; ++n) {
      const Operand& source = one.operands[one.results + n];
      const Number value = warp.value(source, lane) + static_cast<Number>(source.offset);
      whole |= from == 1 ? value : (value & mask) << (bits * n);
    }
    for (unsigned n = 0; n < one.results; ++n)
      warp.set_lane(one.operands[n], lane,
                    one.results == 1 ? cut(one.type, whole) : whole >> (bits * n) & mask);
  });
  for (std::size_t n = 0; n < one.results; ++n) warp.set_unsure(one.operands[n], lanes, unsure);
}

// What the manual leaves open: a division by 0, and which of those that are no numbers arithmetic
// gives.
bool is_open(const Instruction& one, Number b, Number made) {
  const bool divides = one.op == Op::div || one.op == Op::rem;
  if (one.type.kind != Kind::float_) return divides && cut(one.type, b) == 0;
  return one.op != Op::selp && std::isnan(float_of(one.type, made));
}

Mask compute_numbers(Warp& warp, const Instruction& one, Mask lanes) {
  const Operand* in = &one.operands[one.results];
  const std::size_t count = one.operands.size() - one.results;
  const Type type = type_of_result(one);
  const Unsure unsure = unsure_result(warp, one, lanes);
  const Operand& to = one.operands[0];
  Mask open = 0;
  each_lane(lanes, [&](int lane) {
    const Number a = warp.value(in[0], lane);
    Number made = 0;
    if (one.op == Op::selp) {
      made = (warp.mask_of(in[2]) >> lane & 1) != 0 ? a : warp.value(in[1], lane);
    } else if (count == 1) {
      made = of_one(one, a);
    } else if (count == 2) {
      made = of_two(one, a, warp.value(in[1], lane));
    } else if (count == 3) {
      made = of_three_operands(one, a, warp.value(in[1], lane), warp.value(in[2], lane));
    } else if (one.op == Op::bfi) {
      made = inserted(one.type, a, warp.value(in[1], lane), warp.value(in[2], lane),
                      warp.value(in[3], lane));
    } else {
      made = of_three(a, warp.value(in[1], lane), warp.value(in[2], lane), warp.value(in[3], lane));
    }
    if (is_open(one, count > 1 ? warp.value(in[1], lane) : 0, made)) open |= 1U << lane;
    warp.set_lane(to, lane, one.op == Op::cvt ? made : cut(type, made));
  });
  warp.set_unsure(to, lanes, unsure);
  return open;
}

}  // namespace

Mask compute(Warp& warp, const Instruction& one, Mask lanes) {
  if (one.op == Op::setp)
    set_predicates(warp, one, lanes);
  else if (one.operands[0].kind == Operand::Kind::predicate)
    compute_predicates(warp, one, lanes);
  else if (one.op == Op::mov)
    move(warp, one, lanes);
  else
    return compute_numbers(warp, one, lanes);
  return 0;
}

}  // namespace phasebit::ptx::run
