// Figures laid out in rows and columns by their names.
#pragma once

#include "analysis/report/data/axes.h"
#include "analysis/report/data/difference.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::tables::probes {

class FigureGrid {
 public:
  // `rows` are the titles of the columns that name a row, axes or not; `columns` those of figures,
  // in their order. Rows with the defaults of `any` stand first.
  FigureGrid(std::vector<std::string> rows, std::vector<std::string> columns,
             data::VariantAxes any = {})
      : titles_(std::move(rows)), columns_(std::move(columns)), any_(std::move(any)) {}

  // Figures of other columns are left out.
  void put(const std::vector<std::string>& row, const std::string& column, data::Figure figure);

  // Rows by the order of their axes' values (analysis/report/data/axes.h), columns that have a
  // figure, and one with the flags. Step::usage where two figures were put in one cell.
  Result<table::Table> table() const;

 private:
  std::vector<std::vector<std::string>> keys() const;

  std::vector<std::string> titles_, columns_;
  data::VariantAxes any_;
  std::map<std::vector<std::string>, std::map<std::string, data::Figure>> rows_;
  std::string collision_;  // the first
};

}  // namespace phasebit::report::tables::probes
