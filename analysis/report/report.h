// Reports and documents from files: what a command calls.
#pragma once

#include "analysis/report/blocks.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/results/load.h"

#include <string>
#include <vector>

namespace phasebit::report {

// Where the figures come from: stores and files of results.
struct ReportSource {
  std::vector<fs::path> results;
  std::string device;    // see report_data
  fs::path claims = {};  // folder of the claims that documents state
  // The results are the published ones: without a device those of the last model by name.
  bool published = false;
  MoreTables more = {};                // of documents
  fs::path tables = {};                // folder of NAME.sql
  fs::path cache = {};                 // see sql::ReportDatabase::open
  std::vector<std::string> axes = {};  // see TableSource
  results::KeyCheck keys = {};         // of the results
};

// One table (analysis/report/tables.h) as text.
Result<std::string> report(const ReportSource& source, const std::string& table,
                           const data::TableArguments& arguments, base::TableFormat format);

// "axis=value" -> its two parts. Step::usage when there is no '='.
Result<data::TableArguments> table_arguments(const std::vector<std::string>& words);

// Makes the blocks of the documents anew and writes those that change. The text says which did. All
// documents are made before the first is written.
Result<std::string> update_documents(const std::vector<fs::path>& documents,
                                     const ReportSource& source);

// Step::store when a block differs from the results, with a line for each: file, line, block, the
// first lines that differ.
Status check_documents(const std::vector<fs::path>& documents, const ReportSource& source);

// A table as a page that a browser opens from disk: one file that loads nothing.

// `title` is above the table, `origin` below the title: which device, which versions. A field
// filters the rows by their text.
std::string html_page(const base::Table& table, const std::string& title,
                      const std::string& origin);

}  // namespace phasebit::report
