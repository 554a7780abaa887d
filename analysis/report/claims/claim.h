// A claim: a sentence of the docs that states a result, as data. claims/*.toml hold them;
// docs/claims.md says what each key means.
#pragma once

#include "analysis/report/claims/formula.h"
#include "analysis/report/claims/selection.h"
#include "core/base/file.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::report::claims {

// What the figure of a row is to the bound. `less` and `greater` must be seen beyond the floor: a
// pair nearer than that says nothing and is left out. The others take the floor as an allowance.
enum class Relation { less, at_most, within, at_least, greater };
std::string_view to_string(Relation relation);

// How a figure is taken against its control.
enum class AgainstAs { percent, difference };

// Figures of some of the rows used, for the sentence.
struct ClaimShow {
  std::string name;
  std::string of;  // as in the sentence: "a", "difference", "axis.NAME"
  Selection where;
};

struct Claim {
  std::string name, says, file;
  int line = 0;
  // What must be measured before there is a row: until then the claim is not checked.
  std::string needs;
  // "cycles": with the loop that it was measured in. "without_loop": the difference of two
  // unrolled sizes. Else the name of a reading.
  std::string figure = "cycles";
  Selection where, a, b;
  Formula when;  // over the axes of a row of `a`: it is meant where this is above 0
  // Where there is one: the figure is taken against that of the row with these values.
  Selection against = {};
  AgainstAs against_as = AgainstAs::percent;
  bool pairs = false;              // a row of `a` against each of `b` that has all else equal
  std::vector<std::string> free;   // axes that need not be equal
  std::vector<std::string> equal;  // what must be, beside the axes: "ran_on"
  // Flags with which a row is used all the same, with its interval.
  std::vector<std::string> accepts;
  std::vector<std::string> devices;  // parts of names; none: every device
  std::string ptxas;                 // beginning of a version; "": the one that the axis leaves out
  Relation relation = Relation::less;
  Formula bound;                          // over `b` and the axes of the row of `a`
  double within = 0, within_percent = 0;  // of the bound
  // Of the rows used, how many the relation must hold for. All, unless one of these is there.
  std::optional<double> least_share, most_share;
  std::vector<ClaimShow> shows;

  bool speaks_of(const std::string& device) const;
};

// All claims of a folder's *.toml, or of one file, in order. Step::spec with file:line for an
// unknown key, a sentence that asks for figures that there are not, a name given twice.
Result<std::vector<Claim>> read_claims(const fs::path& path);
Result<std::vector<Claim>> parse_claims(std::string_view text, const std::string& file);

}  // namespace phasebit::report::claims
