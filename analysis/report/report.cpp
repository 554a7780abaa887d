#include "analysis/report/report.h"

#include "analysis/report/blocks.h"

#include <fmt/format.h>

namespace phasebit::report {

using base::read_file;
using data::TableArguments;

namespace {

TableSource tables_of(const ReportSource& source, sql::ReportDatabase& database) {
  return {database, source.tables, source.device, source.published, source.cache, source.axes};
}

Result<claims::ClaimSentences> claims_of(const ReportSource& source, sql::ReportDatabase& database,
                                         const std::vector<fs::path>& documents) {
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    if (names_claims(text)) return claims::claim_sentences(database, source.claims);
  }
  return claims::ClaimSentences();
}

Result<sql::ReportDatabase> open(const ReportSource& source) {
  return sql::ReportDatabase::open(source.results, source.cache, source.keys);
}

std::string title_of(const std::string& table, const TableArguments& arguments) {
  std::string title = table;
  for (const auto& [name, value] : arguments) title += fmt::format(" {}={}", name, value);
  return title;
}

}  // namespace

Result<std::string> report(const ReportSource& source, const std::string& table,
                           const TableArguments& arguments, base::TableFormat format) {
  PHASEBIT_TRY_ASSIGN(database, open(source));
  const TableSource tables = tables_of(source, database);
  PHASEBIT_TRY_ASSIGN(made, make_table(tables, table, arguments));
  if (format != base::TableFormat::html) return base::render(made, format);
  PHASEBIT_TRY_ASSIGN(counts, make_table(tables, "counts", {}));
  return html_page(made, title_of(table, arguments), counts.notes.front());
}

Result<TableArguments> table_arguments(const std::vector<std::string>& words) {
  TableArguments arguments;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      return with_hint(fail(Step::usage, "'{}' is not an argument of a table", word), "NAME=VALUE");
    arguments.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return arguments;
}

Result<std::string> update_documents(const std::vector<fs::path>& documents,
                                     const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(database, open(source));
  const TableSource tables = tables_of(source, database);
  PHASEBIT_TRY_ASSIGN(claims, claims_of(source, database, documents));
  std::vector<std::pair<fs::path, std::string>> changed;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(made, update_blocks(text, document.string(), tables, claims, source.more));
    if (made != text) changed.emplace_back(document, made);
  }
  std::string said;
  for (const auto& [document, text] : changed) {
    PHASEBIT_TRY(base::write_file(document, text));
    said += fmt::format("{}: updated\n", document.string());
  }
  return said.empty() ? "nothing changed\n" : said;
}

Status check_documents(const std::vector<fs::path>& documents, const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(database, open(source));
  const TableSource tables = tables_of(source, database);
  PHASEBIT_TRY_ASSIGN(claims, claims_of(source, database, documents));
  std::string said;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(differences,
                        differing_blocks(text, document.string(), tables, claims, source.more));
    for (const BlockDifference& one : differences)
      said += fmt::format("\n{}:{}: block '{}' has '{}', the results give '{}'", document.string(),
                          one.line, one.block, one.found, one.expected);
  }
  if (said.empty()) return {};
  return with_hint(fail(Step::store, "documents differ from the results:{}", said),
                   "`phasebit report --update` makes them anew");
}

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; font-family: sans-serif; }
body { margin: 1.5em; }
table { border-collapse: collapse; font-family: monospace; }
th { position: sticky; top: 0; background: Canvas; text-align: left; }
th, td { padding: 0.15em 0.8em; border-bottom: 1px solid GrayText; }
)";

// Every word of the field must be in a row.
constexpr const char* script = R"(
const rows = [...document.querySelectorAll('table tr')].filter(row => row.querySelector('td'));
const shown = document.getElementById('shown');
function filter(text) {
  const words = text.toLowerCase().split(/\s+/);
  let count = 0;
  for (const row of rows) {
    const content = row.textContent.toLowerCase();
    row.hidden = !words.every(word => content.includes(word));
    if (!row.hidden) ++count;
  }
  shown.textContent = `${count} of ${rows.length} rows`;
}
filter('');
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html_page(const base::Table& table, const std::string& title,
                      const std::string& origin) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n"
      "<p><input type=\"search\" placeholder=\"filter rows\" aria-label=\"filter rows\" "
      "oninput=\"filter(this.value)\"> <span id=\"shown\"></span></p>\n"
      "{3}<script>{4}</script>\n</body>\n</html>\n",
      escaped(title), escaped(origin), style, base::render(table, base::TableFormat::html), script);
}

}  // namespace phasebit::report
