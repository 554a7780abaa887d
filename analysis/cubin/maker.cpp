#include "analysis/cubin/maker.h"

#include "core/isa/version.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace phasebit::cubin {
namespace {

// What describes a note: {format, then where the object's name, the tool, its version, its branch
// and its options begin in the strings behind}.
struct ToolInfo {
  std::array<std::uint32_t, 6> fields{};
  std::string_view strings;

  std::string text(std::size_t field) const {
    if (fields.at(field) >= strings.size()) return {};
    const std::string_view rest = strings.substr(fields.at(field));
    return std::string(rest.substr(0, rest.find('\0')));
  }
};
constexpr std::size_t tool_field = 2, version_field = 3, options_field = 5;

std::size_t padded(std::uint32_t size) {
  return (std::size_t{size} + 3) / 4 * 4;
}

// The notes of a section: {name size, description size, type}, name, description.
std::vector<ToolInfo> tool_infos(std::string_view notes) {
  constexpr std::size_t head_bytes = 12;
  std::vector<ToolInfo> infos;
  while (notes.size() >= head_bytes) {
    std::array<std::uint32_t, 3> head{};
    std::memcpy(head.data(), notes.data(), head_bytes);
    notes.remove_prefix(head_bytes);
    const std::size_t name = padded(head[0]), description = padded(head[1]);
    if (name > notes.size() || description > notes.size() - name) break;
    ToolInfo info;
    const std::string_view body = notes.substr(name, head[1]);
    notes.remove_prefix(name + description);
    if (body.size() < sizeof info.fields) continue;
    std::memcpy(info.fields.data(), body.data(), sizeof info.fields);
    info.strings = body.substr(sizeof info.fields);
    infos.push_back(info);
  }
  return infos;
}

// "sm_90a" among options, when it is of this SM.
std::string target_in(const std::string& options, int sm) {
  const std::string stem = fmt::format("sm_{}", sm);
  const std::size_t at = options.find(stem);
  if (at == std::string::npos) return {};
  const std::size_t end = options.find_first_not_of("0123456789af", at + 3);
  const std::string word = options.substr(at, end == std::string::npos ? end : end - at);
  return word == stem || word == stem + "a" || word == stem + "f" ? word : "";
}

bool newer(const std::string& a, const std::string& b) {
  const auto first = isa::parse_version(a), second = isa::parse_version(b);
  return first && (!second || *first > *second);
}

CubinMaker maker_of_header(const GElf_Ehdr& header, int sm) {
  constexpr GElf_Word accelerated = 0x800;
  CubinMaker maker;
  if (header.e_ident[EI_ABIVERSION] >= 8 || header.e_version < 100) return maker;
  maker.version = fmt::format("{}.{}", header.e_version / 10, header.e_version % 10);
  maker.target = fmt::format("sm_{}{}", sm, (header.e_flags & accelerated) != 0 ? "a" : "");
  return maker;
}

}  // namespace

CubinMaker read_maker(const ElfFile& file, int sm) {
  CubinMaker maker = maker_of_header(file.header(), sm);
  const ElfSection* section = file.find(".note.nv.tkinfo");
  if (section == nullptr) return maker;
  for (const ToolInfo& info : tool_infos(section->data)) {
    const std::string version = isa::version_in_banner(info.text(version_field));
    if (!newer(version, maker.version)) continue;
    maker = {info.text(tool_field), version, target_in(info.text(options_field), sm)};
  }
  return maker;
}

}  // namespace phasebit::cubin
