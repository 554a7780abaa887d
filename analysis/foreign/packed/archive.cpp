#include "analysis/foreign/packed/archive.h"

#include <charconv>
#include <optional>

namespace phasebit::foreign::packed {
namespace {

constexpr std::string_view magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::size_t header_bytes = 60, name_bytes = 16, size_begin = 48, size_bytes = 10,
                      end_begin = 58;

// Digits from the beginning, blanks behind them.
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

}  // namespace phasebit::foreign::packed
