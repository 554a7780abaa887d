#include "analysis/foreign/packed/fatbin.h"

#include "analysis/cubin/elf_file.h"
#include "core/base/process.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <lz4.h>
#include <zstd.h>

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

namespace {

// Read off fatbins that fatbinary made of images whose kind, target, sizes and packing were known;
// the tests do so again. What is not named here is not needed.
struct MemberHeader {
  std::uint16_t kind = 0, version = 0;
  std::uint32_t header_size = 0;
  std::uint64_t payload_size = 0;  // with what fills it up to 8 bytes
  std::uint32_t packed_size = 0;   // 0 when it is not packed
  std::uint32_t unnamed[2] = {};
  std::uint32_t sm = 0;
  std::uint32_t name_offset = 0, name_size = 0;  // from the beginning of the header
  std::uint64_t flags = 0;
  std::uint64_t more = 0;
  std::uint64_t unpacked_size = 0;  // 0 when it is not packed
};
static_assert(sizeof(MemberHeader) == 64);

constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000, a_flag = 0x100000, f_flag = 0x200000;
// A damaged header must not take all memory: what claims more must be packed of something.
constexpr std::uint64_t always_bytes = std::uint64_t{64} << 20U, most_ratio = 1000;

FatbinMember::Kind kind_of(std::uint16_t number) {
  switch (number) {
    case 1: return FatbinMember::Kind::ptx;
    case 2: return FatbinMember::Kind::elf;
    case 8: return FatbinMember::Kind::lto;
    default: return FatbinMember::Kind::other;
  }
}

FatbinMember::Packing packing_of(const MemberHeader& header) {
  if ((header.flags & zstd_flag) != 0) return FatbinMember::Packing::zstd;
  if ((header.flags & lz4_flag) != 0) return FatbinMember::Packing::lz4;
  return header.unpacked_size == 0 ? FatbinMember::Packing::none : FatbinMember::Packing::other;
}

std::string source_of(const MemberHeader& header, std::string_view whole) {
  if (header.name_size == 0 || header.name_offset > header.header_size ||
      header.name_size > header.header_size - header.name_offset)
    return "";
  std::string_view path = whole.substr(header.name_offset, header.name_size);
  path = path.substr(0, path.find('\0'));
  return std::string(path.substr(path.rfind('/') + 1));
}

FatbinMember member_of(const MemberHeader& header, std::string_view whole) {
  FatbinMember member;
  member.kind = kind_of(header.kind);
  member.packing = packing_of(header);
  member.sm = static_cast<int>(header.sm & 0xffff);
  const char* letter = (header.flags & a_flag) != 0 ? "a" : (header.flags & f_flag) != 0 ? "f" : "";
  member.target = fmt::format("sm_{}{}", member.sm, letter);
  member.source = source_of(header, whole);
  member.whole = whole;
  member.payload = whole.substr(header.header_size);
  if (header.packed_size != 0) member.payload = member.payload.substr(0, header.packed_size);
  member.size = header.unpacked_size == 0 ? member.payload.size() : header.unpacked_size;
  return member;
}

bool unpack_lz4(std::string_view packed, std::string& into) {
  const int size = LZ4_decompress_safe(packed.data(), into.data(), static_cast<int>(packed.size()),
                                       static_cast<int>(into.size()));
  return size >= 0 && static_cast<std::size_t>(size) == into.size();
}

bool unpack_zstd(std::string_view packed, std::string& into) {
  const std::size_t size = ZSTD_decompress(into.data(), into.size(), packed.data(), packed.size());
  return ZSTD_isError(size) == 0 && size == into.size();
}

}  // namespace

FatbinMembers read_members(std::string_view fatbin) {
  FatbinMembers members;
  std::uint16_t outer = 0;
  if (fatbin.size() >= 8) std::memcpy(&outer, fatbin.data() + 6, sizeof outer);
  std::string_view rest = fatbin.substr(std::min<std::size_t>(outer, fatbin.size()));
  while (rest.find_first_not_of('\0') != std::string_view::npos) {
    MemberHeader header;
    if (rest.size() >= sizeof header) std::memcpy(&header, rest.data(), sizeof header);
    if (header.header_size < sizeof header || header.header_size > rest.size() ||
        header.payload_size > rest.size() - header.header_size) {
      members.problem = fmt::format("damaged: image {} of a fatbin does not begin like one",
                                    members.all.size() + 1);
      return members;
    }
    const std::size_t size = header.header_size + header.payload_size;
    members.all.push_back(member_of(header, rest.substr(0, size)));
    rest.remove_prefix(size);
  }
  return members;
}

std::string alone(const FatbinMember& member) {
  constexpr std::uint32_t magic = 0xba55ed50;
  constexpr std::uint16_t version = 1, header_size = 16;
  const std::uint64_t size = member.whole.size();
  std::string bytes(header_size, '\0');
  std::memcpy(bytes.data(), &magic, sizeof magic);
  std::memcpy(bytes.data() + 4, &version, sizeof version);
  std::memcpy(bytes.data() + 6, &header_size, sizeof header_size);
  std::memcpy(bytes.data() + 8, &size, sizeof size);
  return bytes + std::string(member.whole);
}

Result<std::string> unpack(const FatbinMember& member) {
  if (member.packing == FatbinMember::Packing::none) return std::string(member.payload);
  const bool lz4 = member.packing == FatbinMember::Packing::lz4;
  if (member.packing == FatbinMember::Packing::other)
    return fail(Step::disassemble, "packed in a way that phasebit does not know");
  constexpr std::uint64_t most_lz4 = LZ4_MAX_INPUT_SIZE;
  if ((lz4 && member.size > most_lz4) ||
      (member.size > always_bytes && member.size / most_ratio > member.payload.size()))
    return fail(Step::disassemble, "damaged: {} bytes are said to become {}", member.payload.size(),
                member.size);
  std::string bytes(member.size, '\0');
  if (!(lz4 ? unpack_lz4(member.payload, bytes) : unpack_zstd(member.payload, bytes)))
    return fail(Step::disassemble, "damaged: its {} bytes do not unpack to {}",
                member.payload.size(), member.size);
  return bytes;
}

namespace {

// The file name of "Extracting ELF file    1: k.sm_90a.cubin"; "" when there is none.
std::string_view name_in(std::string_view output) {
  const std::size_t begin = output.find("Extracting ELF file");
  const std::size_t colon = begin == std::string_view::npos ? begin : output.find(": ", begin);
  if (colon == std::string_view::npos) return "";
  const std::string_view rest = output.substr(colon + 2);
  return rest.substr(0, rest.find('\n'));
}

std::string first_line(const base::ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<std::string> Unpacker::unpack(const FatbinMember& member) const {
  auto bytes = packed::unpack(member);
  if (bytes || member.packing != FatbinMember::Packing::other) return bytes;
  if (program_.empty())
    return fail(Step::toolchain,
                "packed in a way that phasebit does not know, and there is no cuobjdump");
  return run(member);
}

Result<std::string> Unpacker::run(const FatbinMember& member) const {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path file = folder.path() / "in.fatbin", out = folder.path() / "out";
  PHASEBIT_TRY(base::write_file(file, alone(member)));
  fs::create_directory(out);
  base::ProcessOptions options;
  options.working_directory = out.string();
  options.timeout = std::chrono::minutes(2);
  PHASEBIT_TRY_ASSIGN(
      output, base::run_process({program_.string(), "-xelf", "all", file.string()}, options));
  if (!output.ok())
    return fail(Step::toolchain, "cuobjdump {}: {}", output.how_it_ended(), first_line(output));
  const std::string_view name = name_in(output.out);
  if (name.empty()) return fail(Step::toolchain, "cuobjdump finds no image in it");
  auto bytes = base::read_file(out / name);
  if (!bytes)
    return fail(Step::toolchain, "cuobjdump said {}, but: {}", name, bytes.error().message);
  return bytes;
}

}  // namespace phasebit::foreign::packed
