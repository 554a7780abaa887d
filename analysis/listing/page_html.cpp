#include "analysis/listing/page.h"
#include "core/base/toml_table.h"

#include <nlohmann/json.hpp>

namespace phasebit::listing {
namespace {

constexpr std::string_view page_html =
#include "analysis/listing/page/page.html.inc"
    ;
constexpr std::string_view page_css =
#include "analysis/listing/page/page.css.inc"
    ;
constexpr std::string_view data_js =
#include "analysis/listing/page/data.js.inc"
    ;
constexpr std::string_view matrix_js =
#include "analysis/listing/page/matrix.js.inc"
    ;
constexpr std::string_view listing_js =
#include "analysis/listing/page/listing.js.inc"
    ;
constexpr std::string_view panel_js =
#include "analysis/listing/page/panel.js.inc"
    ;
constexpr std::string_view main_js =
#include "analysis/listing/page/main.js.inc"
    ;
constexpr std::string_view opcodes_toml =
#include "analysis/listing/page/opcodes.toml.inc"
    ;

// A script ends at the first "</script", wherever it stands; no other text of the data ends it.
std::string harmless(std::string json) {
  for (std::size_t at = json.find("</"); at != std::string::npos; at = json.find("</", at))
    json.replace(at, 2, "<\\/");
  return json;
}

Status fill(std::string& html, const std::string& mark, const std::string& text) {
  const std::size_t at = html.find(mark);
  if (at == std::string::npos) return fail(Step::spec, "{}: no {}", "page.html", mark);
  html.replace(at, mark.size(), text);
  return {};
}

// {OPCODE: what it does} of all tables of the file.
Result<std::string> opcode_notes() {
  const std::string path = "analysis/listing/page/opcodes.toml";
  nlohmann::ordered_json notes;
  PHASEBIT_TRY_ASSIGN(file, base::parse_toml_table(opcodes_toml, path));
  for (const auto& [group, table] : file) {
    if (!table.is_table()) return fail(Step::spec, "{}: '{}' is no table", path, group.str());
    for (const auto& [opcode, note] : *table.as_table()) {
      if (!note.is_string()) return fail(Step::spec, "{}: {} has no text", path, opcode.str());
      notes[std::string(opcode.str())] = note.as_string()->get();
    }
  }
  return notes.dump();
}

}  // namespace

Result<std::string> page_as_html(const Page& page, unsigned threads) {
  std::string html(page_html);
  std::string script;
  for (const std::string_view part : {data_js, matrix_js, listing_js, panel_js, main_js})
    script += part;
  PHASEBIT_TRY_ASSIGN(notes, opcode_notes());
  PHASEBIT_TRY_ASSIGN(data, page_data(page, threads));
  PHASEBIT_TRY(fill(html, "/* style */", std::string(page_css)));
  PHASEBIT_TRY(fill(html, "/* script */", script));
  PHASEBIT_TRY(fill(html, "\"opcodes\"", harmless(notes)));
  PHASEBIT_TRY(fill(html, "\"data\"", harmless(data)));
  return html;
}

}  // namespace phasebit::listing
