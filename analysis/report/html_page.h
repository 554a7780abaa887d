// A table as a page that a browser opens from disk: one file that loads nothing.
#pragma once

#include "core/table/table.h"

#include <string>

namespace phasebit::report {

// `title` stands above the table, `origin` below the title: which device, which versions. A field
// filters the rows by their text.
std::string html_page(const table::Table& table, const std::string& title,
                      const std::string& origin);

}  // namespace phasebit::report
