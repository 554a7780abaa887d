#include "analysis/foreign/packed/images.h"

#include "analysis/foreign/packed/archive.h"

#include <cstring>

#include <elf.h>

namespace phasebit::foreign::packed {
namespace {

// A field of 16 bits of an ELF file's header; 0 of what is too short.
std::uint16_t header_field(std::string_view bytes, std::size_t offset) {
  std::uint16_t value = 0;
  if (bytes.starts_with(ELFMAG) && bytes.size() >= offset + sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

constexpr std::size_t type_offset = 16, machine_offset = 18;  // e_type, e_machine

void add_members(const Fatbin& fatbin, const std::string& name, std::size_t& number,
                 ImageList& list) {
  FatbinMembers members = read_members(fatbin.bytes);
  if (!members.problem.empty()) list.problems.push_back(name + ": " + members.problem);
  for (FatbinMember& member : members.all) {
    list.ptx += member.kind == FatbinMember::Kind::ptx ? 1U : 0U;
    list.lto += member.kind == FatbinMember::Kind::lto ? 1U : 0U;
    if (member.kind != FatbinMember::Kind::elf) continue;
    const std::string source = member.source.empty() ? "" : member.source + " ";
    std::string image = fmt::format("{}: {}: {}{}", name, ++number, source, member.target);
    list.images.push_back({std::move(image), std::move(member), fatbin.relocatable});
  }
}

Status add_file(std::string_view bytes, const std::string& name, ImageList& list) {
  PHASEBIT_TRY_ASSIGN(fatbins, find_fatbins(bytes, name));
  if (!fatbins.problem.empty()) list.problems.push_back(name + ": " + fatbins.problem);
  std::size_t number = 0;
  for (const Fatbin& fatbin : fatbins.all) add_members(fatbin, name, number, list);
  return {};
}

void add_cubin(std::string_view bytes, const std::string& name, ImageList& list) {
  FatbinMember member;
  member.kind = FatbinMember::Kind::elf;
  member.payload = member.whole = bytes;
  member.size = bytes.size();
  list.images.push_back({name, std::move(member), false});
}

// Members without GPU code, as most objects of a library have none, are passed over.
Status add_archive(std::string_view bytes, const std::string& name, ImageList& list) {
  PHASEBIT_TRY_ASSIGN(members, read_archive(bytes, name));
  bool any = false;
  for (const ArchiveMember& member : members) {
    const std::string full = name + ": " + member.name;
    if (is_cubin(member.bytes))
      add_cubin(member.bytes, full, list), any = true;
    else if (const Status added = add_file(member.bytes, full, list); added)
      any = true;
  }
  if (any) return {};
  return fail(Step::disassemble, "{}: no GPU code in its {} members", name, members.size());
}

}  // namespace

bool is_cubin(std::string_view bytes) {
  return header_field(bytes, machine_offset) == EM_CUDA;
}

Result<ImageList> list_images(std::string_view bytes, const std::string& name) {
  ImageList list;
  if (is_archive(bytes)) {
    PHASEBIT_TRY(add_archive(bytes, name, list));
    return list;
  }
  const std::uint16_t type = header_field(bytes, type_offset);
  list.linked = type == ET_EXEC || type == ET_DYN;
  PHASEBIT_TRY(add_file(bytes, name, list));
  return list;
}

}  // namespace phasebit::foreign::packed
