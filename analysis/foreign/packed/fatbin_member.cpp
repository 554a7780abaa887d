#include "analysis/foreign/packed/fatbin.h"

#include <algorithm>
#include <cstring>

#include <lz4.h>
#include <zstd.h>

namespace phasebit::foreign::packed {
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

}  // namespace phasebit::foreign::packed
