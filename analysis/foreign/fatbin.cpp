#include "analysis/foreign/fatbin.h"

#include "analysis/cubin/elf_file.h"

#include <cstdint>
#include <cstring>

namespace phasebit {
namespace {

constexpr std::uint32_t magic = 0xba55ed50;
constexpr std::size_t header_bytes = 16;

struct FatbinHeader {
  std::uint32_t magic = 0;
  std::uint16_t version = 0, header_size = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(FatbinHeader) == header_bytes);

bool begins_fatbin(std::string_view bytes) {
  std::uint32_t word = 0;
  if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
  return word == magic;
}

// Fatbins one after the other, with zeros between them.
Status split(std::string_view bytes, std::string_view name,
             std::vector<std::string_view>& fatbins) {
  while (true) {
    const std::size_t begin = bytes.find_first_not_of('\0');
    if (begin == std::string_view::npos) return {};
    bytes.remove_prefix(begin);
    if (!begins_fatbin(bytes))
      return fail(Step::disassemble, "{}: damaged: fatbin {} does not begin like one", name,
                  fatbins.size() + 1);
    FatbinHeader header;
    if (bytes.size() >= header_bytes) std::memcpy(&header, bytes.data(), header_bytes);
    if (header.header_size < header_bytes || header.header_size > bytes.size() ||
        header.size > bytes.size() - header.header_size)
      return fail(Step::disassemble, "{}: cut short: fatbin {} says {} bytes, {} are left", name,
                  fatbins.size() + 1, header.size, bytes.size());
    const std::size_t size = header.header_size + header.size;
    fatbins.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

std::string_view view_of(std::string_view bytes, const ElfSection& section) {
  return bytes.substr(section.header.sh_offset, section.data.size());
}

}  // namespace

Result<std::vector<std::string_view>> find_fatbins(std::string_view bytes, std::string_view name) {
  std::vector<std::string_view> fatbins;
  if (begins_fatbin(bytes)) {
    PHASEBIT_TRY(split(bytes, name, fatbins));
    return fatbins;
  }
  if (bytes.starts_with("!<arch>\n"))
    return with_hint(fail(Step::disassemble, "{}: an archive of objects", name),
                     fmt::format("take them out with `ar x {}` and name one", name));
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(bytes, name));
  bool found = false;
  for (const ElfSection& section : file.sections()) {
    const bool of_code = section.name == ".nv_fatbin" || section.name == "__nv_relfatbin";
    if (!of_code || section.data.empty()) continue;
    found = true;
    PHASEBIT_TRY(split(view_of(bytes, section), name, fatbins));
  }
  if (!found)
    return fail(Step::disassemble,
                "{}: no GPU code in it: a host file without section .nv_fatbin or __nv_relfatbin",
                name);
  return fatbins;
}

}  // namespace phasebit
