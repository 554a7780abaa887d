#include "analysis/cubin/debug_line.h"

#include "analysis/cubin/source/lines.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

#include <elf.h>
#include <elfutils/libdw.h>

namespace phasebit::cubin {
namespace {

// libdw reads the sections of a file. This makes one of those that a line table needs, little
// endian, without anything else in it.
class LineFile {
 public:
  explicit LineFile(std::size_t room) {
    bytes_.reserve(room + names_.size() + 8 * sizeof(Elf64_Shdr) + sizeof(Elf64_Ehdr));
    bytes_.resize(sizeof(Elf64_Ehdr));
    headers_.push_back({});
  }

  // Where it is in the file.
  std::size_t add(const char* name, std::string_view data) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names_.find(name));
    header.sh_type = header.sh_name == names_.find(".shstrtab") ? SHT_STRTAB : SHT_PROGBITS;
    header.sh_offset = bytes_.size();
    header.sh_size = data.size();
    header.sh_addralign = 1;
    headers_.push_back(header);
    bytes_.append(data);
    return header.sh_offset;
  }

  std::string finish() {
    add(".shstrtab", names_);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    bytes_.append((8 - bytes_.size() % 8) % 8, '\0');
    header.e_shoff = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    bytes_.append(reinterpret_cast<const char*>(headers_.data()),
                  headers_.size() * sizeof(Elf64_Shdr));
    return std::move(bytes_);
  }

 private:
  const std::string names_ =
      std::string("\0.debug_line\0.debug_line_str\0.debug_str\0.shstrtab\0", 51);
  std::string bytes_;
  std::vector<Elf64_Shdr> headers_;
};

// An address is the number of its fixup above, the offset below: so the rows of a unit, which libdw
// sorts by address, keep their order, by which they name each other.
constexpr int number_bits = 40;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << number_bits) - 1;

// What a linker would have done. By number of the fixup, from 1: its section.
std::vector<std::size_t> write_addresses(char* section, std::size_t size,
                                         const AddressFixups& fixups) {
  std::vector<std::size_t> sections = {0};
  for (const auto& [at, fixup] : fixups) {
    const std::uint64_t address =
        (static_cast<std::uint64_t>(sections.size()) << number_bits) + fixup.offset;
    if (at + sizeof address <= size) std::memcpy(section + at, &address, sizeof address);
    sections.push_back(fixup.section);
  }
  return sections;
}

// Adds the rows of one unit after the other.
class RowReader {
 public:
  RowReader(Dwarf* dwarf, std::vector<std::size_t> sections, LineTable& table)
      : dwarf_(dwarf), sections_(std::move(sections)), table_(table), names_(table.source) {}

  void read(Dwarf_Lines* lines, std::size_t count) {
    std::unordered_map<const Dwarf_Line*, std::size_t> numbers;  // of the rows, in the unit
    for (std::size_t i = 0; i < count; ++i) numbers.emplace(dwarf_onesrcline(lines, i), i);
    std::vector<int> frames;  // of the rows of a sequence
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      int number = 0;
      bool end = false;
      const bool whole = dwarf_lineaddr(line, &address) == 0 && dwarf_lineno(line, &number) == 0 &&
                         dwarf_lineendsequence(line, &end) == 0;
      int frame = -1;
      if (whole && !end && number > 0) {
        // The number of a row in its sequence, which libdw takes for one in the unit.
        const auto found = numbers.find(dwarf_linecontext(lines, line));
        const bool inlined = found != numbers.end() && found->second < frames.size();
        frame = names_.frame({names_.file(dwarf_linesrc(line, nullptr, nullptr)), number,
                              names_.function(dwarf_linefunctionname(dwarf_, line)),
                              inlined ? frames[found->second] : -1});
      }
      frames.push_back(frame);
      if (end) frames.clear();
      const std::size_t fixup = address >> number_bits;
      if (whole && fixup > 0 && fixup < sections_.size())
        table_.sections[sections_[fixup]].push_back(
            {address & offset_mask, frame < 0 ? 0 : number, frame});
    }
  }

 private:
  Dwarf* dwarf_;
  std::vector<std::size_t> sections_;
  LineTable& table_;
  source::SourceNumbers names_;
};

}  // namespace

Result<LineTable> read_debug_line(std::string_view section, const AddressFixups& fixups,
                                  const LineStrings& strings) {
  LineTable table;
  if (section.empty()) return table;
  // libdw takes what cannot hold the length of a unit for the end of the section.
  if (section.size() < sizeof(std::uint32_t))
    return fail(Step::disassemble, ".debug_line at byte 0: too short for a unit");
  LineFile file(section.size() + strings.line_str.size() + strings.str.size());
  const std::size_t lines_at = file.add(".debug_line", section);
  file.add(".debug_line_str", strings.line_str);
  file.add(".debug_str", strings.str);
  std::string image = file.finish();
  std::vector<std::size_t> sections =
      write_addresses(image.data() + lines_at, section.size(), fixups);
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(image.data(), image.size()), elf_end);
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(
      dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr), dwarf_end);
  if (dwarf == nullptr) return fail(Step::disassemble, ".debug_line: {}", dwarf_errmsg(-1));
  RowReader rows(dwarf.get(), std::move(sections), table);
  Dwarf_Off at = 0, next = 0;
  Dwarf_CU* unit = nullptr;
  Dwarf_Files* names = nullptr;
  Dwarf_Lines* lines = nullptr;
  std::size_t name_count = 0, line_count = 0;
  int found = 0;
  while ((found = dwarf_next_lines(dwarf.get(), at, &next, &unit, &names, &name_count, &lines,
                                   &line_count)) == 0) {
    rows.read(lines, line_count);
    at = next;
  }
  if (found < 0) return fail(Step::disassemble, ".debug_line at byte {}: {}", at, dwarf_errmsg(-1));
  // Where several rows share an address the last one holds; an end gives way to what follows it.
  for (auto& [index, those] : table.sections)
    std::stable_sort(those.begin(), those.end(), [](const LineRow& a, const LineRow& b) {
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

}  // namespace phasebit::cubin
