// The parts of MoveFinder that follow what leads into the code.
#include "analysis/cubin/change/move_finder.h"
#include "analysis/cubin/code_places.h"
#include "analysis/cubin/sections.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <elf.h>

namespace phasebit::cubin::change {
namespace {

constexpr std::string_view info_prefix = ".nv.info.";

// R_CUDA_64, and R_CUDA_ABS32_LO_32 and _HI_32 of an instruction: symbol and addend make an
// address.
constexpr std::uint32_t absolute_64 = 2, absolute_lo = 56, absolute_hi = 57;

bool has_frames(std::string_view section) {
  return section == ".debug_frame";
}

std::uint64_t number_at(std::string_view bytes, std::uint64_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

Status MoveFinder::move_relocations(const ElfSection& table) {
  const bool rela = table.header.sh_type == SHT_RELA;
  const std::size_t index = table.header.sh_info;
  if (table.data.empty()) return {};
  if (index >= file_.sections().size() || table.translated == nullptr)
    return fail(Step::disassemble, "{} is of no section", table.name);
  const std::size_t size = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  for (std::size_t i = 0; i < table.entries(); ++i) {
    const std::uint64_t at = table.header.sh_offset + i * size;
    GElf_Rela one{};
    std::memcpy(&one, bytes_.data() + at, size);
    add(at + offsetof(Elf64_Rela, r_offset), 8, is_padded(index) ? 1 : 0,
        {0, advanced(index, one.r_offset)});
    // Of a symbol behind the start the value moves, and what is relative to it stays.
    if (!begins_code(GELF_R_SYM(one.r_info))) continue;
    PHASEBIT_TRY(move_relocation(file_.sections()[index], one, at, rela));
  }
  return {};
}

// Bytes put into a table of lines before a place.
std::uint64_t MoveFinder::advanced(std::size_t section, std::uint64_t place) const {
  const auto lines = advances_.find(section);
  if (lines == advances_.end()) return 0;
  const auto& places = lines->second.places;
  const auto behind = std::upper_bound(places.begin(), places.end(), place);
  return image::placement::CodeMoves::advance_bytes *
         static_cast<std::uint64_t>(behind - places.begin());
}

// One that leads into padded code from its start. In a table of frames the start is that of the
// first instruction, which moves; in one of lines it is advanced from; elsewhere it is the kernel,
// padding and all.
Status MoveFinder::move_relocation(const ElfSection& target, const GElf_Rela& one, std::uint64_t at,
                                   bool has_addend) {
  const bool of_frames = has_frames(target.name);
  const std::uint64_t type = GELF_R_TYPE(one.r_info);
  const auto refuse = [&] {
    return fail(Step::disassemble,
                "relocation of type {} at {:#x} of {}: how it moves is not known", type,
                one.r_offset, target.name);
  };
  if (has_lines(target.name)) {
    if (type != absolute_64) return refuse();
    return {};
  }
  if (has_addend && one.r_addend == 0 && !of_frames) return {};
  const bool in_code = target.name.starts_with(text_prefix);
  if (type != absolute_64 && (of_frames || (type != absolute_lo && type != absolute_hi)))
    return refuse();
  if (has_addend) {
    if (one.r_addend < 0) return refuse();
    add_place(at + offsetof(Elf64_Rela, r_addend));
    return {};
  }
  if (in_code || type != absolute_64) return refuse();
  return move_stored(target, one);
}

// REL: what is added to the symbol stands at the place.
Status MoveFinder::move_stored(const ElfSection& target, const GElf_Rela& one) {
  if (target.data.size() < 8 || one.r_offset > target.data.size() - 8)
    return fail(Step::disassemble, "a relocation at {:#x} lies behind {}", one.r_offset,
                target.name);
  const std::uint64_t at = target.header.sh_offset + one.r_offset;
  if (number_at(bytes_, at) != 0 || has_frames(target.name)) add_place(at);
  return {};
}

Status MoveFinder::move_attributes() {
  if (const ElfSection* info = file_.find(".nv.info"))
    PHASEBIT_TRY(check_function_attributes(info->data));
  for (const auto& [index, entry] : entries_) {
    const ElfSection* info = file_.find(fmt::format("{}{}", info_prefix, entry));
    if (info == nullptr) continue;
    PHASEBIT_TRY_ASSIGN(places,
                        code_places(info->data, file_.sections()[index].header.sh_size, entry));
    for (const std::size_t at : places) add_place(info->header.sh_offset + at, 4);
  }
  return {};
}

}  // namespace phasebit::cubin::change
