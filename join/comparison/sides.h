// The two sides of a comparison: results, or the part of them that a selection names.
#pragma once

#include "analysis/report/claims/claim.h"
#include "analysis/report/data/report_data.h"
#include "core/base/home.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace phasebit::join::comparison {

struct SideRequest {
  base::Home home;
  // Files of A and of B; one: of both; none: the published results.
  std::vector<std::string> results;
  std::vector<std::string> a, b;  // AXIS=VALUE: axes of variants, or words_of_runs
};

// What a selection may name in addition to the axes of variants. A device, commit or run may be
// named by a part, a ptxas by its first numbers.
inline constexpr std::array<const char*, 9> words_of_runs = {
    "device", "gpu", "driver", "ptxas", "commit", "run", "sweep", "target", "id"};

struct Side {
  std::string name;  // "A"
  std::string from;  // its files, and what of them was selected
  report::claims::Selection selection;
  report::data::ReportData data;
  // The newest figure of each variant that was selected, by id.
  std::vector<const report::data::Aggregate*> chosen;
  // Of the runs that measured them.
  std::set<std::string> gpus, drivers, ptxas, commits, targets;  // ptxas: of the variants
  std::set<std::string> lacks;  // columns that its file does not have
};
using Sides = std::array<Side, 2>;

// Step::usage for an axis or a value that no row has, with the nearest; for a side that is of
// several GPU models; for two sides that are the same rows. Step::store as load_results.
Result<Sides> open_sides(const SideRequest& request);

// That the variant names, else of the run.
std::string ptxas_of(const report::data::Aggregate& one);

// Axes that the selections set apart: named on both sides, with other values.
std::set<std::string> set_apart(const Sides& sides);

}  // namespace phasebit::join::comparison
