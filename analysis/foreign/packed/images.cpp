#include "analysis/foreign/packed/images.h"

#include <charconv>
#include <cstring>
#include <optional>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Members without GPU code, such as most objects of a library, are passed over.
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

namespace {

constexpr std::string_view magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::size_t header_bytes = 60, name_bytes = 16, size_begin = 48, size_bytes = 10,
                      end_begin = 58;

// Digits from the beginning, blanks after them.
std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  if (read.ec != std::errc() || rest.find_first_not_of(' ') != std::string_view::npos)
    return std::nullopt;
  return value;
}

// "k.o/" is a name, "/12" a place in the table of long ones.
std::string member_name(std::string_view field, std::string_view long_names) {
  if (field.starts_with('/')) {
    const auto place = number(field.substr(1));
    if (!place || *place >= long_names.size()) return "?";
    field = long_names.substr(*place);
    field = field.substr(0, field.find('\n'));
  }
  return std::string(field.substr(0, field.find_last_not_of("/ ") + 1));
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return bytes.starts_with(magic) || bytes.starts_with(thin_magic);
}

Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with(thin_magic))
    return with_hint(
        fail(Step::disassemble, "{}: a thin archive: its members are other files", name),
        "name those");
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  for (std::size_t at = magic.size(); at < bytes.size();) {
    const std::string_view rest = bytes.substr(at), header = rest.substr(0, header_bytes);
    const auto size = header.size() < header_bytes || header.substr(end_begin) != "`\n"
                          ? std::nullopt
                          : number(header.substr(size_begin, size_bytes));
    if (!size)
      return fail(Step::disassemble, "{}: damaged: no header of a member at byte {}", name, at);
    if (*size > rest.size() - header_bytes)
      return fail(Step::disassemble, "{}: cut short: member {} says {} bytes, {} are left", name,
                  members.size() + 1, *size, rest.size() - header_bytes);
    const std::string_view field = header.substr(0, name_bytes);
    const std::string_view content = rest.substr(header_bytes, *size);
    if (field.starts_with("// "))
      long_names = content;
    else if (!field.starts_with("/ ") && !field.starts_with("/SYM64/"))
      members.push_back({member_name(field, long_names), content});
    at += header_bytes + *size + *size % 2;
  }
  return members;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const fs::path& path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  struct stat about{};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) file->map_ = static_cast<char*>(map), file->size_ = size;
  }
  if (fd >= 0) ::close(fd);
  if (file->map_ == nullptr) {
    PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
    file->read_ = std::move(content);
  }
  return file;
}

MappedFile::~MappedFile() {
  if (map_ != nullptr) ::munmap(map_, size_);
}

}  // namespace phasebit::foreign::packed
