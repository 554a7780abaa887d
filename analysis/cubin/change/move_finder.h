// What padding changes in a cubin, found part by part.
#pragma once

#include "analysis/cubin/change/line_advances.h"
#include "analysis/cubin/elf_file.h"
#include "core/image/placement/code_moves.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin::change {

class MoveFinder {
 public:
  MoveFinder(const ElfFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  Result<image::placement::CodeMoves> find(const std::string& entry);

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
  image::placement::CodeMoves moves_;
};

}  // namespace phasebit::cubin::change
