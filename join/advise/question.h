// What a user asks of `phasebit advise`, and the rows of results that can answer it.
#pragma once

#include "analysis/report/sql/database.h"
#include "core/base/home.h"
#include "gen/space/catalogue.h"
#include "gen/space/point.h"
#include "gen/space/spec.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::join::advise {

struct AdviseRequest {
  base::Home home;
  std::vector<std::string> asked;    // -a axis=value,value
  std::string shared;                // budget: "160K", "163840"; "": what a CTA may have
  std::string target, device;        // "": of every GPU of the results, the last model first
  std::vector<std::string> results;  // in addition to what is published
  bool only_results = false;         // in its place
  std::string without;               // a file of ids whose rows are not looked at
};

// The axes of the problem have one value each; those of Catalogue::choices are answered, some of
// them among given values.
struct Question {
  launch::KeyAxes given;  // with probe, mover and work
  std::vector<space::AxisValues> among;
  bool gives(const std::string& axis) const;
  const std::vector<std::string>* allowed(const std::string& axis) const;  // null: all
};

// Step::usage for a name or value that is none, for two values of an axis of the problem, and
// without a mover.
Result<Question> read_question(const space::Catalogue& catalogue,
                               const std::vector<std::string>& asked);

// "160K" -> 163840. Step::usage.
Result<std::int64_t> read_bytes(const std::string& text);

// A variant and how it is named: its components, then what is not at its default.
struct Variant {
  launch::VariantKey key;
  launch::KeyAxes named;
};
// Nothing for a point that is pruned: the reason goes to `pruned`.
std::optional<Variant> variant_of(const space::Catalogue& catalogue, const launch::KeyAxes& values,
                                  std::string& pruned);

struct Row {
  Variant variant;
  std::int64_t figure = 0;  // its number in queries
  double value = 0, low = 0, high = 0;
  std::string sass_class;
};

// What a GPU model, or a GPU, measured of a probe and a work.
struct Evidence {
  std::string gpu;
  std::int64_t g = 0;  // its number in queries
  std::string unit;
  std::vector<Row> rows;
};

// Rows with one figure, of the newest text, as the catalogue declares them. Step::store for what
// SQLite complains of.
Result<Evidence> read_evidence(report::sql::ReportDatabase& database,
                               const space::Catalogue& catalogue, const Question& question,
                               const std::string& gpu, const std::set<std::string>& without);

// The fewest cycles by which a warp that only copies brings the variant's payload from L2 (probe
// `issue`), by the same mover in rows of the same bytes; 0 where it was not measured.
double copy_alone(report::sql::ReportDatabase& database, const Variant& variant, std::int64_t g);

}  // namespace phasebit::join::advise
