#include "core/launch/placement/code_moves.h"

#include "core/base/hash.h"

#include <cstring>

namespace phasebit::launch::placement {
namespace {

// A NOP that is always executed; its control fields are in the high half. In the padding: stall
// 1, no scoreboard. ptxas begins no kernel with one (67,000 kernels, sm_75 to sm_121). After the
// code: as ptxas fills up itself, stall 0.
constexpr std::uint64_t nop_low = 0x7918;
constexpr std::uint64_t padding_high = 0x000fe20000000000, tail_high = 0x000fc00000000000;

std::string nops(std::uint64_t high, std::size_t bytes) {
  std::string word(padding_step_bytes, '\0');
  std::memcpy(word.data(), &nop_low, sizeof nop_low);
  std::memcpy(word.data() + sizeof nop_low, &high, sizeof high);
  std::string text;
  while (text.size() < bytes) text += word;
  return text;
}

// What code grows by.
std::uint64_t growth_of(std::uint64_t padding) {
  constexpr std::uint64_t mask = CodeMoves::alignment_bytes - 1;
  return (padding + mask) & ~mask;
}

// Ascending, apart from each other and inside the file.
bool fits(std::string_view module, const CodeMoves& moves) {
  std::uint64_t end = 0;
  for (const CodeMoves::Insertion& one : moves.insertions) {
    if (one.at < end || one.at > module.size() || one.bytes >= CodeMoves::alignment_bytes)
      return false;
    end = one.at;
  }
  end = 0;
  for (const CodeMoves::Field& field : moves.fields) {
    if (field.bytes != 4 && field.bytes != 8) return false;
    if (field.at < end || field.at > module.size() || module.size() - field.at < field.bytes)
      return false;
    end = field.at + field.bytes;
  }
  return true;
}

// DW_LNS_advance_pc with an operand that always takes two bytes.
std::string advance_by(std::uint64_t bytes) {
  constexpr char advance_pc = 2;
  return {advance_pc, static_cast<char>((bytes & 0x7f) | 0x80), static_cast<char>(bytes >> 7)};
}

std::string inserted(const CodeMoves::Insertion& one, std::uint64_t padding) {
  using Kind = CodeMoves::Insertion::Kind;
  switch (one.kind) {
    case Kind::padding: return nops(padding_high, padding);
    case Kind::tail: return nops(tail_high, growth_of(padding) - padding);
    case Kind::advance: return advance_by(padding);
    case Kind::filler: return std::string(one.bytes, '\0');
  }
  bug("unknown kind of insertion");
}

// 7 bits a byte, the lowest first; the highest bit says that there are more.
void put(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    ok_ = false;
    return 0;
  }
  // How many records follow: each takes a byte at least.
  std::size_t count() {
    const std::uint64_t number = next();
    if (number > bytes_.size()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(number) : 0;
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

constexpr std::uint64_t num_kinds = 4;  // of insertions
constexpr std::string_view first_word = "phasebit moves 1 ";
constexpr std::size_t hash_digits = 32;
constexpr std::size_t head_bytes = first_word.size() + hash_digits + 1;

}  // namespace

Status check_padding(int padding_bytes) {
  if (padding_bytes < 0 || padding_bytes > largest_padding_bytes ||
      padding_bytes % padding_step_bytes != 0)
    return fail(Step::usage, "padding={}: not a multiple of {} from 0 to {}", padding_bytes,
                padding_step_bytes, largest_padding_bytes);
  return {};
}

std::size_t padding_of(std::string_view text) {
  static const std::string word = nops(padding_high, padding_step_bytes);
  std::size_t bytes = 0;
  while (text.substr(bytes).starts_with(word)) bytes += word.size();
  const std::size_t growth = growth_of(bytes);
  return growth < text.size() && text.ends_with(nops(tail_high, growth - bytes)) ? bytes : 0;
}

std::string_view unpadded(std::string_view text) {
  const std::size_t padding = padding_of(text);
  return text.substr(padding, text.size() - growth_of(padding));
}

Result<std::string> move_code(std::string_view module, const CodeMoves& moves, int padding_bytes) {
  PHASEBIT_TRY(check_padding(padding_bytes));
  if (!fits(module, moves))
    return with_hint(fail(Step::bundle, "code moves of another module"), "pack it again");
  if (padding_bytes == 0) return std::string(module);
  const auto padding = static_cast<std::uint64_t>(padding_bytes);
  std::string changed(module);
  for (const CodeMoves::Field& field : moves.fields) {
    std::uint64_t value = 0;
    std::memcpy(&value, changed.data() + field.at, field.bytes);
    value += field.paddings * padding + field.growths * growth_of(padding) + field.bytes_added;
    std::memcpy(changed.data() + field.at, &value, field.bytes);
  }
  std::string made;
  std::uint64_t from = 0;
  for (const CodeMoves::Insertion& one : moves.insertions) {
    made.append(changed, from, one.at - from).append(inserted(one, padding));
    from = one.at;
  }
  return made.append(changed, from);
}

std::string to_bytes(const CodeMoves& moves) {
  std::string body;
  put(body, moves.insertions.size());
  std::uint64_t last = 0;
  for (const CodeMoves::Insertion& one : moves.insertions) {
    put(body, (one.at - last) * num_kinds + static_cast<std::uint64_t>(one.kind));
    put(body, one.bytes);
    last = one.at;
  }
  put(body, moves.fields.size());
  last = 0;
  for (const CodeMoves::Field& field : moves.fields) {
    put(body, (field.at - last) * 2 + (field.bytes == 8 ? 1 : 0));
    put(body, field.paddings);
    put(body, field.growths);
    put(body, field.bytes_added);
    last = field.at;
  }
  return fmt::format("{}{}\n{}", first_word, base::content_hash(body), body);
}

Result<CodeMoves> moves_from_bytes(std::string_view bytes, const std::string& name) {
  const auto torn = [&] {
    return with_hint(fail(Step::bundle, "{} is torn or of another version", name),
                     "pack and copy the bundle again");
  };
  if (!bytes.starts_with(first_word) || bytes.size() < head_bytes || bytes[head_bytes - 1] != '\n')
    return torn();
  const std::string_view body = bytes.substr(head_bytes);
  if (base::content_hash(body) != bytes.substr(first_word.size(), hash_digits)) return torn();
  Numbers numbers(body);
  CodeMoves moves;
  moves.insertions.resize(numbers.count());
  std::uint64_t last = 0;
  for (CodeMoves::Insertion& one : moves.insertions) {
    const std::uint64_t place = numbers.next();
    last = one.at = last + place / num_kinds;
    one.kind = static_cast<CodeMoves::Insertion::Kind>(place % num_kinds);
    one.bytes = numbers.next();
  }
  moves.fields.resize(numbers.count());
  last = 0;
  for (CodeMoves::Field& field : moves.fields) {
    const std::uint64_t place = numbers.next();
    last = field.at = last + place / 2;
    field.bytes = place % 2 == 0 ? 4 : 8;
    field.paddings = static_cast<std::uint32_t>(numbers.next());
    field.growths = static_cast<std::uint32_t>(numbers.next());
    field.bytes_added = numbers.next();
  }
  if (!numbers.done()) return torn();
  return moves;
}

}  // namespace phasebit::launch::placement
