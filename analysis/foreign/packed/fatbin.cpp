#include "analysis/foreign/packed/fatbin.h"

#include "analysis/cubin/elf_file.h"

#include <cstring>

namespace phasebit::foreign::packed {
namespace {

constexpr std::uint32_t fatbin_magic = 0xba55ed50;

struct FatbinHeader {
  std::uint32_t magic = 0;
  std::uint16_t version = 0, header_size = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(FatbinHeader) == 16);

bool begins_fatbin(std::string_view bytes) {
  std::uint32_t word = 0;
  if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
  return word == fatbin_magic;
}

// Fatbins one after the other, with zeros between them.
void split(std::string_view bytes, bool relocatable, Fatbins& into) {
  while (into.problem.empty()) {
    const std::size_t begin = bytes.find_first_not_of('\0');
    if (begin == std::string_view::npos) return;
    bytes.remove_prefix(begin);
    if (!begins_fatbin(bytes)) {
      into.problem = fmt::format("damaged: fatbin {} does not begin like one", into.all.size() + 1);
      return;
    }
    FatbinHeader header;
    if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
    if (header.header_size < sizeof header || header.header_size > bytes.size() ||
        header.size > bytes.size() - header.header_size) {
      into.problem = fmt::format("cut short: fatbin {} says {} bytes, {} are left",
                                 into.all.size() + 1, header.size, bytes.size());
      return;
    }
    const std::size_t size = header.header_size + header.size;
    into.all.push_back({bytes.substr(0, size), relocatable});
    bytes.remove_prefix(size);
  }
}

Result<Fatbins> checked(Fatbins fatbins, std::string_view name) {
  if (fatbins.all.empty() && !fatbins.problem.empty())
    return fail(Step::disassemble, "{}: {}", name, fatbins.problem);
  return fatbins;
}

}  // namespace

Result<Fatbins> find_fatbins(std::string_view bytes, std::string_view name) {
  Fatbins fatbins;
  if (begins_fatbin(bytes)) {
    split(bytes, false, fatbins);
    return checked(std::move(fatbins), name);
  }
  PHASEBIT_TRY_ASSIGN(file, cubin::ElfFile::view(bytes, name));
  bool found = false;
  for (const cubin::ElfSection& section : file.sections()) {
    const bool relocatable = section.name == "__nv_relfatbin";
    if ((!relocatable && section.name != ".nv_fatbin") || section.data.empty()) continue;
    found = true;
    split(bytes.substr(section.header.sh_offset, section.data.size()), relocatable, fatbins);
  }
  if (!found)
    return fail(Step::disassemble,
                "{}: no GPU code in it: a host file without section .nv_fatbin or __nv_relfatbin",
                name);
  return checked(std::move(fatbins), name);
}

}  // namespace phasebit::foreign::packed
