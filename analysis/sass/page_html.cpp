#include "analysis/sass/page.h"
#include "core/base/file.h"

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace phasebit {
namespace {

fs::path page_folder() {
  return data_root() / "analysis" / "sass" / "page";
}

// A script ends at the first "</script", wherever it stands; no other text of the data ends it.
std::string harmless(std::string json) {
  for (std::size_t at = json.find("</"); at != std::string::npos; at = json.find("</", at))
    json.replace(at, 2, "<\\/");
  return json;
}

Status fill(std::string& html, const std::string& mark, const std::string& text) {
  const std::size_t at = html.find(mark);
  if (at == std::string::npos)
    return fail(Step::spec, "{}: no {}", (page_folder() / "page.html").string(), mark);
  html.replace(at, mark.size(), text);
  return {};
}

// {OPCODE: what it does} of all tables of the file.
Result<std::string> opcode_notes() {
  const std::string path = (page_folder() / "opcodes.toml").string();
  PHASEBIT_TRY_ASSIGN(text, read_file(path));
  nlohmann::ordered_json notes;
  try {
    for (const auto& [group, table] : toml::parse(text, path)) {
      if (!table.is_table()) return fail(Step::spec, "{}: '{}' is no table", path, group.str());
      for (const auto& [opcode, note] : *table.as_table()) {
        if (!note.is_string()) return fail(Step::spec, "{}: {} has no text", path, opcode.str());
        notes[std::string(opcode.str())] = note.as_string()->get();
      }
    }
  } catch (const toml::parse_error& error) {
    return fail(Step::spec, "{}:{}: {}", path, error.source().begin.line, error.description());
  }
  return notes.dump();
}

}  // namespace

Result<std::string> page_as_html(const Page& page, unsigned threads) {
  PHASEBIT_TRY_ASSIGN(html, read_file(page_folder() / "page.html"));
  PHASEBIT_TRY_ASSIGN(style, read_file(page_folder() / "page.css"));
  std::string script;
  for (const char* name : {"data.js", "matrix.js", "listing.js", "main.js"}) {
    PHASEBIT_TRY_ASSIGN(part, read_file(page_folder() / name));
    script += part;
  }
  PHASEBIT_TRY_ASSIGN(notes, opcode_notes());
  PHASEBIT_TRY_ASSIGN(data, page_data(page, threads));
  PHASEBIT_TRY(fill(html, "/* style */", style));
  PHASEBIT_TRY(fill(html, "/* script */", script));
  PHASEBIT_TRY(fill(html, "\"opcodes\"", harmless(notes)));
  PHASEBIT_TRY(fill(html, "\"data\"", harmless(data)));
  return html;
}

}  // namespace phasebit
