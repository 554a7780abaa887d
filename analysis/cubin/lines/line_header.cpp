#include "analysis/cubin/lines/line_header.h"

#include <utility>

namespace phasebit {
namespace {

// A folder of a folder: DWARF writes the shorter way. "." as ptxas has it for none stays out.
std::string joined(std::string_view folder, std::string_view name) {
  if (folder.empty() || folder == "." || name.starts_with('/')) return std::string(name);
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

tl::unexpected<Error> bad_tables() {
  return fail(Step::disassemble, ".debug_line is damaged: its file table is cut short");
}

// DWARF 2 to 4: names of folders, then files {name, folder, time, size}, each list ended by an
// empty name. Folder 0 is where the compiler ran, which is not in the file.
Status read_old_tables(DwarfCursor& cursor, LineHeader& header) {
  std::vector<std::string_view> folders = {""};
  for (auto name = cursor.string(); !name.empty(); name = cursor.string()) folders.push_back(name);
  for (auto name = cursor.string(); !name.empty(); name = cursor.string()) {
    const std::uint64_t folder = cursor.uleb();
    cursor.uleb(), cursor.uleb();
    header.files.push_back(joined(folder < folders.size() ? folders[folder] : "", name));
  }
  return cursor.overrun() ? Status(bad_tables()) : Status();
}

enum Content : std::uint64_t { path_content = 1, folder_content = 2 };
enum Form : std::uint64_t {
  form_data2 = 0x05,
  form_data4 = 0x06,
  form_data8 = 0x07,
  form_string = 0x08,
  form_block = 0x09,
  form_data1 = 0x0b,
  form_strp = 0x0e,
  form_udata = 0x0f,
  form_data16 = 0x1e,
  form_line_strp = 0x1f
};

struct Field {
  std::uint64_t number = 0;
  std::string_view text;
};

std::string_view text_at(std::string_view strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

Result<Field> read_field(DwarfCursor& cursor, std::uint64_t form, bool is_64_bit,
                         const LineStrings& strings) {
  Field field;
  switch (form) {
    case form_string: field.text = cursor.string(); return field;
    case form_line_strp:
      field.text = text_at(strings.line_str, cursor.offset(is_64_bit));
      return field;
    case form_strp: field.text = text_at(strings.str, cursor.offset(is_64_bit)); return field;
    case form_udata: field.number = cursor.uleb(); return field;
    case form_data1: field.number = cursor.fixed<std::uint8_t>(); return field;
    case form_data2: field.number = cursor.fixed<std::uint16_t>(); return field;
    case form_data4: field.number = cursor.fixed<std::uint32_t>(); return field;
    case form_data8: field.number = cursor.fixed<std::uint64_t>(); return field;
    case form_data16: cursor.skip(16); return field;
    case form_block: cursor.skip(cursor.uleb()); return field;
    default: return fail(Step::disassemble, ".debug_line has a file table of form {:#x}", form);
  }
}

struct Entry {
  std::string_view path;
  std::uint64_t folder = 0;
};

// DWARF 5: what an entry has, then the entries.
Result<std::vector<Entry>> read_entries(DwarfCursor& cursor, bool is_64_bit,
                                        const LineStrings& strings) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format;  // content, form
  const auto fields = cursor.fixed<std::uint8_t>();
  for (int i = 0; i < fields; ++i) {
    const std::uint64_t content = cursor.uleb();
    format.emplace_back(content, cursor.uleb());
  }
  const std::uint64_t count = cursor.uleb();
  std::vector<Entry> entries;
  if (cursor.overrun() || (format.empty() && count > 0)) return bad_tables();
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry;
    for (const auto& [content, form] : format) {
      PHASEBIT_TRY_ASSIGN(field, read_field(cursor, form, is_64_bit, strings));
      if (content == path_content) entry.path = field.text;
      if (content == folder_content) entry.folder = field.number;
    }
    if (cursor.overrun()) return bad_tables();
    entries.push_back(entry);
  }
  return entries;
}

// Folder 0 is where the compiler ran; the others may be inside it.
Status read_new_tables(DwarfCursor& cursor, bool is_64_bit, const LineStrings& strings,
                       LineHeader& header) {
  PHASEBIT_TRY_ASSIGN(folders, read_entries(cursor, is_64_bit, strings));
  PHASEBIT_TRY_ASSIGN(files, read_entries(cursor, is_64_bit, strings));
  const std::string_view base = folders.empty() ? "" : folders.front().path;
  for (const Entry& file : files) {
    const std::string_view folder = file.folder < folders.size() ? folders[file.folder].path : "";
    header.files.push_back(joined(file.folder == 0 ? base : joined(base, folder), file.path));
  }
  header.first_file = 0;
  return {};
}

}  // namespace

Result<LineHeader> read_line_header(DwarfCursor& cursor, bool is_64_bit,
                                    const LineStrings& strings) {
  const auto version = cursor.fixed<std::uint16_t>();
  if (version < 2 || version > 5)
    return fail(Step::disassemble, ".debug_line has version {}; 2 to 5 can be read", version);
  if (version >= 5) cursor.skip(2);  // address size, segment selector size
  const std::uint64_t length = cursor.offset(is_64_bit);
  const std::size_t after_length = cursor.position();
  LineHeader header;
  header.min_instruction_length = cursor.fixed<std::uint8_t>();
  const auto operations = version >= 4 ? cursor.fixed<std::uint8_t>() : std::uint8_t{1};
  cursor.skip(1);  // default_is_stmt
  header.line_base = cursor.fixed<std::int8_t>();
  header.line_range = cursor.fixed<std::uint8_t>();
  header.opcode_base = cursor.fixed<std::uint8_t>();
  for (int i = 1; i < header.opcode_base; ++i)
    header.operand_counts.push_back(cursor.fixed<std::uint8_t>());
  const std::size_t used = cursor.position() - after_length;
  if (cursor.overrun() || length < used || header.line_range == 0 || header.opcode_base == 0)
    return fail(Step::disassemble, ".debug_line is damaged: bad header");
  if (operations != 1)
    return fail(Step::disassemble, ".debug_line has {} operations an instruction", operations);
  const DwarfCursor behind_fields = cursor;
  cursor.skip(length - used);
  if (cursor.overrun())
    return fail(Step::disassemble, ".debug_line is damaged: its header is longer than its unit");
  DwarfCursor tables = behind_fields.until(cursor.position());
  PHASEBIT_TRY(version >= 5 ? read_new_tables(tables, is_64_bit, strings, header)
                            : read_old_tables(tables, header));
  return header;
}

}  // namespace phasebit
