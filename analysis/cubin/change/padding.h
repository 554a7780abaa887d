// A cubin whose kernels lie elsewhere: NOPs before the first instruction of each, and everything
// that names a place in the code or in the file moved along. docs/decisions/placement.md says what
// that is.
#pragma once

#include "analysis/cubin/elf_file.h"
#include "core/base/error.h"
#include "core/launch/placement/code_moves.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin::change {

// What padding changes in the cubin, for one kernel or, without a name, for every one.
// Step::disassemble as ElfFile::open, where there is no such kernel, and by name for whatever may
// hold a place that is not known to move: a section, an attribute, a relocation.
Result<launch::placement::CodeMoves> find_code_moves(std::string_view cubin,
                                                     const std::string& entry = {});

// find_code_moves and move_code in one.
Result<std::string> pad_cubin(std::string_view cubin, int padding_bytes,
                              const std::string& entry = {});

// Where a table of lines must say that code begins later.

// Sections of line programs.
bool has_lines(std::string_view section);

struct LineAdvances {
  // After the address that a sequence begins with, in the section: there the address is advanced.
  // (An address of its own in the relocation would say the same, but nvdisasm -g then prints no
  // line of the kernel.)
  std::vector<std::uint64_t> places;  // ascending
  struct Unit {
    std::uint64_t at = 0;  // of its length, 4 bytes
    std::uint64_t advances = 0;
  };
  std::vector<Unit> units;
};

// Of a section of DWARF line programs, for the sequences whose addresses lie at `addresses`
// (ascending). Step::disassemble where one is not an address of a sequence, and for units of 64
// bits.
Result<LineAdvances> line_advances(std::string_view section,
                                   const std::vector<std::uint64_t>& addresses);

// What padding changes in a cubin, found part by part.

class MoveFinder {
 public:
  MoveFinder(const ElfFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  Result<launch::placement::CodeMoves> find(const std::string& entry);

 private:
  Status choose(const std::string& entry);
  Status check_alone(std::size_t section) const;
  Status move_lines();
  Status move_lines(std::size_t section, const std::vector<std::uint64_t>& addresses);
  void move_headers();
  Status move_segments();
  Status move_symbols();
  std::uint64_t advanced(std::size_t section, std::uint64_t place) const;
  Status move_relocations(const ElfSection& table);
  Status move_relocation(const ElfSection& target, const GElf_Rela& one, std::uint64_t at,
                         bool has_addend);
  Status move_stored(const ElfSection& target, const GElf_Rela& one);
  Status move_attributes();
  Status sort_all();

  // How far what begins at an offset of the file moves.
  struct Shift {
    std::uint32_t growths = 0;  // of code
    std::uint64_t bytes = 0;    // of tables of lines
  };
  Shift shift_at(std::uint64_t offset) const {
    Shift shift;
    for (const Grown& one : grown_)
      if (one.begin < offset) shift.growths += one.bytes == 0 ? 1 : 0, shift.bytes += one.bytes;
    return shift;
  }
  void add(std::uint64_t at, std::uint32_t bytes, std::uint32_t paddings, const Shift& shift) {
    if (paddings != 0 || shift.growths != 0 || shift.bytes != 0)
      moves_.fields.push_back({at, bytes, paddings, shift.growths, shift.bytes});
  }
  void add_place(std::uint64_t at, std::uint32_t bytes = 8) { add(at, bytes, 1, {}); }
  bool is_padded(std::size_t section) const { return entries_.contains(section); }
  // Whether a symbol is the start of padded code.
  bool begins_code(std::size_t symbol) const {
    return symbol < symbols_.size() && is_padded(symbols_[symbol].entry.st_shndx) &&
           symbols_[symbol].entry.st_value == 0;
  }

  // A section that gets longer: a kernel's code by the padding, a table of lines by so many bytes.
  struct Grown {
    std::uint64_t begin = 0, bytes = 0;
  };
  std::vector<Grown> grown_;
  std::map<std::size_t, LineAdvances> advances_;  // by section
  const ElfFile& file_;
  std::string_view bytes_;
  std::vector<ElfFile::Symbol> symbols_;
  std::map<std::size_t, std::string> entries_;  // of the padded sections
  launch::placement::CodeMoves moves_;
};

// Whether all that names a place in a cubin's code or file is where this program knows to move it.

// Step::disassemble, by name, for a relocatable module, a section that is not known, and tables
// whose entries do not lie where the format says.
Status check_movable(const ElfFile& file, std::string_view bytes);

}  // namespace phasebit::cubin::change
