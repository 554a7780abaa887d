// An ELF file in memory: libelf, with bounds that are checked here for every section.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gelf.h>
#include <libelf.h>

namespace phasebit::cubin {

struct ElfSection {
  std::string name;
  GElf_Shdr header{};
  std::string_view data;           // empty where the file holds none
  Elf_Data* translated = nullptr;  // symbols and relocations as libelf decodes them

  std::size_t entries() const {
    return header.sh_entsize == 0 ? 0 : data.size() / header.sh_entsize;
  }
};

class ElfFile {
 public:
  // `name` stands for the file in messages. Step::disassemble when it is not an ELF file of 64 bits
  // and little endian, or is cut short.
  static Result<ElfFile> open(std::string_view bytes, std::string_view name);
  // The same without a copy: `bytes` must outlive the file and may be read-only.
  static Result<ElfFile> view(std::string_view bytes, std::string_view name);

  const GElf_Ehdr& header() const { return header_; }
  const std::vector<ElfSection>& sections() const { return sections_; }  // [0] is the empty one
  int sm() const;                                                        // 90; of e_flags
  // The first section of that name, or null.
  const ElfSection* find(const std::string& name) const;

  struct Symbol {
    std::string name;
    GElf_Sym entry{};
  };
  // Those of .symtab by their index, up to the first that cannot be read; empty without a table.
  std::vector<Symbol> read_symbols() const;

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  ElfFile() = default;
  Status read_header(std::string_view name);
  Status read_sections(std::string_view name);

  std::unique_ptr<std::string> copy_;  // libelf keeps a pointer into it
  std::string_view bytes_;
  std::unique_ptr<Elf, End> elf_;
  GElf_Ehdr header_{};
  std::vector<ElfSection> sections_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

// Relocations of an ELF file, whichever of the two forms they have.

struct Relocation {
  std::uint64_t offset = 0;  // in the section
  std::uint64_t type = 0;    // R_CUDA_...
  std::size_t symbol = 0;
  std::int64_t addend = 0;  // 0 of REL, which adds what is at its place
};

// By the section that they are applied to, ascending by offset.
std::map<std::size_t, std::vector<Relocation>> read_relocations(const ElfFile& file);

// Sections of a cubin by their names.

// Of the section of each kernel's and function's code.
constexpr std::string_view text_prefix = ".text.";

// Empty where the file has no such section.
inline std::string_view data_of(const ElfFile& file, const std::string& section) {
  const ElfSection* found = file.find(section);
  return found == nullptr ? std::string_view() : found->data;
}

}  // namespace phasebit::cubin
