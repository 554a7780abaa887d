// A command whose result is a table.
#pragma once

#include "core/table/table.h"

namespace phasebit::cli {

// --format, or JSON by --json.
template <typename Options>
Result<table::TableFormat> format_of(const Options& options) {
  return table::table_format(options.json ? "json" : options.format);
}

// Prints what `make` makes; a format that there is none of is said before.
template <typename Options, typename Make>
Status print_table(const Options& options, const Make& make) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(made, make());
  fmt::print("{}", table::render(made, format));
  return {};
}

}  // namespace phasebit::cli
