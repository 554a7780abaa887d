#include "analysis/sass/debug_line.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace phasebit {
namespace {

// A reader that never passes its end: after that it delivers zeros and says so.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::size_t position) : bytes_(bytes), position_(position) {}
  std::size_t position() const { return position_; }
  bool overrun() const { return overrun_; }
  bool at_end() const { return position_ >= bytes_.size(); }
  Cursor until(std::size_t end) const { return {bytes_.substr(0, end), position_}; }

  void skip(std::uint64_t count) {
    if (count > bytes_.size() - position_) overrun_ = true;
    position_ += std::min<std::uint64_t>(count, bytes_.size() - position_);
  }
  template <typename T>
  T fixed() {
    T value{};
    if (bytes_.size() - position_ >= sizeof value)
      std::memcpy(&value, bytes_.data() + position_, sizeof value);
    skip(sizeof value);
    return value;
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }

 private:
  std::string_view bytes_;
  std::size_t position_;
  bool overrun_ = false;
};

// The part of a line program's header that its opcodes need (DWARF 5, section 6.2.4). The tables
// of folders and files lie behind it, in a layout that depends on the version, and are skipped.
struct Header {
  std::uint8_t min_instruction_length = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operand_counts;  // of the standard opcodes 1 .. opcode_base-1
};

Result<Header> read_header(Cursor& cursor, bool is_64_bit) {
  const auto version = cursor.fixed<std::uint16_t>();
  if (version < 2 || version > 5)
    return fail(Step::disassemble, ".debug_line has version {}; 2 to 5 can be read", version);
  if (version >= 5) cursor.skip(2);  // address size, segment selector size
  const std::uint64_t length =
      is_64_bit ? cursor.fixed<std::uint64_t>() : cursor.fixed<std::uint32_t>();
  const std::size_t after_length = cursor.position();
  Header header;
  header.min_instruction_length = cursor.fixed<std::uint8_t>();
  const auto operations = version >= 4 ? cursor.fixed<std::uint8_t>() : std::uint8_t{1};
  cursor.skip(1);  // default_is_stmt
  header.line_base = cursor.fixed<std::int8_t>();
  header.line_range = cursor.fixed<std::uint8_t>();
  header.opcode_base = cursor.fixed<std::uint8_t>();
  for (int i = 1; i < header.opcode_base; ++i)
    header.operand_counts.push_back(cursor.fixed<std::uint8_t>());
  const std::size_t used = cursor.position() - after_length;
  if (cursor.overrun() || length < used || header.line_range == 0 || header.opcode_base == 0)
    return fail(Step::disassemble, ".debug_line is damaged: bad header");
  if (operations != 1)
    return fail(Step::disassemble, ".debug_line has {} operations an instruction", operations);
  cursor.skip(length - used);
  return header;
}

enum StandardOpcode : std::uint8_t {
  copy = 1,
  advance_pc = 2,
  advance_line = 3,
  const_add_pc = 8,
  fixed_advance_pc = 9
};
enum ExtendedOpcode : std::uint8_t { end_sequence = 1, set_address = 2 };

// Runs one line program.
class Machine {
 public:
  Machine(const Header& header, const AddressFixups& fixups, LineTable& table)
      : header_(header), fixups_(fixups), table_(table) {}

  void step(Cursor& cursor) {
    const auto opcode = cursor.fixed<std::uint8_t>();
    if (opcode >= header_.opcode_base)
      special(static_cast<std::uint8_t>(opcode - header_.opcode_base));
    else if (opcode == 0)
      extended(cursor);
    else
      standard(cursor, opcode);
  }

 private:
  void special(std::uint8_t adjusted) {
    advance(adjusted / header_.line_range);
    line_ += static_cast<std::uint64_t>(header_.line_base + adjusted % header_.line_range);
    emit(line_);
  }
  void standard(Cursor& cursor, std::uint8_t opcode) {
    if (opcode == copy) return emit(line_);
    if (opcode == advance_pc) return advance(cursor.uleb());
    if (opcode == advance_line) return void(line_ += static_cast<std::uint64_t>(cursor.sleb()));
    if (opcode == const_add_pc) return advance((255 - header_.opcode_base) / header_.line_range);
    if (opcode == fixed_advance_pc) return void(address_ += cursor.fixed<std::uint16_t>());
    for (int i = 0; i < header_.operand_counts[opcode - 1U]; ++i) cursor.uleb();
  }
  // ptxas adds opcodes of its own (inlined calls, 0x90 and 0x91); they are skipped by their length.
  void extended(Cursor& cursor) {
    const std::uint64_t length = cursor.uleb();
    const std::size_t begin = cursor.position();
    const auto opcode = length > 0 ? cursor.fixed<std::uint8_t>() : std::uint8_t{0};
    if (opcode == end_sequence) {
      emit(0);
      section_.reset(), address_ = 0, line_ = 1;
    } else if (opcode == set_address) {
      const auto fixup = fixups_.find(cursor.position());
      section_.reset();
      if (fixup != fixups_.end()) section_ = fixup->second.section;
      address_ = fixup != fixups_.end() ? fixup->second.offset : 0;
    }
    const std::size_t used = cursor.position() - begin;
    if (length > used) cursor.skip(length - used);
  }
  void advance(std::uint64_t operations) {
    address_ += operations * header_.min_instruction_length;
  }
  void emit(std::uint64_t line) {
    constexpr std::uint64_t highest = 1'000'000'000;  // more is damage, or a negative line
    const bool plausible = line < highest;
    if (section_) table_[*section_].push_back({address_, plausible ? static_cast<int>(line) : 0});
  }

  const Header& header_;
  const AddressFixups& fixups_;
  LineTable& table_;
  std::optional<std::size_t> section_;
  std::uint64_t address_ = 0;
  std::uint64_t line_ = 1;  // wraps: an advance may be negative
};

// One unit: its length, header and program. Moves the cursor behind it.
Status read_unit(Cursor& cursor, const AddressFixups& fixups, LineTable& table,
                 std::size_t section_size) {
  constexpr std::uint32_t escape_to_64_bit = 0xffffffff;
  std::uint64_t length = cursor.fixed<std::uint32_t>();
  const bool is_64_bit = length == escape_to_64_bit;
  if (is_64_bit) length = cursor.fixed<std::uint64_t>();
  if (cursor.overrun() || length > section_size - cursor.position())
    return fail(Step::disassemble, ".debug_line is damaged: a unit is longer than the section");
  Cursor unit = cursor.until(cursor.position() + length);
  cursor.skip(length);
  PHASEBIT_TRY_ASSIGN(header, read_header(unit, is_64_bit));
  Machine machine(header, fixups, table);
  while (!unit.at_end() && !unit.overrun()) machine.step(unit);
  if (unit.overrun())
    return fail(Step::disassemble, ".debug_line is damaged: a line program ends inside an opcode");
  return {};
}

}  // namespace

Result<LineTable> read_debug_line(std::string_view section, const AddressFixups& fixups) {
  LineTable table;
  Cursor cursor(section, 0);
  while (!cursor.at_end()) PHASEBIT_TRY(read_unit(cursor, fixups, table, section.size()));
  // Where several rows share an address the last one holds; an end gives way to what follows it.
  for (auto& [index, rows] : table)
    std::stable_sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
      return a.address != b.address ? a.address < b.address : a.line == 0 && b.line != 0;
    });
  return table;
}

int line_at(const std::vector<LineRow>& rows, std::uint64_t address) {
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), address,
                       [](std::uint64_t value, const LineRow& row) { return value < row.address; });
  return after == rows.begin() ? 0 : std::prev(after)->line;
}

}  // namespace phasebit
