// The flags of a row's figures, as one cell of the row.
#pragma once

#include "analysis/report/data/comparison.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::data {

// Whether what must not matter moves it: its B/B is more than half a cycle and half a percent.
bool is_moved(const Figure& figure);

class RowFlags {
 public:
  // What the figure in that column is flagged with, and what moves it (is_moved).
  void add(const std::string& column, const Figure& figure);
  // "modes: 8, 16; moved by start offset (3.10), SM (1.00)", without columns what all figures have;
  // "" without any.
  std::string text() const;

 private:
  std::size_t figures_ = 0;
  std::vector<std::pair<std::string, std::vector<std::string>>> columns_;  // by flag
  std::map<std::string, double> moved_;  // the largest B/B by what moved it
};

// Appends a column of these, a text a row, unless all are empty.
void add_flags_column(base::Table& table, const std::vector<std::string>& flags);

// figure_cell() for a table with such a column: flags go there, reasons below the table.
base::Cell flagged_cell(const std::string& column, const Figure& figure, RowFlags& flags,
                        std::vector<std::string>& notes);

}  // namespace phasebit::report::data
