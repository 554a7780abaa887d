#include "analysis/cubin/lines/debug_line.h"

#include <algorithm>
#include <optional>

namespace phasebit {
namespace {

enum StandardOpcode : std::uint8_t {
  copy = 1,
  advance_pc = 2,
  advance_line = 3,
  set_file = 4,
  const_add_pc = 8,
  fixed_advance_pc = 9
};
enum ExtendedOpcode : std::uint8_t { end_sequence = 1, set_address = 2 };

// Runs one line program. `files`: the place of each file of the header in the table.
class Machine {
 public:
  Machine(const LineHeader& header, const std::vector<int>& files, const AddressFixups& fixups,
          LineTable& table)
      : header_(header), files_(files), fixups_(fixups), table_(table) {}

  void step(DwarfCursor& cursor) {
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
  void standard(DwarfCursor& cursor, std::uint8_t opcode) {
    if (opcode == copy) return emit(line_);
    if (opcode == advance_pc) return advance(cursor.uleb());
    if (opcode == advance_line) return void(line_ += static_cast<std::uint64_t>(cursor.sleb()));
    if (opcode == set_file) return void(file_ = cursor.uleb());
    if (opcode == const_add_pc) return advance((255 - header_.opcode_base) / header_.line_range);
    if (opcode == fixed_advance_pc) return void(address_ += cursor.fixed<std::uint16_t>());
    for (int i = 0; i < header_.operand_counts[opcode - 1U]; ++i) cursor.uleb();
  }
  // ptxas adds opcodes of its own (inlined calls, 0x90 and 0x91); they are skipped by their length.
  void extended(DwarfCursor& cursor) {
    const std::uint64_t length = cursor.uleb();
    const std::size_t begin = cursor.position();
    const auto opcode = length > 0 ? cursor.fixed<std::uint8_t>() : std::uint8_t{0};
    if (opcode == end_sequence) {
      emit(0);
      section_.reset(), address_ = 0, line_ = 1, file_ = 1;
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
  int file() const {
    const std::uint64_t index = file_ - static_cast<std::uint64_t>(header_.first_file);
    return index < files_.size() ? files_[index] : -1;
  }
  void emit(std::uint64_t line) {
    constexpr std::uint64_t highest = 1'000'000'000;  // more is damage, or a negative line
    const bool plausible = line != 0 && line < highest;
    if (section_)
      table_.sections[*section_].push_back(
          {address_, plausible ? static_cast<int>(line) : 0, plausible ? file() : -1});
  }

  const LineHeader& header_;
  const std::vector<int>& files_;
  const AddressFixups& fixups_;
  LineTable& table_;
  std::optional<std::size_t> section_;
  std::uint64_t address_ = 0;
  std::uint64_t line_ = 1;  // wraps: an advance may be negative
  std::uint64_t file_ = 1;
};

// The units of a linked cubin name most files again and again.
class FileNumbers {
 public:
  explicit FileNumbers(std::vector<std::string>& files) : files_(files) {}
  std::vector<int> add(const std::vector<std::string>& names) {
    std::vector<int> numbers;
    for (const std::string& name : names) {
      const auto [found, fresh] = numbers_.emplace(name, static_cast<int>(files_.size()));
      if (fresh) files_.push_back(name);
      numbers.push_back(found->second);
    }
    return numbers;
  }

 private:
  std::vector<std::string>& files_;
  std::map<std::string, int> numbers_;
};

// One unit: its length, header and program. Moves the cursor behind it.
Status read_unit(DwarfCursor& cursor, const AddressFixups& fixups, const LineStrings& strings,
                 FileNumbers& files, LineTable& table, std::size_t section_size) {
  constexpr std::uint32_t escape_to_64_bit = 0xffffffff;
  std::uint64_t length = cursor.fixed<std::uint32_t>();
  const bool is_64_bit = length == escape_to_64_bit;
  if (is_64_bit) length = cursor.fixed<std::uint64_t>();
  if (cursor.overrun() || length > section_size - cursor.position())
    return fail(Step::disassemble, ".debug_line is damaged: a unit is longer than the section");
  DwarfCursor unit = cursor.until(cursor.position() + length);
  cursor.skip(length);
  PHASEBIT_TRY_ASSIGN(header, read_line_header(unit, is_64_bit, strings));
  const std::vector<int> numbers = files.add(header.files);
  Machine machine(header, numbers, fixups, table);
  while (!unit.at_end() && !unit.overrun()) machine.step(unit);
  if (unit.overrun())
    return fail(Step::disassemble, ".debug_line is damaged: a line program ends inside an opcode");
  return {};
}

}  // namespace

Result<LineTable> read_debug_line(std::string_view section, const AddressFixups& fixups,
                                  const LineStrings& strings) {
  LineTable table;
  FileNumbers files(table.files);
  DwarfCursor cursor(section, 0);
  while (!cursor.at_end())
    PHASEBIT_TRY(read_unit(cursor, fixups, strings, files, table, section.size()));
  // Where several rows share an address the last one holds; an end gives way to what follows it.
  for (auto& [index, rows] : table.sections)
    std::stable_sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
      return a.address != b.address ? a.address < b.address : a.line == 0 && b.line != 0;
    });
  return table;
}

LineRow row_at(const std::vector<LineRow>& rows, std::uint64_t address) {
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), address,
                       [](std::uint64_t value, const LineRow& row) { return value < row.address; });
  return after == rows.begin() ? LineRow{} : *std::prev(after);
}

}  // namespace phasebit
