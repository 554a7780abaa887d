// A claim: a sentence of the docs that states a result, as data. claims/*.toml hold them;
// docs/claims.md says what each key means.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/toml.h"
#include "core/base/word.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::report::claims {

// Arithmetic over names: the bound of a claim, such as "b - 5" or "12.6 + 2 * producers".

// Numbers, names, + - * / and brackets, and the functions min, max, ceil, floor, log2.
class Formula {
 public:
  // Step::spec with the place in the text.
  static Result<Formula> parse(std::string_view text);

  // What the names stand for is asked of `named`; nothing for one without a number makes the whole
  // one nothing, and so does a division by 0.
  using Named = std::function<std::optional<double>(const std::string& name)>;
  std::optional<double> value(const Named& named) const;

  const std::string& text() const { return text_; }
  std::vector<std::string> names() const;
  bool empty() const { return steps_.empty(); }

 private:
  friend class FormulaParser;
  enum class Kind { number, name, add, subtract, multiply, divide, min, max, ceil, floor, log2 };
  struct Step {
    Kind kind = Kind::number;
    double number = 0;
    std::string name = {};
  };
  std::string text_;
  std::vector<Step> steps_;  // operands before what takes them
};

// Which rows a claim speaks of: tests over the axes of their keys.

// The axes of a row, sorted by name.
using RowAxes = std::vector<std::pair<Word, Word>>;

// Null for an axis that the row does not have. Asked of each row: keep the word of a name.
const std::string* axis_of(const RowAxes& axes, const Word& axis);

// One axis: any of these. A word may have * and ?; `<8`, `<=8`, `>8`, `>=8`, `2..8` are about
// numbers, `!=word` is about words, `-` is for rows that do not have the axis.
struct AxisTest {
  Word axis;
  std::vector<std::string> any_of;
  bool holds(const std::string& value) const;
};

class Selection {
 public:
  Selection() = default;
  explicit Selection(std::vector<AxisTest> tests) : tests_(std::move(tests)) {}

  bool matches(const RowAxes& axes) const;
  bool names(const std::string& axis) const;
  // Any of these; none where it does not name the axis.
  std::vector<std::string> tests_of(const std::string& axis) const;
  const std::vector<AxisTest>& tests() const { return tests_; }

 private:
  std::vector<AxisTest> tests_;
};

// "axis=word|>=8": as one key of a selection. Step::usage.
Result<AxisTest> read_test(const std::string& text);

// { axis = "word", axis = 4, axis = ["a", ">=8"] }. The first error goes to `status`.
Selection read_selection(const base::TomlValue& table, const std::string& file, Status& status);

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

// Words of the sentence that say where its relation ends.
struct ClaimLimit {
  // An axis of `where`, or what else keeps rows out: "when", "flags" (rows that are not accepted),
  // "loop" (rows that cannot be separated from theirs), "unroll" (rows of several items in a turn
  // of the loop). "": the one of these that keeps out most.
  std::string of;
  std::string words;
};

// What a sentence states: what the rows show, or why they do. A cause needs a control.
enum class ClaimKind { observation, cause };

struct Claim {
  std::string name, says, file;
  int line = 0;
  ClaimKind kind = ClaimKind::observation;
  // Of a cause: the claim whose two sides differ in the axis `cause` alone, "" where they name one.
  std::string control, cause;
  std::vector<ClaimLimit> limits;
  std::string lacks;     // words of the sentence: which options one side lacks
  std::string unpaired;  // why a floor of repetitions that are not paired is allowed
  // Also of rows with several items in a turn of the loop, though no selection names `unroll`.
  bool unrolled = false;
  // What must be measured before there is a row: until then the claim is not checked.
  std::string needs;
  // "cycles": with the loop that it was measured in. "without_loop": the difference of two
  // unrolled sizes. Else the name of a reading.
  std::string figure = "cycles";
  Selection where, a, b;
  Selection question;  // wider than `where`: what the sentence would be taken to speak of
  Formula when;        // over the axes of a row of `a`: it is meant where this is above 0
  // Where there is one: the figure is taken against that of the row with these values.
  Selection against = {};
  AgainstAs against_as = AgainstAs::percent;
  bool pairs = false;             // a row of `a` against each of `b` that has all else equal
  std::vector<std::string> free;  // axes that need not be equal
  // What must be, though a side lacks it, and "ran_on".
  std::vector<std::string> equal;
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

// The options in which makers of a ring differ: what a comparison of origins holds equal, or names.
const std::vector<std::string>& options_of_origins();

// All claims of a folder's *.toml, or of one file, in order. Step::spec with file:line for an
// unknown key, a sentence that asks for figures that there are not, a name given twice, a control
// that is no claim.
Result<std::vector<Claim>> read_claims(const fs::path& path);
Result<std::vector<Claim>> parse_claims(std::string_view text, const std::string& file);

}  // namespace phasebit::report::claims
