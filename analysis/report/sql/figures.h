// Figures in queries: an integer stands for one. The rows of `figure` have theirs in the column
// `f`; functions make others: differences, shares, what was not measured.
#pragma once

#include "analysis/report/data/comparison.h"
#include "core/results/flag.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::report::sql {

// Two values in one cell, each a variant's id or what else is in it. Step::usage; the hint names
// the axes in which the ids differ.
Error two_in_one_cell(const std::string& one, const std::string& other);

// One for a connection, which it must not outlive.
class QueryFigures {
 public:
  // Adds the functions difference(a, b[, n]), plus(a, b), times(n, a), share(a, n), percent(a, b),
  // larger(a, b), missing(id), refuse(a, why), value(a), half(a), reason(a), cell(a), said(name,
  // a), floor(a, b), verdict(a, b), pairs(a, b) and the aggregates per_operation(f, n, chained),
  // tally(form, a, b), one(x), fastest(a), slowest(a), surest(a): docs/report-tables.md. `g` is the
  // set of GPUs whose floors count.
  QueryFigures(SQLite::Database& sqlite, std::int64_t g);
  QueryFigures(const QueryFigures&) = delete;
  QueryFigures& operator=(const QueryFigures&) = delete;

  struct Known {
    data::Figure figure;
    std::string stratum;   // of a row of `figure`; else ""
    bool is_there = true;  // false of a number that stands for none: its figure has a reason
  };
  const Known& at(std::int64_t number);
  std::int64_t keep(data::Figure figure, std::string stratum = {});

  // With the A/A floor of their stratum.
  data::Comparison compare(std::int64_t before, std::int64_t after);

  // What an aggregate complained of; the runner asks after an error of SQLite.
  std::optional<Error> complaint;

 private:
  Known read(std::int64_t number);

  SQLite::Statement row_;
  std::map<std::string, double> floors_;  // by stratum; "" for all
  std::unordered_map<std::int64_t, Known> known_;
  std::int64_t last_made_ = 0;  // those that functions made are below 0
};

// Flags of a figure as they are kept in a column.

// JSON; "" for none.
std::string flags_text(const std::vector<results::Flag>& flags);
std::vector<results::Flag> read_flags(const std::string& text);

// Values by condition as they are kept in a column: a BLOB.
std::string_view conditions_bytes(const data::AtConditions& all);
data::AtConditions read_conditions(const SQLite::Column& column);

}  // namespace phasebit::report::sql
