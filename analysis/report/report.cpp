#include "analysis/report/report.h"

#include "analysis/report/blocks.h"
#include "analysis/report/html_page.h"

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
                           const TableArguments& arguments, table::TableFormat format) {
  PHASEBIT_TRY_ASSIGN(database, open(source));
  const TableSource tables = tables_of(source, database);
  PHASEBIT_TRY_ASSIGN(made, make_table(tables, table, arguments));
  if (format != table::TableFormat::html) return table::render(made, format);
  PHASEBIT_TRY_ASSIGN(counts, make_table(tables, "counts", {}));
  return html_page(made, title_of(table, arguments), counts.notes.front());
}

Result<TableArguments> table_arguments(const std::vector<std::string>& words) {
  TableArguments arguments;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      return with_hint(fail(Step::usage, "'{}' is no argument of a table", word), "NAME=VALUE");
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

}  // namespace phasebit::report
