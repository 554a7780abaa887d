#include "core/ptx/known/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::ptx::known {
namespace {

using Operands = std::span<const PtxValue>;
using Type = PtxOperation::Type;

std::uint64_t cut(const Type& type, std::uint64_t bits) {
  return type.bits >= 64 ? bits : bits & ((std::uint64_t{1} << type.bits) - 1);
}

// As a number of its type, widened to 64 bits.
std::uint64_t widened(const Type& type, std::uint64_t bits) {
  bits = cut(type, bits);
  if (!type.is_signed || type.bits >= 64) return bits;
  const std::uint64_t sign = std::uint64_t{1} << (type.bits - 1);
  return (bits ^ sign) - sign;
}

PtxValue result(const Type& type, std::uint64_t bits) {
  return known_number(cut(type, bits));
}

bool is_zero(const PtxValue& value) {
  return value.is_number() && value.bits == 0;
}

bool are_numbers(Operands of) {
  return std::all_of(of.begin(), of.end(), [](const PtxValue& one) { return one.is_number(); });
}

// What does not change a value: its address stays known, whatever it is called.
PtxValue same(const PtxOperation& op, Operands of) {
  constexpr int address_bits = 32;
  if (!of[0].is_number()) return op.to.bits < address_bits ? PtxValue() : of[0];
  return result(op.to, widened(op.from, of[0].bits));
}

PtxValue add(const PtxOperation& op, Operands of) {
  if (are_numbers(of)) return result(op.to, of[0].bits + of[1].bits);
  for (const auto& [a, b] : {std::pair(of[0], of[1]), std::pair(of[1], of[0])})
    if (a.kind == PtxValue::Kind::address && b.is_number())
      return known_address(a.symbol, cut(op.to, a.bits + b.bits));
  return {};
}

PtxValue sub(const PtxOperation& op, Operands of) {
  const PtxValue &a = of[0], &b = of[1];
  if (a.kind == PtxValue::Kind::unknown || b.kind == PtxValue::Kind::unknown) return {};
  const std::uint64_t difference = cut(op.to, a.bits - b.bits);
  if (a.kind == b.kind && a.symbol == b.symbol) return known_number(difference);
  return b.is_number() ? known_address(a.symbol, difference) : PtxValue();
}

PtxValue multiply(const PtxOperation& op, Operands of) {
  if (is_zero(of[0]) || is_zero(of[1])) return known_number(0);
  if (!of[0].is_number() || !of[1].is_number()) return {};
  const std::uint64_t a = widened(op.from, of[0].bits), b = widened(op.from, of[1].bits);
  if (op.mode != "hi") return result(op.to, a * b);
  if (op.from.bits > 32) return {};
  const std::uint64_t product = a * b;
  return result(op.to, product >> op.from.bits);
}

PtxValue multiply_add(const PtxOperation& op, Operands of) {
  const std::array<PtxValue, 2> terms = {multiply(op, of.first(2)), of[2]};
  return add(op, terms);
}

PtxValue divide(const PtxOperation& op, Operands of) {
  if (!are_numbers(of) || op.to.is_signed || is_zero(of[1])) return {};
  return result(op.to, of[0].bits / of[1].bits);
}

PtxValue remainder(const PtxOperation& op, Operands of) {
  if (!are_numbers(of) || op.to.is_signed || is_zero(of[1])) return {};
  return result(op.to, of[0].bits % of[1].bits);
}

PtxValue bit_and(const PtxOperation& op, Operands of) {
  if (is_zero(of[0]) || is_zero(of[1])) return known_number(0);
  return are_numbers(of) ? result(op.to, of[0].bits & of[1].bits) : PtxValue();
}

PtxValue bit_or(const PtxOperation& op, Operands of) {
  const std::uint64_t all = cut(op.to, ~std::uint64_t{0});
  for (const PtxValue& one : of)
    if (one.is_number() && one.bits == all) return one;
  if (is_zero(of[0])) return of[1];
  if (is_zero(of[1])) return of[0];
  return are_numbers(of) ? result(op.to, of[0].bits | of[1].bits) : PtxValue();
}

PtxValue bit_xor(const PtxOperation& op, Operands of) {
  return are_numbers(of) ? result(op.to, of[0].bits ^ of[1].bits) : PtxValue();
}

PtxValue bit_not(const PtxOperation& op, Operands of) {
  return are_numbers(of) ? result(op.to, ~of[0].bits) : PtxValue();
}

PtxValue negate(const PtxOperation& op, Operands of) {
  return are_numbers(of) ? result(op.to, 0 - of[0].bits) : PtxValue();
}

PtxValue shift_left(const PtxOperation& op, Operands of) {
  if (is_zero(of[1])) return of[0];
  if (!are_numbers(of)) return {};
  const auto by = of[1].bits & 0xffffffffU;
  return by >= 64 ? known_number(0) : result(op.to, of[0].bits << by);
}

PtxValue shift_right(const PtxOperation& op, Operands of) {
  if (is_zero(of[1])) return of[0];
  if (!are_numbers(of)) return {};
  const auto most = static_cast<std::uint64_t>(op.to.bits - 1);
  const auto by = of[1].bits & 0xffffffffU;
  const std::uint64_t value = widened(op.to, of[0].bits);
  if (op.to.is_signed)
    return result(
        op.to, static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> std::min(by, most)));
  return by > most ? known_number(0) : result(op.to, value >> by);
}

bool is_less(const PtxOperation& op, std::uint64_t a, std::uint64_t b) {
  a = widened(op.from, a);
  b = widened(op.from, b);
  return op.from.is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

PtxValue smaller(const PtxOperation& op, Operands of) {
  if (!are_numbers(of)) return {};
  return is_less(op, of[1].bits, of[0].bits) ? of[1] : of[0];
}

PtxValue larger(const PtxOperation& op, Operands of) {
  if (!are_numbers(of)) return {};
  return is_less(op, of[0].bits, of[1].bits) ? of[1] : of[0];
}

PtxValue count_ones(const PtxOperation& op, Operands of) {
  if (!are_numbers(of)) return {};
  return known_number(static_cast<std::uint64_t>(std::popcount(cut(op.to, of[0].bits))));
}

PtxValue leading_zeros(const PtxOperation& op, Operands of) {
  if (!are_numbers(of)) return {};
  const int zeros = std::countl_zero(cut(op.to, of[0].bits)) - (64 - op.to.bits);
  return known_number(static_cast<std::uint64_t>(zeros));
}

PtxValue select(const PtxOperation& /*op*/, Operands of) {
  if (of[2].is_number()) return of[2].bits != 0 ? of[0] : of[1];
  return joined(of[0], of[1]);
}

std::optional<bool> compare(const PtxOperation& op, const PtxValue& a, const PtxValue& b) {
  if (a.kind == PtxValue::Kind::unknown || a.kind != b.kind || a.symbol != b.symbol)
    return std::nullopt;
  const bool less = is_less(op, a.bits, b.bits), more = is_less(op, b.bits, a.bits);
  if (op.mode == "eq") return !less && !more;
  if (op.mode == "ne") return less || more;
  if (op.mode == "lt" || op.mode == "lo") return less;
  if (op.mode == "le" || op.mode == "ls") return !more;
  if (op.mode == "gt" || op.mode == "hi") return more;
  if (op.mode == "ge" || op.mode == "hs") return !less;
  return std::nullopt;
}

PtxValue set_predicate(const PtxOperation& op, Operands of) {
  const auto holds = compare(op, of[0], of[1]);
  const PtxValue first = holds ? known_number(*holds ? 1 : 0) : PtxValue();
  if (op.joins.empty()) return first;
  if (of.size() < 3) return {};
  const std::array<PtxValue, 2> both = {first, of[2]};
  PtxOperation join = op;
  join.to = {1, false};
  if (op.joins == "and") return bit_and(join, both);
  return op.joins == "or" ? bit_or(join, both) : bit_xor(join, both);
}

// "u32" or "b64" or "pred"; nothing for floating point and what is not a type.
std::optional<Type> type_of(std::string_view word) {
  if (word == "pred") return Type{1, false};
  if (word.size() < 2 || (word[0] != 'u' && word[0] != 's' && word[0] != 'b')) return std::nullopt;
  Type type{0, word[0] == 's'};
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), type.bits);
  const bool is_width = type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (error != std::errc{} || end != word.data() + word.size() || !is_width) return std::nullopt;
  return type;
}

std::vector<std::string_view> words_of(std::string_view opcode) {
  std::vector<std::string_view> words;
  do {
    const std::size_t dot = std::min(opcode.find('.'), opcode.size());
    words.push_back(opcode.substr(0, dot));
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
  } while (!opcode.empty());
  return words;
}

}  // namespace

struct PtxOperation::OperationRow {
  std::string_view stem;
  std::size_t operands;
  Compute compute;
  std::string_view modes;  // words that it may have between stem and types
};

const PtxOperation::OperationRow PtxOperation::rows[] = {
    {"mov", 1, same, ""},
    {"cvt", 1, same, ""},
    {"cvta", 1, same, " to shared "},
    {"add", 2, add, ""},
    {"sub", 2, sub, ""},
    {"mul", 2, multiply, " lo hi wide "},
    {"mad", 3, multiply_add, " lo hi wide "},
    {"div", 2, divide, ""},
    {"rem", 2, remainder, ""},
    {"and", 2, bit_and, ""},
    {"or", 2, bit_or, ""},
    {"xor", 2, bit_xor, ""},
    {"not", 1, bit_not, ""},
    {"neg", 1, negate, ""},
    {"shl", 2, shift_left, ""},
    {"shr", 2, shift_right, ""},
    {"min", 2, smaller, ""},
    {"max", 2, larger, ""},
    {"popc", 1, count_ones, ""},
    {"clz", 1, leading_zeros, ""},
    {"selp", 3, select, ""},
    {"setp", 2, set_predicate, " eq ne lt le gt ge lo ls hi hs and or xor "}};

PtxValue known_number(std::uint64_t bits) {
  return {PtxValue::Kind::number, -1, bits};
}

PtxValue known_address(int symbol, std::uint64_t offset) {
  return {PtxValue::Kind::address, symbol, offset};
}

PtxValue joined(const PtxValue& a, const PtxValue& b) {
  return a == b ? a : PtxValue();
}

std::optional<PtxOperation> PtxOperation::of(std::string_view opcode) {
  const std::vector<std::string_view> words = words_of(opcode);
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const OperationRow& one) {
    return one.stem == words.front();
  });
  if (row == std::end(rows)) return std::nullopt;
  PtxOperation made;
  made.compute_ = row->compute;
  made.operands_ = row->operands;
  std::vector<Type> types;
  for (std::size_t n = 1; n < words.size(); ++n) {
    const auto type = type_of(words[n]);
    if (type) {
      types.push_back(*type);
    } else {
      const std::string spaced = " " + std::string(words[n]) + " ";
      // A word that changes what is computed (.sat, .rn, .cc), or floating point.
      if (row->modes.find(spaced) == std::string_view::npos) return std::nullopt;
      std::string_view& known = made.mode.empty() ? made.mode : made.joins;
      known = row->modes.substr(row->modes.find(spaced) + 1, words[n].size());
    }
  }
  if (types.empty()) return std::nullopt;
  made.to = types.front();
  made.from = types.back();
  if (made.mode == "wide") made.to.bits = 2 * made.from.bits;
  return made;
}

PtxValue PtxOperation::of_operands(std::span<const PtxValue> operands) const {
  return operands.size() < operands_ ? PtxValue() : compute_(*this, operands);
}

}  // namespace phasebit::ptx::known
