// Two figures against what two measurements of one code differ by.
#pragma once

#include "analysis/report/data/difference.h"

#include <string>

namespace phasebit::report::data {

// That of a stratum (VariantAxes::stratum), of all pairs where the stratum has too few.
Floor floor_of(const Aggregation& aggregation, const std::string& stratum);

// "faster" or "slower" when the difference is above the floor and above its own half width, else
// "AMBIGUOUS"; "AMBIGUOUS (no A/A control)" without A/A pairs; "no figure".
std::string verdict_of(const Figure& difference, bool has_pairs, double floor);

struct Comparison {
  Figure before, after;
  Figure difference;  // after - before
  double floor = 0;   // floor_of `before` in cycles, or what either moves by under other conditions
  std::string verdict;  // verdict_of
  bool is_step() const { return verdict == "faster" || verdict == "slower"; }
};

// The newest figures of both; null when it was not measured.
Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after);

// "-1.25 ±0.10" with its value, and "-0.8 %"; empty without a figure.
table::Cell difference_cell(const Figure& difference);
table::Cell percent_cell(const Comparison& comparison);

// Before, after, difference, change, floor: what every table of comparisons has in a row, in this
// order. Appends; notes get what the figures' cells refer to.
void add_comparison(std::vector<table::Cell>& row, const Comparison& comparison,
                    std::vector<std::string>& notes);

}  // namespace phasebit::report::data
