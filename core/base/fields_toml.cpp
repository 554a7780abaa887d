#include "core/base/fields_toml.h"

namespace phasebit::base {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<int>(c));
    else
      out += c;
  }
  return out + "\"";
}

void must_have(TomlReader& reader, std::string_view key, std::string hint) {
  if (!reader.has(key)) reader.refuse({}, fmt::format("lacks '{}'", key), std::move(hint));
}

}  // namespace phasebit::base
